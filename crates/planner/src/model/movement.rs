//! Movement classes: everything the planner knows of an agent.

use crate::model::class_spec::ClassSpec;
use crate::model::footprint::{Axes, FOOTPRINT_CELLS_MAX, Footprint, body_at_headings};
use crate::model::geometry::SweepTooLarge;
use crate::model::offset::{OFFSET_MAX, Offset, Pivot};
use crate::model::pose::{Frame, Heading, Pose};
use crate::model::primitive::{DISPLACEMENT_MAX, PRIMITIVES_MAX, Primitive, TIME_MAX, When};
use crate::model::swept_cells::{SWEPT_CELLS_MAX, SweepContext, is_round};
use std::fmt;
use wheelbase_grid::{GridShape, GridSize, Side};

/// Maximum number of edges per cell, counting each once: three for hexagons.
pub(crate) const EDGES_MAX: usize = 3;

/// Error in a class specification.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassError {
    /// The number of headings is not 1, 4 or 8, or on hexagonal maps not 1 or 6.
    Headings {
        /// Headings of the class.
        headings: u8,
        /// Shape of the maps.
        shape: GridShape,
    },
    /// A pivot with one even and one odd number, or with a number beyond [`OFFSET_MAX`] cells.
    Pivot(Pivot),
    /// On hexagonal maps, a pivot off the centre of a cell.
    PivotOnHex,
    /// On hexagonal maps, a sweep rule other than `ends`.
    FullOnHex,
    /// The class is for maps of another shape.
    Shape {
        /// Shape required by the class.
        class: GridShape,
        /// Shape of the map.
        map: GridShape,
    },
    /// No cell, or more than 1,024.
    FootprintSize(usize),
    /// A footprint cell occurs twice.
    FootprintTwice((i32, i32)),
    /// A footprint or swept cell is farther than [`OFFSET_MAX`] from the anchor.
    OffsetTooFar((i32, i32)),
    /// More than 16 primitives.
    PrimitiveCount(usize),
    /// Two primitives with the same name.
    NameTwice(String),
    /// A primitive neither moves nor turns.
    NoEffect(String),
    /// A displacement of more than 255 cells along one axis.
    TooFar {
        /// The primitive.
        name: String,
        /// Its displacement.
        by: (i32, i32),
    },
    /// A turn by at least as many steps as there are headings.
    TurnTooFar {
        /// The primitive.
        name: String,
        /// Its turn in heading steps.
        turn: i32,
        /// Headings of the class.
        headings: u8,
    },
    /// A base time outside 1 to 65,535 ticks.
    Time {
        /// The primitive.
        name: String,
        /// Its base time.
        time: u32,
    },
    /// `when` without 8 headings.
    WhenWithout8(String),
    /// With 8 headings, a primitive that moves or lists swept cells but has no `when`.
    WhenMissing(String),
    /// A diagonal footprint without 8 headings.
    DiagonalWithout8,
    /// The body turned by 45 degrees covers no cell at least half.
    DiagonalEmpty,
    /// The moves of the class sweep more than [`SWEPT_CELLS_MAX`] cells in total.
    SweptTooMany {
        /// The primitive that exceeds the limit.
        name: String,
        /// Lower bound of the cells swept by the class, up to this primitive.
        n_cells_min: u64,
    },
    /// Working out the cells swept by a turn would take too long.
    SweepTooLong(String),
    /// The footprint is larger than the map at every heading.
    LargerThanMap {
        /// Columns and rows of the footprint facing east.
        extent: (u32, u32),
        /// Size of the map.
        size: GridSize,
    },
}

