//! `wheelbase check`: errors and warnings of files, with their positions.

use crate::common::*;

/// Lines are shown only of files near those on the command line: another can be a secret.
#[test]
fn excerpts_show_no_file_from_elsewhere() {
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("work/maps")).unwrap();
    std::fs::create_dir_all(folder.path("else")).unwrap();
    let secret = "type octile\nheight 1\nwidth hunter2\nmap\n.\n";
    for file in ["work/maps/near.map", "else/far.map"] {
        folder.write(file, secret);
    }
    std::os::unix::fs::symlink(folder.path("else/far.map"), folder.path("work/maps/link.map")).unwrap();
    let head = "name = \"s\"\nticks = 5\n[map]\nfile = ";
    for (name, map) in [("near", "maps/near.map"), ("far", "../else/far.map"), ("link", "maps/link.map")] {
        folder.write(&format!("work/{name}.toml"), format!("{head}\"{map}\"\n{CART}"));
    }
    let checked = |args: &[&str]| {
        let mut command = folder.program();
        let output = command.arg("check").args(args).current_dir(folder.path("work/maps")).output().unwrap();
        Ended::of(args, &output).code(2).stdout
    };
    let is_shown = |args: &[&str]| checked(args).contains("| width hunter2");
    assert!(is_shown(&["../near.toml"]));
    assert!(!is_shown(&["../far.toml"]), "{}", checked(&["../far.toml"]));
    assert!(!is_shown(&["../link.toml"]), "{}", checked(&["../link.toml"]));
    assert!(checked(&["../far.toml"]).contains("far.map:3"), "{}", checked(&["../far.toml"]));
    // Named, it lies near.
    assert!(is_shown(&["../far.toml", "../../else/far.map"]));
}

/// The range of a pivot is as in the guide.
#[test]
fn a_pivot_too_far_is_told_its_range() {
    for pivot in ["[65536, 0]", "[0, -1e9]"] {
        let class = CART.replacen("headings = 4\n", &format!("headings = 4\npivot = {pivot}\n"), 1);
        let folder = Folder::with("c.toml", class);
        let said = folder.run(&["check", "c.toml", "--message-format", "short"]).code(2).stdout;
        assert!(said.contains("pivot") && said.contains("a number from -65535 to 65535"), "{said}");
    }
}

/// The limit of goals applies to a list, named once, with its line.
#[test]
fn a_list_with_too_many_goals_is_named_once() {
    let goals = |n: usize| format!("[{}]", vec!["[1, 1]"; n].join(", "));
    let group = |orders: &str| {
        format!(
            "name = \"l\"\nticks = 5\n[map]\nrows = [\"..\", \"..\"]\n{CART}[[groups]]\nclass = \"cart\"\ncount = 2\narea = [0, 0, 2, 2]\norders = [{orders}]\n"
        )
    };
    let message = |orders: String| {
        let folder = Folder::with("l.toml", group(&orders));
        folder.run(&["check", "l.toml", "--message-format", "short"]).code(2).stdout
    };
    let one = message(format!("{{ goto = {} }}", goals(65_537)));
    assert_eq!(one.lines().count(), 1, "{one}");
    assert!(one.contains(": groups[0].orders[0].goto: expected at most 65536 poses, found 65537"), "{one}");
    let two = message(format!("{{ goto = {0} }}, {{ patrol = {0} }}", goals(40_000)));
    let expected = ": groups[0].orders: expected at most 65536 goals in all orders of a list, found 80000";
    assert!(two.lines().count() == 1 && two.contains(expected), "{two}");
}

/// [`TRUCKS`] swept in full: each drives straight to its goal, so there is nothing to warn of.
fn solid() -> String {
    let south = TRUCKS.replace("at = [1, 0, \"E\"]", "at = [1, 3, \"E\"]");
    let north = south.replace("at = [6, 3, \"W\"]", "at = [6, 0, \"W\"]");
    north.replace("sweep = \"ends\"", "sweep = \"full\"")
}

/// [`solid`] with a piece replaced.
fn solid_with(piece: &str, replacement: &str) -> String {
    replaced(&solid(), piece, replacement)
}

