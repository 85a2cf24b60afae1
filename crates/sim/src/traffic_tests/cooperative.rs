//! The whole rule in small crowded worlds: what must hold at every tick, and that what each agent means to do
//! is claimed.

use super::scenes;
use super::scenes::{Walk, built, built_with, class, map_of, rows, rule, shape};
use crate::{RunState, World, invariant};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use wheelbase_grid::CellXY;
use wheelbase_planner::{Goal, GoalMember, Path, Pose, Request, Scratch, Status, plan as plan_path};
use wheelbase_traffic::AgentsView;
use wheelbase_traffic::TrafficParams;
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::cooperative::corridor_control::CorridorControl;
use wheelbase_traffic::cooperative::corridor_map::OPEN;
use wheelbase_traffic::cooperative::corridors_ahead::CORRIDORS_MAX;
use wheelbase_traffic::cooperative::plan::PlannedMove;
use wheelbase_traffic::cooperative::plan_table::PlanTable;
use wheelbase_traffic::cooperative::reservations::FOREVER;
use wheelbase_traffic::cooperative::*;
use wheelbase_traffic::decisions::Decisions;
use wheelbase_traffic::motion::AgentId;
use wheelbase_traffic::params::Tunable;
use wheelbase_traffic::rule::Traffic;
use wheelbase_traffic::view::TrafficView;

/// The rule of a simulation, to be looked into from outside.
pub struct Shared<T>(pub Arc<Mutex<T>>);

impl<T: Traffic> Traffic for Shared<T> {
    fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
        self.0.lock().unwrap().decide(view, decisions);
    }

    fn for_each_word(&self, word: &mut dyn FnMut(u64)) {
        self.0.lock().unwrap().for_each_word(word);
    }
}

impl<T: Traffic + 'static> Shared<T> {
    /// Gives a simulation a rule that can be looked into.
    pub fn give(world: &mut World, rule: T) -> Self {
        let rule = Arc::new(Mutex::new(rule));
        world.traffic = Box::new(Self(rule.clone()));
        Self(rule)
    }
}

/// The rule of a simulation as it begins.
pub fn fresh_rule(world: &World) -> Cooperative {
    Cooperative::new(&world.tables, world.grid.size(), world.settings.collision, TrafficParams::USUAL)
}