impl fmt::Display for ClassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Headings { headings, shape: GridShape::Square } => {
                write!(f, "{headings} headings; expected 1, 4 or 8")
            }
            Self::Headings { headings, shape: GridShape::Hex } => {
                write!(f, "{headings} headings; expected 1 or 6 on hexagonal maps")
            }
            Self::Pivot(Pivot { forward, right }) => write!(
                f,
                "a pivot at [{forward}, {right}] half cells; expected both even or both odd, at most {} either way",
                2 * OFFSET_MAX
            ),
            Self::PivotOnHex => {
                write!(f, "expected the centre of a cell: two whole numbers on hexagonal maps")
            }
            Self::FullOnHex => write!(f, "expected \"ends\": \"full\" is for square maps"),
            Self::Shape { class, map } => {
                write!(f, "made for maps of shape \"{}\", not \"{}\"", class.name(), map.name())
            }
            Self::FootprintSize(n) => {
                write!(f, "a footprint of {n} cells; expected 1 to {FOOTPRINT_CELLS_MAX}")
            }
            Self::FootprintTwice((a, b)) => write!(f, "footprint cell [{a}, {b}] is listed twice"),
            Self::OffsetTooFar((a, b)) => {
                write!(f, "cell [{a}, {b}] is more than {OFFSET_MAX} cells from the anchor")
            }
            Self::PrimitiveCount(n) => write!(f, "{n} moves; expected at most {PRIMITIVES_MAX}"),
            Self::NameTwice(name) => write!(f, "two moves are named \"{name}\""),
            Self::NoEffect(name) => {
                write!(f, "move \"{name}\" neither moves nor turns; give it `by` or `turn`")
            }
            Self::TooFar { name, by: (a, b) } => write!(
                f,
                "move \"{name}\" goes by [{a}, {b}]; expected at most {DISPLACEMENT_MAX} cells either way"
            ),
            Self::TurnTooFar { name, turn, headings } => write!(
                f,
                "move \"{name}\" turns by {turn} steps; with {headings} headings expected fewer than {headings} either way"
            ),
            Self::Time { name, time } => {
                write!(f, "move \"{name}\" takes {time} ticks; expected 1 to {TIME_MAX}")
            }
            Self::WhenWithout8(name) => {
                write!(f, "move \"{name}\" says `when`, which only classes with 8 headings do")
            }
            Self::WhenMissing(name) => {
                write!(f, "move \"{name}\" must say `when`: with 8 headings \"straight\" or \"diagonal\"")
            }
            Self::DiagonalWithout8 => write!(f, "a diagonal footprint needs 8 headings"),
            Self::DiagonalEmpty => {
                write!(f, "no cell is half covered by the body at 45 degrees; give `footprint_diagonal`")
            }
            Self::SweptTooMany { name, n_cells_min } => write!(
                f,
                "with move \"{name}\" the moves of the class sweep at least {n_cells_min} cells at all headings together; expected at most {SWEPT_CELLS_MAX}"
            ),
            Self::SweepTooLong(name) => write!(
                f,
                "working out which cells move \"{name}\" sweeps takes too long; expected a smaller footprint, a nearer pivot, or sweep = \"ends\" for turns"
            ),
            Self::LargerThanMap { extent: (w, h), size } => {
                write!(f, "a footprint of {w} x {h} cells does not fit on a map of {size} cells")
            }
        }
    }
}

impl std::error::Error for ClassError {}

/// A primitive in one frame, in columns and rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveShape {
    /// Displacement of the anchor.
    pub step: Offset,
    /// Heading after the move.
    pub heading_after: Heading,
    /// Frame after the move.
    pub frame_after: Frame,
    /// Swept cells as offsets from the start anchor, row-major, without repeats.
    pub swept: Vec<Offset>,
    /// North-west and south-east corner of the bounding rectangle of the swept cells.
    pub bounds: (Offset, Offset),
    /// Whether the primitive can start at this heading.
    pub applies: bool,
    /// Edges between swept cells, each once: a swept cell and one of its [later sides](GridShape::later_sides).
    pub edges: Vec<(Offset, Side)>,
}

impl MoveShape {
    /// Whether `other`, a shape in the frame after this one, leads back to `frame`, where this one starts, over
    /// the same cells. If so, on flat ground either is legal exactly when the other is, at the same speed.
    pub(crate) fn is_taken_back_by(&self, frame: Frame, other: &Self) -> bool {
        other.applies
            && other.step == Offset::new(-self.step.dx, -self.step.dy)
            && other.frame_after == frame
            && other.swept.len() == self.swept.len()
            && other.swept.iter().zip(&self.swept).all(|(o, s)| o.plus(self.step) == *s)
    }
}

/// A validated movement class, with the shape of each move in each frame.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize), serde(try_from = "ClassSpec"))]
pub struct MovementClass {
    spec: ClassSpec,
    footprint: Footprint,
    /// Edges within the footprint, by frame.
    rest_edges: Vec<Vec<(Offset, Side)>>,
    /// `[frame * n_primitives + primitive]`.
    shapes: Vec<MoveShape>,
    reversible: bool,
}

impl TryFrom<ClassSpec> for MovementClass {
    type Error = ClassError;

    fn try_from(spec: ClassSpec) -> Result<Self, ClassError> {
        Self::new(spec)
    }
}

