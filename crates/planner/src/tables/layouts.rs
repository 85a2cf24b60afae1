//! The move words of all states, in the narrowest layout that fits.

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
