//! The traffic rule for teams of unit robots, on random problems of the League of Robot Runners. Robots never collide,
//! the number of threads does not affect the result, and a single robot is on time.

use crate::common::{on_threads, plan_checked};
use proptest::prelude::*;
use std::path::Path;
use wheelbase_grid::{CellXY, MemoryMax};
use wheelbase_planner::fields::CostField;
use wheelbase_planner::{Goal, GoalMember, SettleTarget};
use wheelbase_scenario::judge_plan;
use wheelbase_scenario::load::{AttachedFile, Files, LoadedProblem, Overrides, build_problem};
use wheelbase_sim::{RunState, World};

/// A problem: its map, starts and tasks.
#[derive(Clone, Debug)]
struct Drawn {
    rows: Vec<String>,
    starts: Vec<usize>,
    tasks: Vec<usize>,
    tries: u64,
}

impl Drawn {
    fn of_rows(rows: &[&str], starts: &[usize], tasks: &[usize]) -> Self {
        let rows = rows.iter().map(|&row| row.to_owned()).collect();
        Self { rows, starts: starts.to_vec(), tasks: tasks.to_vec(), tries: 0 }
    }

    fn problem(&self) -> String {
        format!(
            "{{\"mapFile\": \"m\", \"agentFile\": \"a\", \"teamSize\": {}, \"taskFile\": \"t\", \"taskAssignmentStrategy\": \"roundrobin\"}}",
            self.starts.len()
        )
    }

    fn files(&self) -> Vec<AttachedFile> {
        let list = |cells: &[usize]| {
            let lines: Vec<String> = cells.iter().map(ToString::to_string).collect();
            format!("{}\n{}\n", cells.len(), lines.join("\n"))
        };
        let (height, width) = (self.rows.len(), self.rows[0].len());
        let map = format!("type octile\nheight {height}\nwidth {width}\nmap\n{}\n", self.rows.join("\n"));
        let file =
            |name: &str, text: String| AttachedFile { name: name.to_owned(), bytes: text.into_bytes() };
        vec![file("m", map), file("a", list(&self.starts)), file("t", list(&self.tasks))]
    }

    fn world(&self, ticks: u32) -> World {
        let overrides =
            Overrides { ticks: Some(ticks), tries_per_tick: Some(self.tries), ..Overrides::default() };
        let files = self.files();
        build_problem(Path::new("p.json"), self.problem().as_bytes(), overrides, Files::Attached(&files))
            .unwrap()
            .world
    }

    /// Runs to the end, checked after every tick, and judges the plan. Gives the tasks done and the hash.
    fn run(&self, ticks: u32) -> (u64, u64) {
        let mut world = self.world(ticks);
        let text = plan_checked(&mut world);
        let files = self.files();
        let problem = LoadedProblem::read(
            Path::new("p.json"),
            self.problem().as_bytes(),
            Files::Attached(&files),
            MemoryMax::NONE,
        )
        .unwrap();
        let verdict = judge_plan(&problem, &text).unwrap();
        assert_eq!(
            (verdict.n_violations, verdict.tasks_finished),
            (0, world.counts().tasks_done),
            "{self:?}"
        );
        (world.counts().tasks_done, world.state_hash())
    }

    /// Most ticks of a task, including unfinished ones.
    fn longest_task(&self, ticks: u32) -> u32 {
        let mut run = self.world(ticks);
        let mut longest = 0;
        while run.step() == RunState::Running {
            let tick = run.tick();
            let waits = (0..run.agent_arrays().len())
                .map(|row| tick - run.agent_arrays().orders(row).since)
                .max()
                .unwrap();
            longest = longest.max(waits);
        }
        longest
    }
}

/// Maps with walls, teams that fill some to most of the free cells, tasks anywhere, even out of reach.
fn drawn() -> impl Strategy<Value = Drawn> {
    let rows = (2_usize..9, 2_usize..9, 0_u32..45);
    rows.prop_flat_map(|(width, height, walls)| {
        let cell = prop_oneof![walls => Just('@'), 100 - walls => Just('.')];
        (Just(width), proptest::collection::vec(cell, width * height), 1_usize..40, any::<u64>(), 0_u64..40)
    })
    .prop_filter_map("a free cell at least", |(width, cells, team, order, tries)| {
        let mut free: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] == '.').collect();
        // Shuffled by a seed, which proptest need not shrink.
        free.sort_by_key(|&cell| (cell as u64 + 1).wrapping_mul(order | 1).rotate_left(17));
        let starts: Vec<usize> = free.iter().copied().take(team).collect();
        let tasks = free.iter().rev().copied().cycle().take(3 * free.len()).step_by(2).collect();
        let rows = cells.chunks(width).map(|row| row.iter().collect()).collect();
        (!free.is_empty()).then_some(Drawn { rows, starts, tasks, tries })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn robots_never_collide_and_threads_change_nothing(drawn in drawn()) {
        let on_one = on_threads(1, || drawn.run(60));
        prop_assert_eq!(on_one, on_threads(3, || drawn.run(60)));
    }
}

#[test]
fn a_single_robot_is_on_time() {
    let rows = ["....@...", ".@@.@.@.", "...@..@.", "@.....@."];
    let drawn = Drawn::of_rows(&rows, &[0], &[7, 24 + 2, 31, 16]);
    let world = drawn.world(1);
    let tables = &world.tables()[0];
    let mut run = drawn.world(200);
    let mut due = 0;
    for (number, &task) in drawn.tasks.iter().cycle().take(8).enumerate() {
        let goal = [GoalMember::any(CellXY::new(task as i32 % 8, task as i32 / 8))];
        let mut field = CostField::to_goal(tables, &Goal::of(&goal));
        field.settle(tables, SettleTarget::All, u64::MAX);
        due += field.cost(state_at(&drawn, due)).unwrap();
        while run.counts().tasks_done <= number as u64 {
            assert_eq!(run.step(), RunState::Running);
        }
        // A task counts at the tick after its last move.
        assert_eq!(run.tick(), due + 1, "task {number}");
    }
}

