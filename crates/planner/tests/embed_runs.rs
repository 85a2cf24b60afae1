//! The examples run, and print what they document.

#[path = "../examples/embed.rs"]
#[allow(dead_code)]
mod embed;
#[path = "../examples/five_hundred.rs"]
#[allow(dead_code)]
mod five_hundred;
#[path = "../examples/turn_based.rs"]
#[allow(dead_code)]
mod turn_based;
#[path = "../examples/waypoints.rs"]
#[allow(dead_code)]
mod waypoints;

#[test]
fn the_example_plays_to_the_end() {
    let log = embed::play().unwrap();
    assert_eq!(
        log,
        [
            "0: ant stays: no sequence of moves leads from the start to the goal",
            "0: bee goes, 42 ticks",
            "2: cow goes, 89 ticks",
            "6: a building closes the gap",
            "6: bee must replan",
            "6: cow must replan",
            "6: bee goes, 38 ticks",
            "7: cow goes, 89 ticks",
            "24: bee arrives at (15, 5)",
            "30: cow arrives at (14, 6)",
        ]
    );
}

#[test]
fn five_hundred_units_are_sent_in_two_ways() {
    assert_eq!(
        five_hundred::play().unwrap(),
        [
            "fields: 138681 expansions in 7 frames, 22632 more to repair them",
            "queue: 10473610 expansions in 524 frames, the scouts' by frame 194",
            "queue: 44 paths led over the bridge and were asked for again",
            "unit 499 would have gone 511 ticks, but was recalled",
            "499 paths, 275344 ticks; the same cost for each in both ways: true",
        ]
    );
}

#[test]
fn turns_are_played_to_the_end() {
    assert_eq!(
        turn_based::play().unwrap(),
        [
            "1: ant can face east in 11 cells; goes for iron, 18 ticks away; spends 12, to (10, 5)",
            "1: bee can face east in 14 cells; goes for coal, 10 ticks away; spends 10, to (8, 0)",
            "1: bee has the coal",
            "1: cow can face east in 16 cells; goes for gold, 22 ticks away; spends 12, to (6, 0)",
            "2: the gate falls shut",
            "2: ant can face east in 16 cells; goes for iron, 6 ticks away; spends 6, to (13, 5)",
            "2: ant has the iron",
            "2: cow can face east in 11 cells; goes for gold, 40 ticks away, around the others; spends 12, to (1, 0)",
            "3: cow can face east in 16 cells; goes for gold, 52 ticks away, around the others; spends 12, to (1, 5)",
            "4: cow can face east in 15 cells; goes for gold, 48 ticks away; spends 12, to (6, 5)",
            "5: cow can face east in 11 cells; goes for gold, 36 ticks away; spends 12, to (11, 5)",
            "6: cow can face east in 23 cells; goes for gold, 24 ticks away; spends 12, to (8, 3)",
            "7: cow can face east in 17 cells; goes for gold, 12 ticks away; spends 12, to (4, 2)",
            "7: cow has the gold",
        ]
    );
}

#[test]
fn the_follower_arrives() {
    assert_eq!(
        waypoints::drive().unwrap(),
        [
            "424 ticks by depot, gate, bridge, quay, farm",
            "tick 0: at 0.4, 0.0",
            "tick 50: at 5.0, 0.0",
            "tick 60: the bridge closes",
            "tick 100: 384 ticks more by gate, mill, hill, farm",
            "tick 100: at 10.0, 0.4",
            "tick 150: at 10.0, 5.0",
            "tick 200: at 10.3, 9.9",
            "tick 250: at 13.5, 13.5",
            "tick 300: at 17.0, 17.0",
            "tick 350: at 20.6, 19.2",
            "tick 400: at 24.1, 15.9",
            "tick 450: at 27.6, 12.4",
            "tick 484: arrived",
            "home: no path",
            "the bridge opens; home: 648 ticks by farm, quay, bridge, gate, depot",
            "from the farm: depot 648, gate 548, bridge 324, quay 100, mill 648, hill 790, ford 690",
        ]
    );
}