#[test]
fn a_valid_file_is_ok() {
    let folder = Folder::with("trucks.toml", solid());
    folder.write("cart.toml", CART);
    folder.write("a.map", MAP);
    assert_eq!(folder.run(&["check", "trucks.toml"]).done(), "trucks.toml: ok\n");
    assert_eq!(folder.run(&["check", "cart.toml"]).done(), "cart.toml: ok\n");
    assert_eq!(folder.run(&["check", "a.map"]).done(), "a.map: ok\n");
    assert_eq!(
        folder.run(&["check", "a.map", "cart.toml", "trucks.toml"]).done(),
        "a.map: ok\ncart.toml: ok\ntrucks.toml: ok\n"
    );
}

#[test]
fn moves_swept_by_their_ends_are_a_warning_where_bodies_can_overlap() {
    let check = |scenario: String| {
        let folder = Folder::with("s.toml", &scenario);
        folder.run(&["check", "s.toml"]).done()
    };
    let warned = |name: &str| {
        format!(
            "warning: s.toml:21: class.truck.sweep: move \"{name}\" sweeps its ends alone, so bodies beside it can \
             overlap on the screen; expected \"full\"\ns.toml: ok, 1 warning\n"
        )
    };
    let by_ends = solid_with("sweep = \"full\"", "sweep = \"ends\"");
    let with = |piece: &str, replacement: &str| check(replaced(&by_ends, piece, replacement));
    assert_eq!(check(by_ends.clone()), warned("left"));
    assert_eq!(with("sweep = \"ends\"", "sweep = { turns = \"ends\" }"), warned("left"));
    // A step ahead covers the same cells under both rules; so does a turn of one cell.
    assert_eq!(with("sweep = \"ends\"", "sweep = { moves = \"ends\" }"), "s.toml: ok\n");
    assert_eq!(with("[[0, 0], [-1, 0]]", "[[0, 0]]"), "s.toml: ok\n");
    let slanting = replaced(&by_ends, "name = \"left\", turn = 1,", "name = \"slant\", by = [1, 1],");
    assert_eq!(check(slanting.replace("turn = -1", "by = [1, -1]")), warned("slant"));
    // A move that turns on its way and lists its cells chooses them itself.
    let arc = "name = \"arc\", by = [1, 1], turn = 1, swept = [],";
    let arcs = replaced(&by_ends, "name = \"left\", turn = 1,", arc);
    let arcs = arcs.replace("turn = -1,", "by = [1, -1], turn = -1, swept = [],");
    assert_eq!(check(arcs), "s.toml: ok\n");
    // Under `discrete` bodies overlap in any case.
    assert_eq!(with("seed = 7\n", "collision = \"discrete\"\n"), "s.toml: ok\n");
}

#[test]
fn overrides_of_unknown_kinds_are_warnings() {
    let scenario =
        solid_with("headings = 4\n", "headings = 4\nspeed = { mud = 300 }\nside_speed = { hedge = 0 }\n");
    let folder = Folder::with("s.toml", &scenario);
    let (mud, hedge) = (line_of(&scenario, "mud"), line_of(&scenario, "hedge"));
    assert_eq!(
        folder.run(&["check", "s.toml"]).done(),
        format!(
            "warning: s.toml:{mud}: class.truck.speed.mud: the map has no terrain \"mud\"; ignored\n\
             warning: s.toml:{hedge}: class.truck.side_speed.hedge: the map has no side kind \"hedge\"; ignored\n\
             s.toml: ok, 2 warnings\n"
        )
    );
}

/// A mistyped name of a kind is often why something else is wrong: it must not hide behind that.
#[test]
fn overrides_of_unknown_kinds_are_told_beside_errors() {
    let scenario = trucks_with("headings = 4\n", "headings = 4\nspeed = { depe = 1000 }\n")
        .replace("at = [6, 3, \"W\"]", "at = [2, 1, \"E\"]");
    let folder = Folder::with("s.toml", &scenario);
    let line = line_of(&scenario, "depe");
    for command in ["check", "run"] {
        let ended = folder.run(&[command, "s.toml"]).code(2);
        let told = format!("{}{}", ended.stdout, ended.stderr);
        assert!(
            told.contains(&format!("s.toml:{line}:"))
                && told.contains("the map has no terrain \"depe\"; ignored"),
            "{told}"
        );
        assert!(told.contains("agents[1]") && told.contains("`deep`"), "{told}");
    }
}

#[test]
fn a_class_that_cannot_leave_its_cell_is_a_warning() {
    let turns = "[class.pivot]\nheadings = 4\nmoves = [{ name = \"left\", turn = 1, time = 2 }]\n";
    let scenario = format!("name = \"s\"\nticks = 9\n[map]\nrows = [\"...\"]\n{turns}");
    let folder = Folder::with("s.toml", &scenario);
    let text = folder.run(&["check", "s.toml"]).done();
    let line = line_of(&scenario, "[class.pivot]");
    assert!(text.starts_with(&format!("warning: s.toml:{line}:")), "{text}");
    assert!(text.contains("class.pivot: no move of the class has `by`"), "{text}");
}

