//! Columns of a saved state: one value of each of some structs, with its name, range and meaning, for saving and reading.

use crate::motion::{AgentId, AgentSlot};
use crate::rule_state::{RuleStateError, StateVisitor};
use crate::state_reader::StateReader;
use crate::teams::Team;
use wheelbase_planner::model::State;

/// A value that fits in one word.
pub(crate) trait SavedWord: Copy {
    /// The greatest word.
    const MOST: u64;

    fn to_word(self) -> u64;

    /// The value of a word up to `MOST`.
    fn of_word(word: u64) -> Self;
}

macro_rules! saved_words {
    ($($type:ty: $most:expr, |$value:ident| $to:expr, |$word:ident| $of:expr;)+) => {
        $(impl SavedWord for $type {
            const MOST: u64 = $most as u64;

            fn to_word(self) -> u64 {
                let $value = self;
                $to as u64
            }

            fn of_word($word: u64) -> Self {
                $of
            }
        })+
    };
}

saved_words! {
    u8: u8::MAX, |value| value, |word| word as u8;
    u16: u16::MAX, |value| value, |word| word as u16;
    u32: u32::MAX, |value| value, |word| word as u32;
    u64: u64::MAX, |value| value, |word| word;
    bool: 1, |value| value, |word| word == 1;
    AgentId: u32::MAX, |id| id.0, |word| AgentId(word as u32);
    AgentSlot: u32::MAX, |slot| slot.0, |word| AgentSlot(word as u32);
    Team: Team::COUNT - 1, |team| team.0, |word| Team(word as u8);
    // One more than the state, 0 for none: so the greatest is the number of states.
    State: u32::MAX, |state| state.0.wrapping_add(1), |word| State((word as u32).wrapping_sub(1));
}

/// One column: a value of each struct `T`, whose range depends on limits `L`.
pub(crate) struct SavedColumn<T, L> {
    pub(crate) name: &'static str,
    pub(crate) get: fn(T) -> u64,
    pub(crate) set: fn(&mut T, u64),
    /// The greatest word allowed.
    pub(crate) most: fn(&L) -> u64,
    /// Its description, for errors.
    pub(crate) what: &'static str,
}

/// Columns of a struct: name, type, place of the value, and description. The greatest word is given if it is not the
/// greatest of the type.
macro_rules! saved_columns {
    ($of:ty, $limits:ty; $($name:literal: $type:ty = $at:expr $(, up to $most:expr)?, $what:literal;)+) => {
        &[$($crate::saved_columns::SavedColumn::<$of, $limits> {
            name: $name,
            get: |mut of| {
                let at: fn(&mut $of) -> &mut $type = $at;
                $crate::saved_columns::SavedWord::to_word(*at(&mut of))
            },
            set: |of, word| {
                let at: fn(&mut $of) -> &mut $type = $at;
                *at(of) = $crate::saved_columns::SavedWord::of_word(word);
            },
            most: {
                let most: fn(&$limits) -> u64 = |_| <$type as $crate::saved_columns::SavedWord>::MOST;
                $(let _ = most; let most: fn(&$limits) -> u64 = $most;)?
                most
            },
            what: $what,
        }),+]
    };
}

pub(crate) use saved_columns;

/// Shows each column as a part, with a value for each of the structs at some indices.
pub(crate) fn visit_columns<T: Copy, L>(
    columns: &[SavedColumn<T, L>],
    (all, at): (&[T], impl Iterator<Item = usize> + Clone),
    visitor: &mut dyn StateVisitor,
) {
    for column in columns {
        visitor.part(column.name, &mut at.clone().map(|at| (column.get)(all[at])));
    }
}

/// Reads what [`visit_columns`] has shown into the structs at some indices.
/// # Errors
/// [`RuleStateError`] for a part that is missing, has another number of values, or has one out of its range.
pub(crate) fn restore_columns<T, L>(
    columns: &[SavedColumn<T, L>],
    limits: &L,
    (all, at): (&mut [T], impl Iterator<Item = usize> + Clone),
    reader: &mut StateReader<'_>,
) -> Result<(), RuleStateError> {
    for column in columns {
        let mut part = reader.part_of(column.name, at.clone().count())?;
        for at in at.clone() {
            (column.set)(&mut all[at], part.next(0..=(column.most)(limits), column.what)?);
        }
    }
    Ok(())
}