/// What the agent in a row will do from a tick on, which is now.
pub fn walk_of((agents, tick): (AgentsView<'_>, u32), table: &PlanTable, row: usize) -> Walk {
    let motion = &agents.motion[row];
    let mut moves = Vec::new();
    if !motion.at_rest() {
        moves.push(PlannedMove { start: tick, ticks: motion.until - tick, primitive: motion.primitive });
    }
    moves.extend_from_slice(table.plans[agents.ids[row].0 as usize].moves());
    Walk { class: usize::from(motion.class.0), from: motion.state, moves }
}

/// All that every agent needs from now on is claimed for it, nothing is for those that are gone, and under
/// the swept rule nothing is claimed twice.
pub fn check_reservations(world: &World, rule: &Cooperative) {
    let size = world.grid.size();
    let collision = world.settings.collision;
    for row in 0..world.agents.len() {
        let (id, walk) =
            (world.agents.ids[row].0, walk_of((world.agents.view(&[]), world.tick), &rule.table, row));
        for tick in world.tick..=walk.ends().max(world.tick) {
            let last = tick >= walk.ends();
            let mut needed = walk.held(world, collision, tick);
            if let (scenes::Doing::Moves(step, _), CollisionRule::Discrete) =
                (walk.doing(world, tick), collision)
            {
                needed.extend(scenes::cells(step.end()));
            }
            for cell in needed {
                let at = size.cell(cell).unwrap().0 as usize;
                let is_reserved = rule.table.reservations.on(at).any(|reservation| {
                    reservation.agent == id
                        && reservation.from <= tick
                        && tick < reservation.until
                        && (!last || reservation.until == FOREVER)
                });
                assert!(is_reserved, "tick {}: agent {id} has no claim on {cell} at tick {tick}", world.tick);
            }
        }
    }
    for cell in 0..size.n_cells() {
        let reservations: Vec<_> = rule.table.reservations.on(cell).collect();
        for (number, reservation) in reservations.iter().enumerate() {
            assert!(
                world.agents.row(AgentId(reservation.agent)).is_some(),
                "agent {} is gone",
                reservation.agent
            );
            let overlaps = |other: &&&reservations::Reservation| {
                other.agent != reservation.agent
                    && other.from < reservation.until
                    && reservation.from < other.until
            };
            let twice = reservations[number + 1..].iter().find(overlaps);
            assert!(
                collision == CollisionRule::Discrete || twice.is_none(),
                "cell {cell}: {reservation:?} and {twice:?}"
            );
        }
    }
}

/// Who is in a passage is known to be, in as many as can be known of each, and nobody else is.
fn check_inside(world: &World, rule: &Cooperative) {
    for row in 0..world.agents.len() {
        let (id, pose) = (world.agents.ids[row].0, world.pose(row));
        let (head, cold, plan) =
            (&rule.table.heads[id as usize], &rule.table.cold[id as usize], &rule.table.plans[id as usize]);
        assert_eq!(head.has, Has::of(cold), "agent {id}");
        let begins = plan.moves().first().map_or(NONE, |planned| planned.start);
        let of_plan = (head.plan_begins, head.plan_ends, usize::from(head.n_planned));
        assert_eq!(of_plan, (begins, plan.end.1, plan.moves().len()), "agent {id}");
        let known: Vec<u32> = cold.corridors.iter().copied().filter(|&corridor| corridor != OPEN).collect();
        assert!(known.iter().all(|&corridor| rule.table.corridor_control.admission.is_inside(corridor, id)));
        assert!(cold.admitted == OPEN || known.contains(&cold.admitted));
        let motion = &world.agents.motion[row];
        let tables = &world.tables[motion.class.0 as usize];
        let under = |pose: Pose| -> Vec<u32> {
            let cells = scenes::cells((pose.cell, tables.class().cells_at(pose)));
            let corridors = cells.into_iter().map(|cell| rule.table.corridor_control.map.at_anchor(cell));
            corridors.filter(|&corridor| corridor != OPEN).collect()
        };
        let mut due = under(pose);
        assert!(
            due.iter().all(|corridor| known.len() == CORRIDORS_MAX || known.contains(corridor)),
            "agent {id}"
        );
        if motion.at_rest() && world.agents.wait_states[row].moved_at + 1 < world.tick() {
            let mut state = motion.state;
            for planned in plan.moves() {
                state = tables.state_after(state, usize::from(planned.primitive));
                due.extend(under(tables.space().pose(state)));
            }
            due.push(cold.admitted);
            assert!(
                known.iter().all(|corridor| due.contains(corridor)),
                "agent {id} has left some of {known:?}"
            );
        }
    }
    let cells = 0..world.grid.size().n_cells();
    let corridors: BTreeSet<u32> =
        cells.map(|cell| rule.table.corridor_control.map.at(cell)).filter(|&at| at != OPEN).collect();
    for corridor in corridors {
        for id in (0..rule.table.heads.len() as u32)
            .filter(|&id| rule.table.corridor_control.admission.is_inside(corridor, id))
        {
            let is_there = world.agents.row(AgentId(id)).is_some();
            assert!(is_there && rule.table.cold[id as usize].corridors.contains(&corridor), "agent {id}");
        }
    }
}

/// The passages are those of the map as it is, by whatever numbers.
fn check_corridors(world: &World, rule: &Cooperative) {
    let fresh = CorridorControl::new(world.grid.size(), &world.tables, &rule.table.sides, rule.table.params);
    let mut numbers = BTreeMap::new();
    for cell in 0..world.grid.size().n_cells() {
        let (kept, right) = (rule.table.corridor_control.map.at(cell), fresh.map.at(cell));
        assert_eq!(*numbers.entry(kept).or_insert(right), right, "tick {}: cell {cell}", world.tick);
    }
    let rights: BTreeSet<u32> = numbers.values().copied().collect();
    assert_eq!(rights.len(), numbers.len());
    assert!(numbers.get(&OPEN).is_none_or(|&right| right == OPEN));
}

/// Nobody that was sent aside has given that up at the last tick before it had time to begin.
fn check_given_up(world: &World, rule: &Cooperative) {
    for &row in &world.traffic_buffers.decisions.give_up {
        let row = row as usize;
        let cold = &rule.table.cold[world.agents.ids[row].0 as usize];
        if cold.held_since >= world.tick {
            // Behind its turn another had it plan anew, and its last move aside has begun.
            continue;
        }
        let held_for = cold.held_for(world.tick);
        let waits = rule.table.params.give_up_after_steps
            * rule.table.step_ticks[usize::from(world.agents.motion[row].class.0)];
        assert!(held_for >= waits, "row {row} gives up {held_for} ticks after it was sent aside");
    }
}

/// Which agents each tick visits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visits {
    All,
    Busy,
}