/// A class is its specification: shapes are computed again, and checked, when it is read.
#[cfg(feature = "serde")]
impl serde::Serialize for MovementClass {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.spec.serialize(serializer)
    }
}

impl MovementClass {
    /// Validates a class and computes its shapes. Time and memory are linear in the cells swept by its moves,
    /// at most [`SWEPT_CELLS_MAX`].
    /// # Errors
    /// [`ClassError`] for the first violation of a limit of `docs/rules.md` 2.4.
    pub fn new(spec: ClassSpec) -> Result<Self, ClassError> {
        Self::checked(spec, None)
    }

    /// Like [`Self::new`], for maps of a given size. A body that does not fit is rejected before any shape is
    /// computed.
    /// # Errors
    /// Like [`Self::new`], and [`ClassError::LargerThanMap`] if the body fits at no heading.
    pub fn for_map(spec: ClassSpec, size: GridSize) -> Result<Self, ClassError> {
        Self::checked(spec, Some(size))
    }

    fn checked(spec: ClassSpec, size: Option<GridSize>) -> Result<Self, ClassError> {
        check_spec(&spec)?;
        let diagonal = spec.footprint_diagonal.as_deref();
        let axes = Axes { shape: spec.shape, headings: spec.headings };
        let by_heading = body_at_headings(&spec.footprint, diagonal, spec.pivot, axes);
        if by_heading.iter().any(Vec::is_empty) {
            return Err(ClassError::DiagonalEmpty);
        }
        let footprint = Footprint::new(&by_heading, axes);
        if let Some(size) = size {
            check_fits(&footprint, size)?;
        }
        let mut body = SweepContext::new(&spec, &by_heading);
        let n_frames = spec.shape.n_parities() * spec.headings;
        let mut shapes = Vec::with_capacity(n_frames as usize * spec.primitives.len());
        for frame in (0..n_frames).map(Frame) {
            for primitive in &spec.primitives {
                shapes.push(shape_of(primitive, frame, &mut body)?);
            }
        }
        let rest_edges = (0..n_frames)
            .map(|frame| edges_between(footprint.at(Frame(frame)), spec.shape, frame / spec.headings));
        let rest_edges = rest_edges.collect();
        let reversible = all_reversible(&shapes, spec.primitives.len());
        Ok(Self { spec, footprint, rest_edges, shapes, reversible })
    }

    /// The built-in class `octile`, the agent of the MovingAI benchmark. It is 1x1 without a facing, and cuts no
    /// corners. Its eight moves are named by their direction, and take 10000 ticks straight and 14142 diagonal.
    pub fn octile() -> Self {
        let mut spec = ClassSpec::new("octile", 1);
        spec.primitives = Primitive::eight_directions(10_000, 14_142);
        Self::new(spec).unwrap_or_else(|error| unreachable!("the built-in class is right: {error}"))
    }

    /// The specification it was made from.
    pub fn spec(&self) -> &ClassSpec {
        &self.spec
    }

    /// Shape of the maps it moves on.
    pub fn grid_shape(&self) -> GridShape {
        self.spec.shape
    }

    /// Number of headings: 1, 4 or 8; 6 on hexagonal maps.
    pub fn headings(&self) -> u8 {
        self.spec.headings
    }

    /// All frames in order.
    pub fn frames(&self) -> impl Iterator<Item = Frame> + use<> {
        (0..self.spec.shape.n_parities() * self.spec.headings).map(Frame)
    }

    /// Heading of a frame.
    pub fn heading_of(&self, frame: Frame) -> Heading {
        Heading(frame.0 % self.spec.headings)
    }

    /// Frame of a pose.
    pub fn frame(&self, pose: Pose) -> Frame {
        Frame(self.spec.shape.parity(pose.cell.y) * self.spec.headings + pose.heading.0)
    }

    /// Its primitives in order of their number.
    pub fn primitives(&self) -> &[Primitive] {
        &self.spec.primitives
    }

    /// Its footprint.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// The cells covered at a pose, as offsets from the anchor, row-major.
    pub fn cells_at(&self, pose: Pose) -> &[Offset] {
        self.footprint.at(self.frame(pose))
    }

    /// The shape of a primitive in a frame.
    pub fn shape(&self, frame: Frame, primitive: usize) -> &MoveShape {
        &self.shapes[frame.0 as usize * self.spec.primitives.len() + primitive]
    }

