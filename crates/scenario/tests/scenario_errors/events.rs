//! `[[events]]`.

use crate::*;

#[test]
fn good_events_are_read_field_by_field() {
    let scenario = good();
    let action = EventAction::SetTerrain {
        area: Area { x: 30, y: 0, width: 1, height: 64, line: 72 },
        kind: text("deep", 72),
        on_agents: OnAgents::Strand,
    };
    assert_eq!(scenario.events, [Event { tick: 600, action, line: 70, key: "events[0]".to_owned() }]);
}

#[test]
fn each_event_is_read_field_by_field() {
    let scenario = edits();
    let places: Vec<_> =
        scenario.events.iter().map(|event| (event.tick, event.line, event.key.clone())).collect();
    let lines = [29, 32, 35, 38, 46, 49, 52, 55];
    let expected: Vec<_> =
        (0..8).map(|idx| (idx + 1, lines[idx as usize], format!("events[{idx}]"))).collect();
    assert_eq!(places, expected);

    let [set_elevation, set_side, rotate, add_agents, rest @ ..] = &scenario.events[..] else {
        panic!("{:?}", scenario.events)
    };
    let area = Area { x: 1, y: 2, width: 3, height: 4, line: 31 };
    assert_eq!(
        set_elevation.action,
        EventAction::SetElevation { area, height: -300, on_agents: OnAgents::Remove }
    );
    assert_eq!(
        set_side.action,
        EventAction::SetSide {
            cell: located([5, -6], 34),
            side: text("N", 34),
            kind: text("hedge", 34),
            on_agents: OnAgents::Strand
        }
    );
    assert_eq!(
        rotate.action,
        EventAction::Rotate { cell: located([7, 8], 37), turns: -1, on_agents: OnAgents::Wait }
    );
    let EventAction::AddAgents(group) = &add_agents.action else { panic!("{:?}", add_agents.action) };
    assert_eq!((&group.class, group.count, group.priority), (&text("octile", 41), 2, 6));
    assert_eq!(group.area, Area { x: 9, y: 9, width: 1, height: 1, line: 43 });
    assert_eq!((group.line, group.key.as_str()), (40, "events[3].add_agents"));
    assert_eq!(group.orders[0].kind, OrderKind::Wait { ticks: 5 });
    assert_eq!(group.orders[0].key, "events[3].add_agents.orders[0]");

    let [remove_named, remove_there, order_named, order_there] = rest else { panic!("{rest:?}") };
    let names = AgentSelection::Names(vec![text("a", 48), text("b", 48)]);
    assert_eq!(remove_named.action, EventAction::RemoveAgents(names));
    let area = Area { x: 0, y: 1, width: 2, height: 3, line: 51 };
    assert_eq!(remove_there.action, EventAction::RemoveAgents(AgentSelection::Area(area)));
    let selection = AgentSelection::Names(vec![text("c", 54)]);
    assert_eq!(order_named.action, EventAction::GiveOrders { selection, orders: vec![] });
    let EventAction::GiveOrders { selection, orders } = &order_there.action else {
        panic!("{order_there:?}")
    };
    assert_eq!(*selection, AgentSelection::Area(Area { x: 1, y: 1, width: 1, height: 1, line: 57 }));
    assert_eq!((orders.len(), orders[0].key.as_str()), (1, "events[7].give_orders.orders[0]"));
}

#[test]
fn wrong_values_say_what_was_found() {
    check_good(&[
        ("tick = 600\n", "", "70: events[0].tick: missing, expected a whole number from 0 to 4294967294"),
        (
            ", kind = \"deep\"",
            "",
            "72: events[0].set_terrain.kind: missing, expected the name of a terrain kind",
        ),
    ]);
    check_ranges(&[("tick = 600", "tick = -1", "events[0].tick", (0, 4_294_967_294))]);
}

