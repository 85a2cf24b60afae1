//! The canonical text of a movement class, for traces and recordings (docs/format.md). It has the keys of
//! `[class.NAME]` in a fixed order, with cells sorted. Defaults are left out, but for `sweep`, whose default depends on
//! the release.

use crate::load::read_class_spec;
use serde_json::{Map, Value, json};
use wheelbase_grid::GridShape;
use wheelbase_planner::model::{Climb, Pivot, Sweep, SweepRule};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive, When};

/// A class as JSON, whose `to_string` is the canonical text. The built-in class is an empty table.
pub(crate) fn class_json(spec: &ClassSpec) -> Value {
    let mut keys = Map::new();
    if spec.name == "octile" && spec == MovementClass::octile().spec() {
        return keys.into();
    }
    let mut put = |key: &str, value: Value| keys.insert(key.to_owned(), value);
    put("headings", spec.headings.into());
    if spec.footprint != [(0, 0)] {
        put("footprint", cells_json(&spec.footprint));
    }
    if let Some(cells) = &spec.footprint_diagonal {
        put("footprint_diagonal", cells_json(cells));
    }
    if spec.pivot != Pivot::default() {
        put("pivot", json!([halves(spec.pivot.forward), halves(spec.pivot.right)]));
    }
    put("sweep", sweep_json(spec.sweep));
    for (key, speeds) in [("speed", &spec.speed), ("side_speed", &spec.side_speed)] {
        if !speeds.is_empty() {
            put(key, speeds_json(speeds));
        }
    }
    let Climb { up, down, max_up, max_down, max_tilt } = spec.climb;
    if up != 0 {
        put("up", up.into());
    }
    if down != 0 {
        put("down", down.into());
    }
    for (key, limit) in [("max_up", max_up), ("max_down", max_down), ("max_tilt", max_tilt)] {
        if let Some(limit) = limit {
            put(key, limit.into());
        }
    }
    put("moves", spec.primitives.iter().map(move_json).collect());
    keys.into()
}

fn move_json(primitive: &Primitive) -> Value {
    let mut keys = Map::new();
    keys.insert("name".to_owned(), primitive.name.as_str().into());
    if primitive.by != (0, 0) {
        keys.insert("by".to_owned(), json!(primitive.by));
    }
    if primitive.turn != 0 {
        keys.insert("turn".to_owned(), primitive.turn.into());
    }
    keys.insert("time".to_owned(), primitive.time.into());
    if let Some(cells) = &primitive.swept {
        keys.insert("swept".to_owned(), cells_json(cells));
    }
    match primitive.when {
        When::Any => None,
        When::Straight => keys.insert("when".to_owned(), "straight".into()),
        When::Diagonal => keys.insert("when".to_owned(), "diagonal".into()),
    };
    keys.into()
}

fn cells_json(cells: &[(i32, i32)]) -> Value {
    let mut cells = cells.to_vec();
    cells.sort_unstable();
    json!(cells)
}

/// Half cells as a number of cells, without a fraction if it is whole.
fn halves(number: i32) -> Value {
    if number % 2 == 0 { (number / 2).into() } else { (f64::from(number) / 2.0).into() }
}

fn sweep_json(sweep: Sweep) -> Value {
    let name = |rule| match rule {
        SweepRule::Ends => "ends",
        SweepRule::Full => "full",
    };
    let (moves, turns) = (name(sweep.moves), name(sweep.turns));
    if moves == turns { moves.into() } else { json!({ "moves": moves, "turns": turns }) }
}

/// Speeds sorted by name.
fn speeds_json(speeds: &[(String, u16)]) -> Value {
    let mut speeds: Vec<_> = speeds.iter().collect();
    speeds.sort();
    speeds.iter().map(|(name, speed)| (name.clone(), Value::from(*speed))).collect::<Map<_, _>>().into()
}

/// The class of a canonical text; `None` for any other text.
pub(crate) fn class_of_text(text: &str, name: &str, shape: GridShape) -> Option<MovementClass> {
    let written: Value = serde_json::from_str(text).ok()?;
    if name == "octile" && written.as_object()?.is_empty() {
        return (shape == GridShape::Square).then(MovementClass::octile);
    }
    let file = toml::to_string(&json!({ "class": { name: written } })).ok()?;
    let class = MovementClass::new(read_class_spec(&file, shape)?).ok()?;
    // Other ways to write the same are not canonical.
    let canonical = class_json(class.spec()).to_string();
    (class.spec().name == name && canonical == text).then_some(class)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const SWEEP: &str = r#""sweep":"ends","#;
    const MOVES: &str = r#""moves":[{"name":"go","by":[1,0],"time":2}]"#;

    #[test]
    fn a_canonical_text_is_read_again() {
        let read = |text: &str| class_of_text(text, "big one", GridShape::Square);
        for (body, sweep, keys) in [
            ("", SWEEP, ""),
            (r#""footprint":[[-1,0],[-1,1],[0,0],[0,1]],"#, SWEEP, ""),
            (r#""footprint":[[0,0],[0,1]],"pivot":[-0.5,1.5],"#, SWEEP, ""),
            (r#""pivot":[-1,2],"#, SWEEP, ""),
            ("", r#""sweep":"full","#, ""),
            ("", r#""sweep":{"moves":"ends","turns":"full"},"#, ""),
            ("", SWEEP, r#""speed":{"mud":70,"x y":0},"#),
            ("", SWEEP, r#""side_speed":{"a":1},"down":-5,"max_tilt":0,"#),
        ] {
            let text = format!("{{\"headings\":4,{body}{sweep}{keys}{MOVES}}}");
            let class = read(&text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(class_json(class.spec()).to_string(), text);
        }
        // Other ways to write the same, and a text of a release that did not write `sweep`.
        for (body, sweep, keys) in [
            (r#""footprint":[">"],"#, SWEEP, ""),
            (r#""pivot":[0.0,0],"#, SWEEP, ""),
            ("", SWEEP, r#""up":0,"#),
            ("", SWEEP, r#""speed":{"b":1,"a":1},"#),
            ("", r#""sweep":{"moves":"ends","turns":"ends"},"#, ""),
            ("", "", ""),
        ] {
            let text = format!("{{\"headings\":4,{body}{sweep}{keys}{MOVES}}}");
            assert!(read(&text).is_none(), "{text}");
        }
        for invalid in ["", "[]", "{}", "null", r#"{"headings":4}"#] {
            assert!(read(invalid).is_none(), "{invalid}");
        }
        let octile = |shape| class_of_text("{}", "octile", shape);
        assert!(octile(GridShape::Square).is_some() && octile(GridShape::Hex).is_none());
        assert_eq!(class_json(MovementClass::octile().spec()).to_string(), "{}");
    }

    #[test]
    fn keys_of_a_move_have_a_fixed_order() {
        let text = r#"{"headings":8,"footprint_diagonal":[[0,0],[0,1]],"sweep":"full","moves":[{"name":"n","by":[1,-1],"time":3,"swept":[[0,1],[1,0]],"when":"diagonal"},{"name":"n","by":[1,0],"time":2,"swept":[],"when":"straight"},{"name":"t","turn":-7,"time":1}]}"#;
        let class = class_of_text(text, "tank", GridShape::Square).unwrap();
        assert_eq!(class_json(class.spec()).to_string(), text);
    }
}
