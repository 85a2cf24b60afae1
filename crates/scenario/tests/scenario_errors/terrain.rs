//! `[terrain.NAME]` and `[side.NAME]`.

use crate::*;

#[test]
fn good_kinds_are_read_field_by_field() {
    let scenario = good();
    // In the order of the file, not of the alphabet.
    let [shallow, deep] = &scenario.terrains[..] else { panic!("{:?}", scenario.terrains) };
    assert_eq!((shallow.name.as_str(), shallow.speed, shallow.line), ("shallow", 400, 17));
    assert_eq!((&shallow.glyphs, &shallow.sides), (&None, &Vec::new()));
    assert_eq!((deep.name.as_str(), deep.speed, deep.line), ("deep", 0, 20));
    assert_eq!(deep.key, "terrain.deep");
    assert_eq!(deep.glyphs, Some(text("W~", 21)));
    let sides = [(Side::East, text("wall", 23)), (Side::South, text("hedge", 23))];
    assert_eq!(deep.sides, sides);

    let [hedge] = &scenario.sides[..] else { panic!("{:?}", scenario.sides) };
    assert_eq!((hedge.name.as_str(), hedge.speed, hedge.line), ("hedge", 0, 25));
    assert_eq!(hedge.key, "side.hedge");
}

#[test]
fn wrong_values_say_what_was_found() {
    check_good(&[
        ("speed = 400\n", "", "17: terrain.shallow.speed: missing, expected a whole number from 0 to 65535"),
        (
            "speed = 400",
            "speed = 70000",
            "18: terrain.shallow.speed: expected a whole number from 0 to 65535, found 70000",
        ),
        ("[side.hedge]\nspeed = 0", "[side]\nhedge = true", "26: side.hedge: expected a table, found true"),
        (
            "S = \"hedge\"",
            "North = \"hedge\"",
            "23: terrain.deep.sides.North: unknown key, expected E, NE, N, NW, W, SW, S or SE",
        ),
    ]);
}
