//! Keys that stand in no table.

use crate::*;

#[test]
fn good_scenario_is_read_field_by_field() {
    let scenario = good();
    assert_eq!(scenario.name, "river crossing");
    assert_eq!((scenario.seed, scenario.ticks, scenario.expansions_per_tick), (7, 3000, 100_000));
    assert_eq!((scenario.search_slots, scenario.poses_per_agent), (8, 1));
    assert_eq!(scenario.collision, Collision::Swept);
    assert_eq!(edits().collision, Collision::Discrete);
}

#[test]
fn what_is_left_out_has_its_default() {
    let scenario = parse("x.toml", b"name = ''\nticks = 4294967294\n[map]\nfile = 'a.map'").expect("right");
    assert_eq!((scenario.seed, scenario.ticks, scenario.expansions_per_tick), (0, u32::MAX - 1, 200_000));
    assert_eq!((scenario.search_slots, scenario.poses_per_agent), (16, 16));
    assert_eq!(scenario.landmarks, None);
    assert_eq!(scenario.map.source, MapSource::File(text("a.map", 4)));
    assert!(scenario.map.walls.is_empty() && scenario.agents.is_empty() && scenario.events.is_empty());
    // None at all is not the same as none by default.
    let scenario = good_with("search_slots = 8", "landmarks = 0");
    assert_eq!(parse("x.toml", scenario.as_bytes()).expect("right").landmarks, Some(0));
    // One pose is a patrol of one stop, and a walled-in order may follow it.
    let scenario = good_with("[{ patrol = [[460, 40], [40, 460]] }]", "[{ patrol = [1, 2] }, { wait = 1 }]");
    let scenario = parse("x.toml", scenario.as_bytes()).expect("right");
    assert_eq!(scenario.groups[0].orders.len(), 2);
    let event = good_with(r#", on_agents = "strand""#, "");
    let scenario = parse("x.toml", event.as_bytes()).expect("right");
    assert!(matches!(scenario.events[0].action, EventAction::SetTerrain { on_agents: OnAgents::Wait, .. }));
    let scenario = "name = ''\nticks = 1\nmap.generate = { kind = 'a', size = [1, 1] }";
    let scenario = parse("x.toml", scenario.as_bytes()).expect("right");
    assert_eq!(scenario.collision, Collision::Swept);
    assert_eq!(scenario.map.source, MapSource::Generate { kind: text("a", 3), size: [1, 1], seed: 0 });
}

#[test]
fn wrong_values_say_what_was_found() {
    check_good(&[
        ("\"river crossing\"", "1979-05-27", "1: name: expected a string, found 1979-05-27"),
        ("name = \"river crossing\"\n", "", "1: name: missing, expected a string"),
        ("ticks = 3000\n", "", "1: ticks: missing, expected a whole number from 1 to 4294967294"),
        (
            "ticks = 3000",
            "ticks = 4294967295",
            "3: ticks: expected a whole number from 1 to 4294967294, found 4294967295",
        ),
        ("seed = 7", "seed = -1", "2: seed: expected a whole number from 0 to 9223372036854775807, found -1"),
        (
            "seed = 7",
            "seed = 99999999999999999999",
            "2: seed: expected a whole number from 0 to 9223372036854775807, found 99999999999999999999",
        ),
    ]);
    // Long values are not quoted whole.
    assert_eq!(
        message("\"swept\"", &format!("{:?}", "\u{e9}".repeat(100))),
        format!("4: collision: expected \"swept\" or \"discrete\", found \"{}...", "\u{e9}".repeat(39))
    );
}

#[test]
fn numbers_out_of_range_say_the_range() {
    check_ranges(&[
        ("expansions_per_tick = 100_000", "expansions_per_tick = 0", "expansions_per_tick", (1, 1 << 40)),
        ("search_slots = 8", "search_slots = 1025", "search_slots", (1, 1024)),
        ("search_slots = 8", "landmarks = 65", "landmarks", (0, 64)),
        ("poses_per_agent = 1", "poses_per_agent = 0", "poses_per_agent", (1, u32::MAX.into())),
    ]);
}

#[test]
fn unknown_keys_name_the_nearest_right_one() {
    check_good(&[
        ("search_slots", "serch_slots", "6: serch_slots: unknown key, did you mean `search_slots`?"),
        ("seed", "Seed", "2: Seed: unknown key, did you mean `seed`?"),
        (
            "seed = 7",
            "\"a b\" = 7",
            "2: \"a b\": unknown key, expected name, seed, ticks, collision, expansions_per_tick, \
             search_slots, landmarks, poses_per_agent, map, terrain, side, class, agents, groups, events or \
             teams",
        ),
    ]);
}

#[test]
fn collision_is_one_of_two_rules() {
    assert_eq!(
        edits_message("\"discrete\"", "\"discreet\""),
        "3: collision: expected \"swept\" or \"discrete\", found \"discreet\"; did you mean \"discrete\"?"
    );
    assert_eq!(
        edits_message("\"discrete\"", "true"),
        "3: collision: expected \"swept\" or \"discrete\", found true"
    );
}