#[test]
fn an_area_off_the_map_is_an_error() {
    let group = "[[groups]]\nclass = \"truck\"\ncount = 1\narea = [0, 0, 8, 4]\n\
                 tasks = { kind = \"random\", area = [9, 9, 2, 2] }\n";
    let folder = Folder::with("s.toml", format!("{TRUCKS}{group}"));
    let told = folder.run(&["check", "s.toml"]).code(2).stdout;
    assert!(told.contains("groups[0].tasks.area: no cell of the area is on the map of 8 x 4"), "{told}");
}

#[test]
fn a_speed_that_changes_no_time_is_a_warning() {
    let scenario = solid_with("speed = 500\n", "speed = 500\n[terrain.turf]\nglyphs = \"t\"\nspeed = 1001\n");
    let folder = Folder::with("s.toml", &scenario);
    let line = line_of(&scenario, "[class.truck]");
    assert_eq!(
        folder.run(&["check", "s.toml"]).done(),
        format!(
            "warning: s.toml:{line}: class.truck: terrain \"turf\" at speed 1001 takes as long as at 1000: \
             the base times are too small to show it\n\
             s.toml: ok, 1 warning\n"
        )
    );
}

#[test]
fn a_goal_unreachable_on_the_initial_map_is_a_warning() {
    let warning = |order: &str| {
        let scenario = solid_with("{ goto = [6, 3, \"E\"] }", order);
        let folder = Folder::with("s.toml", &scenario);
        let output = folder.run(&["check", "s.toml"]).done();
        let place = format!("warning: s.toml:{}: agents[0].orders[0]: ", line_of(&scenario, order));
        let Some(rest) = output.strip_prefix(&place) else { panic!("{output} not at {place}") };
        let Some(message) = rest.strip_suffix("\ns.toml: ok, 1 warning\n") else { panic!("{output}") };
        message.to_owned()
    };
    let blocked = "on the initial map, no goal is a legal pose; of ";
    assert_eq!(warning("{ goto = [2, 1, \"E\"] }"), format!("{blocked}(2, 1, E): cell (2, 1) is deep"));
    // The second stop of a patrol whose first is reachable.
    assert_eq!(
        warning("{ patrol = [[6, 3], [3, 2, \"N\"]] }"),
        format!("{blocked}(3, 2, N): cell (3, 2) is deep")
    );
    let folder = Folder::with("s.toml", solid_with("[map]\n", "[map]\nwalls = [[5, 0, 5, 4]]\n"));
    let output = folder.run(&["check", "s.toml"]).done();
    let unreachable = "on the initial map, no sequence of moves leads from the start to the goal";
    assert_eq!(output.matches(unreachable).count(), 2, "{output}");
}

#[test]
fn a_blocked_goal_of_a_group_or_an_event_is_a_warning() {
    let trucks = solid();
    let more = "\n[[groups]]\nclass = \"truck\"\ncount = 1\narea = [4, 0, 4, 1]\norders = [\n\
                { goto = [0, 3] },\n{ goto = [2, 1] },\n{ goto = [2, 1], fallback = \"nearest\" },\n\
                { patrol = [[0, 3], [3, 1, \"E\"]] },\n{ goto = [2, 1], within = 1 }]\n\
                [[events]]\ntick = 9\nadd_agents = { class = \"truck\", count = 1, area = [0, 0, 8, 1], orders = [{ goto_group = [3, 2] }] }\n\
                [[events]]\ntick = 5\ngive_orders = { names = [\"convoy-1\"], orders = [{ wait = 1 }, { goto_area = [2, 1, 2, 2] }] }\n";
    let scenario = format!("{trucks}{more}");
    let output = Folder::with("s.toml", &scenario).run(&["check", "s.toml"]).done();
    let line = |piece: &str| line_of(&scenario, piece);
    let at = |line: usize, key: &str, pose: &str, cell: &str| {
        format!(
            "warning: s.toml:{line}: {key}: on the initial map, no goal is a legal pose; of {pose}: cell {cell} is deep\n"
        )
    };
    let expected = at(line("{ goto = [2, 1] },"), "groups[0].orders[1]", "(2, 1, E)", "(2, 1)")
        + &at(line("{ patrol = [[0, 3], [3, 1"), "groups[0].orders[3]", "(3, 1, E)", "(2, 1)")
        + &at(line("goto_group = [3, 2]"), "events[0].add_agents.orders[0]", "(3, 2, E)", "(2, 2)")
        + &at(line("goto_area = [2, 1"), "events[1].give_orders.orders[1]", "(2, 1, E)", "(2, 1)");
    assert_eq!(output, format!("{expected}s.toml: ok, 4 warnings\n"));
}

