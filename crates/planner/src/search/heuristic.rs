//! Heuristics: lower bounds of the remaining cost that guide the search.
//!
//! Each built-in heuristic measures the displacement to the goal by a norm, scaled by the class's cheapest rate. The
//! rate is the minimum of `time / norm(displacement)` over its primitives, at its fastest terrain. That makes it
//! admissible for any class by construction, and consistent: one move cannot reduce the norm by more than it pays for.
//! If no primitive both moves and turns, the minimum cost of turning to a goal heading is added. Moves leave the
//! heading unchanged and turns the norm, so the sum stays consistent. For a set of goals, the displacement is measured
//! to their bounding rectangle, on hexagonal maps to their bounding hexagon.

use crate::fields::cost_field::CostField;
use crate::model::outcome::COST_MAX;
use crate::model::pose::{Frame, Heading, Pose};
use crate::search::estimate::{
    ArrayEstimate, CellBounds, Estimate, GoalBox, IntegerEstimate, IntegerNorm, LinearEstimate,
};
use crate::search::guide::{Guide, HeuristicName};
use crate::search::landmarks::{ColumnSelection, LandmarkEstimate, Landmarks, SelectedColumns};
use crate::search::learned_costs::LearnedCosts;
use crate::tables::MovementTables;
use std::fmt;
use wheelbase_grid::{CellXY, GridShape, GridSize};

/// The heuristic of a request.
#[derive(Clone, Copy, Default)]
pub enum Heuristic<'a> {
    /// Chosen by the planner: Manhattan if every move runs along one axis, else octile; hexagonal on hexagonal
    /// maps.
    #[default]
    Default,
    /// A built-in heuristic.
    Named(HeuristicName),
    /// The maximum of the bounds of some landmarks and of the default norm, or the norm alone if landmarks do
    /// not pay off. The landmarks must be of the tables' space, and no move may have become cheaper since they
    /// were made.
    Landmarks(&'a Landmarks),
    /// A caller-supplied lower bound in ticks from a pose to the goal. It need not be consistent; if it ever
    /// exceeds the true remaining cost, the answer may be dearer than the cheapest.
    Custom(&'a (dyn Fn(Pose) -> u32 + Sync)),
    /// A field of costs to the request's goal: the exact remaining cost where it is settled, else a known lower
    /// bound. Valid on the map that the field was made or repaired for, and after edits that only made moves
    /// dearer or illegal. After any other edit the answer may be dearer than the cheapest.
    Field(&'a CostField),
    /// The default heuristic, raised by bounds learned from earlier searches for the same goal
    /// ([`LearnedCosts`]).
    Learned(&'a LearnedCosts),
}

impl fmt::Debug for Heuristic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => write!(f, "Default"),
            Self::Named(name) => write!(f, "Named({name:?})"),
            Self::Landmarks(landmarks) => write!(f, "Landmarks({:?})", landmarks.states()),
            Self::Custom(_) => write!(f, "Custom"),
            Self::Field(_) => write!(f, "Field"),
            Self::Learned(_) => write!(f, "Learned"),
        }
    }
}

/// The cheapest rate of a class in some norm: `ticks / norm`.
#[derive(Clone, Copy, Debug)]
struct Rate {
    ticks: u64,
    norm: u64,
}

impl Rate {
    const NOTHING: Self = Self { ticks: 0, norm: 1 };

    /// `floor(n * ticks / norm) = n * whole + (n * fraction >> 64)` for every n with n * norm < 2^64: the
    /// fraction is too large by less than 2^-64, so the product by less than 1 / norm. Here n < 2^41 (14142 *
    /// 2^27) and norm < 2^23 (14142 * 510).
    fn split(self) -> (u64, u64) {
        let rest = u128::from(self.ticks % self.norm);
        let fraction = if rest == 0 { 0 } else { (rest << 64) / u128::from(self.norm) + 1 };
        (self.ticks / self.norm, fraction as u64)
    }
}

