//! Reads movement classes.

use std::collections::HashMap;
use wheelbase_grid::GridShape;
use wheelbase_planner::When;
use wheelbase_planner::model::{Climb, SweepRule};

use super::reader::{Keys, ListOf, Node, Reader, Table};
use super::typed::{
    Class, DISPLACEMENT_MAX, FOOTPRINT_CELLS_MAX, Located, MOVES_MAX, Move, OFFSET_MAX, SpeedOverride,
};
use super::values::{I32_RANGE, SPEED_RANGE};

const CLASS_KEYS: Keys = Keys {
    known: &[
        "headings",
        "footprint",
        "footprint_diagonal",
        "pivot",
        "sweep",
        "speed",
        "side_speed",
        "up",
        "down",
        "max_up",
        "max_down",
        "max_tilt",
        "moves",
    ],
    later: &[],
};
const SWEEP_KEYS: Keys = Keys { known: &["moves", "turns"], later: &[] };
const MOVE_KEYS: Keys = Keys { known: &["name", "by", "turn", "time", "swept", "when"], later: &[] };

const MOVES: ListOf = ListOf { one: "move", many: "moves", len: 0..=MOVES_MAX };
const FOOTPRINT_CELLS: ListOf = ListOf { one: "cell", many: "cells", len: 1..=FOOTPRINT_CELLS_MAX };
const FOOTPRINT_ROWS: ListOf = ListOf { one: "row", many: "rows", len: 1..=usize::MAX };
const SWEPT_CELLS: ListOf = ListOf { one: "cell", many: "cells", len: 0..=usize::MAX };
const TERRAIN_SPEEDS: ListOf = ListOf { one: "terrain kind", many: "terrain speeds", len: 0..=usize::MAX };
const SIDE_SPEEDS: ListOf = ListOf { one: "side kind", many: "side speeds", len: 0..=usize::MAX };

const OFFSET_FORM: &str = "[forward, right]";
const MOVE_NAME: &str = "the name of the move";
/// Largest turn of a class of 8 headings, the most there are. The planner checks it against the headings of the class.
const TURN_MAX: i64 = 7;

/// Reads a `[class.NAME]` table. `shape` is the shape of the map, if it is known.
pub(super) fn class(reader: &mut Reader, node: &Node, name: &str, shape: Option<GridShape>) -> Option<Class> {
    let table = reader.table(node, &CLASS_KEYS)?;
    let line = reader.line(node);
    let expected = match shape {
        Some(GridShape::Square) => "1, 4 or 8",
        Some(GridShape::Hex) => "1 or 6",
        None => "1, 4, 6 or 8",
    };
    let headings = reader.required(&table, "headings", expected, |reader, node| {
        let is_valid = |n: &i64| match shape {
            Some(GridShape::Square) => matches!(n, 1 | 4 | 8),
            Some(GridShape::Hex) => matches!(n, 1 | 6),
            None => matches!(n, 1 | 4 | 6 | 8),
        };
        let value = node.whole().filter(is_valid);
        if value.is_none() {
            reader.unexpected(node, expected);
        }
        value.map(|value| Located { value: value as u8, line: reader.line(node) })
    });
    let footprint = reader.optional(&table, "footprint", Located { value: vec![[0, 0]], line }, footprint);
    let pivot = reader.optional(&table, "pivot", Located { value: [0.0, 0.0], line }, pivot);
    let footprint_diagonal = reader.optional(&table, "footprint_diagonal", None, |reader, node| {
        reader.list(node, &FOOTPRINT_CELLS, offset).map(Some)
    });
    let sweep = reader.optional(&table, "sweep", [None; 2], sweep);
    let climb = climb(reader, &table);
    let speed = speeds(reader, &table, "speed", &TERRAIN_SPEEDS);
    let side_speed = speeds(reader, &table, "side_speed", &SIDE_SPEEDS);
    let moves = reader.required(&table, "moves", "a list of moves", moves);
    let [sweep_moves, sweep_turns] = sweep?;
    Some(Class {
        name: name.to_owned(),
        headings: headings?,
        footprint: footprint?,
        footprint_diagonal: footprint_diagonal?,
        pivot: pivot?,
        sweep_moves,
        sweep_turns,
        climb: climb?,
        speed: speed?,
        side_speed: side_speed?,
        moves: moves?,
        line,
        key: node.key(),
    })
}

/// Reads a footprint given as offsets or as rows.
fn footprint(reader: &mut Reader, node: &Node) -> Option<Located<Vec<[i32; 2]>>> {
    let value = if node.first_item().is_some_and(|first| first.is_string()) {
        footprint_rows(reader, node)?
    } else {
        reader.list(node, &FOOTPRINT_CELLS, offset)?
    };
    Some(Located { value, line: reader.line(node) })
}

