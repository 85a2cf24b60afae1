//! Memory estimates and limits, checked before anything is allocated.

use crate::cell::GridSize;
use crate::shape::GridShape;
use std::fmt;

/// Estimated memory of a structure, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryNeed {
    /// Peak while it is built.
    pub built: u64,
    /// Peak including everything that searches and their retained results can take later.
    pub total: u64,
}

impl MemoryNeed {
    /// A structure of fixed size once built.
    pub const fn built(bytes: u64) -> Self {
        Self { built: bytes, total: bytes }
    }

    /// Memory that is allocated only later, on demand.
    pub const fn on_demand(bytes: u64) -> Self {
        Self { built: 0, total: bytes }
    }

    /// Both structures together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { built: self.built.saturating_add(other.built), total: self.total.saturating_add(other.total) }
    }

    /// The larger of two needs that do not exist at the same time.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { built: self.built.max(other.built), total: self.total.max(other.total) }
    }
}

/// Limits on memory, in bytes; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryMax {
    /// Limit on memory [`built`](MemoryNeed::built).
    pub built: Option<u64>,
    /// Limit on the [total](MemoryNeed::total), including memory taken later.
    pub total: Option<u64>,
}

impl MemoryMax {
    /// No limit.
    pub const NONE: Self = Self { built: None, total: None };

    /// One limit for everything, including memory taken later.
    pub const fn of_all(bytes: u64) -> Self {
        Self { built: Some(bytes), total: Some(bytes) }
    }

    /// The limits that are left after something has taken `bytes`.
    #[must_use]
    pub fn less(self, bytes: u64) -> Self {
        let less = |max: Option<u64>| max.map(|max| max.saturating_sub(bytes));
        Self { built: less(self.built), total: less(self.total) }
    }

    /// Checks a need against the limits; `what` names the structure and its size.
    ///
    /// ```
    /// use wheelbase_grid::{MemoryMax, MemoryNeed};
    /// let refused = MemoryMax::of_all(1 << 30).check(MemoryNeed::built(3 << 30), || "a map".to_owned());
    /// assert_eq!(refused.unwrap_err().to_string(), "a map: needs about 3.0 GiB of memory, may take 1.0 GiB");
    /// assert!(MemoryMax::NONE.check(MemoryNeed::built(3 << 30), String::new).is_ok());
    /// ```
    /// # Errors
    /// [`MemoryTooLarge`] if the need exceeds a limit.
    pub fn check(self, need: MemoryNeed, what: impl FnOnce() -> String) -> Result<(), MemoryTooLarge> {
        let over = |need: u64, max: Option<u64>| max.filter(|&max| need > max).map(|max| (need, max));
        match over(need.built, self.built).or(over(need.total, self.total)) {
            Some((need, max)) => Err(MemoryTooLarge { what: what(), need, max }),
            None => Ok(()),
        }
    }
}

/// A structure needs more memory than the limit allows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryTooLarge {
    /// The structure, with its size.
    pub what: String,
    /// Estimated bytes needed.
    pub need: u64,
    /// Bytes allowed.
    pub max: u64,
}

impl fmt::Display for MemoryTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, need, max } = self;
        write!(f, "{what}: needs about {} of memory, may take {}", Bytes(*need), Bytes(*max))
    }
}

impl std::error::Error for MemoryTooLarge {}

/// Displays a number of bytes for humans: in the largest unit that gives at least 1, to one decimal.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
        let Some((unit, shift)) = units.into_iter().find(|(_, shift)| self.0 >> shift > 0) else {
            return write!(f, "{} bytes", self.0);
        };
        let tenths = (u128::from(self.0) * 10) >> shift;
        write!(f, "{}.{} {unit}", tenths / 10, tenths % 10)
    }
}

/// Bytes of a [`Grid`](crate::Grid): one per cell, plus two or three for sides that are not open and two for
/// heights.
pub fn grid_bytes(size: GridSize, shape: GridShape, sides: bool, heights: bool) -> u64 {
    let of_sides = match shape {
        GridShape::Square => 2,
        GridShape::Hex => 3,
    };
    size.n_cells() as u64 * (1 + if sides { of_sides } else { 0 } + if heights { 2 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_in_the_largest_unit() {
        let shown = |bytes| Bytes(bytes).to_string();
        assert_eq!(shown(0), "0 bytes");
        assert_eq!(shown(1023), "1023 bytes");
        assert_eq!(shown(1536), "1.5 KiB");
        assert_eq!(shown((1 << 30) - 1), "1023.9 MiB");
        assert_eq!(shown(u64::MAX), "17179869183.9 GiB");
    }

    #[test]
    fn built_and_total_memory_have_separate_limits() {
        let need = MemoryNeed::built(100).and(MemoryNeed::on_demand(50));
        assert_eq!((need.built, need.total), (100, 150));
        let max = |built, total| MemoryMax { built, total }.check(need, || "it".to_owned());
        assert!(max(Some(100), None).is_ok() && max(None, Some(150)).is_ok());
        assert_eq!(max(Some(99), None).unwrap_err().max, 99);
        assert_eq!(max(Some(100), Some(149)).unwrap_err().need, 150);
        assert!(MemoryNeed::built(u64::MAX).and(need).built == u64::MAX);
    }
}