/// Runs to the end; gives the state hash after each tick.
fn run(world: &mut World, visits: Visits) -> Vec<u64> {
    run_with(world, TrafficParams::USUAL, visits)
}

fn run_with(world: &mut World, params: TrafficParams, visits: Visits) -> Vec<u64> {
    let rule = Cooperative::new(&world.tables, world.grid.size(), world.settings.collision, params);
    let shared = Shared::give(world, rule);
    let (mut hashes, mut revision) = (Vec::new(), world.grid.revision());
    loop {
        if visits == Visits::All {
            world.agents.busy.fill(world.agents.len());
        }
        let ticked = world.step();
        assert_eq!(invariant::check(world), [], "tick {}", world.tick);
        if ticked == RunState::Ended {
            return hashes;
        }
        let rule = shared.0.lock().unwrap();
        check_reservations(world, &rule);
        check_inside(world, &rule);
        check_given_up(world, &rule);
        if world.grid.revision() != revision {
            revision = world.grid.revision();
            check_corridors(world, &rule);
        }
        drop(rule);
        hashes.push(world.state_hash());
    }
}

/// Columns or rows of the maps.
const SIDES: std::ops::Range<usize> = 6..12;
const LONGEST: (i32, i32) = (5, 3);

/// An order for the agents of a map.
fn order() -> impl Strategy<Value = String> {
    let cell = || (0..SIDES.start, 0..SIDES.start);
    let fallback = || prop::sample::select(&["fail", "nearest"]);
    prop_oneof![
        3 => (cell(), 0_u32..4, fallback()).prop_map(|((x, y), within, fallback)| {
            format!("{{ goto = [{x}, {y}], within = {within}, fallback = \"{fallback}\", if_unreachable = \"wait\" }}")
        }),
        2 => (cell(), cell()).prop_map(|((x, y), (u, v))| {
            format!("{{ patrol = [[{x}, {y}], [{u}, {v}]], fallback = \"nearest\" }}")
        }),
        1 => (cell(), 2_u32..8).prop_map(|((x, y), side)| {
            format!("{{ goto_area = [{x}, {y}, {side}, {side}], fallback = \"nearest\" }}")
        }),
        1 => (0_u32..20).prop_map(|ticks| format!("{{ wait = {ticks} }}")),
    ]
}

