//! Names of heuristics and of search guidance.

use wheelbase_grid::GridShape;

/// The built-in heuristics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum HeuristicName {
    /// Zero: Dijkstra's algorithm.
    Zero,
    /// `|dx| + |dy|`: the tightest if every move runs along one axis.
    Manhattan,
    /// `max(|dx|, |dy|)`.
    Chebyshev,
    /// 10000 per straight step, 14142 per diagonal step.
    Octile,
    /// `sqrt(dx^2 + dy^2)`.
    Euclid,
    /// Number of steps between two cells of a hexagonal map.
    Hexagonal,
    /// The default norm, ignoring the cost so far: finds a path quickly, but not a cheap one.
    Greedy,
}

impl HeuristicName {
    /// All built-in heuristics.
    pub const ALL: [Self; 7] = [
        Self::Zero,
        Self::Manhattan,
        Self::Chebyshev,
        Self::Octile,
        Self::Euclid,
        Self::Hexagonal,
        Self::Greedy,
    ];

    /// Name in queries.
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

    /// The heuristic with the given name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|h| h.name() == name)
    }

    /// Whether it applies to maps of the given shape. If not, the default heuristic is used instead.
    pub fn measures(self, shape: GridShape) -> bool {
        match self {
            Self::Zero | Self::Greedy => true,
            Self::Manhattan | Self::Chebyshev | Self::Octile | Self::Euclid => shape == GridShape::Square,
            Self::Hexagonal => shape == GridShape::Hex,
        }
    }
}

/// The guidance that a search actually used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Guide {
    /// None: Dijkstra's algorithm, or no search was needed.
    #[default]
    Nothing,
    /// A norm of the displacement.
    Norm(HeuristicName),
    /// Landmarks and the default norm.
    Landmarks,
    /// A cost field of the goal.
    Field,
    /// Costs learned by earlier searches for the goal.
    Learned,
    /// A bound supplied by the caller.
    Custom,
}

impl Guide {
    /// Name in outputs.
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
