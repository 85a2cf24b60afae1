//! Tunables of replanning around other agents: congestion penalties, planned flow, and the path requests that use them.
//!
//! A mechanism is left out by a value, so that two runs measure its worth.

use crate::route_mode::RouteMode;
use std::fmt;
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::params::{ParamError, Tunable};

/// Rows that one tick can name at most for congestion-aware paths.
pub(crate) const REPLAN_REQUESTS_MAX: usize = 64;
/// Agents up to which [`ReplanParams::replan_requests`] and [`ReplanParams::replan_checks`] hold as they are.
const REPLAN_AGENTS: usize = 640;
/// Times that they grow at most with the number of agents.
const REPLAN_GROWTH_MAX: usize = 4;

macro_rules! params {
    ($($(#[doc = $about:literal])+ $name:ident: $usual:literal in $range:expr;)+) => {
        /// Every tunable of replanning around other agents.
        ///
        /// ```
        /// use wheelbase_sim::ReplanParams;
        ///
        /// let mut params = ReplanParams::default();
        /// params.set("planned_moves", 0)?;
        /// assert_eq!(params, ReplanParams { planned_moves: 0, ..ReplanParams::USUAL });
        /// assert!(params.set("planned_steps", 0).is_err());
        /// # Ok::<(), wheelbase_traffic::params::ParamError>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct ReplanParams { $($(#[doc = $about])+ pub $name: u32,)+ }

        impl ReplanParams {
            /// The usual values.
            pub const USUAL: Self = Self { $($name: $usual,)+ };

            /// All tunables, in order of the fields.
            pub fn tunables() -> Vec<Tunable> {
                vec![$(Tunable { name: stringify!($name), usual: $usual, range: $range, about: &[$($about),+] },)+]
            }

            /// Values of all tunables, in the order of the fields.
            pub fn values(&self) -> impl Iterator<Item = u32> {
                [$(self.$name),+].into_iter()
            }

            /// Sets a tunable by its name.
            /// # Errors
            /// [`ParamError`] for an unknown name or a value out of range; nothing is set then.
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

impl Default for ReplanParams {
    fn default() -> Self {
        Self::USUAL
    }
}

params! {
    /// Cells along the side of a block in which waiting is counted, as a power of two.
    block_shift: 3 in 0..=8;
    /// Ticks after which a count of waiting weighs half as much.
    block_half_life_ticks: 256 in 1..=1000000;
    /// Widths of bodies for which waiting is counted apart; wider ones count as the last of them.
    block_widths: 4 in 1..=16;
    /// Planned moves of other agents onto a cell that double the time of a move onto it.
    penalty_moves: 32 in 1..=100000;
    /// What a planned move in the opposite direction counts as, in moves in any other direction.
    penalty_opposite: 6 in 0..=1000;
    /// Largest penalty on a move, in ticks; 0 leaves penalties out.
    penalty_max_ticks: 1000 in 0..=60000;
    /// Distance from an agent, in cells along each axis, up to which penalties count. With 64, agents on a base of
    /// 256^2 cells made 4 % less progress; with the whole map, no more progress for a quarter more expansions.
    penalty_reach: 128 in 0..=65536;
    /// Ticks in which the planned moves of all agents are counted once. Counting every 16 ticks gained nothing on
    /// bases; every 128 lost 2 % of the tasks.
    planned_period_ticks: 64 in 16..=4096;
    /// Moves of a path that count as planned; 0 leaves planned flow out. Later moves are too uncertain.
    planned_moves: 128 in 0..=1024;
    /// Ticks ahead up to which moves count as planned.
    planned_ticks: 1024 in 0..=1000000;
    /// Penalties on a path, in ticks, from which on a congestion-aware path is requested; 4000000 leaves such
    /// requests out.
    replan_penalty_ticks: 64 in 0..=4000000;
    /// Moves of a path over which its penalties are added up.
    replan_path_moves: 1024 in 0..=65536;
    /// Agents whose paths are checked for penalties each tick, in a world of up to 640 agents. Larger worlds check more
    /// in proportion, up to four times.
    replan_checks: 128 in 0..=65536;
    /// Congestion-aware paths that these checks request each tick at most, for as many agents. With 8 in place of 4,
    /// crowds of 890 to 1,674 agents made 3 % more progress in 4,000 ticks. 120 agents at bridges carried 3 % less.
    replan_requests: 4 in 0..=16;
    /// Expansions of a congestion-aware search at most.
    replan_expansions: 200000 in 0..=100000000;
    /// Weight of a congestion-aware search in thousandths. Penalties are estimates, so its result need not be exact.
    /// With 1200, agents on bases of 256^2 and 512^2 cells made the progress of exact searches for half of the
    /// expansions.
    replan_weight_permille: 1200 in 1000..=10000;
    /// Ticks between two congestion-aware requests of an agent; doubled by each in a row that finds no cheaper path.
    replan_pause_ticks: 64 in 1..=65536;
    /// Distance from an agent, in cells along each axis, up to which resting agents are obstacles to a detour.
    detour_reach: 24 in 0..=512;
    /// Expansions of a search for a detour at most; 0 leaves detours out.
    detour_expansions: 20000 in 0..=100000000;
    /// Ticks between two requests of an agent for a detour; doubled by each in a row that finds none.
    detour_pause_ticks: 16 in 1..=65536;
    /// Doublings of these two pauses at most.
    pause_doublings: 6 in 0..=15;
    /// How requests for cheapest paths are answered. 0: exactly. 1: by routes over the abstract graph. 2: exactly while
    /// they fit the budget of expansions. Scenarios have the key `routes` for it.
    routes: 2 in 0..=2;
}

impl ReplanParams {
    /// How requests for cheapest paths are answered.
    pub fn route_mode(&self) -> RouteMode {
        RouteMode::of_number(self.routes)
    }

    /// Paths that are checked per tick, and requests that come of it at most, among some agents.
    pub(crate) fn checks_and_requests(&self, n_agents: usize) -> (usize, usize) {
        let of_agents = |usual: u32| {
            let usual = usual as usize;
            usual.max(usual * n_agents.min(REPLAN_GROWTH_MAX * REPLAN_AGENTS) / REPLAN_AGENTS)
        };
        let checks = if self.replan_requests == 0 { 0 } else { of_agents(self.replan_checks) };
        (checks, of_agents(self.replan_requests))
    }
}

/// A tunable that cannot be set, of the traffic rule or of replanning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TuneError(ParamError);

impl fmt::Display for TuneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(ParamError::Unknown(name)) = self else { return self.0.fmt(f) };
        let all = TrafficParams::tunables().into_iter().chain(ReplanParams::tunables());
        let names: Vec<&str> = all.map(|tunable| tunable.name).collect();
        write!(f, "no tunable is called `{name}`, expected one of {}", names.join(", "))
    }
}

impl std::error::Error for TuneError {}

/// Sets the tunable of a name, whether it is one of the traffic rule or of replanning.
/// # Errors
/// [`TuneError`] for an unknown name or a value out of range; nothing is set then.
pub fn tune(
    traffic: &mut TrafficParams,
    replan: &mut ReplanParams,
    name: &str,
    value: u32,
) -> Result<(), TuneError> {
    match traffic.set(name, value) {
        Err(ParamError::Unknown(_)) => replan.set(name, value),
        set => set,
    }
    .map_err(TuneError)
}

/// Names and values of the tunables that differ from the usual ones.
pub fn changed_tunables(traffic: &TrafficParams, replan: &ReplanParams) -> Vec<(String, u32)> {
    let of_traffic = traffic.values().zip(TrafficParams::tunables());
    let of_replan = replan.values().zip(ReplanParams::tunables());
    let unusual =
        |(value, tunable): (u32, Tunable)| (value != tunable.usual).then(|| (tunable.name.to_owned(), value));
    of_traffic.chain(of_replan).filter_map(unusual).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_set_by_its_name_within_its_range() {
        let of_traffic = TrafficParams::tunables();
        for Tunable { name, usual, range, about } in ReplanParams::tunables() {
            assert!(range.contains(&usual) && !about.is_empty(), "{name}");
            assert!(of_traffic.iter().all(|other| other.name != name), "{name} is one of the traffic rule");
            let (mut traffic, mut replan) = (TrafficParams::USUAL, ReplanParams::USUAL);
            assert_eq!((tune(&mut traffic, &mut replan, name, usual), replan), (Ok(()), ReplanParams::USUAL));
            let other = if usual == *range.start() { *range.end() } else { *range.start() };
            tune(&mut traffic, &mut replan, name, other).unwrap();
            assert!(replan != ReplanParams::USUAL && traffic == TrafficParams::USUAL, "{name}");
            let found = range.end() + 1;
            assert_eq!(replan.set(name, found), Err(ParamError::OutOfRange { name, found, range }));
        }
        let (mut traffic, mut replan) = (TrafficParams::USUAL, ReplanParams::USUAL);
        tune(&mut traffic, &mut replan, "horizon_steps", 3).unwrap();
        assert_eq!(traffic.horizon_steps, 3);
        let error = tune(&mut traffic, &mut replan, "horizon", 3).unwrap_err().to_string();
        assert!(
            error.starts_with("no tunable is called `horizon`, expected one of horizon_steps, "),
            "{error}"
        );
        assert!(error.ends_with(", routes"), "{error}");
    }
}