#[test]
fn events_do_exactly_one_thing() {
    check_good(&[
        (
            "set_terrain = { area = [30, 0, 1, 64], kind = \"deep\", on_agents = \"strand\" }\n",
            "",
            "70: events[0]: expected set_terrain, set_elevation, set_side, rotate, add_agents, remove_agents \
             or give_orders, found none",
        ),
        (
            "on_agents = \"strand\"",
            "on_agents = \"push\"",
            "72: events[0].set_terrain.on_agents: expected \"wait\", \"strand\" or \"remove\", \
             found \"push\"",
        ),
    ]);
}

#[test]
fn edits_of_the_map_say_what_is_wrong() {
    let elevation = "{ area = [1, 2, 3, 4], height = -300, on_agents = \"remove\" }";
    let rule = "expected \"wait\", \"strand\" or \"remove\", found";
    for (piece, replacement, expected) in [
        (elevation, "7", "31: events[0].set_elevation: expected a table, found 7".to_owned()),
        (
            "area = [1, 2, 3, 4], ",
            "",
            "31: events[0].set_elevation.area: missing, expected [x, y, width, height]".to_owned(),
        ),
        (
            "[1, 2, 3, 4]",
            "[1, 2, 0, 4]",
            "31: events[0].set_elevation.area[2]: expected a whole number from 1 to 4294967295, found 0"
                .to_owned(),
        ),
        (
            "height = -300",
            "height = -32769",
            "31: events[0].set_elevation.height: expected a whole number from -32768 to 32767, found -32769"
                .to_owned(),
        ),
        (
            "height = -300, ",
            "",
            "31: events[0].set_elevation.height: missing, expected a whole number from -32768 to 32767"
                .to_owned(),
        ),
        (
            "height = -300",
            "height = -300, hieght = 1",
            "31: events[0].set_elevation.hieght: unknown key, did you mean `height`?".to_owned(),
        ),
        ("\"remove\"", "\"push\"", format!("31: events[0].set_elevation.on_agents: {rule} \"push\"")),
        ("[5, -6]", "5", "34: events[1].set_side.cell: expected [x, y], found 5".to_owned()),
        (
            "[5, -6]",
            "[5, 0.5]",
            "34: events[1].set_side.cell[1]: expected a whole number from -2147483648 to 2147483647, \
             found 0.5"
                .to_owned(),
        ),
        ("cell = [5, -6], ", "", "34: events[1].set_side.cell: missing, expected [x, y]".to_owned()),
        (
            "side = \"N\"",
            "side = \"NE\"",
            "34: events[1].set_side.side: expected \"E\", \"N\", \"W\" or \"S\", found \"NE\"".to_owned(),
        ),
        (
            "side = \"N\", ",
            "",
            "34: events[1].set_side.side: missing, expected \"E\", \"N\", \"W\" or \"S\"".to_owned(),
        ),
        (
            "\"hedge\"",
            "\"\"",
            "34: events[1].set_side.kind: expected the name of a side kind, found \"\"".to_owned(),
        ),
        (
            ", kind = \"hedge\"",
            "",
            "34: events[1].set_side.kind: missing, expected the name of a side kind".to_owned(),
        ),
        ("\"strand\"", "true", format!("34: events[1].set_side.on_agents: {rule} true")),
        (
            "side = \"N\"",
            "side = \"N\", sides = \"N\"",
            "34: events[1].set_side.sides: unknown key, did you mean `side`?".to_owned(),
        ),
        (
            "turns = -1",
            "turns = 0",
            "37: events[2].rotate.turns: expected a whole number other than 0, found 0".to_owned(),
        ),
        (
            "turns = -1",
            "turns = 2147483648",
            "37: events[2].rotate.turns: expected a whole number from -2147483648 to 2147483647, \
             found 2147483648"
                .to_owned(),
        ),
        (
            ", turns = -1",
            "",
            "37: events[2].rotate.turns: missing, expected a whole number other than 0".to_owned(),
        ),
        ("[7, 8]", "[7, 8, 9]", "37: events[2].rotate.cell: expected [x, y], found [7, 8, 9]".to_owned()),
        ("turns = -1", "turns = -1, on_agents = 1", format!("37: events[2].rotate.on_agents: {rule} 1")),
        (
            "turns = -1",
            "turns = -1, kind = \"a\"",
            "37: events[2].rotate.kind: unknown key, expected cell, turns, on_agents, deadline or \
             at_deadline"
                .to_owned(),
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), expected);
    }
}

