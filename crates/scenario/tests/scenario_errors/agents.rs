//! `[[agents]]`.

use crate::*;

#[test]
fn good_agents_are_read_field_by_field() {
    let scenario = good();
    let [convoy, walker] = &scenario.agents[..] else { panic!("{:?}", scenario.agents) };
    assert_eq!(convoy.name, Some(text("convoy-1", 50)));
    assert_eq!(convoy.class, text("truck", 51));
    assert_eq!(convoy.at, pose(3, 4, Some("E"), 52));
    assert_eq!((convoy.priority, convoy.line, convoy.key.as_str()), (-2, 49, "agents[0]"));
    assert_eq!((&walker.name, &walker.at), (&None, &pose(0, 0, None, 62)));
    assert_eq!((walker.priority, walker.orders.len(), walker.line), (0, 0, 60));
}

#[test]
fn wrong_values_say_what_was_found() {
    check_good(&[
        ("class = \"octile\"\n", "", "60: agents[1].class: missing, expected the name of a class"),
        ("at = [0, 0]\n", "", "60: agents[1].at: missing, expected [x, y, heading]"),
        ("at = [3, 4, \"E\"]", "at = 7", "52: agents[0].at: expected [x, y, heading], found 7"),
        ("at = [0, 0]", "at = [1]", "62: agents[1].at: expected [x, y, heading], found [1]"),
        ("at = [0, 0]", "at = [0, 0, 3]", "62: agents[1].at[2]: expected a heading such as \"E\", found 3"),
        (
            "at = [0, 0]",
            "at = [0, 3e9]",
            "62: agents[1].at[1]: expected a whole number from -2147483648 to 2147483647, found 3e9",
        ),
        (
            "name = \"convoy-1\"",
            "name = \"\"",
            "50: agents[0].name: expected the name of the agent, found \"\"",
        ),
        ("priority", "prioritty", "53: agents[0].prioritty: unknown key, did you mean `priority`?"),
        (
            "priority = -2",
            "tasks = []",
            "53: agents[0].tasks: unknown key, expected name, class, at, priority, team, speed_factor \
             or orders",
        ),
    ]);
    check_ranges(&[(
        "priority = -2",
        "priority = 2147483648",
        "agents[0].priority",
        (-2_147_483_648, 2_147_483_647),
    )]);
}

#[test]
fn agent_names_are_unique() {
    assert_eq!(
        message("class = \"octile\"", "name = \"convoy-1\"\nclass = \"octile\""),
        "61: agents[1].name: expected a unique name, found \"convoy-1\", which is also agents[0].name \
         (line 50)"
    );
}
