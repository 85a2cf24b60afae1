//! Landmarks of the movement classes: they make far searches cheap, and paths stay exactly cheapest.
//!
//! Made before the first tick, where a count says that they pay. They bound costs from below as long as no
//! move is legal or cheaper that was not when they were made. That is told cell by cell: a move can only have
//! become easier where one of the cells that it sweeps, or a side of one, is faster than it was. So the edits
//! that a scenario will make are looked through first: landmarks are made on the map as it would be if all
//! that they make faster were so at once, and doors may open and shut as they like.

use crate::events::{Action, Event};
use crate::orders::OrderKind;
use crate::tasks::TaskSource;
use crate::world::Simulation;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;
use wheelbase_grid::{BitGrid, CellXY, Change, Grid, Rect};
use wheelbase_planner::{ClassSpeeds, Heuristic, Landmarks, MovementClass, MovementTables, StateSpace};

/// Landmarks of a class that are made where they pay. Four cost a quarter of the expansions of the norm
/// alone; eight cost a fifth, take twice as long to make and twice the memory.
const LANDMARKS: usize = 4;
/// They pay where so many agents have tasks all over the map. To make them takes as long as some hundred
/// searches.
const AGENTS_PAY: u64 = 100;
/// Most bytes that the landmarks of all classes may take together.
const BYTES_MAX: usize = 1 << 30;
/// Bytes of a landmark by state at most: a distance each way.
const LANDMARK_BYTES: usize = 8;

/// The landmarks of a class, and whether they hold.
#[derive(Debug)]
pub(crate) struct ClassLandmarks {
    landmarks: Landmarks,
    /// The map that they were made on.
    made_on: Arc<Grid>,
    /// Cells over which a move may be easier than on that map, and their number.
    eased: BitGrid,
    n_eased: usize,
}

impl ClassLandmarks {
    /// Whether no move is easier than when they were made.
    fn hold(&self) -> bool {
        self.n_eased == 0
    }

    /// What guides searches of the class to goals without a field of costs.
    pub fn heuristic(&self) -> Heuristic<'_> {
        if self.hold() { Heuristic::Landmarks(&self.landmarks) } else { Heuristic::Default }
    }

    /// Bytes in use.
    pub fn memory_bytes(&self) -> usize {
        self.landmarks.memory_bytes()
    }

    /// Follows an edit of the map; says whether they held before it and do not now, or the other way round.
    pub fn follow(
        &mut self,
        class: &MovementClass,
        speeds: &ClassSpeeds,
        grid: &Grid,
        changed: Rect,
    ) -> bool {
        let held = self.hold();
        for cell in changed.intersection(grid.size().rect()).cells() {
            let eased = speeds.may_ease(class, &self.made_on, grid, cell);
            let was = self.eased.get(cell);
            self.n_eased = self.n_eased + usize::from(eased) - usize::from(was);
            self.eased.set(cell, eased);
        }
        held != self.hold()
    }
}

/// Most landmarks that a class with these poses may be given.
pub(crate) fn most_in(space: StateSpace) -> usize {
    BYTES_MAX / (LANDMARK_BYTES * space.n_states().max(1))
}

/// Landmarks that each class of a scenario may be given: as many as `asked`, or where that is `None` as many as
/// may pay for so many agents with tasks.
pub(crate) fn expected(asked: Option<usize>, with_tasks: u64) -> usize {
    asked.unwrap_or(if with_tasks >= AGENTS_PAY { LANDMARKS } else { 0 })
}

/// Makes the landmarks of all classes: so many of each, or where `asked` is `None` as many as pay. Equal for
/// any number of threads; classes are worked out beside each other on the current rayon pool.
pub(crate) fn make_landmarks(sim: &mut Simulation, asked: Option<usize>) {
    let numbers: Vec<usize> = match asked {
        Some(asked) => vec![asked; sim.classes.len()],
        None => {
            let pays = |agents| if agents >= AGENTS_PAY { LANDMARKS } else { 0 };
            far_agents(sim).into_iter().map(pays).collect()
        }
    };
    let mut left = BYTES_MAX;
    let mut within_bytes = |tables: &MovementTables, number: usize| {
        let bytes = LANDMARK_BYTES * tables.space().n_states().max(1);
        let number = number.min(left / bytes);
        left -= number * bytes;
        number
    };
    let numbers: Vec<usize> =
        sim.tables.iter().zip(numbers).map(|(tables, number)| within_bytes(tables, number)).collect();
    if numbers.iter().all(|&number| number == 0) {
        return;
    }
    let Simulation { classes, tables, grid, events, .. } = sim;
    let unedited = Arc::new(grid.clone());
    let of_classes = classes.par_iter_mut().zip(&*tables).zip(numbers).filter(|(_, number)| *number > 0);
    of_classes.for_each(|((class, tables), number)| {
        class.landmarks = Some(landmarks_of(tables, &class.speeds, &unedited, events, number));
    });
}

