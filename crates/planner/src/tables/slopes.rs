//! Times of moves on slopes: heights under the body, and a code per distinct time.

use crate::model::class_spec::Climb;
use crate::model::offset::Offset;
use crate::model::successor::{climbs, tilts};
use crate::tables::move_words::{MoveWord, SpeedClass};
use crate::tables::moves::COST_ENTRIES;
use crate::tables::row_words::AnchorRow;
use std::collections::BTreeMap;
use wheelbase_grid::GridSize;

/// A primitive has more distinct times than the layout has codes.
pub(crate) struct TooManyTimes;

/// Times of moves on slopes, and their codes.
pub(crate) struct SlopeTimes<'a> {
    /// `[height * width]`; `None` if heights do not matter.
    pub elevation: Option<&'a [i16]>,
    pub speeds: &'a [u16],
    pub codes: &'a mut [BTreeMap<u32, u32>],
    pub times: &'a mut [u32],
    pub costs: &'a mut [i64; COST_ENTRIES],
    pub min_ticks: &'a mut [u32],
    pub max_ticks: &'a mut u32,
}

impl SlopeTimes<'_> {
    /// Code of a time, allocated on first use.
    pub fn code<W: MoveWord>(&mut self, primitive: usize, ticks: u32) -> Result<u32, TooManyTimes> {
        if !W::NUMBERED {
            self.widen(primitive, ticks);
            return Ok(ticks);
        }
        let codes = &mut self.codes[primitive];
        if let Some(&code) = codes.get(&ticks) {
            return Ok(code);
        }
        let code = codes.len() as u32 + 1;
        if code > W::CODE_MAX {
            return Err(TooManyTimes);
        }
        codes.insert(ticks, code);
        self.times[primitive << W::BITS | code as usize] = ticks;
        W::note_cost(self.costs, primitive, code, ticks);
        self.widen(primitive, ticks);
        Ok(code)
    }

    fn widen(&mut self, primitive: usize, ticks: u32) {
        self.min_ticks[primitive] = self.min_ticks[primitive].min(ticks);
        *self.max_ticks = (*self.max_ticks).max(ticks);
    }
}

/// Highest and lowest cell under the footprint, at the start and the end of a move, for a row of anchors.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeightRows {
    before_high: Vec<i16>,
    before_low: Vec<i16>,
    after_high: Vec<i16>,
    after_low: Vec<i16>,
}

impl HeightRows {
    pub fn read_before(&mut self, elevation: &[i16], size: GridSize, anchors: AnchorRow, cells: &[Offset]) {
        read_heights(&mut self.before_high, &mut self.before_low, elevation, size, anchors, cells);
    }

    pub fn read_after(&mut self, elevation: &[i16], size: GridSize, anchors: AnchorRow, cells: &[Offset]) {
        read_heights(&mut self.after_high, &mut self.after_low, elevation, size, anchors, cells);
    }

    /// Sets speed classes to 0 where the body would tilt too far.
    pub fn close_tilted<L: SpeedClass>(&self, speed_classes: &mut [L], climb: &Climb) {
        for (column, speed_class) in speed_classes.iter_mut().enumerate() {
            if !tilts(climb, i32::from(self.before_high[column]) - i32::from(self.before_low[column])) {
                *speed_class = L::default();
            }
        }
    }

    /// Rise of the move from a column's anchor, if the class permits the rise and the tilt at both ends.
    pub fn rise(&self, column: usize, climb: &Climb) -> Option<i32> {
        let [before, before_low, after, after_low] =
            [&self.before_high, &self.before_low, &self.after_high, &self.after_low]
                .map(|row| i32::from(row[column]));
        let rise = after - before;
        let legal =
            tilts(climb, before - before_low) && tilts(climb, after - after_low) && climbs(climb, rise);
        legal.then_some(rise)
    }
}

/// Highest and lowest cell of a footprint at each anchor of a row; cells off the map are ignored.
fn read_heights(
    high: &mut Vec<i16>,
    low: &mut Vec<i16>,
    elevation: &[i16],
    size: GridSize,
    AnchorRow { x, y, width }: AnchorRow,
    cells: &[Offset],
) {
    high.clear();
    high.resize(width, i16::MIN);
    low.clear();
    low.resize(width, i16::MAX);
    for offset in cells {
        let row = y + offset.dy;
        if !(0..size.height() as i32).contains(&row) {
            continue;
        }
        let first = i64::from(x) + i64::from(offset.dx);
        let from = (-first).clamp(0, width as i64) as usize;
        let to = (i64::from(size.width()) - first).clamp(0, width as i64) as usize;
        if from >= to {
            continue;
        }
        let start = (i64::from(row) * i64::from(size.width()) + first + from as i64) as usize;
        let source = &elevation[start..start + (to - from)];
        for ((high, low), &height) in high[from..to].iter_mut().zip(&mut low[from..to]).zip(source) {
            *high = (*high).max(height);
            *low = (*low).min(height);
        }
    }
}
