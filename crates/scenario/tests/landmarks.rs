//! Landmarks make searches cheaper and change no cost, while edits block and open the map.

use crate::common::{CART, OTHERS, TRUCK, build_world, on_threads, run_checked, set_terrain};
use proptest::prelude::*;
use wheelbase_planner::search::{Heuristic, HeuristicName};
use wheelbase_planner::{Goal, Path, Request, Scratch, plan};
use wheelbase_sim::TraceEvent;
use wheelbase_sim::{RunState, World};

/// An edit: tick, corner and size of its area, terrain kind, side with its kind. The last number decides whether it
/// changes terrain, changes a side or turns a cell.
type DrawnEdit = (u32, [i32; 2], [u32; 2], usize, usize, usize);

fn events(edits: &[DrawnEdit]) -> String {
    let mut edits = edits.to_vec();
    edits.sort_unstable();
    let event = |&(tick, [x, y], [width, height], kind, side, what): &DrawnEdit| match what {
        0..4 => {
            let kind = ["ground", "trees", "swamp", "road"][kind];
            set_terrain(tick, &format!("[{x}, {y}, {width}, {height}]"), kind, "strand")
        }
        4..6 => {
            let (side, kind) = (["E", "N", "W", "S"][side], ["open", "wall", "hedge", "open"][kind]);
            format!(
                "[[events]]\ntick = {tick}\nset_side = {{ cell = [{x}, {y}], side = \"{side}\", kind = \"{kind}\", on_agents = \"strand\" }}\n"
            )
        }
        _ => format!(
            "[[events]]\ntick = {tick}\nrotate = {{ cell = [{x}, {y}], turns = 1, on_agents = \"strand\" }}\n"
        ),
    };
    edits.iter().map(event).collect()
}

fn text(rows: &[String], landmarks: usize, count: u32, (class, more): (&str, &str)) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("\"{row}\"")).collect();
    format!(
        "name = \"l\"\nseed = 3\nticks = 400\nexpansions_per_tick = 3000\nlandmarks = {landmarks}\nroutes = \"exact\"\n\
         [terrain.road]\nglyphs = \"r\"\nspeed = 1500\n[side.hedge]\nspeed = 0\n\
         [map]\nrows = [{}]\nwalls = [[7, 0, 7, 6], [3, 8, 12, 8]]\n{CART}{TRUCK}{OTHERS}\
         [[groups]]\nanywhere = true\nclass = \"{class}\"\ncount = {count}\narea = [0, 0, 16, 12]\n\
         tasks = {{ kind = \"random\", area = [0, 0, 16, 12] }}\n{more}",
        rows.join(",")
    )
}

fn maps() -> impl Strategy<Value = Vec<String>> {
    let glyph = prop_oneof![9 => Just('.'), 2 => Just('S'), 1 => Just('r'), 3 => Just('T')];
    prop::collection::vec(prop::collection::vec(glyph, 16).prop_map(String::from_iter), 12)
}

fn edits() -> impl Strategy<Value = Vec<DrawnEdit>> {
    let corner = (0_i32..16, 0_i32..12).prop_map(|(x, y)| [x, y]);
    let extent = (1_u32..6, 1_u32..6).prop_map(|(width, height)| [width, height]);
    prop::collection::vec((1_u32..300, corner, extent, 0_usize..4, 0_usize..4, 0_usize..7), 0..10)
}

