//! The examples run, and print what they document. What a crowd does to the tick is left open, where the traffic rule
//! may change it.

use wheelbase_sim::Threads;

#[path = "../examples/own_components.rs"]
#[allow(dead_code)]
mod own_components;
#[path = "../examples/own_rule.rs"]
#[allow(dead_code)]
mod own_rule;
#[path = "../examples/two_players.rs"]
#[allow(dead_code)]
mod two_players;

#[test]
fn the_two_players_fight() {
    let (log, hash) = two_players::play(two_players::script(), Threads::Caller).unwrap();
    let told =
        |text: &str| log.iter().any(|line| line.split_once(": ").is_some_and(|(_, said)| said == text));
    for text in [
        "blue's click \"0 goto 40 8\" selects nobody",
        "red's click \"scout group 99 99\" is refused: goal_off_map",
        "red cannot train tank 10 7 E: the pose is not legal for the class",
        "red cannot train tank 5 13 E: another agent holds a cell of the pose",
        "unit 12 is ready",
        "red's click \"train tank 11 13 E\" is refused: pose_held",
        "unit 5 has done its goto",
        "blue's click \"build 23 3 1 3\" is done",
        "blue's building waits for 1 units to leave",
        "blue's click \"build 39 5 3 2\" waits for 1 units",
        "blue's click \"build 39 5 3 2\" is done",
        "red's click \"destroy 23 3 1 3\" is done",
        "unit 0 has done its goto_group",
    ] {
        assert!(told(text), "{text:?} is not in {log:#?}");
    }
    assert!(log.iter().any(|line| line.ends_with("is lost")), "{log:#?}");
    // The screens show both armies, and the building.
    let shows = |part: &str| log.iter().any(|line| line.contains(part));
    assert!(shows("TTT") && shows("ttt") && shows("..#.."), "{log:#?}");

    // The same clicks give the same game, also on more threads.
    assert_eq!(two_players::play(two_players::script(), Threads::Own(3)).unwrap(), (log, hash));
}

#[test]
fn a_script_of_ones_own_is_played() {
    let (log, _) = two_players::play("0 red 4 goto 5 13\n0 red 4 then hold\n", Threads::Caller).unwrap();
    assert!(log.iter().any(|line| line.ends_with("unit 4 has done its goto")), "{log:#?}");
    for wrong in ["x red all stop", "0 green all stop", "0 red all dance", "0 red train bicycle 1 1 E"] {
        assert!(two_players::play(wrong, Threads::Caller).is_err(), "{wrong}");
    }
}

#[test]
fn components_come_and_go_with_their_units() {
    let log = own_components::play().unwrap();
    assert_eq!(
        log,
        [
            " 26: unit 1 is repaired",
            " 38: unit 1 sinks",
            " 42: unit 0 delivers 3 crates, 3 in all",
            "112: unit 0 delivers 3 crates, 6 in all",
            "182: unit 0 delivers 3 crates, 9 in all",
            "252: unit 0 delivers 3 crates, 12 in all",
            "322: unit 0 delivers 3 crates, 15 in all",
            "392: unit 0 delivers 3 crates, 18 in all",
            "1 units, 1 with health",
        ]
    );
}

/// The numbers of a line, in order.
fn numbers(line: &str) -> Vec<u64> {
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn a_bad_rule_is_slow_and_never_wrong() {
    let log = own_rule::compare().unwrap();
    let [cooperative, first_come, own_paths, wrong_path, own_moves] = log.try_into().unwrap();
    assert_eq!(wrong_path, "a wrong path: wrong_path, 1 requests open");
    let [cooperative, first_come, own_paths, own_moves] =
        [cooperative, first_come, own_paths, own_moves].map(|line| numbers(&line));
    // Orders done, of how many, ticks, moves refused, overlaps.
    assert_eq!((cooperative[..2].to_vec(), cooperative[3]), (vec![16, 16], 0));
    assert_eq!((own_paths[..2].to_vec(), own_paths[3]), (vec![16, 16], 0));
    for bad in [&first_come, &own_moves] {
        assert!(bad[0] >= 8 && bad[2] > cooperative[2] && bad[3] > 100, "{bad:?}");
    }
    for run in [cooperative, first_come, own_paths, own_moves] {
        assert_eq!(run[4], 0);
    }
}
