//! The queue of path requests: its answers equal the answers of `plan`, whatever the budget, the slots and the threads.

#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod common;

use common::{drain, world_of};
use proptest::prelude::*;
use std::sync::Arc;
use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::*;
use wheelbase_planner::tables::*;

/// A request of which most of the numbers lie on the map.
fn request(size: GridSize, headings: u8, n: [u32; 6]) -> QueuedRequest {
    let cell =
        |x: u32, y: u32| CellXY::new((x % (size.width() + 1)) as i32, (y % (size.height() + 1)) as i32);
    let heading = |n: u32| Heading((n % u32::from(headings)) as u8);
    let goal = match n[5] % 3 {
        0 => GoalMember::any(cell(n[2], n[3])),
        _ => GoalMember { cell: cell(n[2], n[3]), heading: Some(heading(n[4])) },
    };
    let mut asked =
        QueuedRequest::new(0, Pose { cell: cell(n[0], n[1]), heading: heading(n[4]) }, vec![goal]);
    asked.within = n[5] % 2;
    asked.fallback = if n[5].is_multiple_of(5) { Fallback::Nearest } else { Fallback::Fail };
    asked.expansions_max = (n[5].is_multiple_of(7)).then_some(u64::from(n[4] % 40));
    asked.partial = n[5].is_multiple_of(2);
    asked.weight_permille = if n[5].is_multiple_of(4) { 1500 } else { 1000 };
    asked.priority = (n[5] % 9) as i32 - 4;
    if n[5].is_multiple_of(6) {
        let mut penalties = CellPenalties::new(size);
        penalties.set(Rect::new(1, 1, 3, 2), 40);
        asked.penalties = Some(Arc::new(penalties));
    }
    if n[5] % 6 == 1 {
        let mut obstacles = BitGrid::new(size);
        obstacles.set(CellXY::new(0, 0), true);
        asked.obstacles = Some(Arc::new(obstacles));
    }
    asked
}

#[cfg(feature = "rayon")]
fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

/// Without rayon there is one thread.
#[cfg(not(feature = "rayon"))]
fn on_threads<T>(_: usize, run: impl FnOnce() -> T) -> T {
    run()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn answers_are_those_of_plan(
        (grid, class) in world_of(3..14),
        asked in prop::collection::vec(any::<[u32; 6]>(), 1..24),
        budget in prop_oneof![1_u64..40, Just(1_000_000)],
        slots in 1_usize..6,
    ) {
        let tables = [MovementTables::compile(&grid, class)];
        let headings = tables[0].space().headings();
        let asked: Vec<QueuedRequest> =
            asked.into_iter().map(|numbers| request(grid.size(), headings, numbers)).collect();
        let run = |threads: usize| {
            let mut queue = PathQueue::new(grid.size(), 1, slots);
            let tickets: Vec<Ticket> = asked.iter().map(|one| queue.submit(one.clone()).unwrap()).collect();
            (tickets, on_threads(threads, || drain(&mut queue, &tables, budget)))
        };
        let (tickets, found) = run(1);
        prop_assert_eq!(&found, &run(3).1);
        prop_assert_eq!(found.len(), asked.len());
        // In one frame the answers come in order of their tickets.
        prop_assert!(found.is_sorted_by_key(|(frame, ticket, ..)| (*frame, *ticket)));
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        for (_, ticket, answer, given) in found {
            let number = tickets.iter().position(|other| *other == ticket).unwrap();
            let expected = plan(&tables[0], &asked[number].as_request(), &mut scratch, &mut path);
            prop_assert_eq!((answer, &given), (expected, &path), "request {}", number);
        }
    }

    /// A frame in its parts, its jobs run on threads of the host in any order, is `advance`.
    #[test]
    fn jobs_give_the_same_answers(
        (grid, class) in world_of(3..14),
        asked in prop::collection::vec(any::<[u32; 6]>(), 1..24),
        budget in prop_oneof![1_u64..40, Just(1_000_000)],
        slots in 1_usize..6,
    ) {
        let tables = [MovementTables::compile(&grid, class)];
        let headings = tables[0].space().headings();
        let (mut whole, mut parts) = (PathQueue::new(grid.size(), 1, slots), PathQueue::new(grid.size(), 1, slots));
        for numbers in asked {
            let asked = request(grid.size(), headings, numbers);
            prop_assert_eq!(whole.submit(asked.clone()).unwrap(), parts.submit(asked).unwrap());
        }
        let mut jobs = Vec::new();
        while whole.open() > 0 {
            let n_answers = whole.advance(&tables, budget);
            parts.begin_frame(&tables, budget);
            while parts.take_jobs(&mut jobs) > 0 {
                jobs.reverse();
                std::thread::scope(|scope| {
                    for jobs in jobs.chunks_mut(2) {
                        scope.spawn(|| jobs.iter_mut().for_each(|job| job.run(&tables)));
                    }
                });
                parts.give_back(&mut jobs);
            }
            prop_assert_eq!(parts.end_frame(), n_answers);
            let answers = |queue: &PathQueue| -> Vec<(Ticket, Answer, Path)> {
                queue.answers().map(|one| (one.ticket, one.answer, one.path.clone())).collect()
            };
            prop_assert_eq!(answers(&whole), answers(&parts));
        }
        prop_assert_eq!(parts.open(), 0);
    }

    /// Searches in progress when the map changes use the new map.
    #[test]
    fn an_edit_restarts_searches(
        (mut grid, class) in world_of(6..14),
        asked in prop::collection::vec(any::<[u32; 6]>(), 1..12),
        edit in (0_i32..14, 0_i32..14, 1_u32..5, 0_u8..5),
        budget in 1_u64..60,
    ) {
        let mut tables = [MovementTables::compile(&grid, class)];
        let headings = tables[0].space().headings();
        let mut queue = PathQueue::new(grid.size(), 1, 3);
        let asked: Vec<QueuedRequest> =
            asked.into_iter().map(|numbers| request(grid.size(), headings, numbers)).collect();
        for one in &asked {
            queue.submit(one.clone()).unwrap();
        }
        queue.advance(&tables, budget);
        let before = queue.answers().count();
        let changed = grid.set_terrain(Rect::new(edit.0, edit.1, edit.2, edit.2), TerrainKind(edit.3)).changed;
        if !changed.is_empty() {
            tables[0].update(&grid, changed);
        }
        let found = drain(&mut queue, &tables, budget);
        prop_assert_eq!(before + found.len(), asked.len());
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        for (_, ticket, answer, given) in found {
            let expected = plan(&tables[0], &asked[ticket.0 as usize].as_request(), &mut scratch, &mut path);
            prop_assert_eq!((answer, given), (expected, path.clone()));
        }
    }
}