/// Runs to the end and compares each path with Dijkstra's algorithm on the map at that time. Gives the number of paths.
fn check_paths(world: &mut World) -> usize {
    world.keep_log();
    let (mut scratch, mut path, mut checked) = (Scratch::new(), Path::new(), 0);
    loop {
        let step = world.step();
        for event in world.log() {
            let &TraceEvent::Path { agent, from, first, count } = event else { continue };
            let row = world.agent_arrays().row(agent).unwrap();
            let tables = &world.tables()[world.agent_arrays().motion[row].class.0 as usize];
            let mut state = tables.space().state(from).unwrap();
            let mut cost = 0;
            for &primitive in &world.log_moves()[first as usize..][..count as usize] {
                cost += tables.move_ticks(state, primitive as usize).unwrap();
                state = tables.state_after(state, primitive as usize);
            }
            let Some(goal) = world.orders().task(&world.agent_arrays().orders(row)) else { continue };
            let members = [goal];
            let mut request = Request::new(from, Goal::of(&members));
            request.heuristic = Heuristic::Named(HeuristicName::Zero);
            assert_eq!(plan(tables, &request, &mut scratch, &mut path).cost, cost, "tick {}", world.tick());
            checked += 1;
        }
        world.clear_log();
        if step == RunState::Ended {
            return checked;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// One agent: others would divert it.
    #[test]
    fn paths_are_cheapest_while_walls_open_and_close(
        rows in maps(), edits in edits(), landmarks in 1_usize..5,
        class in prop::sample::select(vec!["cart", "truck", "tank"]),
    ) {
        let typed = text(&rows, landmarks, 1, (class, &events(&edits)));
        check_paths(&mut build_world(&typed));
    }

    #[test]
    fn runs_are_the_same_for_any_number_of_threads(rows in maps(), edits in edits()) {
        let typed = text(&rows, 3, 6, ("truck", &events(&edits)));
        let hashes = |threads| on_threads(threads, || run_checked(&mut build_world(&typed)));
        prop_assert_eq!(hashes(1), hashes(3));
    }
}

/// Rooms whose walls open and close. Landmarks take known edits into account, so that searches stay cheap.
#[test]
fn landmarks_save_expansions_while_walls_open_and_close() {
    let open_and_shut =
        |n: u32| set_terrain(100 * n + 1, "[94, 0, 3, 192]", ["swamp", "ground"][n as usize % 2], "strand");
    let edits: String = (0..30).map(open_and_shut).collect();
    let expansions = |landmarks| {
        let typed = text(&[".".to_owned()], landmarks, 1, ("cart", &edits));
        let typed =
            typed.replace("[0, 0, 16, 12]", "[0, 0, 192, 192]").replace("ticks = 400", "ticks = 9000");
        let rooms = "generate = { kind = \"rooms\", size = [192, 192], seed = 3 }";
        let mut world = build_world(&typed.replace("rows = [\".\"]", rooms));
        assert!(check_paths(&mut world) > 10);
        (world.counts().expansions, world.memory().landmark_bytes)
    };
    let ((plain, no_bytes), (guided, bytes)) = (expansions(0), expansions(4));
    assert!(guided * 4 < plain * 3, "{guided} against {plain}");
    // Landmarks, two directions, two bytes, the headings of four classes; a little for the rest.
    let distances = 4 * 2 * 2 * (192 * 192 * (4 + 4 + 4 + 1));
    assert!(no_bytes == 0 && (distances..distances + 2000).contains(&bytes), "{bytes}");
}

/// By default landmarks are made if many agents have distant tasks, but not if few have or if the tasks are near.
#[test]
fn landmarks_are_made_if_they_pay_off() {
    let rows = vec![".".repeat(16); 12];
    let bytes = |count, area: &str| {
        let typed = text(&rows, 0, count, ("cart", "")).replace("landmarks = 0\n", "");
        let typed = typed.replace("area = [0, 0, 16, 12] }", &format!("area = {area} }}"));
        build_world(&typed).memory().landmark_bytes
    };
    assert!(bytes(100, "[0, 0, 16, 12]") > 0);
    assert_eq!(bytes(99, "[0, 0, 16, 12]"), 0);
    assert_eq!(bytes(100, "[0, 0, 1, 1]"), 0);
}

/// At most as many landmarks as poses.
#[test]
fn a_map_of_one_cell_has_landmarks() {
    let rows = vec!["T".repeat(16); 11];
    let rows: Vec<String> = rows.into_iter().chain([format!(".{}", "T".repeat(15))]).collect();
    let mut world = build_world(&text(&rows, 64, 1, ("cart", "")));
    world.run();
    assert!(world.counts().tasks_done > 0);
}
