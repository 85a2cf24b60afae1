//! Orders of agents and groups.

use crate::*;

#[test]
fn good_orders_are_read_field_by_field() {
    let scenario = good();
    let convoy = &scenario.agents[0];
    let [first, wait, second] = &convoy.orders[..] else { panic!("{:?}", convoy.orders) };
    let options = GoalOptions { within: 2, fallback: Fallback::Fail, if_unreachable: IfUnreachable::Drop };
    assert_eq!(first.kind, OrderKind::Goto { goals: vec![pose(40, 12, Some("any"), 55)], options });
    assert_eq!((wait.kind.clone(), wait.line), (OrderKind::Wait { ticks: 50 }, 56));
    assert_eq!(wait.key, "agents[0].orders[1]");
    let options = GoalOptions { within: 0, fallback: Fallback::Nearest, if_unreachable: IfUnreachable::Wait };
    let goals = vec![pose(3, 4, Some("E"), 57), pose(-1, 4, None, 57)];
    assert_eq!(second.kind, OrderKind::Goto { goals, options });
    let group = &scenario.groups[0];
    let options = GoalOptions { within: 0, fallback: Fallback::Fail, if_unreachable: IfUnreachable::Drop };
    let stops = vec![pose(460, 40, None, 68), pose(40, 460, None, 68)];
    assert_eq!(group.orders[0].kind, OrderKind::Patrol { stops, options });
}

#[test]
fn orders_to_an_area_are_read_field_by_field() {
    let scenario = edits();
    let order = &scenario.groups[0].orders[0];
    let options = GoalOptions { within: 0, fallback: Fallback::Nearest, if_unreachable: IfUnreachable::Wait };
    let area = Area { x: -1, y: 2, width: 3, height: 4, line: 27 };
    assert_eq!(order.kind, OrderKind::GotoArea { area, options });
    assert_eq!((order.line, order.key.as_str()), (27, "groups[0].orders[0]"));
}

#[test]
fn wrong_values_say_what_was_found() {
    check_good(&[
        (
            "[40, 12, \"any\"]",
            "[]",
            "55: agents[0].orders[0].goto: expected [x, y], [x, y, heading] or a list of these, \
             found an empty list",
        ),
        (
            "\"nearest\"",
            "\"near\"",
            "57: agents[0].orders[2].fallback: expected \"fail\" or \"nearest\", found \"near\"",
        ),
        ("{ wait = 50 }", "7", "56: agents[0].orders[1]: expected a table, found 7"),
        (
            "{ wait = 50 }",
            "{ fly = 50 }",
            "56: agents[0].orders[1].fly: unknown key, expected goto, goto_area, goto_group, wait, \
             patrol, stop, hold, follow, within, fallback or if_unreachable",
        ),
        // The order that was meant is the one mistyped: its lack is not a second mistake.
        ("{ wait = 50 }", "{ wiat = 50 }", "56: agents[0].orders[1].wiat: unknown key, did you mean `wait`?"),
    ]);
    check_ranges(&[
        ("within = 2", "within = 65536", "agents[0].orders[0].within", (0, 65_535)),
        ("wait = 50", "wait = 4294967295", "agents[0].orders[1].wait", (0, 4_294_967_294)),
    ]);
}

#[test]
fn orders_do_exactly_one_thing() {
    check_good(&[
        (
            "{ wait = 50 }",
            "{}",
            "56: agents[0].orders[1]: expected goto, goto_area, goto_group, wait, patrol, stop, hold or \
             follow, found none",
        ),
        (
            "{ wait = 50 }",
            "{ wait = 50, goto = [1, 1] }",
            "56: agents[0].orders[1]: expected only one of goto, goto_area, goto_group, wait, patrol, \
             stop, hold or follow, found goto and wait",
        ),
        (
            "{ wait = 50 }",
            "{ wait = 50, within = 2 }",
            "56: agents[0].orders[1].within: expected only with goto, patrol or follow, found with wait",
        ),
    ]);
}

