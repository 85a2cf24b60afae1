//! The move words of all states, in the narrowest layout that fits.

use crate::model::pose::StateSpace;
use crate::tables::rows::Layout;

#[derive(Clone, Debug)]
pub(crate) enum Layouts {
    Bits2x4(Layout<u8>),
    Bits4x4(Layout<u16>),
    Bits4x8(Layout<u32>),
    Bits4x16(Layout<u64>),
    Bits8x16(Layout<[u8; 16]>),
    Times(Layout<[u32; 16]>),
}

impl Layouts {
    /// A layout without compiled states, by its number from narrow to wide; the widest for higher numbers.
    pub fn numbered(number: usize, space: StateSpace) -> Self {
        match number {
            0 => Self::Bits2x4(Layout::new(space)),
            1 => Self::Bits4x4(Layout::new(space)),
            2 => Self::Bits4x8(Layout::new(space)),
            3 => Self::Bits4x16(Layout::new(space)),
            4 => Self::Bits8x16(Layout::new(space)),
            _ => Self::Times(Layout::new(space)),
        }
    }

    /// Its number.
    pub fn number(&self) -> usize {
        match self {
            Self::Bits2x4(_) => 0,
            Self::Bits4x4(_) => 1,
            Self::Bits4x8(_) => 2,
            Self::Bits4x16(_) => 3,
            Self::Bits8x16(_) => 4,
            Self::Times(_) => 5,
        }
    }
}

/// Runs the same code for any layout.
macro_rules! with_layout {
    ($layouts:expr, $layout:ident => $body:expr) => {
        match $layouts {
            $crate::tables::layouts::Layouts::Bits2x4($layout) => $body,
            $crate::tables::layouts::Layouts::Bits4x4($layout) => $body,
            $crate::tables::layouts::Layouts::Bits4x8($layout) => $body,
            $crate::tables::layouts::Layouts::Bits4x16($layout) => $body,
            $crate::tables::layouts::Layouts::Bits8x16($layout) => $body,
            $crate::tables::layouts::Layouts::Times($layout) => $body,
        }
    };
}
pub(crate) use with_layout;
