//! Lines that show what units need and wait for.

use crate::components::Waiting;
use crate::space::Space;
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
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_time::{Fixed, Time};
use wheelbase_sim::grid::{Lattice, Point};
use wheelbase_sim::planner::Path;
use wheelbase_sim::traffic::motion::transition_of;
use wheelbase_sim::{
    AgentId, AgentRow, CellXY, DrawnClass, DrawnForm, GridShape, Heading, MovementClass, WaitReason,
};

/// Sides of a disc.
const DISC_SIDES: u32 = 16;

/// The lines to draw: `app.insert_gizmo_config(WheelbaseGizmos::all(), GizmoConfig::default())`. Nothing is drawn until a
/// game inserts it.
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
    /// A line from each waiting unit to the unit that it waits for.
    pub waiting: bool,
}

impl WheelbaseGizmos {
    /// All lines.
    pub fn all() -> Self {
        Self { footprints: true, held: true, paths: true, goals: true, waiting: true }
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

/// Calls `line` with the ends of each line, in cells, and its colour.
fn lines(
    wheelbase: &Wheelbase,
    outlines: &Outlines,
    show: WheelbaseGizmos,
    time: f64,
    why: impl Fn(usize) -> Option<WaitReason>,
    mut line: impl FnMut([Point; 2], Srgba),
) {
    let (shape, mut path) = (wheelbase.grid().shape(), Path::new());
    let lattice = Lattice(shape);
    let centre = |row: &AgentRow| wheelbase.bodies()[usize::from(row.class)].centre_at(row, time);
    for (index, row) in wheelbase.agents().iter().enumerate() {
        let class = usize::from(row.class);
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
        if (show.paths || show.goals) && wheelbase.path_of(row.agent(), &mut path) && path.poses.len() > 1 {
            let mut cells = path.poses.iter().map(|pose| lattice.centre(pose.pose.cell));
            if show.paths {
                let ends = cells.clone().zip(cells.clone().skip(1)).filter(|(one, other)| one != other);
                ends.for_each(|(one, other)| line([one, other], colours::GREEN_500));
            }
            if show.goals
                && let Some([x, y]) = cells.next_back()
            {
                line([[x - 0.3, y - 0.3], [x + 0.3, y + 0.3]], colours::GREEN_300);
                line([[x - 0.3, y + 0.3], [x + 0.3, y - 0.3]], colours::GREEN_300);
            }
        }
        if show.waiting
            && row.waits_since != AgentRow::NEVER
            && let Some(by) = why(index).and_then(in_the_way).and_then(|by| wheelbase.agent(by))
        {
            line([centre(row), centre(by)], colours::RED_500);
        }
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
    let why = |index: usize| waiting.get(units.known.get(index)?.entity).ok().map(|waiting| waiting.why);
    lines(&wheelbase, &outlines, show, time, why, |ends, colour| {
        let [one, other] = ends.map(|point| space.position(space.to_plane(point), 0.0));
        gizmos.line(one, other, colour);
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
            let time = f64::from(wheelbase.tick());
            let why = |index| why.filter(|_| index == 1);
            lines(&wheelbase, &outlines, show, time, why, |ends, _| found.push(ends));
            found
        };
        let none = WheelbaseGizmos::default();
        assert_eq!(count(none).len(), 0);
        // Two bodies of two cells; the first one moves, and holds three.
        assert_eq!(count(WheelbaseGizmos { footprints: true, ..none }).len(), 12);
        assert_eq!(count(WheelbaseGizmos { held: true, ..none }).len(), 8);
        assert_eq!(count(WheelbaseGizmos { goals: true, ..none }).len(), 4);
        let waiting = count(WheelbaseGizmos { waiting: true, ..none });
        let [[from, _], [to, _]] = *waiting.first().ok_or("no line")?;
        assert!(waiting.len() == 1 && from < to && to < 11.0, "{waiting:?}");
        let paths = count(WheelbaseGizmos { paths: true, ..none });
        assert!(paths.contains(&[[11.5, 0.5], [12.5, 0.5]]), "{paths:?}");
        assert_eq!(count(WheelbaseGizmos::all()).len(), 12 + 8 + 4 + 1 + paths.len());
        Ok(())
    }
}
