//! One-shot instances of MovingAI queries. They are checked against the classical rules of multi-agent path finding and
//! against their own figures. A search over joint positions gives the best makespan.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use wheelbase_scenario::load::{LoadError, LoadedOneShot, OneShotResult, Overrides, load_one_shot};
use wheelbase_sim::{Random, RunState, World};

type Cell = (i32, i32);

/// A folder of a test, with an instance in it.
struct Instance {
    folder: PathBuf,
    rows: Vec<String>,
    queries: Vec<(Cell, Cell)>,
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Instance {
    fn new(name: &str, rows: &[&str], queries: &[(Cell, Cell)]) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("one-shot-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (width, height) = (rows[0].len(), rows.len());
        let map = format!("type octile\nheight {height}\nwidth {width}\nmap\n{}\n", rows.join("\n"));
        std::fs::write(folder.join("a.map"), map).unwrap();
        let mut scen = "version 1\n".to_owned();
        for ((x, y), (goal_x, goal_y)) in queries {
            scen += &format!("0\tmaps/a.map\t{width}\t{height}\t{x}\t{y}\t{goal_x}\t{goal_y}\t1\n");
        }
        std::fs::write(folder.join("a.scen"), scen).unwrap();
        let rows = rows.iter().map(|&row| row.to_owned()).collect();
        Self { folder, rows, queries: queries.to_vec() }
    }

    fn load(&self, class: Option<&str>, ticks: Option<u32>) -> Result<LoadedOneShot, LoadError> {
        let overrides = Overrides { ticks, ..Overrides::default() };
        load_one_shot(&self.folder.join("a.scen"), None, self.queries.len() as u32, class, overrides)
    }

    fn refused(&self) -> String {
        let error = self.load(None, None).err().unwrap().to_string();
        error.replace(&format!("{}/", self.folder.display()), "")
    }

    /// Runs it, and holds every step to the classical rules and the result to the positions.
    fn run(&self, ticks: u32) -> OneShotResult {
        let LoadedOneShot { loaded, mut one_shot, .. } = self.load(None, Some(ticks)).unwrap();
        let mut world = loaded.world;
        let mut at = vec![positions(&world)];
        assert_eq!(at[0], self.queries.iter().map(|query| query.0).collect::<Vec<_>>());
        loop {
            one_shot.before_tick(&mut world);
            if world.step() == RunState::Ended {
                break;
            }
            at.push(positions(&world));
        }
        one_shot.note_arrivals(&world);
        for pair in at.windows(2) {
            assert!(self.is_step(&pair[0], &pair[1]), "{pair:?}");
        }
        let result = one_shot.result();
        let goals = || self.queries.iter().map(|query| query.1);
        // The obvious way: count from the end.
        let costs: Vec<usize> = goals()
            .enumerate()
            .map(|(agent, goal)| at.len() - at.iter().rev().take_while(|cells| cells[agent] == goal).count())
            .collect();
        let solved = costs.iter().all(|&cost| cost < at.len());
        assert_eq!(result.makespan, solved.then(|| *costs.iter().max().unwrap() as u32), "{costs:?}");
        assert_eq!(result.sum_of_costs, solved.then(|| costs.iter().sum::<usize>() as u64), "{costs:?}");
        assert_eq!(result.agents_off_goal, costs.iter().filter(|&&cost| cost == at.len()).count() as u64);
        result
    }

    fn is_free(&self, (x, y): Cell) -> bool {
        let row = usize::try_from(y).ok().and_then(|y| self.rows.get(y));
        usize::try_from(x).ok().and_then(|x| row?.as_bytes().get(x)) == Some(&b'.')
    }

    /// The classical rules: wait or move to a free neighbour; no vertex and no swap conflict.
    fn is_step(&self, before: &[Cell], after: &[Cell]) -> bool {
        let legal = before
            .iter()
            .zip(after)
            .all(|(a, b)| self.is_free(*b) && (a.0 - b.0).abs() + (a.1 - b.1).abs() <= 1);
        let agents = 0..before.len();
        let clash = |a: usize, b: usize| {
            a != b && (after[a] == after[b] || (after[a] == before[b] && after[b] == before[a]))
        };
        legal && !agents.clone().any(|a| agents.clone().any(|b| clash(a, b)))
    }

    /// The least makespan, by breadth-first search over joint positions.
    fn best_makespan(&self) -> Option<u32> {
        let start: Vec<Cell> = self.queries.iter().map(|query| query.0).collect();
        let goal: Vec<Cell> = self.queries.iter().map(|query| query.1).collect();
        let mut known = BTreeSet::from([start.clone()]);
        let mut open = VecDeque::from([(start, 0)]);
        while let Some((at, ticks)) = open.pop_front() {
            if at == goal {
                return Some(ticks);
            }
            let mut joint: Vec<Vec<Cell>> = vec![Vec::new()];
            for &(x, y) in &at {
                let next = [(x, y), (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)].into_iter();
                let next: Vec<Cell> = next.filter(|&cell| self.is_free(cell)).collect();
                let with = |cells: &Vec<Cell>| -> Vec<Vec<Cell>> {
                    next.iter().map(|&cell| [cells.as_slice(), &[cell]].concat()).collect()
                };
                joint = joint.iter().flat_map(with).collect();
            }
            for next in joint {
                if self.is_step(&at, &next) && known.insert(next.clone()) {
                    open.push_back((next, ticks + 1));
                }
            }
        }
        None
    }
}

fn positions(world: &World) -> Vec<Cell> {
    (0..world.agent_arrays().len()).map(|row| world.pose(row).cell).map(|cell| (cell.x, cell.y)).collect()
}

#[test]
fn random_instances_keep_the_classical_rules() {
    let mut random = Random::new(5);
    let (mut n_solvable, mut n_solved) = (0, 0);
    for number in 0..60 {
        let mut pick = |n: usize| random.below(n);
        let rows: Vec<String> =
            (0..4).map(|_| (0..4).map(|_| if pick(5) == 0 { '@' } else { '.' }).collect()).collect();
        let free: Vec<Cell> = (0..16)
            .map(|at| (at % 4, at / 4))
            .filter(|&(x, y)| rows[y as usize].as_bytes()[x as usize] == b'.')
            .collect();
        let mut draw = || {
            let (mut left, n) = (free.clone(), 3.min(free.len()));
            (0..n).map(|_| left.swap_remove(pick(left.len()))).collect::<Vec<Cell>>()
        };
        let queries: Vec<(Cell, Cell)> = draw().into_iter().zip(draw()).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let instance = Instance::new(&format!("random-{number}"), &rows, &queries);
        let (result, best) = (instance.run(2000), instance.best_makespan());
        n_solvable += u32::from(best.is_some());
        if let Some(makespan) = result.makespan {
            n_solved += 1;
            assert!(best.is_some_and(|best| best <= makespan), "{best:?} {result:?}");
        }
    }
    assert!(n_solvable >= 20, "{n_solvable}");
    // Traffic promises no solution in such a small space; most are found.
    assert!(n_solved * 2 >= n_solvable, "{n_solved} of {n_solvable}");
}

#[test]
fn an_agent_that_makes_way_goes_back() {
    // Agent 0 stands at its goal, in the way of agent 1; there is one bay.
    let instance = Instance::new("back", &[".....", "@@.@@"], &[((1, 0), (1, 0)), ((0, 0), (4, 0))]);
    let result = instance.run(1000);
    let best = instance.best_makespan().unwrap();
    assert!(result.makespan.is_some_and(|makespan| makespan >= best), "{result:?}, {best}");
    assert!(result.sum_of_costs.unwrap() > u64::from(result.makespan.unwrap()));
}

#[test]
fn agents_at_their_goals_cost_nothing_and_followers_do_not_wait() {
    let instance = Instance::new("still", &["....."], &[((4, 0), (4, 0))]);
    let result = instance.run(10);
    assert_eq!((result.makespan, result.sum_of_costs), (Some(0), Some(0)));
    // The rule is the classical one: a cell that is left may be entered in the same step.
    let instance = Instance::new("row", &["......"], &[((2, 0), (5, 0)), ((1, 0), (4, 0)), ((0, 0), (3, 0))]);
    let result = instance.run(100);
    assert_eq!((result.makespan, result.sum_of_costs), (Some(3), Some(9)));
}

#[test]
fn a_goal_that_cannot_be_reached_ends_the_run() {
    let instance = Instance::new("cut", &["..@.."], &[((0, 0), (1, 0)), ((4, 0), (0, 0))]);
    let result = instance.run(5000);
    assert_eq!((result.makespan, result.sum_of_costs, result.agents_off_goal), (None, None, 1));
}

#[test]
fn mistakes_are_named_with_their_lines() {
    let rows = ["..@..", "....."];
    let refused = |name: &str, queries: &[(Cell, Cell)]| Instance::new(name, &rows, queries).refused();
    assert_eq!(
        refused("start", &[((0, 0), (1, 0)), ((2, 0), (3, 0))]),
        "a.scen:3: start: the start is blocked: cell (2, 0) is out, expected a free one"
    );
    assert_eq!(
        refused("goal", &[((0, 0), (2, 0))]),
        "a.scen:2: goal: the goal is blocked: cell (2, 0) is out, expected a free one"
    );
    let twice = refused("twice", &[((0, 0), (1, 0)), ((0, 0), (3, 0)), ((1, 1), (1, 0))]);
    assert_eq!(
        twice,
        "a.scen:3: start: cell (0, 0) belongs to the start of line 2, expected a start for each agent\n\
         a.scen:4: goal: cell (1, 0) belongs to the goal of line 2, expected a goal for each agent"
    );
    let few = Instance::new("few", &rows, &[((0, 0), (1, 0))]);
    let error = load_one_shot(&few.folder.join("a.scen"), None, 3, None, Overrides::default())
        .err()
        .unwrap()
        .to_string();
    assert!(error.ends_with("a.scen: expected at least 3 queries, one per agent, found 1"), "{error}");
}

#[test]
fn other_classes_take_part() {
    let instance = Instance::new("octile", &["...", "..."], &[((0, 0), (2, 1)), ((2, 1), (0, 0))]);
    let LoadedOneShot { text, .. } = instance.load(Some("octile"), None).unwrap();
    assert!(text.contains("ticks = 141420000\n") && !text.contains("[class"), "{text}");
    let LoadedOneShot { loaded, mut one_shot, .. } = instance.load(Some("octile"), Some(400_000)).unwrap();
    let mut world = loaded.world;
    loop {
        one_shot.before_tick(&mut world);
        if world.step() == RunState::Ended {
            break;
        }
    }
    assert!(one_shot.result().makespan.is_some_and(|makespan| makespan >= 24142), "{:?}", one_shot.result());
    let class = instance.folder.join("tank.toml");
    std::fs::write(&class, "[class.tank]\nheadings = 4\nfootprint = [[0, 0], [0, 1]]\nmoves = [{ name = \"on\", by = [1, 0], time = 3 }]\n").unwrap();
    let error = instance.load(class.to_str(), None).err().unwrap().to_string();
    assert!(error.contains("a.scen:3: start: the start is blocked: cell (2, 2) is off the map"), "{error}");
}

#[test]
#[ignore = "needs ../shared/data"]
fn published_queries_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/movingai");
    let mut n_run = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "scen") {
            continue;
        }
        let Ok(LoadedOneShot { loaded, mut one_shot, .. }) =
            load_one_shot(&file, None, 20, None, Overrides::default())
        else {
            continue;
        };
        let mut world = loaded.world;
        loop {
            one_shot.before_tick(&mut world);
            if world.step() == RunState::Ended {
                break;
            }
        }
        assert_eq!(one_shot.result().agents_off_goal, 0, "{}", file.display());
        n_run += 1;
    }
    assert!(n_run > 0, "no instance in {}", folder.display());
}