/// How many agents of each class have tasks, each counted by the share of the map that it and they are spread
/// over.
fn far_agents(sim: &Simulation) -> Vec<u64> {
    let Simulation { agents, orders, classes, traffic, grid, .. } = sim;
    let mut permille = vec![0; classes.len()];
    if traffic.needs_paths() {
        let areas: Vec<Rect> = orders.task_sources.iter().map(area_of).collect();
        for (row, state) in agents.orders.iter().enumerate() {
            let area = orders.open(state).find_map(|order| match &order.kind {
                OrderKind::Task(slot) => areas.get(slot.source()),
                _ => None,
            });
            let CellXY { x, y } = sim.pose(row).cell;
            permille[agents.motion[row].class.0 as usize] += area.map_or(0, |area| {
                area.union(Rect::new(x, y, 1, 1)).n_cells() * 1000 / grid.size().n_cells() as u64
            });
        }
    }
    permille.into_iter().map(|sum: u64| sum / 1000).collect()
}

/// The cells around all tasks of a source.
fn area_of(source: &TaskSource) -> Rect {
    let of_cells = |cells: &mut dyn Iterator<Item = CellXY>| {
        let first = cells.next().map_or(Rect::new(0, 0, 0, 0), |cell| Rect::new(cell.x, cell.y, 1, 1));
        cells.fold(first, |area, cell| area.union(Rect::new(cell.x, cell.y, 1, 1)))
    };
    match source {
        TaskSource::Random { area } => *area,
        TaskSource::List { goals, .. } => of_cells(&mut goals.iter().map(|goal| goal.cell)),
        // Of problems, whose maps have no landmarks.
        TaskSource::RoundRobin { .. } => Rect::new(0, 0, 0, 0),
    }
}

/// Landmarks of a class on a map, made as it would be if all that the events make faster were so at once.
fn landmarks_of(
    tables: &MovementTables,
    speeds: &ClassSpeeds,
    map: &Arc<Grid>,
    events: &[Event],
    number: usize,
) -> ClassLandmarks {
    let mut at_best = Cow::Borrowed(&**map);
    for event in events {
        if let Action::Edit(edit) = &event.action {
            ease(&mut at_best, speeds, edit.change);
        }
    }
    let (landmarks, made_on) = match at_best {
        Cow::Borrowed(_) => (Landmarks::of(tables, number), Arc::clone(map)),
        Cow::Owned(grid) => {
            let mut tables = MovementTables::compile(&grid, tables.class().clone());
            tables.make_components();
            (Landmarks::of(&tables, number), Arc::new(grid))
        }
    };
    ClassLandmarks { landmarks, eased: BitGrid::new(map.size()), n_eased: 0, made_on }
}

/// Makes of a change what it makes faster. Heights and turned tiles are left as they are: where they ease a
/// move, landmarks are left unused as long as that is so.
fn ease(map: &mut Cow<'_, Grid>, speeds: &ClassSpeeds, change: Change) {
    match change {
        Change::Terrain { area, kind } => {
            for cell in area.intersection(map.size().rect()).cells() {
                let is_faster = |was| speeds.of_terrain(kind) > speeds.of_terrain(was);
                if map.terrain_at(cell).is_some_and(is_faster) {
                    map.to_mut().set_terrain(Rect::new(cell.x, cell.y, 1, 1), kind);
                }
            }
        }
        Change::Side { cell: xy, side, kind } => {
            let is_faster = |cell| speeds.of_side(kind) > speeds.of_side(map.side_of(cell, side));
            if map.size().cell(xy).is_some_and(is_faster) {
                map.to_mut().set_side(xy, side, kind);
            }
        }
        Change::Elevation { .. } | Change::Rotate { .. } => {}
    }
}
