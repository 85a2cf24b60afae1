//! Lines that show what units need and wait for.

use crate::components::Waiting;
use crate::space::{Plane, Space};
use crate::units::Units;
use crate::wheelbase::Wheelbase;
use bevy_app::{App, PostUpdate};
use bevy_color::Srgba;
use bevy_color::palettes::tailwind as colours;
use bevy_ecs::change_detection::Res;
use bevy_ecs::schedule::IntoScheduleConfigs;
use bevy_ecs::schedule::common_conditions::resource_exists;
use bevy_ecs::system::{Local, Query};
use bevy_gizmos::config::{GizmoConfigGroup, GizmoConfigStore};
use bevy_gizmos::gizmos::{GizmoStorage, Gizmos};
use bevy_math::{Isometry3d, Quat, Vec2};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_time::{Fixed, Time};
use wheelbase_sim::grid::{Lattice, Point};
use wheelbase_sim::planner::Path;
use wheelbase_sim::traffic::motion::transition_of;
use wheelbase_sim::{
    AgentId, AgentRow, CellXY, DrawnClass, DrawnForm, GridShape, Heading, MovementClass, Rect, WaitReason,
};

/// Sides of a disc.
const DISC_SIDES: u32 = 16;

/// The lines to draw: `app.insert_gizmo_config(WheelbaseGizmos::all(), GizmoConfig::default())`. Nothing is drawn until
/// a game inserts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect, GizmoConfigGroup)]
#[reflect(Default)]
pub struct WheelbaseGizmos {
    /// Outlines of bodies, as they are drawn between ticks.
    pub footprints: bool,
    /// Cells that moving units hold beyond their bodies.
    pub held: bool,
    /// The rest of each path.
    pub paths: bool,
    /// A cross at the end of each path.
    pub goals: bool,
    /// A mark across each path for each second of the world, and at its end the seconds until then if nobody is in the
    /// way.
    pub arrivals: bool,
    /// A line from each waiting unit to the unit that it waits for.
    pub waiting: bool,
    /// The name of the rule by which each unit waits.
    pub rules: bool,
    /// Outlines of the areas of edits that wait: `World::pending_edits`.
    pub edits: bool,
}

impl WheelbaseGizmos {
    /// All lines.
    pub fn all() -> Self {
        Self {
            footprints: true,
            held: true,
            paths: true,
            goals: true,
            arrivals: true,
            waiting: true,
            rules: true,
            edits: true,
        }
    }
}

pub(crate) fn build(app: &mut App) {
    let draw = draw.after(crate::WheelbaseSystems::Interpolate);
    app.add_systems(PostUpdate, draw.run_if(resource_exists::<GizmoStorage<WheelbaseGizmos, ()>>));
}

/// Outlines of bodies, which classes share for life.
#[derive(Default)]
struct Outlines {
    generation: u32,
    classes: Vec<DrawnClass>,
    /// By class and heading: sides of the outline, relative to the pivot, in cells.
    sides: Vec<Vec<Vec<[Point; 2]>>>,
}

impl Outlines {
    fn of(wheelbase: &Wheelbase) -> Self {
        let shape = wheelbase.grid().shape();
        let classes = || wheelbase.tables().iter().map(|tables| tables.class());
        let sides = |class: &MovementClass| {
            let drawn = DrawnClass::of(class);
            let of_heading = |heading| outline(shape, drawn.cells(Heading(heading)));
            (0..class.headings()).map(of_heading).collect()
        };
        Self {
            generation: wheelbase.generation,
            classes: classes().map(DrawnClass::of).collect(),
            sides: classes().map(sides).collect(),
        }
    }
}

/// The sides of cells that no two of them share. Cells are given by their centres.
fn outline(shape: GridShape, cells: &[Point]) -> Vec<[Point; 2]> {
    let lattice = Lattice(shape);
    let zero = CellXY::new(0, 0);
    let [x, y] = lattice.centre(zero);
    let corners: Vec<Point> = lattice.polygon(zero).iter().map(|[cx, cy]| [cx - x, cy - y]).collect();
    let middle = |[[ax, ay], [bx, by]]: [Point; 2]| [(ax + bx) / 2.0, (ay + by) / 2.0];
    let is_near = |[ax, ay]: Point, [bx, by]: Point| (ax - bx).abs() + (ay - by).abs() < 1e-6;
    let side = |[x, y]: Point, number: usize| {
        let ([ax, ay], [bx, by]) = (corners[number], corners[(number + 1) % corners.len()]);
        [[x + ax, y + ay], [x + bx, y + by]]
    };
    let all: Vec<[Point; 2]> = cells
        .iter()
        .flat_map(|&cell| (0..corners.len()).map(move |number| (cell, number)))
        .map(|(cell, number)| side(cell, number))
        .collect();
    let is_outside =
        |one: &&[Point; 2]| all.iter().filter(|&&other| is_near(middle(**one), middle(other))).count() == 1;
    all.iter().filter(is_outside).copied().collect()
}