/// The offsets of rows such as `["XX", "X>"]`. The body faces east: on the page, forward is right and right is down.
fn footprint_rows(reader: &mut Reader, node: &Node) -> Option<Vec<[i32; 2]>> {
    let mut row_len = None;
    let rows = reader.list(node, &FOOTPRINT_ROWS, |reader, node| {
        let row = reader.string(node, "a row of glyphs")?;
        if row.is_empty() || row.chars().any(|glyph| !matches!(glyph, 'X' | '>' | '.')) {
            reader.unexpected(node, "a row of the glyphs X, > and .");
            return None;
        }
        let first_len = *row_len.get_or_insert(row.len());
        if row.len() != first_len {
            let message = format!("expected {first_len} glyphs, as in the first row, found {}", row.len());
            reader.report(node, message);
            return None;
        }
        Some(row)
    })?;
    let glyphs = || {
        rows.iter().enumerate().flat_map(|(row_idx, row)| {
            row.chars().enumerate().map(move |(column, glyph)| (column as i32, row_idx as i32, glyph))
        })
    };
    let anchors: Vec<_> = glyphs().filter(|&(_, _, glyph)| glyph == '>').collect();
    let &[(anchor_column, anchor_row, _)] = anchors.as_slice() else {
        let message = format!("expected exactly one > (the covered anchor), found {}", anchors.len());
        reader.report(node, message);
        return None;
    };
    let cells: Vec<[i32; 2]> = glyphs()
        .filter(|&(_, _, glyph)| glyph != '.')
        .map(|(column, row, _)| [column - anchor_column, row - anchor_row])
        .collect();
    if cells.len() > FOOTPRINT_CELLS_MAX {
        let message = format!("expected at most {FOOTPRINT_CELLS_MAX} cells, found {}", cells.len());
        reader.report(node, message);
        return None;
    }
    Some(cells)
}

fn offset(reader: &mut Reader, node: &Node) -> Option<[i32; 2]> {
    let limit = i64::from(OFFSET_MAX);
    reader.whole_array(node, OFFSET_FORM, -limit..=limit)
}

fn pivot(reader: &mut Reader, node: &Node) -> Option<Located<[f64; 2]>> {
    let items: Option<[Node; 2]> = node.items().and_then(|items| items.collect::<Vec<_>>().try_into().ok());
    let Some(items) = items else {
        reader.unexpected(node, OFFSET_FORM);
        return None;
    };
    let [forward, right] = items.map(|node| reader.number(&node, OFFSET_MAX));
    Some(Located { value: [forward?, right?], line: reader.line(node) })
}

/// The rules for moves and for turns, where given.
fn sweep(reader: &mut Reader, node: &Node) -> Option<[Option<SweepRule>; 2]> {
    let rule = |reader: &mut Reader, node: &Node| {
        reader.choice(node, &[("ends", SweepRule::Ends), ("full", SweepRule::Full)]).map(Some)
    };
    if !node.is_table() {
        return rule(reader, node).map(|rule| [rule; 2]);
    }
    let table = reader.table(node, &SWEEP_KEYS)?;
    let moves = reader.optional(&table, "moves", None, rule);
    let turns = reader.optional(&table, "turns", None, rule);
    Some([moves?, turns?])
}

fn climb(reader: &mut Reader, table: &Table) -> Option<Climb> {
    let units = 0..=i64::from(u32::MAX);
    let mut limit =
        |name| reader.optional(table, name, None, |reader, node| reader.whole(node, units.clone()).map(Some));
    let (max_up, max_down, max_tilt) = (limit("max_up"), limit("max_down"), limit("max_tilt"));
    let up = reader.optional_whole(table, "up", 0, units);
    let down = reader.optional_whole(table, "down", 0, I32_RANGE);
    Some(Climb { up: up?, down: down?, max_up: max_up?, max_down: max_down?, max_tilt: max_tilt? })
}

fn speeds(reader: &mut Reader, table: &Table, name: &'static str, of: &ListOf) -> Option<Vec<SpeedOverride>> {
    reader.named(table, name, of, |reader, node, name| {
        let speed = reader.whole(node, SPEED_RANGE)?;
        Some(SpeedOverride { name: name.to_owned(), speed, line: reader.line(node), key: node.key() })
    })
}

fn moves(reader: &mut Reader, node: &Node) -> Option<Vec<Move>> {
    let mut names = HashMap::new();
    reader.list(node, &MOVES, |reader, node| {
        let table = reader.table(node, &MOVE_KEYS)?;
        let when = reader.optional(&table, "when", When::Any, |reader, node| {
            reader.choice(node, &[("straight", When::Straight), ("diagonal", When::Diagonal)])
        });
        let name = reader.required(&table, "name", MOVE_NAME, |reader, node| {
            let name = reader.filled_string(node, MOVE_NAME)?;
            // A name may be used twice: for the straight and for the diagonal headings.
            let full_name = match when {
                Some(When::Straight) => format!("{name} (straight)"),
                Some(When::Diagonal) => format!("{name} (diagonal)"),
                _ => name.clone(),
            };
            reader.unique_name(node, full_name, &mut names).map(|_| name)
        });
        let displacement = i64::from(DISPLACEMENT_MAX);
        let by = reader.optional(&table, "by", [0, 0], |reader, node| {
            reader.whole_array(node, OFFSET_FORM, -displacement..=displacement)
        });
        let turn = reader.optional_whole(&table, "turn", 0, -TURN_MAX..=TURN_MAX);
        if by == Some([0, 0]) && turn == Some(0) && table.all_known {
            let message = "expected by = [forward, right] or turn = steps, found no motion".to_owned();
            reader.report(node, message);
        }
        let time = reader.required_whole(&table, "time", 1..=i64::from(u16::MAX));
        let swept = reader.optional(&table, "swept", None, |reader, node| {
            reader.list(node, &SWEPT_CELLS, offset).map(Some)
        });
        Some(Move {
            name: name?,
            by: by?,
            turn: turn?,
            time: time?,
            swept: swept?,
            when: when?,
            line: reader.line(node),
            key: node.key(),
        })
    })
}
