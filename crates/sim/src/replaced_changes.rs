//! The rest of the changes of a waiting edit, once a later edit sets the same of some of its cells.

use wheelbase_grid::{Change, Rect};

/// Most pairs of an earlier and a later change that one edit compares.
pub(crate) const PAIRS_MAX: usize = 1 << 22;

/// Whether the later of two changes sets something that the earlier one sets too. A rotation sets nothing: it turns the
/// cell.
pub(crate) fn replaces(later: &Change, earlier: &Change) -> bool {
    match (*later, *earlier) {
        (Change::Terrain { area: new, .. }, Change::Terrain { area: old, .. })
        | (Change::Elevation { area: new, .. }, Change::Elevation { area: old, .. }) => new.overlaps(old),
        (Change::Side { cell: new, side, .. }, Change::Side { cell: old, side: of, .. }) => {
            new == old && side == of
        }
        _ => false,
    }
}

/// The rest of a change after later ones; nothing if these set all of it.
pub(crate) fn left_of(change: Change, later: &[Change]) -> Vec<Change> {
    let mut left = vec![change];
    for new in later {
        for at in (0..left.len()).rev().filter(|&at| replaces(new, &left[at])).collect::<Vec<_>>() {
            let old = left.swap_remove(at);
            left.extend(pieces_of(old.area(), new.area()).map(|area| match old {
                Change::Terrain { kind, .. } => Change::Terrain { area, kind },
                Change::Elevation { height, .. } => Change::Elevation { area, height },
                other => other,
            }));
        }
    }
    left
}

/// The parts of a rectangle around another that overlaps it: above, below, left and right of it.
fn pieces_of(area: Rect, hole: Rect) -> impl Iterator<Item = Rect> {
    let hole = area.intersection(hole);
    let end = |at: i32, length: u32| i64::from(at) + i64::from(length);
    let size = |from: i64, to: i64| (to - from) as u32;
    let (top, bottom) = (i64::from(area.y), end(area.y, area.height));
    let (left, right) = (i64::from(area.x), end(area.x, area.width));
    let (hole_bottom, hole_right) = (end(hole.y, hole.height), end(hole.x, hole.width));
    // What begins farther away is off every map.
    let at = |end: i64| i32::try_from(end).unwrap_or(i32::MAX);
    let pieces = [
        Rect::new(area.x, area.y, area.width, size(top, i64::from(hole.y))),
        Rect::new(area.x, at(hole_bottom), area.width, size(hole_bottom, bottom)),
        Rect::new(area.x, hole.y, size(left, i64::from(hole.x)), hole.height),
        Rect::new(at(hole_right), hole.y, size(hole_right, right), hole.height),
    ];
    pieces.into_iter().filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::{CellXY, Side, SideKind, TerrainKind};
    use wheelbase_traffic::random::Random;

    fn terrain(area: Rect) -> Change {
        Change::Terrain { area, kind: TerrainKind(1) }
    }

    /// Against the sets of cells, for all changes of a small map.
    #[test]
    fn each_cell_is_left_once_unless_a_later_change_has_it() {
        let mut random = Random::new(5);
        let mut area = || {
            let (x, y) = (random.below(6) as i32 - 1, random.below(6) as i32 - 1);
            Rect::new(x, y, 1 + random.below(5) as u32, 1 + random.below(5) as u32)
        };
        for _ in 0..3_000 {
            let (old, later) = (area(), [terrain(area()), terrain(area()), terrain(area())]);
            let mut left: Vec<CellXY> =
                left_of(terrain(old), &later).iter().flat_map(|change| change.area().cells()).collect();
            let mut expected: Vec<CellXY> =
                old.cells().filter(|&cell| !later.iter().any(|new| new.area().contains(cell))).collect();
            left.sort_unstable();
            expected.sort_unstable();
            assert_eq!(left, expected, "{old:?} {later:?}");
        }
    }

    #[test]
    fn only_what_is_set_alike_is_replaced() {
        let cell = CellXY::new(2, 2);
        let all = [
            terrain(Rect::new(2, 2, 1, 1)),
            Change::Elevation { area: Rect::new(2, 2, 1, 1), height: 3 },
            Change::Side { cell, side: Side::East, kind: SideKind(1) },
            Change::Side { cell, side: Side::West, kind: SideKind(1) },
            Change::Rotate { cell, turns: 1 },
        ];
        for (at, old) in all.iter().enumerate() {
            for (of, new) in all.iter().enumerate() {
                let is_replaced = at == of && at < 4;
                assert_eq!(left_of(*old, &[*new]).is_empty(), is_replaced, "{new:?} after {old:?}");
            }
        }
    }
}