/// The sides of cells of an area that lead out of it.
fn outline_of_area(shape: GridShape, area: Rect) -> impl Iterator<Item = [Point; 2]> {
    let lattice = Lattice(shape);
    let sides = area.cells().flat_map(move |cell| {
        let outer = lattice.neighbours(cell).filter(move |&(_, _, next)| !area.contains(next));
        outer.map(move |(number, ..)| lattice.side(cell, number))
    });
    sides.map(move |ends| ends.map(|corner| lattice.point(corner)))
}

/// A shape to draw; points are in cells.
#[derive(Debug, PartialEq)]
enum Mark {
    Line([Point; 2]),
    /// A text around a point.
    Text(Point, String),
}

/// The time that a frame shows.
#[derive(Clone, Copy)]
struct Shown {
    /// In ticks.
    time: f64,
    ticks_per_second: f64,
}

/// Calls `draw` with all that is to be shown.
fn marks(
    wheelbase: &Wheelbase,
    outlines: &Outlines,
    show: WheelbaseGizmos,
    shown: Shown,
    why: impl Fn(usize) -> Option<WaitReason>,
    mut draw: impl FnMut(Mark, Srgba),
) {
    let (shape, time, mut path) = (wheelbase.grid().shape(), shown.time, Path::new());
    let lattice = Lattice(shape);
    let centre = |row: &AgentRow| wheelbase.bodies()[usize::from(row.class)].centre_at(row, time);
    if show.edits {
        let map = wheelbase.grid().size().rect();
        let changes = wheelbase.pending_edits().iter().flat_map(|pending| &*pending.edit.changes);
        let sides = changes.flat_map(|change| outline_of_area(shape, change.area().intersection(map)));
        sides.for_each(|side| draw(Mark::Line(side), colours::PURPLE_400));
    }
    for (index, row) in wheelbase.agents().iter().enumerate() {
        let class = usize::from(row.class);
        let mut line = |ends, colour| draw(Mark::Line(ends), colour);
        if show.held && row.is_moving() {
            let step = transition_of(wheelbase.tables(), &wheelbase.agent_arrays().motion[index]);
            let (anchor, swept) = step.swept();
            let cells = swept.iter().map(|offset| offset.cell_from(anchor));
            let held = cells.filter(|&cell| wheelbase.agent_at(cell) == Some(row.agent()));
            let held: Vec<Point> = held.map(|cell| lattice.centre(cell)).collect();
            outline(shape, &held).into_iter().for_each(|side| line(side, colours::AMBER_400));
        }
        if show.footprints {
            let body = outlines.classes[class].at(row, time);
            let [px, py] = body.pivot;
            match body.form {
                DrawnForm::Cells { heading, angle } => {
                    let (sin, cos) = angle.sin_cos();
                    let turned = |[x, y]: Point| [px + x * cos + y * sin, py + y * cos - x * sin];
                    for side in &outlines.sides[class][usize::from(heading.0)] {
                        line(side.map(turned), colours::SKY_300);
                    }
                }
                DrawnForm::Disc { radius } => {
                    let at = |number: u32| {
                        let angle = f64::from(number) * std::f64::consts::TAU / f64::from(DISC_SIDES);
                        [px + radius * angle.cos(), py + radius * angle.sin()]
                    };
                    (0..DISC_SIDES).for_each(|side| line([at(side), at(side + 1)], colours::SKY_300));
                }
            }
        }
        let has_path = (show.paths || show.goals || show.arrivals)
            && wheelbase.path_of(row.agent(), &mut path)
            && path.poses.len() > 1;
        if has_path {
            draw_path(wheelbase, row, &path, show, shown, &mut draw);
        }
        if row.waits_since != AgentRow::NEVER
            && let Some(why) = why(index)
        {
            if show.waiting
                && let Some(by) = in_the_way(why).and_then(|by| wheelbase.agent(by))
            {
                draw(Mark::Line([centre(row), centre(by)]), colours::RED_500);
            }
            if show.rules {
                draw(Mark::Text(centre(row), why.rule().to_owned()), colours::RED_300);
            }
        }
    }
}

