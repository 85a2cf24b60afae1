//! Values of saved states as plain words, so that this crate needs no serde.
//!
//! A struct names the fields that it saves once, beside its definition, by `saved!`. Writing and reading follow.

use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;

/// A value that a saved state holds as a fixed number of words.
///
/// ```
/// use wheelbase_traffic::Saved;
/// let mut words = Vec::new();
/// (7_u8, [1_u32, 2]).write(&mut words);
/// assert_eq!((words.as_slice(), <(u8, [u32; 2])>::width()), (&[7, 1, 2][..], 3));
/// assert_eq!(u8::read(&mut [256].into_iter()), None);
/// ```
pub trait Saved: Sized {
    /// Number of its words, at least 1.
    fn width() -> usize;

    /// Appends its words.
    fn write(&self, words: &mut Vec<u64>);

    /// The value of the next words; `None` if no value has them.
    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self>;
}

/// Number of words of a field.
pub(crate) fn width_of<S, T: Saved>(_field: fn(&S) -> T) -> usize {
    T::width()
}

/// Saves a struct by some of its fields; `else` gives the others when it is read.
macro_rules! saved {
    ($type:ty { $($field:tt),+ $(,)? } $(else $rest:expr)?) => {
        impl $crate::saved::Saved for $type {
            fn width() -> usize {
                0 $(+ $crate::saved::width_of(|of: &Self| of.$field))+
            }

            fn write(&self, words: &mut Vec<u64>) {
                $($crate::saved::Saved::write(&{ self.$field }, words);)+
            }

            fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self> {
                Some(Self { $($field: $crate::saved::Saved::read(words)?,)+ $(..$rest)? })
            }
        }
    };
}

pub(crate) use saved;

/// A type of one word.
macro_rules! saved_word {
    ($($type:ty: |$value:ident| $to:expr, |$word:ident| $of:expr;)+) => {
        $(impl Saved for $type {
            fn width() -> usize {
                1
            }

            fn write(&self, words: &mut Vec<u64>) {
                let $value = *self;
                words.push($to);
            }

            fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self> {
                let $word = words.next()?;
                $of
            }
        })+
    };
}

saved_word! {
    bool: |value| value.into(), |word| (word <= 1).then_some(word == 1);
    u8: |value| value.into(), |word| word.try_into().ok();
    u16: |value| value.into(), |word| word.try_into().ok();
    u32: |value| value.into(), |word| word.try_into().ok();
    u64: |value| value, |word| Some(word);
    usize: |value| value as u64, |word| word.try_into().ok();
    // The bits of 32.
    i32: |value| (value as u32).into(), |word| u32::try_from(word).ok().map(|bits| bits as i32);
}

saved!(State { 0 });
saved!(CellXY { x, y });

macro_rules! saved_tuple {
    ($($name:ident $at:tt),+) => {
        impl<$($name: Saved),+> Saved for ($($name,)+) {
            fn width() -> usize {
                0 $(+ $name::width())+
            }

            fn write(&self, words: &mut Vec<u64>) {
                $(self.$at.write(words);)+
            }

            fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self> {
                Some(($($name::read(words)?,)+))
            }
        }
    };
}

saved_tuple!(A 0, B 1);
saved_tuple!(A 0, B 1, C 2);
saved_tuple!(A 0, B 1, C 2, D 3);

impl<T: Saved, const N: usize> Saved for [T; N] {
    fn width() -> usize {
        N * T::width()
    }

    fn write(&self, words: &mut Vec<u64>) {
        self.iter().for_each(|value| value.write(words));
    }

    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self> {
        let values: Option<Vec<T>> = (0..N).map(|_| T::read(words)).collect();
        values?.try_into().ok()
    }
}

/// Whether there is a value, and its words, or as many zeros.
impl<T: Saved> Saved for Option<T> {
    fn width() -> usize {
        1 + T::width()
    }

    fn write(&self, words: &mut Vec<u64>) {
        let end = words.len() + Self::width();
        self.is_some().write(words);
        self.iter().for_each(|value| value.write(words));
        words.resize(end, 0);
    }

    fn read(words: &mut dyn Iterator<Item = u64>) -> Option<Self> {
        let (is_some, value) = Saved::read(words)?;
        Some(Some(value).filter(|_| is_some))
    }
}

/// Packs short numbers, four to a word.
pub(crate) fn pack(shorts: &[u16]) -> impl Iterator<Item = u64> {
    shorts.chunks(4).map(|shorts| shorts.iter().rev().fold(0, |word, &short| word << 16 | u64::from(short)))
}

/// The short numbers of packed words.
pub(crate) fn unpack(words: &[u64]) -> impl Iterator<Item = u16> {
    words.iter().flat_map(|word| (0..4).map(move |at| (word >> (16 * at)) as u16))
}