#[test]
fn an_edit_off_the_map_is_a_warning() {
    let trucks = solid();
    let event = "\n[[events]]\ntick = 5\nset_terrain = { area = [8, 0, 5, 5], kind = \"deep\" }\n";
    let scenario = format!("{trucks}{event}");
    let folder = Folder::with("s.toml", &scenario);
    let line = line_of(&scenario, "set_terrain");
    assert_eq!(
        folder.run(&["check", "s.toml"]).done(),
        format!(
            "warning: s.toml:{line}: events[0].set_terrain.area: no cell is on the map of 8 x 4; ignored\n\
             s.toml: ok, 1 warning\n"
        )
    );
}

#[test]
fn events_that_do_nothing_are_warnings() {
    let trucks = solid();
    let off = "no cell is on the map of 8 x 4; ignored";
    let gone = "agent \"convoy-1\" is removed at tick 3 by events[1]; ignored";
    let remove = "[[events]]\ntick = 3\nremove_agents = { names = [\"convoy-1\"] }\n";
    for (tick, action, expected) in [
        (5, "set_elevation = { area = [8, 0, 5, 5], height = 1 }", format!("set_elevation.area: {off}")),
        (
            5,
            "add_agents = { class = \"truck\", count = 1, area = [0, 4, 5, 5] }",
            format!("add_agents.area: {off}"),
        ),
        (5, "remove_agents = { area = [-5, 0, 5, 5] }", format!("remove_agents.area: {off}")),
        (5, "give_orders = { area = [0, -5, 5, 5], orders = [] }", format!("give_orders.area: {off}")),
        (5, "give_orders = { names = [\"convoy-1\"], orders = [] }", format!("give_orders.names[0]: {gone}")),
        (3, "remove_agents = { names = [\"convoy-1\"] }", String::new()),
        (200, "rotate = { cell = [0, 0], turns = 1 }", "never takes effect".to_owned()),
    ] {
        let scenario = format!("{trucks}[[events]]\ntick = {tick}\n{action}\n{remove}");
        let output = Folder::with("s.toml", &scenario).run(&["check", "s.toml"]).done();
        let warnings: Vec<&str> = output.lines().filter(|line| line.starts_with("warning: ")).collect();
        let expected = match (expected.is_empty(), tick) {
            // Two events at one tick: the first removes the agent, the second finds it gone.
            (true, _) => {
                "46: events[1].remove_agents.names[0]: agent \"convoy-1\" is removed at tick 3 by events[0]; ignored".to_owned()
            }
            (_, 200) => "41: events[0]: never takes effect: the run stops at tick 200".to_owned(),
            _ => format!("43: events[0].{expected}"),
        };
        assert_eq!(warnings, [format!("warning: s.toml:{expected}")], "{action}");
    }
}

#[test]
fn leaders_that_are_gone_are_warnings() {
    let trucks = solid();
    let remove = "[[events]]\ntick = 3\nremove_agents = { names = [\"convoy-1\"] }\n";
    let orders = "orders = [{ wait = 1 }, { follow = \"convoy-1\", within = 2 }]";
    let gone =
        "agent \"convoy-1\" is removed at tick 3 by events[0]; the event is refused, as nobody can follow it";
    for action in [
        "give_orders = { area = [0, 0, 8, 4], ",
        "add_agents = { class = \"truck\", count = 1, area = [0, 0, 8, 4], ",
    ] {
        let event = |tick: u32| format!("[[events]]\ntick = {tick}\n{action}{orders} }}\n");
        let check = |text: String| Folder::with("s.toml", text).run(&["check", "s.toml"]).done();
        let name = action.split(' ').next().unwrap();
        assert_eq!(
            check(format!("{trucks}{remove}{}", event(3))),
            format!("warning: s.toml:46: events[1].{name}.orders[1].follow: {gone}\ns.toml: ok, 1 warning\n")
        );
        assert_eq!(check(format!("{trucks}{remove}{}", event(2))), "s.toml: ok\n");
    }
}