/// Draws the rest of a unit's path, of two poses or more.
fn draw_path(
    wheelbase: &Wheelbase,
    row: &AgentRow,
    path: &Path,
    show: WheelbaseGizmos,
    shown: Shown,
    draw: &mut impl FnMut(Mark, Srgba),
) {
    let lattice = Lattice(wheelbase.grid().shape());
    // It begins where the present move ends.
    let begin = if row.is_moving() { row.end_tick } else { wheelbase.tick() };
    let seconds = |arrival: u32| (f64::from(begin) + f64::from(arrival)) / shown.ticks_per_second;
    let mut stops = path.poses.iter().map(|at| (lattice.centre(at.pose.cell), seconds(at.arrival)));
    for ((from, begin), (to, end)) in stops.clone().zip(stops.clone().skip(1)) {
        if show.paths && from != to {
            draw(Mark::Line([from, to]), colours::GREEN_500);
        }
        let mut second = begin.ceil();
        while show.arrivals && second < end {
            let (part, [dx, dy]) = ((second - begin) / (end - begin), [to[0] - from[0], to[1] - from[1]]);
            let [x, y] = [from[0] + part * dx, from[1] + part * dy];
            // Across the move; during a turn upwards.
            let length = dx.hypot(dy);
            let [ax, ay] = if from == to { [0.0, 0.25] } else { [-dy, dx].map(|side| side / length / 4.0) };
            draw(Mark::Line([[x - ax, y - ay], [x + ax, y + ay]]), colours::GREEN_300);
            second += 1.0;
        }
    }
    let Some(([x, y], end)) = stops.next_back() else { return };
    if show.goals {
        draw(Mark::Line([[x - 0.3, y - 0.3], [x + 0.3, y + 0.3]]), colours::GREEN_300);
        draw(Mark::Line([[x - 0.3, y + 0.3], [x + 0.3, y - 0.3]]), colours::GREEN_300);
    }
    if show.arrivals {
        let left = end - shown.time / shown.ticks_per_second;
        draw(Mark::Text([x, y - 0.75], format!("{left:.1} s")), colours::GREEN_300);
    }
}

/// The unit that a waiting unit waits for.
fn in_the_way(why: WaitReason) -> Option<AgentId> {
    match why {
        WaitReason::Agent { by, .. } | WaitReason::Roadblock { by, .. } => Some(by),
        WaitReason::Traffic(reason) => reason.holder(),
        _ => None,
    }
}

