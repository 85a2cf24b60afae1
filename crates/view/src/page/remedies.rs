//! What a user can do about an agent that waits.

/// A remedy for each reason, by the name of the reason in outputs. The tables of `docs/troubleshooting.md` list the
/// same remedies in the same order.
const REMEDIES: [(&str, &str); 31] = [
    ("nothing_to_do", "give an order"),
    ("moves", "wait until the move ends"),
    ("dwelling", "none needed"),
    ("hold", "give it another order"),
    ("path", "raise expansions_per_tick, or set routes = \"abstract\"; a host's planner answers it"),
    ("unreachable", "open a way, use fallback = \"nearest\", or drop the order"),
    ("stranded", "make the pose legal by another edit, or use \"wait\""),
    ("edit", "remove what the edit waits for, or set a deadline"),
    ("agent", "look at the reason of that agent"),
    ("reserved", "wait; raise priority to go first"),
    ("resting", "wait for the push, or send that agent elsewhere"),
    ("claim", "wait; raise priority"),
    ("roadblock", "move that agent, end its hold, or make the teams friends"),
    ("makes_way", "none needed; more room shortens it"),
    ("yielding", "none needed; it asks for a path afterwards"),
    ("no_room_to_turn", "add a reverse move, or clear the place that it names"),
    ("corridor_turn", "wait, or add a second crossing"),
    ("corridor_held", "look at the reason of that agent"),
    ("corridor_queue", "wait, or widen the corridor"),
    ("corridor_busy", "wait; it asks when it comes near"),
    ("keep_clear", "clear the exit: move agents that rest there"),
    ("planned", "none needed"),
    ("pause", "none needed"),
    ("no_plan", "fewer agents, or more room"),
    ("budget", "raise poses_per_agent"),
    ("crowd", "use fewer robots"),
    ("pushed", "none needed"),
    ("stopped", "set no speed_factor below 1000; place it on free cells"),
    ("no_operation", "use fewer robots, or raise --tries-per-tick"),
    ("host", "send Command::Decisions with a move"),
    ("outside_rule", "implement Traffic::reason"),
];

/// The remedy for a reason, without a full stop. Linear in the number of reasons.
pub fn remedy(rule: &str) -> Option<&'static str> {
    REMEDIES.iter().find(|(name, _)| *name == rule).map(|(_, remedy)| *remedy)
}