    /// The shape of a primitive starting at a pose.
    pub fn shape_at(&self, pose: Pose, primitive: usize) -> &MoveShape {
        self.shape(self.frame(pose), primitive)
    }

    /// Whether the body counts as round in a turn by `turn` heading steps from a heading. Then it covers the same cells
    /// at every heading from the first to the last. Such a turn sweeps these cells alone.
    pub fn is_round_in(&self, start: Heading, turn: i32) -> bool {
        is_round(|heading| self.footprint.at(Frame(heading.0)), self.headings(), start, turn)
    }

    /// Number of swept cells, summed over all moves and frames.
    pub fn n_swept_cells(&self) -> u64 {
        self.shapes.iter().map(|shape| shape.swept.len() as u64).sum()
    }

    /// Whether each move in each frame has an inverse over the same cells. Then on flat ground either is legal exactly
    /// when the other is.
    pub(crate) fn is_reversible(&self) -> bool {
        self.reversible
    }

    pub(crate) fn rest_edges(&self, frame: Frame) -> &[(Offset, Side)] {
        &self.rest_edges[frame.0 as usize]
    }

    /// Checks that the body fits on a map of the given size at some heading.
    /// # Errors
    /// [`ClassError::LargerThanMap`] if it fits at none.
    pub fn check_fits(&self, size: GridSize) -> Result<(), ClassError> {
        check_fits(&self.footprint, size)
    }
}

fn check_fits(footprint: &Footprint, size: GridSize) -> Result<(), ClassError> {
    let fits = footprint.extents().any(|(width, height)| width <= size.width() && height <= size.height());
    let extent = footprint.extent(Frame(0));
    if fits { Ok(()) } else { Err(ClassError::LargerThanMap { extent, size }) }
}

fn check_spec(spec: &ClassSpec) -> Result<(), ClassError> {
    let right = match spec.shape {
        GridShape::Square => matches!(spec.headings, 1 | 4 | 8),
        GridShape::Hex => matches!(spec.headings, 1 | 6),
    };
    if !right {
        return Err(ClassError::Headings { headings: spec.headings, shape: spec.shape });
    }
    if !spec.pivot.is_valid() {
        return Err(ClassError::Pivot(spec.pivot));
    }
    if spec.shape == GridShape::Hex && !spec.pivot.is_centre() {
        return Err(ClassError::PivotOnHex);
    }
    if spec.shape == GridShape::Hex && spec.sweep.any_full() {
        return Err(ClassError::FullOnHex);
    }
    check_footprint(&spec.footprint)?;
    if let Some(diagonal) = &spec.footprint_diagonal {
        check_footprint(diagonal)?;
        if spec.headings != 8 {
            return Err(ClassError::DiagonalWithout8);
        }
    }
    if spec.primitives.len() > PRIMITIVES_MAX {
        return Err(ClassError::PrimitiveCount(spec.primitives.len()));
    }
    for (number, primitive) in spec.primitives.iter().enumerate() {
        let name = || primitive.name.clone();
        let same = |p: &Primitive| p.name == primitive.name && p.when.meets(primitive.when);
        if spec.primitives[..number].iter().any(same) {
            return Err(ClassError::NameTwice(name()));
        }
        let (forward, right) = primitive.by;
        if forward.unsigned_abs().max(right.unsigned_abs()) > DISPLACEMENT_MAX as u32 {
            return Err(ClassError::TooFar { name: name(), by: primitive.by });
        }
        if primitive.turn.unsigned_abs() >= u32::from(spec.headings) {
            let (turn, headings) = (primitive.turn, spec.headings);
            return Err(ClassError::TurnTooFar { name: name(), turn, headings });
        }
        if primitive.by == (0, 0) && primitive.turn == 0 {
            return Err(ClassError::NoEffect(name()));
        }
        if !(1..=TIME_MAX).contains(&primitive.time) {
            return Err(ClassError::Time { name: name(), time: primitive.time });
        }
        primitive.swept.iter().flatten().try_for_each(|&cell| check_offset(cell))?;
        if spec.headings != 8 && primitive.when != When::Any {
            return Err(ClassError::WhenWithout8(name()));
        }
        let framed = primitive.by != (0, 0) || primitive.swept.is_some();
        if spec.headings == 8 && framed && primitive.when == When::Any {
            return Err(ClassError::WhenMissing(name()));
        }
    }
    Ok(())
}