#[test]
fn friends_without_agents_are_a_warning() {
    let event = |tick: u32| {
        format!(
            "[[events]]\ntick = {tick}\nadd_agents = {{ class = \"truck\", count = 1, area = [0, 0, 8, 4], team = \"blue\" }}\n"
        )
    };
    let teams = "[teams]\nfriends = [\n  [\"red\", \"blue\"],\n]\n";
    let red = solid_with("name = \"convoy-1\"", "name = \"convoy-1\"\nteam = \"red\"");
    let check = |tick| {
        Folder::with("s.toml", format!("{red}{teams}{}", event(tick))).run(&["check", "s.toml"]).done()
    };
    assert_eq!(check(199), "s.toml: ok\n");
    assert_eq!(
        check(200),
        "warning: s.toml:44: teams.friends[0][1]: team \"blue\" has no agents before the run stops at tick 200\n\
         warning: s.toml:46: events[0]: never takes effect: the run stops at tick 200\n\
         s.toml: ok, 2 warnings\n"
    );
}

#[test]
fn text_after_the_last_row_is_a_warning_for_the_map_and_its_scenario() {
    let folder = Folder::with("maps/a.map", format!("{MAP}\nthe end\n"));
    let scenario = format!(
        "name = \"s\"\nticks = 9\n[map]\nfile = \"maps/a.map\"\n{CART}[[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\n"
    );
    folder.write("s.toml", scenario);
    let warning = "warning: maps/a.map:10: text after the last row is not read (lines: 1)\n";
    assert_eq!(folder.run(&["check", "maps/a.map"]).done(), format!("{warning}maps/a.map: ok, 1 warning\n"));
    assert_eq!(folder.run(&["check", "s.toml"]).done(), format!("{warning}s.toml: ok, 1 warning\n"));
}

/// `run --agents` refuses them.
#[test]
fn blocked_starts_and_goals_of_queries_are_warnings() {
    let folder = Folder::with("a.map", "type octile\nheight 2\nwidth 3\nmap\n.T.\n...\n");
    let query = |start: &str, goal: &str| format!("0\ta.map\t3\t2\t{start}\t{goal}\t1\n");
    let [free, start, goal] = [query("0\t0", "0\t1"), query("1\t0", "1\t1"), query("2\t0", "1\t0")];
    // Queries of several searches may begin in one place.
    folder.write("a.scen", format!("version 1\n{free}{start}\n{goal}{free}"));
    assert_eq!(
        folder.run(&["check", "a.scen"]).done(),
        "warning: a.scen:3: start: the start is blocked: cell (1, 0) is trees, expected a free one\n\
         warning: a.scen:5: goal: the goal is blocked: cell (1, 0) is trees, expected a free one\n\
         a.scen: ok, 2 warnings\n"
    );
    folder.run(&["run", "a.scen", "--agents", "2"]).code(2);
    folder.write("b.scen", format!("version 1\n{}{free}", start.repeat(300)));
    let many = folder.run(&["check", "b.scen"]).done();
    assert!(
        many.ends_with("warning: b.scen: 200 more starts and goals are blocked\nb.scen: ok, 101 warnings\n"),
        "{many}"
    );
}

#[test]
fn messages_on_maps_say_what_is_wrong() {
    let check = |text: &str| Folder::with("a.map", text).run(&["check", "a.map"]).code(2).stdout;
    let map = "type octile\nheight 2\nwidth 3\nmap\n...\n.#.\n";
    for (text, expected) in [
        (map.replace('\n', "\r"), "a.map:1:1: the lines end in CR alone, expected LF or CRLF\n"),
        (
            format!("\n{map}"),
            "a.map:1:1: an empty line before the header, expected \"type octile\" in the first line\n",
        ),
        (
            map.replace("\nwidth", "\n \nwidth"),
            "a.map:3:1: an empty line in the header, expected none before \"map\"\n",
        ),
        (map.to_owned(), "a.map:6:2: glyph '#' has no terrain; expected one of \".GSWT@O\"\n"),
    ] {
        assert_eq!(check(&text), expected);
    }
    let folder = Folder::with("a.map", map);
    let full = folder.run(&["check", "a.map", "--message-format", "full"]).code(2).stdout;
    let help =
        "declare it in the scenario that names this map: [terrain.NAME] with glyphs = \"#\" and a speed";
    assert!(full.contains(help), "{full}");
}