/// Any estimate, dispatched at every pose; slower than a specialised kernel.
pub(crate) enum AnyEstimate<'a> {
    Zero,
    Linear(LinearEstimate),
    Euclid(EuclidEstimate),
    Landmarks(&'a Landmarks, ColumnSelection, LinearEstimate),
    Custom(&'a (dyn Fn(Pose) -> u32 + Sync)),
    /// The array and, if it is not integral, the estimate that it raises.
    Array(ArrayEstimate<'a, IntegerEstimate>, LinearEstimate),
}

impl Estimate for AnyEstimate<'_> {
    fn weighted(&self, state: u32, x: i32, y: i32, heading: usize) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Linear(linear) => linear.weighted(state, x, y, heading),
            Self::Euclid(euclid) => euclid.ticks(x, y, heading),
            Self::Landmarks(landmarks, selection, norm) => match landmarks.selected(selection) {
                SelectedColumns::Narrow(of) => {
                    LandmarkEstimate::new(of, *norm).weighted(state, x, y, heading)
                }
                SelectedColumns::Wide(of) => LandmarkEstimate::new(of, *norm).weighted(state, x, y, heading),
            },
            Self::Array(array, base) => {
                array.weighted(state, x, y, heading).max(base.weighted(state, x, y, heading))
            }
            Self::Custom(estimate) => {
                let pose = Pose { cell: CellXY::new(x, y), heading: Heading(heading as u8) };
                estimate(pose).min(COST_MAX)
            }
        }
    }
}

/// `sqrt((dx^2 + dy^2) * ticks^2 / norm^2)`, rounded down exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct EuclidEstimate {
    goal: GoalBox,
    /// Squares of the time and of the length of the cheapest displacement.
    ticks_squared: u64,
    length_squared: u64,
}

impl EuclidEstimate {
    /// Whether it may be the estimate of a search on a map: no arithmetic overflows.
    fn is_sound(&self, shape: GridShape, size: GridSize) -> bool {
        let as_norm = LinearEstimate { goal: self.goal, major: 1, minor: 1, ..LinearEstimate::default() };
        as_norm.is_sound(shape, size) && (1..1 << 32).contains(&self.length_squared)
    }

    fn ticks(&self, x: i32, y: i32, heading: usize) -> u32 {
        let (dx, dy) = self.goal.displacement(x, y);
        let square = u64::from(dx) * u64::from(dx) + u64::from(dy) * u64::from(dy);
        let product = u128::from(square) * u128::from(self.ticks_squared);
        let length = u128::from(self.length_squared);
        // The float is only a guess; integer arithmetic decides.
        let mut root = (product as f64 / length as f64).sqrt() as u128;
        while root > 0 && root * root * length > product {
            root -= 1;
        }
        while (root + 1) * (root + 1) * length <= product {
            root += 1;
        }
        let ticks = root + u128::from(self.goal.turn_ticks[heading & 7]);
        ticks.min(u128::from(COST_MAX)) as u32
    }
}

/// A heuristic prepared for one class, map and goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Prepared {
    Zero,
    Linear(LinearEstimate),
    Euclid(EuclidEstimate),
    /// Selected columns, their landmarks' `step_max`, and the norm.
    Landmarks(ColumnSelection, u32, LinearEstimate),
    Custom,
    /// An array that raises this estimate.
    Array(LinearEstimate),
}