fn check_footprint(cells: &[(i32, i32)]) -> Result<(), ClassError> {
    if !(1..=FOOTPRINT_CELLS_MAX).contains(&cells.len()) {
        return Err(ClassError::FootprintSize(cells.len()));
    }
    let mut sorted = cells.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(ClassError::FootprintTwice(pair[0]));
    }
    sorted.iter().try_for_each(|&cell| check_offset(cell))
}

fn check_offset(cell: (i32, i32)) -> Result<(), ClassError> {
    let far = cell.0.unsigned_abs().max(cell.1.unsigned_abs());
    if far > OFFSET_MAX as u32 { Err(ClassError::OffsetTooFar(cell)) } else { Ok(()) }
}

/// North-west and south-east corner of the bounding rectangle of a non-empty list of cells.
pub(crate) fn bounds(cells: &[Offset]) -> (Offset, Offset) {
    let mut corners = (cells[0], cells[0]);
    for &Offset { dx, dy } in cells {
        corners.0 = Offset::new(corners.0.dx.min(dx), corners.0.dy.min(dy));
        corners.1 = Offset::new(corners.1.dx.max(dx), corners.1.dy.max(dy));
    }
    corners
}

/// The shape of a primitive in one frame.
fn shape_of(
    primitive: &Primitive,
    frame: Frame,
    body: &mut SweepContext<'_>,
) -> Result<MoveShape, ClassError> {
    let Axes { shape, headings } = body.axes;
    let (parity, heading) = (frame.0 / headings, Heading(frame.0 % headings));
    let turned = i32::from(heading.0) + primitive.turn;
    let heading_after = Heading(turned.rem_euclid(i32::from(headings)) as u8);
    let step = body.axes.columns_and_rows(body.axes.lattice(primitive.by, heading.0), parity);
    let parity_after = shape.parity(step.dy + i32::from(parity));
    let left = body.budget.cells;
    let swept = primitive.swept_cells(body, heading, heading_after).map_err(|error| match error {
        SweepTooLarge::Cells(n) => {
            ClassError::SweptTooMany { name: primitive.name.clone(), n_cells_min: SWEPT_CELLS_MAX - left + n }
        }
        SweepTooLarge::OverlapTests => ClassError::SweepTooLong(primitive.name.clone()),
    })?;
    let swept = body.axes.all_columns_and_rows(&swept, parity);
    Ok(MoveShape {
        step,
        heading_after,
        frame_after: Frame(parity_after * headings + heading_after.0),
        bounds: bounds(&swept),
        applies: primitive.when.holds(heading),
        edges: edges_between(&swept, shape, parity),
        swept,
    })
}

fn all_reversible(shapes: &[MoveShape], n_primitives: usize) -> bool {
    // A class without moves has no shapes.
    shapes.chunks(n_primitives.max(1)).enumerate().all(|(frame, moves)| {
        moves.iter().filter(|shape| shape.applies).all(|shape| {
            let at_end = &shapes[shape.frame_after.0 as usize * n_primitives..][..n_primitives];
            at_end.iter().any(|other| shape.is_taken_back_by(Frame(frame as u8), other))
        })
    })
}

