//! Tunables of the rules of traffic: each a number with its unit, its usual value and what breaks at others.
//!
//! A mechanism is left out by a value, so that what it is worth is measured by two runs and no rebuild. What sizes an
//! array of fixed length is no tunable and stays a constant beside the array.

use std::error::Error;
use std::fmt;
use std::ops::RangeInclusive;

/// One tunable, as it is told to a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Name of the field of [`TrafficParams`].
    pub name: &'static str,
    /// Its usual value.
    pub usual: u32,
    /// Values that it may take.
    pub range: RangeInclusive<u32>,
    /// Unit and meaning, and what other values do.
    pub about: &'static [&'static str],
}

/// A tunable that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamError {
    /// There is none of that name.
    Unknown(String),
    /// The value is not one that it may take.
    OutOfRange {
        /// Name of the tunable.
        name: &'static str,
        /// The value asked for.
        found: u32,
        /// Values that it may take.
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
            Self::OutOfRange { name, found, range } => {
                write!(f, "{name} = {found}, expected {} to {}", range.start(), range.end())
            }
        }
    }
}

impl Error for ParamError {}

macro_rules! params {
    ($($(#[doc = $about:literal])+ $name:ident: $usual:literal in $range:expr;)+) => {
        /// Every tunable of the rules of traffic. Words of a time that end in `_steps` or `_moves` are counted in times of an
        /// agent's fastest step, others in ticks.
        ///
        /// ```
        /// use wheelbase_traffic::TrafficParams;
        ///
        /// let mut params = TrafficParams::default();
        /// params.set("contraflow_weight", 0)?;
        /// assert_eq!(params, TrafficParams { contraflow_weight: 0, ..TrafficParams::USUAL });
        /// assert!(params.set("contraflow_wait", 0).is_err());
        /// # Ok::<(), wheelbase_traffic::params::ParamError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct TrafficParams { $($(#[doc = $about])+ pub $name: u32,)+ }

        impl TrafficParams {
            /// The usual values.
            pub const USUAL: Self = Self { $($name: $usual,)+ };

            /// All tunables, in order of the fields.
            pub fn tunables() -> Vec<Tunable> {
                vec![$(Tunable { name: stringify!($name), usual: $usual, range: $range, about: &[$($about),+] },)+]
            }

            /// Sets a tunable by its name.
            /// # Errors
            /// [`ParamError`] for a name or value that there is not; nothing is set then.
            pub fn set(&mut self, name: &str, value: u32) -> Result<(), ParamError> {
                match name {
                    $(stringify!($name) if $range.contains(&value) => self.$name = value,
                    stringify!($name) => {
                        return Err(ParamError::OutOfRange { name: stringify!($name), found: value, range: $range });
                    })+
                    _ => return Err(ParamError::Unknown(name.to_owned())),
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
    /// Steps that an agent looks ahead when it plans. With 8, those of mixed bodies on bases did 4 % fewer tasks, for wide
    /// ones turn too late to pass each other; 24 gained no more.
    horizon_steps: 16 in 1..=64;
    /// Nodes that one search for moves may expand; fewer find no way out between many.
    search_nodes: 240 in 1..=2048;
    /// The same for an agent that has waited for more than two steps.
    search_nodes_after_waiting: 800 in 1..=2048;
    /// Cells around an agent, beside twice its length, in which its local cost-to-go is worked out; what lies beyond it
    /// cannot go around.
    field_reach: 14 in 2..=24;
    /// Times the ticks that an agent has waited that its search looks farther ahead; with 0 a way around is worth no more
    /// for having waited.
    wait_horizon_factor: 2 in 0..=64;
    /// Times that what waiting adds to the horizon may come to, in horizons.
    wait_horizons_max: 3 in 0..=16;
    /// Steps of waiting after which an agent has one that has nothing to do step aside; 1000 leaves that out.
    push_idle_after_steps: 1 in 0..=1000;
    /// Steps of waiting after which it has one of lower rank step aside, and keeps those of lower rank from the cells that
    /// it needs next; 1000 leaves that out.
    push_after_steps: 3 in 0..=1000;
    /// Steps of waiting after which it has anybody step aside, against rank; 1000 leaves that out.
    push_any_after_steps: 16 in 0..=1000;
    /// Steps of waiting after which it asks for a path around those at rest; 1000 leaves that out.
    around_after_steps: 12 in 0..=1000;
    /// Steps for which one that cannot reach the room to which it was sent keeps trying.
    give_up_after_steps: 8 in 1..=1000;
    /// Steps for which one that has stepped aside lets the other pass at most; 0 sends it back at once, into the other's
    /// way.
    hold_steps: 48 in 0..=1000;
    /// Moves of one that is to pass that the one beside its path looks at before it returns.
    passing_moves: 32 in 1..=96;
    /// Moves of its own path that it compares with them.
    return_moves: 8 in 1..=64;
    /// Moves ahead of an agent that one stepping aside keeps clear of: the first, longest try, which backs out of
    /// corridors.
    clear_moves_first: 32 in 1..=96;
    /// The second try, where there is no room for the first.
    clear_moves_second: 8 in 1..=96;
    /// The last try, as in a full ring where all must move on a little.
    clear_moves_last: 2 in 1..=96;
    /// Poses looked at for one agent that is to step aside; doubled with each failure in a row.
    retreat_poses: 800 in 1..=4096;
    /// Poses looked at for all that step aside for one; doubled likewise.
    retreat_poses_of_stretch: 4000 in 1..=1000000;
    /// Doublings at most.
    retreat_doublings_max: 3 in 0..=3;
    /// Agents displaced for one at most.
    pushed_max: 48 in 1..=1000;
    /// Failures in a row after which an agent backs out itself for the one that it blocks; 255 leaves that out.
    back_out_after_failures: 2 in 0..=255;
    /// Steps for which one that has backed out pushes nobody a short way.
    backed_out_steps: 96 in 0..=1000;
    /// Steps that others must cost an agent before those of lower rank plan around it; 1000 leaves that out.
    displace_after_steps: 3 in 0..=1000;
    /// Agents that plan anew for one at most.
    displaced_max: 12 in 1..=1000;
    /// Expansions a tick that go into plans that cost less together; 0 leaves them out.
    lns_expansions: 8192 in 0..=1000000000;
    /// Steps in which one of lower rank is thought to clear a cell, at the first try and at the second.
    displace_steps: 1 in 0..=64;
    /// At the second try.
    displace_steps_again: 4 in 0..=64;
    /// The same where all give way for less cost together, at the first try.
    lns_steps: 4 in 0..=64;
    /// At the second try.
    lns_steps_again: 12 in 0..=64;
    /// Cells of a corridor at most: larger narrow regions, as mazes are, are none; 0 leaves admission to corridors out.
    corridor_cells_max: 1024 in 0..=65536;
    /// Cells of the longer side of a corridor at most.
    corridor_side_max: 48 in 0..=4096;
    /// Agents that come near or enter a corridor one way before those of higher rank at the other end have their turn. With
    /// 8 a gate between two crowds let half as many through.
    corridor_batch: 4 in 1..=1000;
    /// Agents that want to go through either way that make a corridor busy; 1000 leaves busy corridors out.
    corridor_busy: 4 in 1..=1000;
    /// Agents that come near a busy corridor one way.
    corridor_batch_busy: 8 in 1..=1000;
    /// Agents that enter a busy corridor one way before it is the others' turn, which costs about two entries.
    corridor_turn_busy: 20 in 1..=1000;
    /// Moves before a corridor at which those stop that may not enter.
    queue_moves: 4 in 0..=96;
    /// Moves more for each that is before them in the line.
    queue_moves_each: 2 in 0..=96;
    /// Moves more at most.
    queue_moves_max: 72 in 0..=96;
    /// Moves before a corridor at which one that may enter is admitted.
    admit_moves: 8 in 0..=96;
    /// Moves before a corridor within which those at the other end count for whose turn it is.
    near_moves: 16 in 0..=96;
    /// Moves of a path that are looked through for corridors; 0 leaves admission to corridors out.
    look_ahead_moves: 96 in 0..=1024;
    /// Ticks for which one that has asked counts as wanting to enter.
    asked_ticks: 64 in 1..=4096;
    /// Ticks for which the entrance that one has asked for is kept clear.
    entrance_ticks: 16 in 0..=4096;
    /// Bodies that the ground before the entrance of a busy corridor is long.
    entrance_bodies: 4 in 0..=64;
    /// Ticks between two looks at the ground before busy entrances; 1000000 leaves clearing it out.
    clear_entrances_ticks: 5 in 1..=1000000;
    /// Steps after which one for which there is no room beside that ground is asked again.
    clear_again_steps: 10 in 0..=1000;
    /// Steps of waiting after which one in a corridor keeps nobody from entering it.
    keeps_steps: 8 in 0..=1000;
    /// Times, less one and in quarters, that a move counts as long against a stream that is all one way; 0 leaves lanes
    /// out.
    contraflow_weight: 10 in 0..=1000;
    /// What a stream is weighed against, in sixteenths of a body: the more, the more bodies make one.
    contraflow_still: 12 in 1..=1000;
    /// Ticks that an agent stays where it made way before it takes up its order again.
    yield_hold_ticks: 12 in 0..=4096;
    /// Unit robots: ticks between two looks at the streams; 1000000 leaves guidance out.
    robot_guidance_ticks: 10 in 1..=1000000;
    /// Unit robots: of so many free cells...
    robot_pursuers_of: 7 in 1..=1000;
    /// ...so many robots may pursue their goals at least, and as many as there are empty cells. Less leaves room unused,
    /// more jams: measured on random maps and in warehouses.
    robot_pursuers: 3 in 0..=1000;
    /// Unit robots: ticks of waiting that make up for a step more to the goal.
    robot_ticks_of_step: 8 in 0..=1000;
    /// The same on a map that is packed, where none gets far.
    robot_ticks_of_step_packed: 16 in 0..=1000;
    /// Unit robots: a map is packed where the robots stand in so many eighths of its free cells.
    robot_packed_eighths: 7 in 0..=9;
    /// Unit robots: robots that one that plans anew may lift.
    robot_displaced_max: 400 in 0..=10000;
    /// Unit robots: robots that one that improves the whole may lift.
    robot_displaced_to_improve_max: 100 in 0..=10000;
    /// Unit robots: robots that all tries of a tick may lift, for each try; 0 leaves improving the whole out.
    robot_displaced_of_try: 12 in 0..=1000;
    /// Unit robots: times that a robot looks in one turn, or for one try.
    robot_visits_max: 10 in 1..=255;
    /// Unit robots: a robot that waits for more ticks than this, and than `robot_old_distances` times its way, goes first.
    robot_old_ticks: 40 in 0..=100000;
    /// See `robot_old_ticks`.
    robot_old_distances: 4 in 1..=1000;
    /// Unit robots: one of so many goes first of all; 1000000 leaves all but one out.
    robot_first_of: 64 in 1..=1000000;
    /// Unit robots: ticks for which it does.
    robot_term_ticks: 16 in 0..=10000;
    /// Unit robots: times the way that it still has for which it does, beside those ticks.
    robot_term_distances: 2 in 0..=1000;
    /// Unit robots: robots for which it counts when the whole is improved.
    robot_first_weight: 64 in 1..=255;
    /// Unit robots: ticks of age for which a robot counts once more.
    robot_weight_ticks: 40 in 1..=100000;
    /// Unit robots: times that it counts at most.
    robot_weight_max: 16 in 1..=255;
    /// Unit robots: cells looked at for room by one that goes first of all.
    robot_push_cells: 16384 in 0..=1000000;
    /// Unit robots: cells looked at for room by any other.
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