/// An event: the map is edited, or agents come, go, or are given other orders.
fn event(shape: &'static str) -> impl Strategy<Value = String> {
    let area = || (0..SIDES.end, 0..SIDES.end, 1_u32..4, 1_u32..4);
    let area = move || area().prop_map(|(x, y, w, h)| format!("area = [{x}, {y}, {w}, {h}]"));
    let on_agents = || prop::sample::select(&["wait", "strand", "remove"]);
    let kind = prop::sample::select(&["sand", "mud", "rock", "ground"]);
    let side = prop::sample::select(if shape == "hex" { &["E", "NE", "SW"] } else { &["E", "N", "S"] });
    let class = || prop::sample::select(&["a", "b", "c"]);
    let action = prop_oneof![
        5 => (area(), kind, on_agents()).prop_map(|(area, kind, on)| {
            format!("set_terrain = {{ {area}, kind = \"{kind}\", on_agents = \"{on}\" }}")
        }),
        2 => (0..SIDES.start, 0..SIDES.start, side, any::<bool>(), on_agents()).prop_map(|(x, y, side, shut, on)| {
            let kind = if shut { "wall" } else { "open" };
            format!("set_side = {{ cell = [{x}, {y}], side = \"{side}\", kind = \"{kind}\", on_agents = \"{on}\" }}")
        }),
        2 => (area(), class(), 1_u32..4, order()).prop_map(|(area, class, count, order)| {
            format!("add_agents = {{ class = \"{class}\", count = {count}, {area}, orders = [{order}] }}")
        }),
        1 => area().prop_map(|area| format!("remove_agents = {{ {area} }}")),
        1 => (area(), order()).prop_map(|(area, order)| format!("give_orders = {{ {area}, orders = [{order}] }}")),
    ];
    (0_u32..150, action).prop_map(|(tick, action)| format!("[[events]]\ntick = {tick}\n{action}\n"))
}

/// A world of three classes, with groups that cover about so much of it in hundredths.
pub fn crowd() -> impl Strategy<Value = (String, Vec<String>, String)> {
    (shape(), 1_u32..20).prop_flat_map(|(shape, walls)| {
        let classes = (class("a", shape, (1, 1)), class("b", shape, (3, 2)), class("c", shape, LONGEST));
        let groups = prop::collection::vec((0_usize..3, 1_u32..5, -3_i32..4, order(), order()), 5..12);
        let events = prop::collection::vec(event(shape), 0..10);
        (rows(walls, SIDES), classes, groups, events, rule(), any::<u32>()).prop_map(
            move |(rows, (a, b, c), groups, events, rule, seed)| {
                let head = format!(
                    "name = \"crowd\"\nseed = {seed}\nticks = 220\ncollision = \"{}\"\n{}{a}{b}{c}",
                    rule.name(),
                    map_of(shape, &rows)
                );
                let area = format!("[0, 0, {}, {}]", rows[0].len(), rows.len());
                let groups = groups.into_iter().map(|(class, count, priority, one, other)| {
                    format!(
                        "[[groups]]\nclass = \"{}\"\ncount = {count}\npriority = {priority}\narea = {area}\norders = [{one}, {other}]\n",
                        ["a", "b", "c"][class]
                    )
                });
                (head, groups.collect(), events.concat())
            },
        )
    })
}

