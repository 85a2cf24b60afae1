//! Makes landmarks before the first tick: for which classes, and how many.

use crate::class::WorldClass;
use crate::class_landmarks::{AGENTS_PAY, BYTES_MAX, LANDMARK_BYTES, LANDMARKS, landmarks_of};
use crate::tasks::TaskSource;
use crate::threads::n_threads_here;
use crate::world::World;
use rayon::prelude::*;
use std::sync::Arc;
use wheelbase_grid::{CellXY, Change, Grid, Rect};
use wheelbase_planner::MovementTables;

/// How many landmarks each class gets: `asked`, or without that number as many as pay.
pub(crate) fn landmark_numbers(world: &World, asked: Option<usize>) -> Vec<usize> {
    let numbers: Vec<usize> = match asked {
        Some(asked) => vec![asked; world.classes.len()],
        None => {
            let pays = |agents| if agents >= AGENTS_PAY { LANDMARKS } else { 0 };
            far_agents(world).into_iter().map(pays).collect()
        }
    };
    let mut left = BYTES_MAX;
    let mut within_bytes = |tables: &MovementTables, number: usize| {
        let bytes = LANDMARK_BYTES * tables.space().n_states().max(1);
        let number = number.min(left / bytes);
        left -= number * bytes;
        number
    };
    world.tables.iter().zip(numbers).map(|(tables, number)| within_bytes(tables, number)).collect()
}

/// Makes some landmarks of each class. Equal for any number of threads; the classes are processed in parallel on the
/// current rayon pool.
pub(crate) fn make_landmarks(
    classes: &mut [WorldClass],
    (tables, grid): (&[MovementTables], &Grid),
    eased: &[Change],
    numbers: Vec<usize>,
) {
    if numbers.iter().all(|&number| number == 0) {
        return;
    }
    let unedited = Arc::new(grid.clone());
    let make = |((class, tables), number): ((&mut WorldClass, &MovementTables), usize)| {
        class.landmarks = Some(landmarks_of(tables, &class.speeds, &unedited, eased, number));
    };
    if n_threads_here() > 1 {
        let of_classes = classes.par_iter_mut().zip(tables).zip(numbers);
        of_classes.filter(|(_, number)| *number > 0).for_each(make);
    } else {
        let of_classes = classes.iter_mut().zip(tables).zip(numbers);
        of_classes.filter(|(_, number)| *number > 0).for_each(make);
    }
}

/// Number of agents with tasks of each class. An agent counts as the share of the map that its position and its tasks
/// span.
fn far_agents(world: &World) -> Vec<u64> {
    let World { agents, orders, classes, traffic, grid, .. } = world;
    let mut permille = vec![0; classes.len()];
    if traffic.needs_paths() {
        // Agents of a group share their source, and have adjacent rows.
        let mut last: Option<(*const TaskSource, Rect)> = None;
        for row in 0..agents.len() {
            let area =
                orders.open(&agents.orders(row)).find_map(|order| order.kind.tasks()).map(|(source, _)| {
                    let of = Arc::as_ptr(source);
                    let known = last.filter(|&(known, _)| std::ptr::eq(known, of)).map(|(_, area)| area);
                    let area = known.unwrap_or_else(|| area_of(source));
                    last = Some((of, area));
                    area
                });
            let CellXY { x, y } = world.pose(row).cell;
            permille[agents.motion[row].class.0 as usize] += area.map_or(0, |area| {
                area.union(Rect::new(x, y, 1, 1)).n_cells() * 1000 / grid.size().n_cells() as u64
            });
        }
    }
    permille.into_iter().map(|sum: u64| sum / 1000).collect()
}

/// Bounding rectangle of all tasks of a source.
fn area_of(source: &TaskSource) -> Rect {
    let of_cells = |cells: &mut dyn Iterator<Item = CellXY>| {
        let first = cells.next().map_or(Rect::new(0, 0, 0, 0), |cell| Rect::new(cell.x, cell.y, 1, 1));
        cells.fold(first, |area, cell| area.union(Rect::new(cell.x, cell.y, 1, 1)))
    };
    match source {
        TaskSource::Random { area } => *area,
        TaskSource::List { goals, .. } => of_cells(&mut goals.iter().map(|goal| goal.cell)),
        // Used by problems, whose maps get no landmarks.
        TaskSource::RoundRobin { .. } => Rect::new(0, 0, 0, 0),
    }
}