impl Prepared {
    /// Prepares a heuristic. `cells` bounds the goal's cells; `headings` has a bit per heading of a member.
    pub fn new(heuristic: &Heuristic<'_>, tables: &MovementTables, cells: CellBounds, headings: u8) -> Self {
        let name = match heuristic {
            Heuristic::Custom(_) => return Self::Custom,
            Heuristic::Field(_) => return Self::Array(LinearEstimate::default()),
            Heuristic::Learned(_) => {
                let name = Heuristic::Named(default_name(tables));
                let Self::Linear(base) = Self::new(&name, tables, cells, headings) else {
                    return Self::Array(LinearEstimate::default());
                };
                return Self::Array(base);
            }
            Heuristic::Named(name) => *name,
            Heuristic::Default | Heuristic::Landmarks(_) => default_name(tables),
        };
        let guides = name != HeuristicName::Greedy && name.measures(cells.shape);
        let name = if guides { name } else { default_name(tables) };
        if name == HeuristicName::Zero {
            return Self::Zero;
        }
        let ([low_x, low_y, low_third], [high_x, high_y, high_third]) = (cells.low, cells.high);
        let goal = GoalBox {
            low: (low_x, low_y),
            high: (high_x, high_y),
            turn_ticks: turn_ticks(tables, headings),
            shape: cells.shape,
            third: (low_third, high_third),
        };
        let (major, minor) = match name {
            HeuristicName::Zero
            | HeuristicName::Greedy
            | HeuristicName::Manhattan
            | HeuristicName::Hexagonal => (1, 1),
            HeuristicName::Chebyshev => (1, 0),
            HeuristicName::Octile => (10_000, 4_142),
            HeuristicName::Euclid => {
                let rate = cheapest_rate(tables, |dx, dy| dx * dx + dy * dy, |ticks| ticks * ticks);
                let (ticks_squared, length_squared) = (rate.ticks, rate.norm);
                return Self::Euclid(EuclidEstimate { goal, ticks_squared, length_squared });
            }
        };
        let norm = |dx: u64, dy: u64| major * dx.max(dy) + minor * dx.min(dy);
        let (whole, fraction) = cheapest_rate(tables, norm, |ticks| ticks).split();
        Self::Linear(LinearEstimate { goal, major, minor, whole, fraction })
    }

    /// The contained norm, if [`LinearEstimate::is_sum`] holds.
    pub fn sum_on(&self, size: GridSize) -> Option<LinearEstimate> {
        match self {
            Self::Linear(norm) | Self::Landmarks(_, _, norm) if norm.is_sum(size) => Some(*norm),
            _ => None,
        }
    }

    /// Whether it may have been prepared for a search on the map of the tables, guided by this heuristic: then no
    /// evaluation of it panics.
    pub fn is_sound(&self, heuristic: &Heuristic<'_>, tables: &MovementTables) -> bool {
        let space = tables.space();
        let (shape, size) = (space.shape(), space.size());
        let of_map = |norm: &LinearEstimate| norm.is_sound(shape, size);
        match (self, heuristic) {
            (Self::Zero, _) | (Self::Custom, Heuristic::Custom(_)) => true,
            (Self::Linear(norm), _) => of_map(norm),
            (Self::Euclid(euclid), _) => euclid.is_sound(shape, size),
            (Self::Landmarks(selection, _, norm), Heuristic::Landmarks(landmarks)) => {
                landmarks.space() == space && selection.is_of(landmarks) && of_map(norm)
            }
            (Self::Array(base), Heuristic::Field(field)) => field.space() == space && of_map(base),
            (Self::Array(base), Heuristic::Learned(learned)) => {
                learned.bounds().len() == space.n_states() && of_map(base)
            }
            _ => false,
        }
    }

    /// Maximum increase of the estimate by one move of the class.
    pub fn step_max(&self, tables: &MovementTables) -> u64 {
        let (linear, least) = match self {
            Self::Zero => return 0,
            Self::Linear(linear) => (linear, 0),
            Self::Landmarks(_, step_max, norm) => (norm, u64::from(*step_max)),
            // Keys beyond are clamped into the range.
            Self::Array(_) => return tables.max_ticks(),
            Self::Euclid(_) | Self::Custom => return u64::from(COST_MAX),
        };
        let steps = displacements(tables).map(|(_, dx, dy)| {
            let norm = linear.major * dx.max(dy) + linear.minor * dx.min(dy);
            norm * (linear.whole + 1)
        });
        let turning = linear.goal.turn_ticks.iter().max().map_or(0, |&t| u64::from(t));
        (steps.max().unwrap_or(0) + turning).max(least)
    }