#[test]
fn a_bad_file_among_several_is_reported_with_the_others() {
    let folder = Folder::with("good.toml", solid());
    folder.write("bad.toml", solid_with("time = 2 }", "time = 0 }"));
    folder.write("cart.toml", CART.replace("turn = -1", "turn = -4"));
    folder.write("a.map", MAP.replace("......", "....."));
    let ended = folder.run(&[
        "check",
        "bad.toml",
        "good.toml",
        "cart.toml",
        "no.map",
        "a.map",
        "a.txt",
        "a.json",
        "a",
    ]);
    let ended = ended.code(2);
    assert_eq!(ended.stderr, "");
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "bad.toml:25: class.truck.moves[0].time: expected a whole number from 1 to 65535, found 0",
            "good.toml: ok",
            "cart.toml:6: class.cart.moves[2]: move \"right\" turns by -4 steps; with 4 headings expected fewer than 4 either way",
            "no.map: cannot be read: No such file or directory (os error 2)",
            "a.map:8:6: the row has 5 glyphs, expected 6",
            "a.txt: expected a scenario or class (.toml), a map (.map, .tmx, .png), queries (.scen), a problem (.json) or a recording, found \".txt\"",
            "a.json: cannot be read: No such file or directory (os error 2)",
            "a: expected a scenario or class (.toml), a map (.map, .tmx, .png), queries (.scen), a problem (.json) or a recording, found no extension",
        ]
    );
    assert_eq!(
        folder.run(&["check", "good.toml", "--plan", "p.json"]).refused(),
        "p.json: cannot be read: No such file or directory (os error 2)"
    );
    let none = folder.run(&["check"]).refused();
    assert!(none.contains("<FILE>..."), "{none}");
}

#[test]
fn a_class_file_is_checked_without_a_map() {
    let check = |piece: &str, replacement: &str| {
        let folder = Folder::with("cart.toml", replaced(CART, piece, replacement));
        let ended = folder.run(&["check", "cart.toml"]).code(2);
        assert_eq!(ended.stderr, "");
        ended.stdout.trim_end().replacen("cart.toml:", "", 1)
    };
    assert_eq!(
        check("headings = 4\n", "headings = 4\npivot = [0.5, 0]\n"),
        "3: class.cart.pivot: expected two multiples of a half within 65535 cells, both whole or both not, found [0.5, 0]"
    );
    assert_eq!(
        check("headings = 4\n", "headings = 4\nfootprint = [[0, 0], [0, 0]]\n"),
        "3: class.cart.footprint: expected each cell once, found [0, 0] twice"
    );
    assert_eq!(
        check("headings = 4\n", "headings = 4\nfootprint = [[0, 0], [0, 70000]]\n"),
        "3: class.cart.footprint[1][1]: expected a whole number from -65535 to 65535, found 70000"
    );
    assert_eq!(
        check("turn = 1,", "turn = 1, swept = [[70000, 0]],"),
        "5: class.cart.moves[1].swept[0][0]: expected a whole number from -65535 to 65535, found 70000"
    );
    assert_eq!(
        check("[class.cart]", "[terrain.mud]\nspeed = 1\nsides = { N = \"hedge\" }\n[class.cart]"),
        "3: terrain.mud.sides.N: no side kind \"hedge\", expected open or wall"
    );
    assert_eq!(
        check(
            "[class.cart]",
            "[class.tank]\nheadings = 4\nmoves = [{ name = \"f\", by = [1, 0], time = 1 }]\n[class.cart]"
        ),
        "4: class.cart: expected one class in a class file, found a second"
    );
    assert_eq!(
        check("[class.cart]", "[class.cart]\nspeeds = {}"),
        "2: class.cart.speeds: unknown key, did you mean `speed`?"
    );
}

#[test]
fn a_file_of_neither_kind_lacks_the_keys_of_both() {
    let folder = Folder::with("empty.toml", "");
    let ended = folder.run(&["check", "empty.toml"]).code(2);
    let missing: Vec<&str> = ended.stdout.lines().map(|line| line.split(", ").next().unwrap()).collect();
    assert_eq!(
        missing,
        ["empty.toml:1: name: missing", "empty.toml:1: ticks: missing", "empty.toml:1: map: missing"]
    );
    folder.write("half.toml", "name = \"half\"\n");
    let ended = folder.run(&["check", "half.toml"]).code(2);
    assert!(ended.stdout.contains("half.toml:1: map: missing, expected a [map] table"), "{ended:#?}");
}