/// The scenario with as many of the groups as find room.
pub fn fitted((head, groups, events): &(String, Vec<String>, String)) -> Option<String> {
    let mut text = head.clone();
    built(&text)?;
    for group in groups {
        let more = text.clone() + group;
        if built(&more).is_some() {
            text = more;
        }
    }
    Some(text + events)
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, max_shrink_iters: 300, ..ProptestConfig::default() })]

    #[test]
    fn crowds_never_collide_and_all_they_mean_to_do_is_claimed(crowd in crowd()) {
        let Some(text) = fitted(&crowd) else { return Ok(()) };
        let mut hashes: Option<Vec<u64>> = None;
        for (threads, visits) in [(1, Visits::All), (2, Visits::Busy), (8, Visits::Busy)] {
            let Some(mut world) = built(&text) else { return Ok(()) };
            let found = on_threads(threads, || run(&mut world, visits));
            prop_assert_eq!(hashes.get_or_insert_with(|| found.clone()), &found);
        }
    }

    #[test]
    fn no_tunables_make_agents_collide(
        crowd in crowd(),
        tuned in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_usize..3), 1..5),
    ) {
        let Some(text) = fitted(&crowd) else { return Ok(()) };
        let (mut params, tunables) = (TrafficParams::USUAL, TrafficParams::tunables());
        for (which, value, end) in tuned {
            let Tunable { name, range, .. } = which.get(&tunables);
            let (low, high) = (*range.start(), *range.end());
            let between = low + value.index((high - low) as usize + 1) as u32;
            params.set(name, [low, between, high][end]).unwrap();
        }
        let Some(mut world) = built_with(&text, params) else { return Ok(()) };
        run_with(&mut world, params, Visits::Busy);
    }

    #[test]
    fn one_alone_arrives_exactly_on_time(
        (shape, seed) in (shape(), any::<u32>()),
        goal in (0_i32..11, 0_i32..11),
        parts in shape().prop_flat_map(|_| (rows(15, SIDES), rule())),
        pick in any::<bool>(),
        square in class("a", "square", LONGEST),
        hexagonal in class("a", "hex", LONGEST),
    ) {
        let (rows, rule) = parts;
        let (x, y) = (goal.0 % rows[0].len() as i32, goal.1 % rows.len() as i32);
        let class = if shape == "hex" { hexagonal } else { square };
        // A budget that no search spends.
        let text = format!(
            "name = \"lone\"\nseed = {seed}\nticks = 3000\nexpansions_per_tick = 1000000\ncollision = \"{}\"\n{}{class}\
             [[groups]]\nclass = \"a\"\ncount = 1\narea = [0, 0, {}, {}]\norders = [{{ goto = [{x}, {y}], if_unreachable = \"{}\" }}]\n",
            rule.name(),
            map_of(shape, &rows),
            rows[0].len(),
            rows.len(),
            if pick { "drop" } else { "wait" },
        );
        let Some(mut world) = built(&text) else { return Ok(()) };
        let heads = [GoalMember::any(CellXY::new(x, y))];
        let request = Request::new(world.pose(0), Goal::of(&heads));
        let answer = plan_path(&world.tables[0], &request, &mut Scratch::new(), &mut Path::new());
        run(&mut world, Visits::Busy);
        let counts = world.counts();
        if answer.status == Status::Found {
            prop_assert_eq!((counts.orders_done, counts.wait_ticks), (1, 0));
            prop_assert_eq!(counts.flowtime, u64::from(answer.cost.max(1)));
        } else {
            prop_assert_eq!(counts.orders_done, 0);
        }
    }
}

/// As long as nobody is in its way an agent follows its path under either rule, and no search is made.
#[test]
fn one_alone_needs_no_search() {
    for collision in ["swept", "discrete"] {
        let text = format!(
            "name = \"lone\"\nticks = 300\ncollision = \"{collision}\"\n[map]\nrows = [{}]\n[class.a]\nheadings = 4\n\
             moves = [{{ name = \"ahead\", by = [1, 0], time = 3 }}, {{ name = \"left\", turn = 1, time = 2 }}]\n\
             [[agents]]\nclass = \"a\"\nat = [0, 7, \"E\"]\norders = [{{ goto = [30, 0] }}]\n",
            vec![format!("\"{}\"", ".".repeat(40)); 8].join(", ")
        );
        let mut world = built(&text).unwrap();
        let rule = fresh_rule(&world);
        let shared = Shared::give(&mut world, rule);
        world.run();
        assert_eq!((world.counts.orders_done, world.tick), (1, 37 * 3 + 2), "{collision}");
        let mut fields = 0;
        shared.0.lock().unwrap().search.fields.for_each_word(&mut |_| fields += 1);
        assert_eq!(fields, 0, "{collision}");
    }
}
