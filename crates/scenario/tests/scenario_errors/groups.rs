//! `[[groups]]` and their tasks.

use crate::*;

#[test]
fn good_groups_are_read_field_by_field() {
    let scenario = good();
    let [group] = &scenario.groups[..] else { panic!("{:?}", scenario.groups) };
    assert_eq!((&group.class, group.count, group.priority), (&text("truck", 65), 500, 0));
    assert_eq!(group.area, Area { x: 0, y: 0, width: 64, height: 512, line: 67 });
    assert_eq!((group.line, group.key.as_str()), (64, "groups[0]"));
}

#[test]
fn wrong_values_say_what_was_found() {
    check_good(&[
        ("count = 500\n", "", "64: groups[0].count: missing, expected a whole number from 1 to 1048576"),
        ("area = [0, 0, 64, 512]\n", "", "64: groups[0].area: missing, expected [x, y, width, height]"),
        (
            "[0, 0, 64, 512]",
            "[0, 0, 0, 512]",
            "67: groups[0].area[2]: expected a whole number from 1 to 4294967295, found 0",
        ),
        ("[0, 0, 64, 512]", "{}", "67: groups[0].area: expected [x, y, width, height], found a table"),
    ]);
    check_ranges(&[("count = 500", "count = 0", "groups[0].count", (1, 1 << 20))]);
}

#[test]
fn tasks_say_what_is_wrong() {
    for (tasks, expected) in [
        ("{ kind = \"random\" }", "groups[0].tasks.area: missing, expected [x, y, width, height]"),
        (
            "{ kind = \"rare\", area = [0, 0, 1, 1] }",
            "groups[0].tasks.kind: expected \"random\", found \"rare\"",
        ),
        ("{ file = \"\" }", "groups[0].tasks.file: expected the path of a table of tasks, found \"\""),
        (
            "{ file = \"a.csv\", area = [0, 0, 1, 1] }",
            "groups[0].tasks.area: expected only with kind, found with file",
        ),
        ("{ area = [0, 0, 1, 1] }", "groups[0].tasks: expected kind or file, found none"),
        ("7", "groups[0].tasks: expected a table, found 7"),
    ] {
        let found = message("count = 500", &format!("count = 500\ntasks = {tasks}"));
        assert_eq!(found, format!("67: {expected}"));
    }
    assert_eq!(
        edits_message("priority = 6", "tasks = 6"),
        "44: events[3].add_agents.tasks: expected a table, found 6"
    );
}

#[test]
fn counts_are_bounded() {
    // Two agents stand alone; it is the groups that pass the limit, and the first that does is named.
    let group = |count: u32| format!("[[groups]]\nclass = 'a'\ncount = {count}\narea = [0, 0, 9, 9]\n");
    let groups = format!("{}{}{}\n[[events]]", group(1_000_000), group(48_075), group(1));
    assert_eq!(
        message("[[events]]", &groups),
        "76: groups[2].count: expected at most 1048576 agents in total, found 1048577 up to here"
    );
}
