//! Tunables of the traffic rules: numbers with unit, range and usual value.
//!
//! A value switches a mechanism off, so that two runs measure its worth without a rebuild. Numbers that size arrays
//! of fixed length are constants next to these arrays.
//!
//! Where a tunable was measured, its text says on what, and with which results; the runs date from the time at which it
//! was set. "Not measured" means that the value was chosen by watching runs.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

/// One tunable, as shown to a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Name of the field of [`TrafficParams`].
    pub name: &'static str,
    /// Its usual value.
    pub usual: u32,
    /// Values allowed.
    pub range: RangeInclusive<u32>,
    /// Meaning and unit, what other values break, and where it was measured.
    pub about: &'static [&'static str],
}

/// Why a tunable was not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// No tunable has that name.
    Unknown(String),
    /// It was a tunable of an older version.
    Removed(&'static str),
    /// The value is not allowed.
    OutOfRange {
        /// Name of the tunable.
        name: &'static str,
        /// The value asked for.
        found: u32,
        /// Values allowed.
        range: RangeInclusive<u32>,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                let names: Vec<&str> = TrafficParams::tunables().iter().map(|tunable| tunable.name).collect();
                write!(f, "no tunable is called `{name}`, expected one of {}", names.join(", "))
            }
            Self::Removed(name) => {
                write!(
                    f,
                    "{name} is no longer a tunable: its value is fixed, or the mechanism was removed because it paid nothing"
                )
            }
            Self::OutOfRange { name, found, range } => {
                write!(f, "{name} = {found}, expected {} to {}", range.start(), range.end())
            }
        }
    }
}

impl Error for ParamError {}

/// Tunables of older versions: numbers that made no difference in any crowd are fixed, and mechanisms that paid nothing
/// are gone.
const REMOVED: [&str; 61] = [
    "admit_moves",
    "against_steps_max",
    "back_out_after_failures",
    "backed_out_steps",
    "blocker_moves",
    "clear_again_steps",
    "clear_entrances_doublings",
    "clear_entrances_ticks",
    "clear_moves_first",
    "clear_moves_last",
    "clear_moves_second",
    "contraflow_still",
    "contraflow_weight",
    "corridor_batch",
    "corridor_batch_busy",
    "corridor_side_max",
    "crossing_nodes",
    "crossing_steps",
    "displace_gain_steps",
    "displace_retry_doublings_max",
    "displace_steps",
    "displace_steps_again",
    "displacement_half_steps",
    "due_horizon_quarters",
    "entrance_bodies",
    "entrance_ticks",
    "field_reach",
    "field_reach_bodies",
    "field_reuse_parts",
    "flow_body",
    "flow_fade_parts",
    "flow_fade_ticks",
    "free_path_horizon_quarters",
    "give_up_after_steps",
    "guide_path_moves",
    "holder_wait_steps",
    "lns_gain_half_steps",
    "lns_idle_steps",
    "lns_retry_doublings_max",
    "lns_steps",
    "lns_steps_again",
    "look_ahead_moves",
    "passing_moves",
    "path_back_moves",
    "push_retry_doublings_max",
    "queue_moves",
    "queue_moves_each",
    "queue_moves_max",
    "replan_half_steps",
    "request_ticks",
    "retreat_check_half_steps",
    "retreat_hold_steps",
    "retreat_poses_of_stretch",
    "retry_doublings_max",
    "retry_quarter_steps",
    "return_moves",
    "roadblock_test_steps",
    "turn_moves",
    "wait_horizon_factor",
    "waited_long_steps",
    "yield_hold_ticks",
];