    /// The guidance that a search for a request uses.
    pub fn guide(&self, heuristic: &Heuristic<'_>, tables: &MovementTables) -> Guide {
        match (self, heuristic) {
            (Self::Zero, _) => Guide::Nothing,
            (Self::Landmarks(..), _) => Guide::Landmarks,
            (Self::Custom, _) => Guide::Custom,
            (Self::Array(_), Heuristic::Field(_)) => Guide::Field,
            (Self::Array(_), _) => Guide::Learned,
            (_, Heuristic::Named(name)) if name.measures(tables.space().shape()) => Guide::Norm(*name),
            _ => Guide::Norm(default_name(tables)),
        }
    }
}

fn default_name(tables: &MovementTables) -> HeuristicName {
    if tables.space().shape() == GridShape::Hex {
        return HeuristicName::Hexagonal;
    }
    let single_axis = displacements(tables).all(|(_, dx, dy)| dx == 0 || dy == 0);
    if single_axis { HeuristicName::Manhattan } else { HeuristicName::Octile }
}

/// `(minimum ticks, |dx|, |dy|)` of every primitive that moves; on hexagonal maps the number of steps, and 0.
/// Norms are invariant under turning.
fn displacements(tables: &MovementTables) -> impl Iterator<Item = (u64, u64, u64)> {
    let shape = tables.space().shape();
    tables.class().primitives().iter().enumerate().filter(|(_, p)| p.by != (0, 0)).map(move |(number, p)| {
        let (forward, right) = p.by;
        let (dx, dy) = match shape {
            GridShape::Square => (forward.unsigned_abs(), right.unsigned_abs()),
            GridShape::Hex => {
                let steps = forward.abs().max(right.abs()).max((forward + right).abs());
                (steps.unsigned_abs(), 0)
            }
        };
        (u64::from(tables.min_ticks(number)), u64::from(dx), u64::from(dy))
    })
}

fn cheapest_rate(
    tables: &MovementTables,
    norm: impl Fn(u64, u64) -> u64,
    of_ticks: impl Fn(u64) -> u64,
) -> Rate {
    let rates =
        displacements(tables).map(|(ticks, dx, dy)| Rate { ticks: of_ticks(ticks), norm: norm(dx, dy) });
    let least = rates.min_by(|a, b| {
        (u128::from(a.ticks) * u128::from(b.norm)).cmp(&(u128::from(b.ticks) * u128::from(a.norm)))
    });
    least.unwrap_or(Rate::NOTHING)
}

/// Minimum ticks of pure turns from each heading to one in `headings`. All 0 if a primitive both moves and
/// turns, because a turn may then be free; 0 also for headings without such turns.
fn turn_ticks(tables: &MovementTables, headings: u8) -> [u32; 8] {
    let class = tables.class();
    let both = class.primitives().iter().any(|p| p.by != (0, 0) && p.turn != 0);
    if both {
        return [0; 8];
    }
    let n = class.headings();
    let mut ticks = [u64::MAX; 8];
    for heading in (0..n).filter(|h| headings >> h & 1 == 1) {
        ticks[heading as usize] = 0;
    }
    // Bellman-Ford over at most 8 headings.
    for _ in 0..n {
        for heading in 0..n {
            for (number, _) in class.primitives().iter().enumerate().filter(|(_, p)| p.by == (0, 0)) {
                let after = class.shape(Frame(heading), number).heading_after.0 as usize;
                let turned = ticks[after].saturating_add(u64::from(tables.min_ticks(number)));
                let known = &mut ticks[heading as usize];
                *known = turned.min(*known);
            }
        }
    }
    ticks.map(|t| if t == u64::MAX { 0 } else { t.min(u64::from(COST_MAX)) as u32 })
}

