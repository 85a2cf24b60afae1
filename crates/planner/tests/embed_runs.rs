//! The example for engines runs, and what it prints is what it says.

#[path = "../examples/embed.rs"]
#[allow(dead_code)]
mod embed;

#[test]
fn the_example_plays_to_the_end() {
    let log = embed::play().unwrap();
    assert_eq!(
        log,
        [
            "0: ant stays: no sequence of moves leads from the start to the goal",
            "2: bee goes, 46 ticks",
            "4: cow goes, 70 ticks",
            "6: a building closes the gap",
            "6: bee must find another way",
            "6: cow must find another way",
            "7: bee goes, 42 ticks",
            "8: cow goes, 57 ticks",
            "25: cow arrives at (14, 0)",
            "27: bee arrives at (15, 4)",
        ]
    );
}