fn draw(
    wheelbase: Res<Wheelbase>,
    units: Res<Units>,
    fixed: Res<Time<Fixed>>,
    space: Res<Space>,
    config: Res<GizmoConfigStore>,
    waiting: Query<&Waiting>,
    mut outlines: Local<Outlines>,
    mut gizmos: Gizmos<WheelbaseGizmos>,
) {
    let (settings, &show) = config.config::<WheelbaseGizmos>();
    if !settings.enabled || show == WheelbaseGizmos::default() {
        return;
    }
    if outlines.generation != wheelbase.generation {
        *outlines = Outlines::of(&wheelbase);
    }
    let time = crate::interpolate::time_of(&wheelbase, &fixed);
    let shown = Shown { time, ticks_per_second: fixed.timestep().as_secs_f64().recip() };
    let why = |index: usize| waiting.get(units.known.get(index)?.entity).ok().map(|waiting| waiting.why);
    let place = |point| space.position(space.to_plane(point), 0.0);
    // Seen from above.
    let upright = match space.plane {
        Plane::Xy => Quat::IDENTITY,
        Plane::Xz => Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
    };
    marks(&wheelbase, &outlines, show, shown, why, |mark, colour| match mark {
        Mark::Line([one, other]) => gizmos.line(place(one), place(other), colour),
        Mark::Text(at, text) => {
            gizmos.text(Isometry3d::new(place(at), upright), &text, space.cell / 2.0, Vec2::ZERO, colour);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_sim::{
        ClassId, ClassSpec, Command, Grid, Order, Pose, Primitive, Settings, Setup, SideTable, Spawn,
        TerrainTable, World,
    };

    #[test]
    fn outlines_have_no_inner_sides() {
        let cells = |n: i32| (0..n).map(|x| [f64::from(x), 0.0]).collect::<Vec<_>>();
        assert_eq!([1, 2, 3].map(|n| outline(GridShape::Square, &cells(n)).len()), [4, 6, 8]);
        assert_eq!(outline(GridShape::Hex, &[[0.0, 0.0]]).len(), 6);
    }

    #[test]
    fn each_kind_draws_its_lines() -> Result<(), Box<dyn std::error::Error>> {
        let grid = Grid::from_rows(&["..............."; 1], TerrainTable::movingai(), SideTable::default())?;
        let mut tank = ClassSpec::new("tank", 4);
        tank.footprint = vec![(0, 0), (-1, 0)];
        tank.primitives = Primitive::vehicle(4, 8, 4);
        let mut setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::new(tank)?]);
        setup.agents = [9, 3].map(|x| Spawn::new(ClassId(0), Pose::new(x, 0, Heading(0)))).into();
        setup.agents[0].speed_factor = 50;
        let mut world = World::new(setup)?;
        world.command(Command::order(AgentId(0), Order::goto(CellXY::new(14, 0))));
        world.command(Command::order(AgentId(1), Order::goto(CellXY::new(12, 0))));
        let waits = |world: &World| world.agents()[1].waits_since != AgentRow::NEVER;
        while !waits(&world) && world.tick() < 500 {
            world.step();
        }
        let why = world.reason_for_waiting(AgentId(1));
        let wheelbase = Wheelbase::new(world, 0);
        let outlines = Outlines::of(&wheelbase);
        let count = |show| {
            let mut found = Vec::new();
            let shown = Shown { time: f64::from(wheelbase.tick()), ticks_per_second: 20.0 };
            let why = |index| why.filter(|_| index == 1);
            marks(&wheelbase, &outlines, show, shown, why, |mark, _| found.push(mark));
            found
        };
        let none = WheelbaseGizmos::default();
        assert_eq!(count(none).len(), 0);
        // Two bodies of two cells; the first one moves, and holds three.
        assert_eq!(count(WheelbaseGizmos { footprints: true, ..none }).len(), 12);
        assert_eq!(count(WheelbaseGizmos { held: true, ..none }).len(), 8);
        assert_eq!(count(WheelbaseGizmos { goals: true, ..none }).len(), 4);
        let waiting = count(WheelbaseGizmos { waiting: true, ..none });
        let [Mark::Line([[from, _], [to, _]])] = *waiting else { return Err("no line".into()) };
        assert!(from < to && to < 11.0, "{waiting:?}");
        let paths = count(WheelbaseGizmos { paths: true, ..none });
        assert!(paths.contains(&Mark::Line([[11.5, 0.5], [12.5, 0.5]])), "{paths:?}");
        let rules = count(WheelbaseGizmos { rules: true, ..none });
        assert!(
            matches!(&*rules, [Mark::Text(_, rule)] if Some(&**rule) == why.map(|why| why.rule())),
            "{rules:?}"
        );
        assert_eq!(count(WheelbaseGizmos { edits: true, ..none }), []);
        let arrivals = count(WheelbaseGizmos { arrivals: true, ..none });
        let rest = 12 + 8 + 4 + 1 + paths.len() + rules.len() + arrivals.len();
        assert_eq!(count(WheelbaseGizmos::all()).len(), rest);
        Ok(())
    }

    #[test]
    fn arrivals_have_a_mark_for_each_second_of_the_world() -> Result<(), Box<dyn std::error::Error>> {
        let grid = Grid::from_rows(&["..............."; 1], TerrainTable::movingai(), SideTable::default())?;
        let mut scout = ClassSpec::new("scout", 4);
        scout.primitives = Primitive::vehicle(10, 20, 10);
        let mut setup = Setup::cooperative(Settings::named("lane"), grid, vec![MovementClass::new(scout)?]);
        setup.agents = vec![Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0)))];
        let mut world = World::new(setup)?;
        world.command(Command::order(AgentId(0), Order::goto(CellXY::new(7, 0))));
        for _ in 0..25 {
            world.step();
        }
        // It has begun at tick 0, and 7 cells take 70 ticks.
        assert_eq!(world.agents()[0].end_tick, 30);
        let wheelbase = Wheelbase::new(world, 0);
        let mut found = Vec::new();
        let show = WheelbaseGizmos { arrivals: true, ..WheelbaseGizmos::default() };
        let shown = Shown { time: 24.5, ticks_per_second: 20.0 };
        marks(&wheelbase, &Outlines::of(&wheelbase), show, shown, |_| None, |mark, _| found.push(mark));
        let across = |x| Mark::Line([[x, 0.25], [x, 0.75]]);
        // Seconds 2 and 3 of the world; then 45.5 ticks after the frame.
        assert_eq!(found, [across(4.5), across(6.5), Mark::Text([7.5, -0.25], "2.3 s".to_owned())]);
        Ok(())
    }

    #[test]
    fn waiting_edits_are_outlined() {
        let around = |shape| outline_of_area(shape, Rect::new(3, 1, 3, 2)).count();
        assert_eq!(around(GridShape::Square), 10);
        // A row of three has 14 sides; two rows share 5.
        assert_eq!(around(GridShape::Hex), 18);
    }
}
