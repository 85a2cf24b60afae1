//! What guides a search, by name.

use wheelbase_grid::GridShape;

/// The heuristics that come with the planner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeuristicName {
    /// Nothing: the search is Dijkstra's.
    Zero,
    /// `|dx| + |dy|`: the tightest where all moves go along one axis.
    Manhattan,
    /// `max(|dx|, |dy|)`.
    Chebyshev,
    /// 10000 a straight step, 14142 a diagonal one.
    Octile,
    /// `sqrt(dx^2 + dy^2)`.
    Euclid,
    /// The steps between two cells of a hexagonal map.
    Hexagonal,
    /// The default one, with the cost so far left aside: the first path found, and soon, but not a cheap
    /// one.
    Greedy,
}

impl HeuristicName {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Zero,
        Self::Manhattan,
        Self::Chebyshev,
        Self::Octile,
        Self::Euclid,
        Self::Hexagonal,
        Self::Greedy,
    ];

    /// Name as written in queries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Manhattan => "manhattan",
            Self::Chebyshev => "chebyshev",
            Self::Octile => "octile",
            Self::Euclid => "euclid",
            Self::Hexagonal => "hexagonal",
            Self::Greedy => "greedy",
        }
    }

    /// The heuristic of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|h| h.name() == name)
    }

    /// Whether it measures maps of that shape. The default one takes the place of one that does not.
    pub fn measures(self, shape: GridShape) -> bool {
        match self {
            Self::Zero | Self::Greedy => true,
            Self::Manhattan | Self::Chebyshev | Self::Octile | Self::Euclid => shape == GridShape::Square,
            Self::Hexagonal => shape == GridShape::Hex,
        }
    }
}

/// What guided a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Guide {
    /// Nothing: it ended before it began, or it was Dijkstra's.
    #[default]
    Nothing,
    /// A norm of the displacement.
    Norm(HeuristicName),
    /// Landmarks and the default norm.
    Landmarks,
    /// A cost field of the goal.
    Field,
    /// What earlier searches to the goal have left.
    Learned,
    /// The caller's own bound.
    Custom,
}

impl Guide {
    /// Name as written in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => HeuristicName::Zero.name(),
            Self::Norm(name) => name.name(),
            Self::Landmarks => "landmarks",
            Self::Field => "field",
            Self::Learned => "learned",
            Self::Custom => "custom",
        }
    }
}