/// Edges between neighbouring cells of a row-major list, each given by the earlier cell. The cells are offsets
/// from an anchor in a row of the given parity. Linear time: the neighbours over one side come in the same
/// order as the cells.
fn edges_between(cells: &[Offset], shape: GridShape, parity: u8) -> Vec<(Offset, Side)> {
    let mut edges = Vec::new();
    let mut reached = [0; EDGES_MAX];
    for &cell in cells {
        for (&side, reached) in shape.later_sides().iter().zip(&mut reached) {
            let (dx, dy) = shape.step(side, shape.parity(cell.dy + i32::from(parity)));
            let neighbour = cell.plus(Offset::new(dx, dy));
            *reached += cells[*reached..].iter().take_while(|&&other| other < neighbour).count();
            if cells.get(*reached) == Some(&neighbour) {
                edges.push((cell, side));
            }
        }
    }
    edges.shrink_to_fit();
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::offset::Pivot;
    use crate::model::primitive::SweepRule;

    fn spec() -> ClassSpec {
        let mut spec = ClassSpec::new("truck", 4);
        spec.footprint = vec![(0, 0), (-1, 0)];
        spec.primitives = Primitive::vehicle(2, 6, 2);
        spec
    }

    #[test]
    fn shapes_turn_with_the_heading() {
        let class = MovementClass::new(spec()).unwrap();
        assert_eq!(class.shape(Frame(1), 0).step, Offset::new(0, -1));
        assert_eq!(class.shape(Frame(3), 3).heading_after, Heading(2));
        assert_eq!(class.shape(Frame(0), 0).edges.len(), 2);
        assert_eq!(class.rest_edges(Frame(0)), [(Offset::new(-1, 0), Side::East)]);
    }

    #[test]
    fn limits_are_enforced() {
        let broken = |change: &dyn Fn(&mut ClassSpec)| {
            let mut spec = spec();
            change(&mut spec);
            MovementClass::new(spec).unwrap_err()
        };
        assert_eq!(
            broken(&|s| s.headings = 5),
            ClassError::Headings { headings: 5, shape: GridShape::Square }
        );
        assert_eq!(broken(&|s| s.footprint.clear()), ClassError::FootprintSize(0));
        assert_eq!(broken(&|s| s.footprint = vec![(0, 0); 2]), ClassError::FootprintTwice((0, 0)));
        assert_eq!(broken(&|s| s.footprint = vec![(1 << 20, 0)]), ClassError::OffsetTooFar((1 << 20, 0)));
        let many = |s: &mut ClassSpec| s.primitives = vec![Primitive::step("on", (1, 0), 1); 17];
        assert_eq!(broken(&many), ClassError::PrimitiveCount(17));
        assert!(matches!(broken(&|s| s.primitives[1].name = "forward".into()), ClassError::NameTwice(_)));
        assert!(matches!(broken(&|s| s.primitives[0].by = (0, 0)), ClassError::NoEffect(_)));
        assert!(matches!(broken(&|s| s.primitives[0].by = (0, i32::MIN)), ClassError::TooFar { .. }));
        assert!(matches!(broken(&|s| s.primitives[2].turn = -4), ClassError::TurnTooFar { .. }));
        assert!(matches!(broken(&|s| s.primitives[2].time = 0), ClassError::Time { .. }));
        assert!(matches!(broken(&|s| s.primitives[2].time = 65_536), ClassError::Time { .. }));
    }

    fn hex_spec() -> ClassSpec {
        let mut spec = ClassSpec::hexagonal("truck", 6);
        spec.footprint = vec![(0, 0), (-1, 0)];
        spec.primitives = Primitive::vehicle(2, 6, 2);
        spec
    }

    #[test]
    fn hexagonal_shapes_depend_on_heading_and_row() {
        let class = MovementClass::new(hex_spec()).unwrap();
        assert_eq!(class.frames().count(), 12);
        // Forward to the NE: from an even row the column stays.
        let (even, odd) = (class.shape(Frame(1), 0), class.shape(Frame(7), 0));
        assert_eq!((even.step, even.frame_after), (Offset::new(0, -1), Frame(7)));
        assert_eq!((odd.step, odd.frame_after), (Offset::new(1, -1), Frame(1)));
        assert_eq!(even.edges.len(), 2);
        assert_eq!(class.shape_at(Pose::new(4, 3, Heading(1)), 0), odd);
        assert_eq!(class.cells_at(Pose::new(4, 3, Heading(1))), class.footprint().at(Frame(7)));
        assert_eq!(class.rest_edges(Frame(1)), [(Offset::new(0, 0), Side::SouthWest)]);
        assert!(class.is_reversible());
    }

    #[test]
    fn hexagonal_limits_are_enforced() {
        let broken = |change: &dyn Fn(&mut ClassSpec)| {
            let mut spec = hex_spec();
            change(&mut spec);
            MovementClass::new(spec).unwrap_err()
        };
        let headings = broken(&|s| s.headings = 4);
        assert_eq!(headings.to_string(), "4 headings; expected 1 or 6 on hexagonal maps");
        assert_eq!(broken(&|s| s.pivot = Pivot::from_cells(0.5, 0.5).unwrap()), ClassError::PivotOnHex);
        assert_eq!(broken(&|s| s.sweep.turns = SweepRule::Full), ClassError::FullOnHex);
        assert!(matches!(broken(&|s| s.primitives[2].turn = 6), ClassError::TurnTooFar { .. }));
    }

    #[test]
    fn a_body_fits_if_it_fits_at_any_heading() {
        let class = MovementClass::new(spec()).unwrap();
        assert!(class.check_fits(GridSize::new(1, 2).unwrap()).is_ok());
        assert!(class.check_fits(GridSize::new(1, 1).unwrap()).is_err());
    }
}
