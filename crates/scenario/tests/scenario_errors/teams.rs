//! Teams, `[teams]` and speed factors.

use crate::*;

/// [`GOOD`] with a team in all places that take one.
fn with_teams() -> String {
    let text = good_with("priority = -2", "priority = -2\nteam = \"red\"\nspeed_factor = 800");
    let text = with(&text, "count = 500", "count = 500\nteam = \"blue\"\nspeed_factor = 65535");
    let event = "[[events]]\ntick = 700\nadd_agents = { class = \"truck\", count = 1, area = [0, 0, 1, 1], \
                 team = \"green\", speed_factor = 1 }\n";
    text + event + "[teams]\nfriends = [[\"red\", \"blue\"],\n  [\"green\", \"red\"]]\n"
}

#[test]
fn good_teams_are_read_field_by_field() {
    let scenario = parse("x.toml", with_teams().as_bytes()).unwrap_or_else(|errors| panic!("{errors}"));
    let [convoy, walker] = &scenario.agents[..] else { panic!("{:?}", scenario.agents) };
    assert_eq!((&convoy.team, convoy.speed_factor), (&Some(text("red", 54)), 800));
    assert_eq!((&walker.team, walker.speed_factor), (&None, 1000));
    assert_eq!(
        (&scenario.groups[0].team, scenario.groups[0].speed_factor),
        (&Some(text("blue", 69)), 65_535)
    );
    let EventAction::AddAgents(group) = &scenario.events[1].action else { panic!("{:?}", scenario.events) };
    assert_eq!((&group.team, group.speed_factor), (&Some(text("green", 79)), 1));
    let pair = |one: &str, other: &str, line, number| {
        let (names, key) = ([one.to_owned(), other.to_owned()], format!("teams.friends[{number}]"));
        FriendPair { names, line, key }
    };
    assert_eq!(scenario.friends, [pair("red", "blue", 81, 0), pair("green", "red", 82, 1)]);
    assert_eq!(good().friends, []);
}

#[test]
fn wrong_values_say_what_was_found() {
    check(
        &with_teams(),
        &[
            ("team = \"red\"", "team = \"\"", "54: agents[0].team: expected the name of a team, found \"\""),
            ("team = \"blue\"", "team = 2", "69: groups[0].team: expected the name of a team, found 2"),
            (
                "team = \"green\"",
                "team = []",
                "79: events[1].add_agents.team: expected the name of a team, found an empty list",
            ),
            (
                "speed_factor = 800",
                "speed_factor = 0",
                "55: agents[0].speed_factor: expected a whole number from 1 to 65535, found 0",
            ),
            (
                "speed_factor = 65535",
                "speed_factor = 65536",
                "70: groups[0].speed_factor: expected a whole number from 1 to 65535, found 65536",
            ),
            ("[teams]\n", "[teams]\nenemies = []\n", "81: teams.enemies: unknown key, expected friends"),
            (
                "[[\"red\", \"blue\"]",
                "[\"red\"",
                "81: teams.friends[0]: expected two names of teams, found \"red\"",
            ),
            (
                "\"red\", \"blue\"]",
                "\"red\"]",
                "81: teams.friends[0]: expected two names of teams, found [\"red\"]",
            ),
            (
                "\"red\", \"blue\"]",
                "\"red\", 2]",
                "81: teams.friends[0][1]: expected the name of a team, found 2",
            ),
            (
                "[\"green\", \"red\"]",
                "[\"green\", \"red\", \"blue\"]",
                "82: teams.friends[1]: expected two names of teams, found [\"green\", \"red\", \"blue\"]",
            ),
        ],
    );
}