macro_rules! params {
    ($($(#[doc = $about:literal])+ $name:ident: $usual:literal in $range:expr;)+) => {
        /// Every tunable of the traffic rules. Times in `_steps` are multiples of the agent's fastest step, times in
        /// `_ticks` are absolute. Fields that begin with `robot_` belong to [`UnitRobots`](crate::UnitRobots), the
        /// others to [`Cooperative`](crate::Cooperative).
        ///
        /// ```
        /// use wheelbase_traffic::TrafficParams;
        ///
        /// let mut params = TrafficParams::default();
        /// params.set("lns_expansions", 0)?;
        /// assert_eq!(params, TrafficParams { lns_expansions: 0, ..TrafficParams::USUAL });
        /// assert!(params.set("lns_expansion", 0).is_err());
        /// # Ok::<(), wheelbase_traffic::params::ParamError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct TrafficParams { $($(#[doc = $about])+ pub $name: u32,)+ }

        impl TrafficParams {
            /// The usual values.
            pub const USUAL: Self = Self { $($name: $usual,)+ };

            /// All tunables, in the order of the fields.
            pub fn tunables() -> Vec<Tunable> {
                vec![$(Tunable { name: stringify!($name), usual: $usual, range: $range, about: &[$($about),+] },)+]
            }

            /// Values of all tunables, in the order of the fields.
            pub fn values(&self) -> impl Iterator<Item = u32> {
                [$(self.$name),+].into_iter()
            }

            /// Sets a tunable by name.
            /// # Errors
            /// [`ParamError`] for an unknown name or a value out of range; then nothing is set.
            pub fn set(&mut self, name: &str, value: u32) -> Result<(), ParamError> {
                match name {
                    $(stringify!($name) if $range.contains(&value) => self.$name = value,
                    stringify!($name) => {
                        return Err(ParamError::OutOfRange { name: stringify!($name), found: value, range: $range });
                    })+
                    _ => {
                        let removed = REMOVED.iter().find(|&&removed| removed == name);
                        return Err(removed.map_or_else(|| ParamError::Unknown(name.to_owned()), |&name| ParamError::Removed(name)));
                    }
                }
                Ok(())
            }
        }
    };
}

impl Default for TrafficParams {
    fn default() -> Self {
        Self::USUAL
    }
}

params! {
    // Planning of single agents.

    /// How far ahead an agent plans, in steps. Shorter: wide bodies turn too late to pass each other. Longer:
    /// searches cost more. Measured with mixed bodies on base maps: 8 did 4 % fewer tasks, 24 no more.
    horizon_steps: 16 in 1..=64;
    /// Nodes that one search for moves may expand. Lower: no plan out of a crowd is found; higher: jams cost more
    /// time. Not measured.
    search_nodes: 240 in 1..=2048;
    /// Nodes that the search of an agent may expand that has waited long. Lower: jams last; higher: they cost more
    /// time. Not measured.
    search_nodes_after_waiting: 800 in 1..=2048;
    /// Free intervals of one pose that a search tries for each move into it (SIPP). Lower: an agent does not wait for
    /// a later gap; higher: more nodes go into one pose. Not measured.
    search_intervals: 3 in 1..=64;
    /// Most that waiting adds to the horizon, in horizons. Lower: long detours are never taken; higher: searches
    /// spread over the window and run out of nodes. Not measured.
    wait_horizons_max: 3 in 0..=16;

    // Pushing.

    /// Waiting time, in steps, before an agent pushes an idle agent that blocks it. Lower: idle agents are pushed
    /// that could be passed; higher: agents stand before them; 1000 switches this off. Not measured.
    push_idle_after_steps: 1 in 0..=1000;
    /// Waiting time, in steps, before an agent pushes an agent of lower priority, and softly reserves the cells that it
    /// needs next against such agents. Lower: agents are pushed that were about to go on; higher: head-on meetings
    /// last; 1000 switches both off. Not measured.
    push_after_steps: 3 in 0..=1000;
    /// Waiting time, in steps, before an agent pushes any other, against priority. Lower: agents push each other to
    /// and fro; higher: jams that priority cannot resolve last; 1000 switches this off. Not measured.
    push_any_after_steps: 16 in 0..=1000;
    /// Waiting time, in steps, before an agent asks for a path around resting agents that no push moves. Lower: more
    /// path requests, and detours for short waits. Higher: a queue stands before a unit that its first agent has to
    /// turn away from; 1000 switches this off.
    around_after_steps: 12 in 0..=1000;
    /// Poses that an agent reaches at least, while all that can move are ignored, if it can make way. Lower: shut-in
    /// agents count as able to make way, and others wait behind them; higher: tests cost more; 0 switches roadblocks
    /// off.
    roadblock_poses: 400 in 0..=4096;
    /// Waiting time, in steps, before an agent tests whether the agent in its way can make way; for a known roadblock
    /// `push_after_steps`. Lower: agents leave roadblocks that move on; higher: two that meet on and on never ask. On
    /// ten seeds of bodies without reverse in a maze 50 agents were stuck with 3, 45 with 6, 38 with 8, 31 without
    /// roadblocks.
    roadblock_after_steps: 8 in 0..=1000;
    /// Poses that the search for one retreat may expand. Lower: no retreat is found in a crowd; higher: jams cost more
    /// time. Up to 6400 after failures made no difference at all on the gate and a bridge.
    retreat_poses: 800 in 1..=4096;
    /// Agents of one push at most, the pusher included. Lower: retreats behind several agents are not found; higher:
    /// pushes stir up whole crowds. Not measured.
    pushed_max: 48 in 1..=1000;

    // Priority inheritance.

    /// Steps that the plans of others must cost an agent before it makes them yield. Lower: more attempts for small
    /// gains; higher: agents of high priority wait; 1000 switches this off. Not measured.
    displace_after_steps: 3 in 0..=1000;
    /// Agents that may yield to one agent. Lower: dense crowds cannot be crossed; higher: failed attempts
    /// cost more. Not measured.
    displaced_max: 12 in 1..=1000;
    /// Expansions per tick for priority inheritance by agents of any priority, where all plans together cost less
    /// (neighbourhood search). Lower: jams among equals last; higher: they cost more time; 0 switches this off. Not
    /// measured.
    lns_expansions: 8192 in 0..=1000000000;

    // Corridors.

    /// Cells of a corridor at most: larger narrow regions, such as mazes, are no corridors. Lower: agents meet in
    /// long corridors; higher: mazes are entered one way at a time; 0 switches admission to corridors off. Not
    /// measured.
    corridor_cells_max: 1024 in 0..=65536;
    /// A corridor that is not narrow is tight if fewer than this many of the widest bodies fit into it side by side.
    /// Lower: nobody keeps the ends clear of a bridge 8 cells wide for bodies of 3. Higher: open ground between
    /// obstacles counts as corridors; with 2 there are no tight corridors.
    corridor_bodies: 3 in 2..=16;
    /// Longest way around a narrow region, in cells, with which the region is no corridor. Lower: streets beside
    /// streets count as corridors (0: 23.1 % of progress instead of 31.1 % on `crowd_base`); higher: bridges near
    /// other bridges do not.
    detour_cells: 48 in 0..=128;
    /// Ground before the entrances of a busy corridor on which no plan ends, in quarters of the longest body; only
    /// where two bodies can pass. Lower: agents that wait stand in the way of agents that come out. Higher: crossings
    /// become longer than a plan can be; 0 switches no-stopping ground off.
    keep_clear_quarters: 4 in 0..=64;
    /// Whether bodies that cannot undo their moves end their plans only where they can turn round: 1 or 0. 0: they stop
    /// nose to nose and lock for good.
    turning_circles: 1 in 0..=1;
    /// Agents from either end that make a corridor busy in which no two bodies pass. Lower: corridors keep agents out
    /// that could pass; higher: crowds jam at gates; 1000 switches such busy corridors off. Measured when these came:
    /// of 400 trucks at `gate.toml` 358 in place of 289 were done at tick 20,000.
    corridor_busy: 4 in 1..=1000;
    /// The same where the narrowest bodies can pass, and the corridor has no-stopping ground. Lower: streets are closed
    /// that nobody jams (4: 32.7 % of progress instead of 42.4 % at tick 2,000 of `crowd_streets`). Higher: agents jam
    /// at bridges (12: 49.9 % carried instead of 55.4 % on a loaded bridge 8 cells wide).
    corridor_busy_wide: 8 in 1..=1000;
    /// Agents that enter a busy corridor from one end before the other end has its turn. A change of turns costs
    /// about two entries. Lower: more changes; higher: longer waits. Not measured.
    corridor_turn_busy: 20 in 1..=1000;
    /// Ticks for which an agent asks to enter a busy corridor in which two bodies can pass, until all others let it in
    /// first. Lower: wide bodies stop the traffic often (800: 10 % fewer tasks on bridges 3 wide); higher: they wait
    /// longer for a gap.
    right_of_way_ticks: 2500 in 1..=1000000;

    // Unit robots. Tasks are of League of Robot Runners problems: MR23-I-04 in 500 steps, others in 1000, seed 0.

    /// Unit robots: ticks between two updates of the costs of steps to the flow. Lower: fields are rebuilt more
    /// often; higher: lanes and detours lag behind; 1000000 switches guidance off. Measured when it came, without and
    /// with: MR23-I-04 1472 and 1560 tasks, MR23-I-05 3032 and 4665.
    robot_guidance_ticks: 10 in 1..=1000000;
    /// Unit robots: extra ticks of a step against a flow in one direction only. Lower: no lanes form; higher: long
    /// detours. Measured only together with other changes.
    robot_against_ticks: 8 in 0..=15;
    /// Unit robots: extra ticks of a step out of a cell for each tick that robots have waited there, by step made.
    /// Lower: robots go on into jams: on warehouse_small_400 without a search budget 1, 2, 4, 8 gave 5097, 6080, 6847,
    /// 6968 tasks.
    robot_wait_ticks: 8 in 0..=1000;
    /// Unit robots: most extra ticks for waiting. Lower: robots go on into jams; higher: long detours. Not measured.
    robot_wait_ticks_max: 12 in 0..=15;
    /// Unit robots: steps that a flow is compared with, for each free cell per robot. With more room it matters less to
    /// go against a few robots. Lower: detours around thin flows; higher: lanes form late. Measured against a constant:
    /// MR23-I-04 1673 in place of 1650 tasks, random_50 2 % more.
    robot_still_of_cells: 2 in 0..=1000;
    /// Unit robots: lower bound of these steps. Lower: lanes form from chance in dense teams. Not measured.
    robot_still_min: 4 in 1..=1000;
    /// Unit robots: upper bound of these steps. Higher: no lanes form in thin teams. Not measured.
    robot_still_max: 16 in 1..=1000;
    /// Unit robots: quarters of the counts that are left after an update. Lower: lanes dissolve; higher: old jams
    /// still count: 900 in place of 1491 tasks on warehouse_small_400.
    robot_fade_quarters: 3 in 0..=4;
    /// Unit robots: states of all robots' fields together up to which all fields are rebuilt after an update. Beyond
    /// it a field keeps the guidance under which it was made. Lower: guidance reaches few robots; higher: updates of
    /// large teams take long ticks. Not measured.
    robot_remade_states_max: 8388608 in 0..=1000000000;
    /// Unit robots: a field knows the cells of all paths that are longer than the robot's own by this many ticks.
    /// Lower: a pushed robot needs a new field more often; higher: fields cost more. Measured on MR23-I-05: 8, 16,
    /// 32, 48 gave 7596, 7562, 7906, 7900 tasks, none faster by more than a sixth.
    robot_field_margin_ticks: 48 in 0..=1000;
    /// Unit robots: fields that are made under the same expected flow at the start of a run. Lower: less to share
    /// among threads; higher: the first robots expect no flow. Not measured.
    robot_field_batch: 128 in 1..=65536;
    /// Unit robots: of this many free cells, `robot_pursuers` robots pursue their goals.
    robot_pursuers_of: 7 in 1..=1000;
    /// Unit robots: at least this many robots of `robot_pursuers_of` free cells pursue their goals, and as many as
    /// there are empty cells. Lower: room stays unused; higher: jams. Measured on random maps and in warehouses,
    /// without figures.
    robot_pursuers: 3 in 0..=1000;
    /// Unit robots: ticks of waiting that make up for one step more to the goal when pursuers are chosen. Lower:
    /// robots far from their goals pursue them and jam; higher: they wait long for their turn. Not measured.
    robot_ticks_of_step: 8 in 0..=1000;
    /// Unit robots: the same on a packed map, where no robot gets far. Not measured.
    robot_ticks_of_step_packed: 16 in 0..=1000;
    /// Unit robots: a map is packed where robots stand on this many eighths of its free cells. Lower: pushes replace
    /// operations where these find more; higher: full maps stop. Not measured.
    robot_packed_eighths: 7 in 0..=9;
    /// Unit robots: robots that may yield to one robot in its turn. Lower: dense crowds stop; higher: failed chains
    /// cost more time. Not measured.
    robot_displaced_max: 400 in 0..=10000;
    /// Unit robots: robots that may yield in one try of the neighbourhood search. Lower: fewer improvements; higher:
    /// failed tries cost more. Measured on 300 steps of MR23-I-05: 24 gave 1257 tasks, 100 gave 1962.
    robot_displaced_to_improve_max: 100 in 0..=10000;
    /// Unit robots: robots that may yield in all tries of a tick, for each try. Bounds the time of a tick in jams; 0
    /// switches the search off. Measured with a search budget of 600 and four times this number: 28,800 in all, as with
    /// 2400 now. That cost no tasks. Half of it did: MR23-I-05 7867 in place of 7945, 150 ticks of warehouse_small_800
    /// 769 in place of 846.
    robot_displaced_of_try: 12 in 0..=1000;
    /// Unit robots: times that a robot may yield in one turn or try. Lower: chains end early; higher: robots
    /// yield to each other in circles. Not measured.
    robot_visits_max: 10 in 1..=255;
    /// Unit robots: a robot that has waited longer than this, and than `robot_old_distances` times its distance, goes
    /// before all younger ones. Lower: age takes over from nearness, and jams follow; higher: robots starve. Measured
    /// with `robot_weight_ticks`.
    robot_old_ticks: 40 in 0..=100000;
    /// Unit robots: see `robot_old_ticks`.
    robot_old_distances: 4 in 1..=1000;
    /// Unit robots: one robot in this many of the oldest goes before all others. Lower: they are in each other's way;
    /// higher: jams last; 1000000 leaves it to one robot. Measured together with `robot_wait_ticks`: the longest task
    /// of MR23-I-05 fell from 591 to 170 ticks.
    robot_first_of: 64 in 1..=1000000;
    /// Unit robots: ticks for which it does. Lower: it is not through in time; higher: others wait for their terms.
    /// Not measured.
    robot_term_ticks: 16 in 0..=10000;
    /// Unit robots: ticks longer for each step to its goal. Lower and higher as `robot_term_ticks`. Not measured.
    robot_term_distances: 2 in 0..=1000;
    /// Unit robots: its weight in the neighbourhood search. Lower: the search takes back its gains; higher: others
    /// yield to it. Not measured.
    robot_first_weight: 64 in 1..=255;
    /// Unit robots: ticks of a task's age that add 1 to its robot's weight. Measured on MR23-I-05 with
    /// `robot_weight_max`, tasks done: 40 and 16 gave 7148, 24 and 32 7088, 64 and 16 6919. 100 gave 3955, and 32 and
    /// 32 gave 4348, a lasting jam.
    robot_weight_ticks: 40 in 1..=100000;
    /// Unit robots: weight that age gives at most. See `robot_weight_ticks`.
    robot_weight_max: 16 in 1..=255;
    /// Unit robots: cells that the search for an empty cell expands for a robot that goes first. Lower: distant room
    /// is not found; higher: ticks in jams take longer. Measured when it came: two robots in a lane with one bay did
    /// no task in 4000 ticks before, none took over 300 ticks since. MR23-I-05 7900 and 7945 tasks, random_400 7131
    /// and 7296.
    robot_push_cells: 16384 in 0..=1000000;
    /// Unit robots: the same for any other robot, on packed maps. Not measured.
    robot_push_cells_near: 256 in 0..=1000000;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_set_by_its_name_within_its_range() {
        for Tunable { name, usual, range, about } in TrafficParams::tunables() {
            assert!(range.contains(&usual) && !about.is_empty(), "{name}");
            let mut params = TrafficParams::USUAL;
            assert_eq!((params.set(name, usual), params), (Ok(()), TrafficParams::USUAL));
            let other = if usual == *range.start() { *range.end() } else { *range.start() };
            params.set(name, other).unwrap();
            assert_ne!(params, TrafficParams::USUAL, "{name}");
            let found = range.end() + 1;
            assert_eq!(params.set(name, found), Err(ParamError::OutOfRange { name, found, range }));
        }
        let error = TrafficParams::USUAL.clone().set("horizon", 3).unwrap_err().to_string();
        assert!(
            error.starts_with("no tunable is called `horizon`, expected one of horizon_steps, "),
            "{error}"
        );
    }
}
