//! Maps and movement classes made in code, by hand and at random.

use crate::collision::CollisionRule;
use crate::random::Random;
use proptest::prelude::*;
use std::ops::Range;
use wheelbase_grid::{Grid, GridShape, SIDES_MAX, SideKind, SideTable, TerrainEntry, TerrainTable};
use wheelbase_planner::model::{State, Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, MovementTables, Pose, Primitive};

/// Both rules of collision.
pub const RULES: [CollisionRule; 2] = [CollisionRule::Swept, CollisionRule::Discrete];

/// A map, and the tables of the classes that move on it.
#[derive(Clone, Debug)]
pub struct Ground {
    pub grid: Grid,
    pub tables: Vec<MovementTables>,
}

impl Ground {
    /// From rows of glyphs: `.` is ground, `s` and `m` are slow, `#` is rock. `None` if a body does not fit on the map.
    pub fn new<R: AsRef<str>>(shape: GridShape, rows: &[R], classes: &[ClassSpec]) -> Option<Self> {
        let kind = |name: &str, glyphs: &str, speed| TerrainEntry {
            name: name.to_owned(),
            glyphs: glyphs.to_owned(),
            speed,
            colour: None,
            sides: [SideKind::OPEN; SIDES_MAX],
        };
        let kinds = vec![kind("sand", "s", 700), kind("mud", "m", 400), kind("rock", "#", 0)];
        let table = TerrainTable::with_standard(kinds).unwrap();
        let grid = Grid::from_rows(rows, table, SideTable::default()).unwrap().with_shape(shape);
        let compiled = classes.iter().map(|spec| match MovementClass::for_map(spec.clone(), grid.size()) {
            Ok(class) => Some(MovementTables::compile(&grid, class)),
            Err(error) => {
                assert!(error.to_string().contains("does not fit on"), "{error}");
                None
            }
        });
        let tables = compiled.collect::<Option<Vec<_>>>()?;
        Some(Self { grid, tables })
    }

    /// A square map.
    pub fn square(rows: &[&str], classes: &[ClassSpec]) -> Self {
        Self::new(GridShape::Square, rows, classes).unwrap()
    }

    /// A legal state of a class; `None` if some draws find none.
    pub fn any_state(&self, class: usize, random: &mut Random) -> Option<State> {
        let n = self.tables[class].space().n_states();
        (0..40).map(|_| State(random.below(n) as u32)).find(|&state| self.tables[class].is_legal(state))
    }
}

/// A class of one cell without a facing, which moves east, north, west and south (primitives 0 to 3) in `time` ticks.
pub fn dot(time: u32) -> ClassSpec {
    let mut spec = ClassSpec::new("dot", 1);
    spec.primitives = [("E", (1, 0)), ("N", (0, -1)), ("W", (-1, 0)), ("S", (0, 1))]
        .map(|(name, by)| Primitive::step(name, by, time))
        .to_vec();
    spec
}

/// A class of two cells in line, which goes forward and back, and turns about its front.
pub fn truck() -> ClassSpec {
    let mut spec = ClassSpec::new("truck", 4);
    spec.sweep = Sweep::both(SweepRule::Ends);
    spec.footprint = vec![(0, 0), (-1, 0)];
    spec.primitives = Primitive::vehicle(2, 3, 2);
    spec
}

/// A pose with the first heading.
pub fn at(x: i32, y: i32) -> Pose {
    Pose::new(x, y, Heading(0))
}

/// Either shape of map.
pub fn shape() -> impl Strategy<Value = GridShape> {
    prop::sample::select(&[GridShape::Square, GridShape::Hex])
}

/// Either rule of collision.
pub fn rule() -> impl Strategy<Value = CollisionRule> {
    prop::sample::select(&RULES)
}

/// Rows of glyphs of a random map: ground, two kinds of slow ground, and `cover` walls to a hundred of these.
pub fn rows(cover: u32, sides: Range<usize>) -> impl Strategy<Value = Vec<String>> {
    (sides.clone(), sides).prop_flat_map(move |(width, height)| {
        let glyph = prop_oneof![80 => Just('.'), 10 => Just('s'), 10 => Just('m'), cover => Just('#')];
        let row = prop::collection::vec(glyph, width).prop_map(String::from_iter);
        prop::collection::vec(row, height)
    })
}

/// A random class with a rectangular body of at most this many cells in length and width, its anchor anywhere in it.
pub fn class(
    name: &'static str,
    shape: GridShape,
    (longest, widest): (i32, i32),
) -> impl Strategy<Value = ClassSpec> {
    let times = (1_u32..4, 1_u32..10, 1_u32..4);
    let with = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.3), prop::bool::weighted(0.2));
    let anchor = (0..longest, 0..widest);
    (1..=longest, 1..=widest, anchor, times, with).prop_map(
        move |(length, width, (f0, r0), (ahead, back, turn), (reverses, slides, full, without_facing))| {
            let (f0, r0) = (f0 % length, r0 % width);
            let is_square = shape == GridShape::Square;
            let rule = if full && is_square { SweepRule::Full } else { SweepRule::Ends };
            let mut spec = ClassSpec { shape, sweep: Sweep::both(rule), ..ClassSpec::new(name, 1) };
            spec.footprint = (0..length).flat_map(|f| (0..width).map(move |r| (f - f0, r - r0))).collect();
            let steps: &[(i32, i32)] = match (without_facing, is_square) {
                (true, false) => &[(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)],
                (true, true) => &[(1, 0), (0, -1), (-1, 0), (0, 1)],
                (false, _) => &[(1, 0)],
            };
            spec.primitives =
                (0..).zip(steps).map(|(at, &by)| Primitive::step(&format!("m{at}"), by, ahead)).collect();
            if !without_facing {
                spec.headings = if is_square { 4 } else { 6 };
                spec.primitives
                    .extend([Primitive::turn("left", 1, turn), Primitive::turn("right", -1, turn)]);
                spec.primitives.extend(reverses.then(|| Primitive::step("back", (-1, 0), back)));
                spec.primitives.extend(slides.then(|| Primitive::step("slide", (0, 1), back)));
            }
            spec
        },
    )
}

/// A random map with few or many walls and two classes; `None` if a body does not fit on it.
pub fn ground(cover: u32) -> impl Strategy<Value = Option<Ground>> {
    shape().prop_flat_map(move |shape| {
        (rows(cover, 4..9), class("a", shape, (3, 2)), class("b", shape, (3, 2)))
            .prop_map(move |(rows, a, b)| Ground::new(shape, &rows, &[a, b]))
    })
}
