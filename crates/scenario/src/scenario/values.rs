//! Values that several tables share: ranges of numbers, areas, names.

use super::reader::{Node, Reader, Table};
use super::typed::{Area, Located, TICK_MAX};
use std::ops::RangeInclusive;

/// Range of a speed in thousandths.
pub(super) const SPEED_RANGE: RangeInclusive<i64> = 0..=u16::MAX as i64;
/// Range of coordinates, priorities and other `i32` values.
pub(super) const I32_RANGE: RangeInclusive<i64> = i32::MIN as i64..=i32::MAX as i64;
/// Range of ticks and of waiting times.
pub(super) const TICK_RANGE: RangeInclusive<i64> = 0..=TICK_MAX as i64;
/// A team in messages.
pub(super) const TEAM_NAME: &str = "the name of a team";
const AREA_FORM: &str = "[x, y, width, height]";

/// The `area` of a table.
pub(super) fn required_area(reader: &mut Reader, table: &Table) -> Option<Area> {
    reader.required(table, "area", AREA_FORM, area)
}

/// Reads `[x, y, width, height]`.
pub(super) fn area(reader: &mut Reader, node: &Node) -> Option<Area> {
    let items: Option<[Node; 4]> = node.items().and_then(|items| items.collect::<Vec<_>>().try_into().ok());
    let Some([x, y, width, height]) = items else {
        reader.unexpected(node, AREA_FORM);
        return None;
    };
    let [x, y] = [x, y].map(|node| reader.whole(&node, I32_RANGE));
    let [width, height] = [width, height].map(|node| reader.whole(&node, 1..=i64::from(u32::MAX)));
    Some(Area { x: x?, y: y?, width: width?, height: height?, line: reader.line(node) })
}

/// A non-empty string with its line.
pub(super) fn located_name(reader: &mut Reader, node: &Node, expected: &str) -> Option<Located<String>> {
    let value = reader.filled_string(node, expected)?;
    Some(Located { value, line: reader.line(node) })
}