fn field(width: u32) -> (Grid, [MovementTables; 1]) {
    let row = ".".repeat(width as usize);
    let rows = vec![row.as_str(); width as usize];
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let mut spec = ClassSpec::new("scout", 1);
    spec.primitives = Primitive::four_directions(1);
    let tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    (grid, [tables])
}

fn across(x: i32, y: i32) -> QueuedRequest {
    QueuedRequest::new(0, Pose::new(0, 0, Heading(0)), vec![GoalMember::any(CellXY::new(x, y))])
}

#[test]
fn what_is_cancelled_is_not_answered() {
    let (grid, tables) = field(32);
    let mut queue = PathQueue::new(grid.size(), 1, 2);
    let tickets: Vec<Ticket> = (0..6).map(|x| queue.submit(across(31, 20 + x)).unwrap()).collect();
    queue.advance(&tables, 3);
    // One waits, one is under way, one is not there.
    assert!(queue.cancel(tickets[5]) && queue.cancel(tickets[0]) && !queue.cancel(tickets[5]));
    assert_eq!(queue.open(), 4);
    let found: Vec<Ticket> = drain(&mut queue, &tables, 500).iter().map(|(_, ticket, ..)| *ticket).collect();
    assert!(!found.contains(&tickets[0]) && !found.contains(&tickets[5]));
    assert_eq!(found.len(), 4);
    // One whose answer is ready.
    let (kept, dropped) = (queue.submit(across(3, 3)).unwrap(), queue.submit(across(4, 4)).unwrap());
    assert_eq!(queue.advance(&tables, 10_000), 2);
    assert!(queue.cancel(dropped));
    assert_eq!(queue.answers().map(|one| one.ticket).collect::<Vec<_>>(), [kept]);
    assert_eq!(queue.advance(&tables, 10_000), 0);
    assert_eq!(queue.answers().count(), 0);
}

/// A stream of urgent requests does not starve a patient one: a frame of age weighs as much as one of priority.
#[test]
fn age_wins_in_the_end() {
    let (grid, tables) = field(32);
    let mut queue = PathQueue::new(grid.size(), 1, 1);
    let patient = queue.submit(across(31, 31)).unwrap();
    let mut answered_at = None;
    for frame in 0..400 {
        let urgent = QueuedRequest { priority: 50, ..across(31, 31) };
        queue.submit(urgent).unwrap();
        queue.advance(&tables, 40);
        if queue.answers().any(|one| one.ticket == patient) {
            answered_at = Some(frame);
            break;
        }
    }
    assert!(answered_at.is_some_and(|frame| (51..200).contains(&frame)), "{answered_at:?}");
}

#[test]
fn wrong_requests_are_refused_by_field() {
    let (grid, tables) = field(8);
    let mut queue = PathQueue::new(grid.size(), 1, 1);
    let other = GridSize::new(9, 8).unwrap();
    let wrong = [
        (QueuedRequest { class: 1, ..across(1, 1) }, "class 1: the queue has 1 classes"),
        (QueuedRequest { goal: Vec::new(), ..across(1, 1) }, "goal: no members, expected at least one"),
        (
            QueuedRequest { weight_permille: 999, ..across(1, 1) },
            "weight_permille: 999, expected at least 1000",
        ),
        (
            QueuedRequest { obstacles: Some(Arc::new(BitGrid::new(other))), ..across(1, 1) },
            "obstacles: for a map of 9 x 8, expected 8 x 8",
        ),
        (
            QueuedRequest { penalties: Some(Arc::new(CellPenalties::new(other))), ..across(1, 1) },
            "penalties: for a map of 9 x 8, expected 8 x 8",
        ),
    ];
    for (request, expected) in wrong {
        assert_eq!(queue.submit(request).unwrap_err().to_string(), expected);
    }
    assert_eq!((queue.open(), queue.advance(&tables, 100)), (0, 0));
    // What the planner itself answers is no error of the queue.
    let off_map = QueuedRequest { start: Pose::new(-1, 0, Heading(0)), ..across(1, 1) };
    queue.submit(off_map).unwrap();
    queue.advance(&tables, 100);
    assert_eq!(queue.answers().next().unwrap().answer.status, Status::StartOffMap);
}