#[test]
fn orders_to_an_area_say_what_is_wrong() {
    let order = "{ goto_area = [-1, 2, 3, 4], fallback = \"nearest\", if_unreachable = \"wait\" }";
    let area = "[-1, 2, 3, 4]";
    for (piece, replacement, expected) in [
        (area, "[-1, 2]", ".goto_area: expected [x, y, width, height], found [-1, 2]"),
        (area, "\"all\"", ".goto_area: expected [x, y, width, height], found \"all\""),
        (area, "[-1, 2, 3, 0]", ".goto_area[3]: expected a whole number from 1 to 4294967295, found 0"),
        (order, "{ goto_aera = [1, 1, 1, 1] }", ".goto_aera: unknown key, did you mean `goto_area`?"),
        (
            order,
            "{ goto_area = [1, 1, 1, 1], within = 1 }",
            ".within: expected only with goto, patrol or follow, found with goto_area",
        ),
        (
            order,
            "{ wait = 1, fallback = \"fail\" }",
            ".fallback: expected only with goto, goto_area, goto_group or patrol, found with wait",
        ),
        (
            order,
            "{ goto_area = [1, 1, 1, 1], goto = [1, 1] }",
            ": expected only one of goto, goto_area, goto_group, wait, patrol, stop, hold or follow, found goto \
             and goto_area",
        ),
        (
            order,
            "{ goto_group = [[1, 1]] }",
            ".goto_group: expected [x, y] or [x, y, heading], found [[1, 1]]",
        ),
        (
            order,
            "{ goto_group = [1, 1, 1, 1] }",
            ".goto_group: expected [x, y] or [x, y, heading], found [1, 1, 1, 1]",
        ),
        (
            order,
            "{ goto_group = [1, 1], within = 2 }",
            ".within: expected only with goto, patrol or follow, found with goto_group",
        ),
        ("\"nearest\"", "\"near\"", ".fallback: expected \"fail\" or \"nearest\", found \"near\""),
        (
            "if_unreachable = \"wait\"",
            "if_unreachable = 3",
            ".if_unreachable: expected \"drop\" or \"wait\", found 3",
        ),
    ] {
        assert_eq!(edits_message(piece, replacement), format!("27: groups[0].orders[0]{expected}"));
    }
}

#[test]
fn stop_hold_and_follow_are_read_field_by_field() {
    let orders = "{ stop = true },\n  { hold = true },\n  { follow = \"convoy-1\", within = 4 }";
    let scenario = parse("x.toml", good_with("{ wait = 50 }", orders).as_bytes()).expect("a good scenario");
    let kinds = scenario.agents[0].orders.iter().map(|order| order.kind.clone()).collect::<Vec<_>>();
    assert_eq!(kinds[1..3], [OrderKind::Stop, OrderKind::Hold]);
    assert_eq!(kinds[3], OrderKind::Follow { leader: text("convoy-1", 58), within: 4 });
}

#[test]
fn stop_hold_and_follow_say_what_is_wrong() {
    let order = "{ wait = 50 }";
    for (replacement, expected) in [
        ("{ stop = false }", ".stop: expected true, found false"),
        ("{ stop = 1 }", ".stop: expected true, found 1"),
        ("{ hold = \"true\" }", ".hold: expected true, found \"true\""),
        ("{ hodl = true }", ".hodl: unknown key, did you mean `hold`?"),
        ("{ follow = \"\", within = 1 }", ".follow: expected the name of an agent, found \"\""),
        ("{ follow = 7, within = 1 }", ".follow: expected the name of an agent, found 7"),
        ("{ follow = \"a\" }", ".within: missing, expected a whole number from 1 to 65535"),
        ("{ follow = \"a\", within = 0 }", ".within: expected a whole number from 1 to 65535, found 0"),
        (
            "{ stop = true, within = 1 }",
            ".within: expected only with goto, patrol or follow, found with stop",
        ),
        (
            "{ hold = true, fallback = \"nearest\" }",
            ".fallback: expected only with goto, goto_area, goto_group or patrol, found with hold",
        ),
        (
            "{ follow = \"a\", within = 1, if_unreachable = \"wait\" }",
            ".if_unreachable: expected only with goto, goto_area, goto_group or patrol, found with follow",
        ),
        (
            "{ stop = true, hold = true }",
            ": expected only one of goto, goto_area, goto_group, wait, patrol, stop, hold or follow, found stop \
             and hold",
        ),
    ] {
        assert_eq!(message(order, replacement), format!("56: agents[0].orders[1]{expected}"));
    }
}

#[test]
fn counts_are_bounded() {
    assert_eq!(
        message("  { wait = 50 },\n", &"  { wait = 1 },\n".repeat(1023)),
        "54: agents[0].orders: expected at most 1024 orders, found 1025"
    );
}
