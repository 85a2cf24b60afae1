//! How path requests to far goals are answered.

use wheelbase_planner::MovementTables;

/// How requests for cheapest paths are answered: the value of the tunable
/// [`routes`](crate::ReplanParams::routes), and of the key `routes` of scenarios.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteMode {
    /// By exact searches.
    #[default]
    Exact,
    /// By a route over the abstract graph of the class and exact legs along it, wherever the goal is more than a few
    /// clusters away.
    Abstract,
    /// Exactly as long as the expected searches of a tick fit its budget of expansions; the other requests as by
    /// [`RouteMode::Abstract`].
    Auto,
}

impl RouteMode {
    /// All modes, by their number as a tunable.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Abstract, Self::Auto];

    /// Its name in scenarios and on the command line.
    pub fn name(self) -> &'static str {
        ["exact", "abstract", "auto"][self as usize]
    }

    /// The mode of a number; numbers out of range are [`RouteMode::Exact`].
    pub fn of_number(number: u32) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or_default()
    }

    /// Whether graphs are made before the first tick. By [`RouteMode::Auto`] a class has its graph early if one search
    /// can take more than a tick's budget. This never changes an answer.
    pub(crate) fn makes_graph_early(self, tables: &MovementTables, expansions_per_tick: u64) -> bool {
        match self {
            Self::Exact => false,
            Self::Abstract => true,
            Self::Auto => tables.space().n_states() as u64 > expansions_per_tick,
        }
    }
}