/// The state of the first robot before a tick.
fn state_at(drawn: &Drawn, tick: u32) -> wheelbase_planner::model::State {
    let mut world = drawn.world(200);
    while world.tick() < tick {
        world.step();
    }
    world.agent_arrays().motion[0].state
}

#[test]
fn a_ring_with_one_free_cell_rotates() {
    // Eight cells around a wall, seven robots.
    let rows = ["...", ".@.", "..."];
    let drawn = Drawn::of_rows(&rows, &[0, 1, 2, 3, 5, 6, 7], &[8, 6, 0, 2, 7, 5, 3, 1]);
    let (done, _) = drawn.run(400);
    assert!(done >= 20, "{done}");
}

#[test]
fn two_robots_pass_in_a_street_of_two_lanes() {
    let rows = ["........", "........"];
    let drawn = Drawn::of_rows(&rows, &[0, 7], &[7, 0, 0, 7]);
    let (done, _) = drawn.run(400);
    assert!(done >= 60, "{done}");
}

#[test]
fn an_unreachable_goal_disturbs_no_other_robot() {
    let rows = ["...@.", "...@."];
    // The first robot keeps its task forever; the other goes back and forth.
    let drawn = Drawn::of_rows(&rows, &[0, 5], &[4, 2, 7, 5]);
    let (done, _) = drawn.run(60);
    assert!(done > 10, "{done}");
}

/// Checks that no task of a team takes longer than `ticks_max`, with `tries` per tick.
fn assert_no_starvation(rows: &[&str], starts: &[usize], tasks: &[usize], (tries, ticks_max): (u64, u32)) {
    let drawn = Drawn { tries, ..Drawn::of_rows(rows, starts, tasks) };
    let longest = drawn.longest_task(1500);
    assert!(longest <= ticks_max, "{tries} tries: a task took {longest} ticks");
    drawn.run(60);
}

#[test]
fn two_robots_pass_in_a_lane_with_one_bay() {
    let rows = ["@@@@.@@@@", "........."];
    assert_no_starvation(&rows, &[9, 17], &[17, 9, 9, 17], (0, 300));
    assert_no_starvation(&rows, &[9, 17], &[17, 9, 9, 17], (10, 300));
    let rows = ["@@@@@@@.@@@", "..........."];
    assert_no_starvation(&rows, &[11, 21], &[21, 11, 11, 21], (0, 300));
    assert_no_starvation(&rows, &[11, 21], &[21, 11, 11, 21], (10, 300));
}

#[test]
fn a_full_ring_rotates() {
    let rows = ["...", ".@.", "..."];
    assert_no_starvation(&rows, &[0, 1, 2, 3, 5, 6, 7, 8], &[8, 6, 0, 2, 7, 5, 3, 1], (0, 300));
    assert_no_starvation(&rows, &[0, 1, 2, 3, 5, 6, 7, 8], &[8, 6, 0, 2, 7, 5, 3, 1], (10, 300));
}

#[test]
fn a_full_room_empties_through_a_door_of_two_cells() {
    let rows = ["....@....", "....@....", ".........", ".........", "....@....", "....@...."];
    let starts: Vec<usize> = (0..6).flat_map(|row| (0..4).map(move |x| row * 9 + x)).collect();
    let tasks: Vec<usize> =
        (0..48).map(|k| (k * 7 % 6) * 9 + if k / 24 % 2 == 0 { 5 + k % 4 } else { k % 4 }).collect();
    assert_no_starvation(&rows, &starts, &tasks, (0, 300));
    assert_no_starvation(&rows, &starts, &tasks, (10, 300));
}

#[test]
fn robots_leave_a_dead_end_past_robots_that_enter() {
    let rows = ["....@@@@@", ".........", "....@@@@@"];
    assert_no_starvation(&rows, &[17, 16, 12, 11], &[9, 0, 17, 16, 17, 16, 2, 18], (0, 800));
}

/// Overcrowded rooms with pillars and without dead ends, and their tasks.
fn crowded() -> impl Strategy<Value = Drawn> {
    let side = || prop_oneof![Just(4_usize), Just(6), Just(7), Just(9)];
    (side(), side(), 50_usize..97, any::<u64>(), 0_u64..20).prop_map(
        |(width, height, percent, order, tries)| {
            let cell = |x: usize, y: usize| if x % 3 == 1 && y % 3 == 1 { '@' } else { '.' };
            let rows: Vec<String> = (0..height).map(|y| (0..width).map(|x| cell(x, y)).collect()).collect();
            let mut free: Vec<usize> =
                (0..width * height).filter(|&at| cell(at % width, at / width) == '.').collect();
            free.sort_by_key(|&at| (at as u64 + 1).wrapping_mul(order | 1).rotate_left(17));
            let starts = free[..free.len() * percent / 100].to_vec();
            let tasks = free.iter().rev().copied().chain(free.iter().copied().step_by(3)).collect();
            Drawn { rows, starts, tasks, tries }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn in_a_crowd_every_robot_gets_its_turn(drawn in crowded()) {
        let longest = drawn.longest_task(1500);
        prop_assert!(longest <= 300, "a task took {longest} ticks");
    }
}
