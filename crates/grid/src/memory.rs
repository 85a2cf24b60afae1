//! How much memory something will take, and how much may be taken: told before any of it is.

use crate::cell::GridSize;
use crate::shape::GridShape;
use std::fmt;

/// How much memory something will take, in bytes; an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryNeed {
    /// What is written while it is built, at its peak.
    pub built: u64,
    /// With all that searches and what they leave behind may come to take.
    pub most: u64,
}

impl MemoryNeed {
    /// Of what is built and never grows.
    pub const fn built(bytes: u64) -> Self {
        Self { built: bytes, most: bytes }
    }

    /// Of what may come to be taken.
    pub const fn may_take(bytes: u64) -> Self {
        Self { built: 0, most: bytes }
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { built: self.built.saturating_add(other.built), most: self.most.saturating_add(other.most) }
    }

    /// The greater of the two: what is taken one after the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { built: self.built.max(other.built), most: self.most.max(other.most) }
    }
}

/// How much memory may be taken, in bytes; without a number there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryMax {
    /// By what is [built](MemoryNeed::built).
    pub built: Option<u64>,
    /// By that and all that [may come to be taken](MemoryNeed::most).
    pub most: Option<u64>,
}

impl MemoryMax {
    /// No limit.
    pub const NONE: Self = Self { built: None, most: None };

    /// A limit to all that may come to be taken.
    pub const fn of_all(bytes: u64) -> Self {
        Self { built: Some(bytes), most: Some(bytes) }
    }

    /// Whether something may be taken; `what` names it with its size.
    ///
    /// ```
    /// use wheelbase_grid::{MemoryMax, MemoryNeed};
    /// let refused = MemoryMax::of_all(1 << 30).check(MemoryNeed::built(3 << 30), || "a map".to_owned());
    /// assert_eq!(refused.unwrap_err().to_string(), "a map: needs about 3.0 GiB of memory, may take 1.0 GiB");
    /// assert!(MemoryMax::NONE.check(MemoryNeed::built(3 << 30), String::new).is_ok());
    /// ```
    /// # Errors
    /// [`MemoryTooLarge`] if it needs more than may be taken.
    pub fn check(self, need: MemoryNeed, what: impl FnOnce() -> String) -> Result<(), MemoryTooLarge> {
        let over = |need: u64, max: Option<u64>| max.filter(|&max| need > max).map(|max| (need, max));
        match over(need.built, self.built).or(over(need.most, self.most)) {
            Some((need, max)) => Err(MemoryTooLarge { what: what(), need, max }),
            None => Ok(()),
        }
    }
}

/// Something needs more memory than may be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryTooLarge {
    /// What, with its size.
    pub what: String,
    /// Bytes that it needs, about.
    pub need: u64,
    /// Bytes that may be taken.
    pub max: u64,
}

impl fmt::Display for MemoryTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, need, max } = self;
        write!(f, "{what}: needs about {} of memory, may take {}", Bytes(*need), Bytes(*max))
    }
}

impl std::error::Error for MemoryTooLarge {}

/// A number of bytes for people: in the largest unit of which there is one at least, to a tenth.
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

/// Bytes of a [`Grid`](crate::Grid): a byte a cell, and where it has sides that are not open and heights, so many more.
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
    fn what_is_built_and_what_may_come_have_limits_of_their_own() {
        let need = MemoryNeed::built(100).and(MemoryNeed::may_take(50));
        assert_eq!((need.built, need.most), (100, 150));
        let max = |built, most| MemoryMax { built, most }.check(need, || "it".to_owned());
        assert!(max(Some(100), None).is_ok() && max(None, Some(150)).is_ok());
        assert_eq!(max(Some(99), None).unwrap_err().max, 99);
        assert_eq!(max(Some(100), Some(149)).unwrap_err().need, 150);
        assert!(MemoryNeed::built(u64::MAX).and(need).built == u64::MAX);
    }
}
