//! The hash of everything that the next tick depends on.

use crate::commands::OnAgents;
use crate::off_map::OffMap;
use crate::route_mode::RouteMode;
use crate::world::World;
use wheelbase_grid::Fnv1a;
use wheelbase_traffic::hash::fold;

/// The hash of a state: one multiplication a word, and eight moves a word, cheap enough for every tick. Changing one
/// word always changes it.
struct StateHasher(u64);

impl StateHasher {
    fn word(&mut self, word: u64) {
        self.0 = fold(self.0, word);
    }

    /// The words of one agent.
    fn words(&mut self, words: &[u64]) {
        // A separate hash, so that the processor does not wait for the hashes of earlier agents.
        let mut agent = Self(words.len() as u64);
        words.iter().for_each(|&word| agent.word(word));
        self.word(agent.0);
    }

    /// The remaining moves of a path.
    fn moves(&mut self, moves: &[u8]) {
        let mut path = Self(moves.len() as u64);
        let (eights, rest) = moves.as_chunks::<8>();
        eights.iter().for_each(|eight| path.word(u64::from_le_bytes(*eight)));
        rest.iter().for_each(|&primitive| path.word(u64::from(primitive)));
        self.word(path.0);
    }
}

impl World {
    /// Hash of the state, equal for any number of threads, in debug and release builds. This hash is printed,
    /// recorded for each tick and compared. Linear in agents, remaining moves and requests. The state of a traffic rule
    /// from outside is not part of it, since a replay runs without that rule.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHasher(Fnv1a::new().finish());
        self.hash_into(&mut hash);
        hash.0
    }

    fn hash_into(&self, hash: &mut StateHasher) {
        hash.word(u64::from(self.tick));
        hash.word(self.grid.revision());
        self.commands.words().into_iter().for_each(|word| hash.word(word));
        for pending in self.pending_edits.edits() {
            hash.word(pending.ticket.0 << 32 | u64::from(pending.asked));
            if let OnAgents::WaitUntil { deadline, then } = pending.edit.on_agents {
                hash.word((then as u64) << 32 | u64::from(deadline));
            }
        }
        for change in &self.class_changes {
            hash.word(u64::from(change.agent.0) << 8 | u64::from(change.class.0));
            let pose = change.pose.map(|pose| (pose.cell.x as u32, pose.cell.y as u32, pose.heading.0));
            let (x, y, heading) = pose.unwrap_or((u32::MAX, u32::MAX, u8::MAX));
            hash.words(&[change.ticket.0, u64::from(x) << 32 | u64::from(y), heading.into()]);
        }
        let agents = &self.agents;
        for row in 0..agents.len() {
            let (motion, wait_state) = (agents.motion[row], agents.wait_states[row]);
            let (orders, statistics) = (agents.orders(row), agents.statistics(row));
            let small = u64::from(motion.primitive) << 24
                | u64::from(motion.class.0) << 16
                | (motion.activity as u64) << 8
                | u64::from(orders.dropped) << 4
                | u64::from(wait_state.stranded) << 3
                | u64::from(motion.replan) << 2
                | u64::from(orders.reported) << 1
                | u64::from(orders.to_nearest);
            hash.words(&[
                u64::from(agents.ids[row].0) << 32 | u64::from(motion.state.0),
                u64::from(motion.until) << 32 | small,
                wait_state.priority as u64,
                u64::from(wait_state.waits_since) << 32 | u64::from(wait_state.moved_at),
                u64::from(wait_state.ask_again_at) << 32
                    | u64::from(wait_state.look_failures) << 8
                    | u64::from(wait_state.failures),
                u64::from(wait_state.look_again_at),
                u64::from(agents.teams[row].0) << 16 | u64::from(agents.speed_factors[row]),
                u64::from(orders.since) << 32 | u64::from(statistics.finished_at),
                u64::from(orders.waypoint) << 32 | u64::from(orders.given),
                agents.assigned[row].map_or(u64::MAX, |state| u64::from(state.0)),
            ]);
            self.orders.words(&orders, |word| hash.word(word));
            if let Some((slot, _)) = self.orders.tasks(&orders) {
                let goal = slot.goal();
                let cell = goal.map_or(u64::MAX, |goal| {
                    u64::from(goal.cell.x as u32) << 32 | u64::from(goal.cell.y as u32)
                });
                let heading =
                    goal.and_then(|goal| goal.heading).map_or(u64::MAX, |heading| u64::from(heading.0));
                hash.words(&[u64::from(slot.given()), cell, heading]);
            }
            hash.moves(agents.moves(row));
            if agents.legs[row].is_some() {
                hash.words(&agents.legs[row].words());
            }
        }
        for OffMap { agent, orders, .. } in agents.off_map() {
            hash.words(&[
                u64::from(agent.id.0) << 32 | u64::from(agent.container.0),
                u64::from(agent.class.0) << 24
                    | u64::from(agent.team.0) << 16
                    | u64::from(agent.speed_factor),
                agent.priority as u64,
                u64::from(orders.waypoint) << 32 | u64::from(orders.given),
                u64::from(orders.dropped) << 1 | u64::from(orders.reported),
            ]);
            self.orders.words(orders, |word| hash.word(word));
        }
        self.requests.for_each_word(|word| hash.word(word));
        if self.settings.replan.route_mode() == RouteMode::Auto {
            let words = self.classes.iter().map(|class| class.graph.word());
            words.filter(|&word| word != 0).for_each(|word| hash.word(word));
        }
        self.obstructed.for_each_word(|word| hash.word(word));
        self.congestion.for_each_word(&mut |word| hash.word(word));
        self.group_goals.for_each_word(|word| hash.word(word));
        if self.own_rule().is_some() {
            self.traffic.for_each_word(&mut |word| hash.word(word));
        }
        let counts = &self.counts;
        for word in [
            counts.orders_done,
            counts.orders_unreachable,
            counts.moves,
            counts.wait_ticks,
            counts.expansions,
            counts.placed,
            u64::from(self.orders.next_number()),
        ] {
            hash.word(word);
        }
    }
}