impl<'a, N: IntegerNorm> ArrayEstimate<'a, N> {
    /// For a request guided by an array; `None` for any other.
    pub fn of(tables: &MovementTables, heuristic: &Heuristic<'a>, base: &LinearEstimate) -> Option<Self> {
        let (bounds, max, has_continuations) = match heuristic {
            Heuristic::Field(field) => (field.costs(), field.beyond(), false),
            Heuristic::Learned(learned) => (learned.bounds(), COST_MAX, learned.has_continuations()),
            _ => return None,
        };
        assert_eq!(bounds.len(), tables.space().n_states(), "costs of another map");
        let range = 2 * tables.max_ticks();
        // If the base is not integral, its sums may overflow; the caller then evaluates it separately.
        let base = if base.is_integer(tables.space().size()) { N::of(base) } else { N::default() };
        Some(Self { base, bounds, max, range, has_continuations })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::class_spec::ClassSpec;
    use crate::model::movement::MovementClass;
    use crate::model::pose::State;
    use crate::model::primitive::Primitive;
    use crate::model::successor::Legality;
    use crate::search::estimate::{IntegerEstimate, IntegerHexEstimate};
    use crate::search::reference::Reference;
    use wheelbase_grid::{Grid, Rect, SideTable, TerrainTable};

    fn classes() -> Vec<MovementClass> {
        let class = |headings, primitives: Vec<Primitive>, slowest: u16| {
            let mut spec = ClassSpec::new("any", headings);
            spec.primitives = primitives;
            spec.speed = vec![("swamp".to_owned(), slowest), ("water".to_owned(), 1700)];
            MovementClass::new(spec).unwrap()
        };
        let leap = |name, by| Primitive::step(name, by, 11);
        let knight = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let mut arcs = Primitive::vehicle(3, 9, 4);
        arcs.push(Primitive { turn: 1, ..Primitive::step("arc", (2, -1), 5) });
        let one_way = vec![Primitive::step("forward", (1, 0), 2), Primitive::turn("about", 2, 7)];
        let hexagonal = |headings, primitives: Vec<Primitive>, slowest: u16| {
            let mut spec = ClassSpec::hexagonal("any", headings);
            spec.primitives = primitives;
            spec.speed = vec![("swamp".to_owned(), slowest), ("water".to_owned(), 1700)];
            MovementClass::new(spec).unwrap()
        };
        let mut hex_arcs = Primitive::vehicle(3, 9, 4);
        hex_arcs.push(Primitive { turn: 1, ..Primitive::step("arc", (2, -1), 5) });
        let leaps = [leap("far", (1, 1)), leap("further", (-2, 3)), leap("back", (-1, 0))];
        vec![
            class(1, Primitive::four_directions(5), 300),
            class(4, Primitive::vehicle(2, 6, 2), 500),
            class(1, names.into_iter().zip(knight).map(|(name, by)| leap(name, by)).collect(), 333),
            class(4, arcs, 999),
            class(4, one_way, 37),
            hexagonal(1, Primitive::six_directions(5), 300),
            hexagonal(6, Primitive::vehicle(2, 6, 2), 500),
            hexagonal(6, hex_arcs, 999),
            hexagonal(1, leaps.to_vec(), 333),
            hexagonal(6, Primitive::vehicle(40_001, 65_535, 12_345), 1),
            class(4, Primitive::vehicle(40_001, 65_535, 12_345), 1),
        ]
    }

    fn estimate_of(prepared: &Prepared) -> impl Fn(Pose) -> u32 {
        let prepared = *prepared;
        move |pose| {
            let (x, y, heading) = (pose.cell.x, pose.cell.y, pose.heading.0 as usize);
            match &prepared {
                Prepared::Linear(linear) => linear.weighted(0, x, y, heading),
                Prepared::Euclid(euclid) => euclid.ticks(x, y, heading),
                _ => 0,
            }
        }
    }

    const ROWS: [&str; 9] = [
        "..S..W...",
        ".TT..S...",
        "....SS.T.",
        "..T....T.",
        "S.T.WW.T.",
        "..T......",
        "....TTT..",
        ".S......S",
        "..W...S..",
    ];

    /// Of every pose it is 0 at the goal, and at most the true remaining cost. It is at most the estimate after a move
    /// plus the cost of the move. It is never raised by more than `step_max`.
    #[test]
    fn every_estimate_is_admissible_and_consistent() {
        let squares = Grid::from_rows(&ROWS, TerrainTable::movingai(), SideTable::default()).unwrap();
        let goals = [((4, 5), (4, 5), 0b0001_u8), ((7, 1), (8, 1), 0b1111), ((0, 0), (3, 2), 0b0110)];
        for class in classes() {
            let grid = squares.clone().with_shape(class.grid_shape());
            let tables = MovementTables::compile(&grid, class);
            let legality = Legality::new(&grid, tables.class());
            let space = tables.space();
            let states: Vec<State> =
                (0..space.n_states() as u32).map(State).filter(|&s| tables.is_legal(s)).collect();
            let costs: Vec<Vec<Option<u64>>> =
                states.iter().map(|&s| Reference::from(&legality, space.pose(s)).costs).collect();
            for (low, high, headings) in goals {
                let is_goal = |pose: Pose| {
                    let CellXY { x, y } = pose.cell;
                    let inside = (low.0..=high.0).contains(&x) && (low.1..=high.1).contains(&y);
                    inside && headings >> pose.heading.0 & 1 == 1
                };
                let goal_states: Vec<State> =
                    states.iter().copied().filter(|&s| is_goal(space.pose(s))).collect();
                for name in HeuristicName::ALL {
                    let area =
                        Rect::new(low.0, low.1, (high.0 - low.0 + 1) as u32, (high.1 - low.1 + 1) as u32);
                    let cells = CellBounds::rectangle(grid.shape(), area);
                    let prepared = Prepared::new(&Heuristic::Named(name), &tables, cells, headings);
                    let estimate = estimate_of(&prepared);
                    for (&state, costs) in states.iter().zip(&costs) {
                        let here = u64::from(estimate(space.pose(state)));
                        let true_cost = goal_states.iter().filter_map(|g| costs[g.0 as usize]).min();
                        assert!(true_cost.is_none_or(|cost| here <= cost), "{name:?}: too high");
                        assert!(!is_goal(space.pose(state)) || here == 0, "{name:?}: not 0 at a goal");
                        tables.for_each_successor(state, |next| {
                            let there = u64::from(estimate(space.pose(next.state)));
                            assert!(here <= there + u64::from(next.ticks), "{name:?}: not consistent");
                            assert!(there <= here + prepared.step_max(&tables), "{name:?}: step_max");
                        });
                    }
                }
            }
        }
    }

    /// The integer estimate equals the general one wherever it is used.
    #[test]
    fn integer_estimates_equal_the_general_one() {
        let squares = Grid::from_rows(&ROWS, TerrainTable::movingai(), SideTable::default()).unwrap();
        let (mut n_integer, mut parts) = ([0; 2], Vec::new());
        for class in classes() {
            let shape = class.grid_shape();
            let grid = squares.clone().with_shape(shape);
            let tables = MovementTables::compile(&grid, class);
            let cells = CellBounds::rectangle(shape, Rect::new(3, 4, 3, 1));
            for name in HeuristicName::ALL {
                let prepared = Prepared::new(&Heuristic::Named(name), &tables, cells, 1);
                let Prepared::Linear(linear) = prepared else { continue };
                if !linear.is_integer(grid.size()) {
                    continue;
                }
                n_integer[usize::from(shape == GridShape::Hex)] += 1;
                for state in (0..tables.space().n_states() as u32).map(State) {
                    let Pose { cell: CellXY { x, y }, heading } = tables.space().pose(state);
                    let heading = heading.0 as usize;
                    let whole = match shape {
                        GridShape::Square => IntegerEstimate::of(&linear).weighted(0, x, y, heading),
                        GridShape::Hex => IntegerHexEstimate::of(&linear).weighted(0, x, y, heading),
                    };
                    assert_eq!(whole, linear.weighted(0, x, y, heading));
                    if linear.is_sum(grid.size()) {
                        linear.list_parts(grid.size(), &mut parts);
                        let sum = linear.sum(grid.size(), &parts);
                        assert_eq!(sum.weighted(0, x, y, heading), linear.weighted(0, x, y, heading));
                    }
                }
            }
        }
        assert!(n_integer[0] >= 6 && n_integer[1] >= 6, "{n_integer:?}");
    }
}