#[test]
fn deadlines_are_read_with_all_edits_of_the_map() {
    let on_agents_of = |text: &str, number: usize| {
        let scenario = parse("x.toml", text.as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
        match scenario.events[number].action {
            EventAction::SetTerrain { on_agents, .. }
            | EventAction::SetElevation { on_agents, .. }
            | EventAction::SetSide { on_agents, .. }
            | EventAction::Rotate { on_agents, .. } => on_agents,
            _ => panic!("{text}"),
        }
    };
    let until = |deadline, then| OnAgents::WaitUntil { deadline, then };
    let (strand, remove) = ("on_agents = \"strand\"", "on_agents = \"remove\"");
    let text = good_with(strand, "on_agents = \"wait\", deadline = 4294967294");
    assert_eq!(on_agents_of(&text, 0), until(4_294_967_294, AtDeadline::Strand));
    let text = with(EDITS, remove, "deadline = 0, at_deadline = \"remove\"");
    let text = with(&text, strand, "at_deadline = \"strand\", deadline = 7");
    let text =
        with(&text, "turns = -1", "turns = -1, deadline = 8, on_agents = \"wait\", at_deadline = \"remove\"");
    assert_eq!(on_agents_of(&text, 0), until(0, AtDeadline::Remove));
    assert_eq!(on_agents_of(&text, 1), until(7, AtDeadline::Strand));
    assert_eq!(on_agents_of(&text, 2), until(8, AtDeadline::Remove));
}

#[test]
fn deadlines_say_what_is_wrong() {
    let key = "37: events[2].rotate";
    for (keys, expected) in [
        ("deadline = -1", ".deadline: expected a whole number from 0 to 4294967294, found -1"),
        ("deadline = \"soon\"", ".deadline: expected a whole number from 0 to 4294967294, found \"soon\""),
        (
            "deadline = 1, at_deadline = \"wait\"",
            ".at_deadline: expected \"strand\" or \"remove\", found \"wait\"",
        ),
        ("at_deadline = \"strand\"", ".at_deadline: expected only with deadline"),
        ("on_agents = \"wait\", at_deadline = \"remove\"", ".at_deadline: expected only with deadline"),
        ("on_agents = \"strand\", deadline = 5", ".deadline: expected only with on_agents = \"wait\""),
        (
            "on_agents = \"remove\", at_deadline = \"remove\"",
            ".at_deadline: expected only with on_agents = \"wait\"",
        ),
        ("dedline = 5", ".dedline: unknown key, did you mean `deadline`?"),
    ] {
        assert_eq!(edits_message("turns = -1", &format!("turns = -1, {keys}")), format!("{key}{expected}"));
    }
    let both = "on_agents = \"remove\", deadline = 5, at_deadline = \"strand\"";
    let wait = "expected only with on_agents = \"wait\"";
    assert_eq!(
        messages(&with(EDITS, "turns = -1", &format!("turns = -1, {both}"))),
        [format!("{key}.deadline: {wait}"), format!("{key}.at_deadline: {wait}")]
    );
    // One mistake is not made two.
    assert_eq!(
        edits_message("turns = -1", "turns = -1, on_agents = \"push\", deadline = 5"),
        format!("{key}.on_agents: expected \"wait\", \"strand\" or \"remove\", found \"push\"")
    );
}

#[test]
fn events_about_agents_say_what_is_wrong() {
    let names = "names = [\"a\", \"b\"]";
    for (piece, replacement, expected) in [
        (
            "class = \"octile\"",
            "class = 8",
            "41: events[3].add_agents.class: expected the name of a class, found 8",
        ),
        (
            "count = 2",
            "count = 1048577",
            "42: events[3].add_agents.count: expected a whole number from 1 to 1048576, found 1048577",
        ),
        // One stands there before.
        (
            "count = 2",
            "count = 1048576",
            "42: events[3].add_agents.count: expected at most 1048576 agents in total, \
             found 1048577 up to here",
        ),
        (
            "area = [9, 9, 1, 1]\n",
            "",
            "40: events[3].add_agents.area: missing, expected [x, y, width, height]",
        ),
        (
            "priority = 6",
            "name = \"a\"",
            "44: events[3].add_agents.name: unknown key, expected class, count, area, priority, team, \
             speed_factor, orders or tasks",
        ),
        (
            "priority = 6",
            "prority = 6",
            "44: events[3].add_agents.prority: unknown key, did you mean `priority`?",
        ),
        (names, "", "48: events[4].remove_agents: expected names or area, found none"),
        (
            names,
            "names = [\"a\"], area = [1, 1, 1, 1]",
            "48: events[4].remove_agents: expected only one of names or area, found names and area",
        ),
        (names, "names = \"a\"", "48: events[4].remove_agents.names: expected a list of names, found \"a\""),
        (
            names,
            "names = []",
            "48: events[4].remove_agents.names: expected at least one name, found an empty list",
        ),
        (
            names,
            "names = [\"a\", 3]",
            "48: events[4].remove_agents.names[1]: expected the name of an agent, found 3",
        ),
        (
            names,
            "names = [\"\"]",
            "48: events[4].remove_agents.names[0]: expected the name of an agent, found \"\"",
        ),
        (names, "name = [\"a\"]", "48: events[4].remove_agents.name: unknown key, did you mean `names`?"),
        (
            "[0, 1, 2, 3]",
            "[0, 1, 2]",
            "51: events[5].remove_agents.area: expected [x, y, width, height], found [0, 1, 2]",
        ),
        (
            "{ area = [0, 1, 2, 3] }",
            "{ area = [0, 1, 2, 3], orders = [] }",
            "51: events[5].remove_agents.orders: unknown key, expected names or area",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"]",
            "54: events[6].give_orders.orders: missing, expected a list of orders",
        ),
        (
            "names = [\"c\"], orders = []",
            "orders = []",
            "54: events[6].give_orders: expected names or area, found none",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"], area = [1, 1, 1, 1], orders = []",
            "54: events[6].give_orders: expected only one of names or area, found names and area",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"], orders = [], order = []",
            "54: events[6].give_orders.order: unknown key, did you mean `orders`?",
        ),
        (
            "names = [\"c\"], orders = []",
            "names = [\"c\"], orders = 1",
            "54: events[6].give_orders.orders: expected a list of orders, found 1",
        ),
        (
            "{ wait = 6 }",
            "{ wait = -6 }",
            "57: events[7].give_orders.orders[0].wait: expected a whole number from 0 to 4294967294, \
             found -6",
        ),
        (
            "give_orders = { names",
            "give_order = { names",
            "54: events[6].give_order: unknown key, did you mean `give_orders`?",
        ),
        (
            "rotate = { cell = [7, 8], turns = -1 }",
            "rotate = { cell = [7, 8], turns = -1 }\nremove_agents = { names = [\"a\"] }",
            "35: events[2]: expected only one of set_terrain, set_elevation, set_side, rotate, add_agents, \
             remove_agents or give_orders, found rotate and remove_agents",
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), expected);
    }
}

#[test]
fn counts_are_bounded() {
    assert_eq!(
        messages(&format!("name = 'x'\nticks = 1\nmap.file = 'a'\nevents = [{}]", "1,".repeat(65_537))),
        ["4: events: expected at most 65536 events, found 65537"]
    );
}
