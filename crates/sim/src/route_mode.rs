//! How path requests to far goals are answered.

/// How requests for cheapest paths are answered: the value of the tunable
/// [`routes`](crate::ReplanParams::routes), and of the key `routes` of scenarios.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteMode {
    /// By exact searches.
    Exact,
    /// By a route over the abstract graph of the class and exact legs along it, wherever the goal is more than a few
    /// clusters away.
    Abstract,
    /// Exactly as long as the expected searches of a tick fit its budget of expansions. Once the searches beyond it
    /// cost as much as the graph of their class, some clusters of it are made per tick. When it is complete, requests
    /// beyond the budget are answered as by [`RouteMode::Abstract`].
    #[default]
    Auto,
}

impl RouteMode {
    /// All modes, by their number as a tunable.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Abstract, Self::Auto];

    /// Its name in scenarios and on the command line.
    pub fn name(self) -> &'static str {
        ["exact", "abstract", "auto"][self as usize]
    }

    /// The mode of a number; numbers out of range are [`RouteMode::Auto`].
    pub fn of_number(number: u32) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or_default()
    }
}
