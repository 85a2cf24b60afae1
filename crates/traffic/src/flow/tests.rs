use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    /// Counts equal a plain count by cell and direction that fades at the ticks of its row, down to 0.
    #[test]
    fn flow_equals_a_plain_count(
        moves in prop::collection::vec((0_i32..9, 0_i32..150, 0_usize..4, 1_usize..20, 0_u32..300), 1..60),
    ) {
        let size = GridSize::new(9, 150).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mut flow = DirectionalFlow::new(size, GridShape::Square, TrafficParams::USUAL);
        let mut plain: BTreeMap<(CellXY, usize), u32> = BTreeMap::new();
        let mut tick = 0;
        let mut check = |flow: &mut DirectionalFlow, plain: &mut BTreeMap<(CellXY, usize), u32>, ticks: u32| {
            for _ in 0..ticks {
                tick += 1;
                flow.fade(tick);
                for ((cell, _), count) in &mut *plain {
                    if cell.y as u32 % 64 == tick % 64 {
                        *count -= count.div_ceil(12);
                    }
                }
            }
            for (number, cell) in size.rect().cells().enumerate() {
                for direction in 0..4 {
                    let count = plain.get(&(cell, direction)).copied().unwrap_or(0);
                    prop_assert_eq!(flow.at(number, direction), count);
                }
            }
            Ok(())
        };
        for (x, y, direction, n_moves, ticks) in moves {
            let (dx, dy) = [(1, 0), (0, -1), (-1, 0), (0, 1)][direction];
            let (from, to) = (CellXY::new(x, y), CellXY::new(x + dx, y + dy));
            for _ in 0..n_moves {
                let body = [from, to].into_iter().filter(|&cell| size.rect().contains(cell));
                if size.rect().contains(to) {
                    flow.count(from, to, body.clone());
                    // A turn on the spot is no move.
                    flow.count(to, to, body.clone());
                    for cell in body {
                        let count = plain.entry((cell, direction)).or_default();
                        *count = (*count + 16).min(255);
                    }
                }
            }
            check(&mut flow, &mut plain, ticks)?;
        }
        check(&mut flow, &mut plain, 64 * 64)?;
        prop_assert!(plain.values().all(|&count| count == 0) && !flow.in_use.contains(&true));
    }
}
