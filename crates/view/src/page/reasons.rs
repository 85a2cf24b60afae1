//! Packs why agents rested: few texts with their numbers apart.

use crate::page::remedies::remedy;
use crate::page::timeline::{Timeline, TimelineAgent};
use crate::recorded::NONE;
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::collections::BTreeMap;
use std::fmt::Write;
use wheelbase_scenario::recording::{ReasonRow, WaitReasons};
use wheelbase_scenario::varint::put;
use wheelbase_sim::WaitReason;

/// Most deflated bytes of the reasons: a page grows by little, whatever happens in its run.
const BYTES_MAX: usize = 14 << 10;
/// A quick level, to measure with.
const DEFLATE_LEVEL: u8 = 6;

/// The reasons of a run, packed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PackedReasons {
    /// Sentences with their remedies, with `#` for each number of the reason.
    pub texts: Vec<String>,
    /// For each agent of the timeline: the number of rows, then `ticks since the last, text + 1 or 0, numbers`.
    pub bytes: Vec<u8>,
}

impl PackedReasons {
    /// Packs the reasons. If all take too much space, the longer ones.
    pub fn of(timeline: &Timeline, reasons: &WaitReasons) -> Self {
        let with_paths = !timeline.path_runs.is_empty();
        let mut by_agent: BTreeMap<u32, Vec<&ReasonRow>> = BTreeMap::new();
        for row in &reasons.rows {
            by_agent.entry(row.agent.0).or_default().push(row);
        }
        let least = std::iter::once(0).chain((0..32).map(|power| 1_u32 << power));
        least
            .map(|ticks_min| packed(&timeline.agents, &by_agent, with_paths, ticks_min))
            .find(|packed| compress_to_vec_zlib(&packed.bytes, DEFLATE_LEVEL).len() <= BYTES_MAX)
            .unwrap_or_default()
    }
}

/// Packs the reasons that lasted some ticks.
fn packed(
    agents: &[TimelineAgent],
    by_agent: &BTreeMap<u32, Vec<&ReasonRow>>,
    with_paths: bool,
    ticks_min: u32,
) -> PackedReasons {
    let (mut out, mut numbers) = (PackedReasons::default(), BTreeMap::new());
    for agent in agents {
        let until = if agent.removed == NONE { u32::MAX } else { agent.removed };
        let is_kept =
            |row: &&ReasonRow| (agent.placed..until).contains(&row.tick) && row.last - row.tick >= ticks_min;
        let rows = by_agent.get(&agent.id).map_or(&[][..], Vec::as_slice).iter().copied();
        let mut kept: Vec<_> = rows.filter(is_kept).map(|row| (row.tick, hidden(row, with_paths))).collect();
        kept.dedup_by(|(_, later), (_, earlier)| later.is_none() && earlier.is_none());
        put(&mut out.bytes, kept.len() as u64);
        let mut before = 0;
        for (tick, reason) in kept {
            put(&mut out.bytes, (tick - before).into());
            before = tick;
            let Some(reason) = reason else {
                put(&mut out.bytes, 0);
                continue;
            };
            let (mut text, holes) = split(&reason.to_string());
            text.push('.');
            if let Some(remedy) = remedy(reason.rule()) {
                let _ = write!(text, " Remedy: {remedy}.");
            }
            let number = *numbers.entry(text).or_insert_with_key(|text| {
                out.texts.push(text.clone());
                out.texts.len() as u64
            });
            put(&mut out.bytes, number);
            holes.into_iter().for_each(|hole| put(&mut out.bytes, hole));
        }
    }
    out
}

/// The reason, unless a page that has the paths shows it anyway: another agent in the way, or no path yet.
fn hidden(row: &ReasonRow, with_paths: bool) -> Option<WaitReason> {
    row.reason.filter(|reason| !with_paths || !matches!(reason, WaitReason::Agent { .. } | WaitReason::Path))
}

/// A text with `#` in place of its numbers, and the numbers.
fn split(text: &str) -> (String, Vec<u64>) {
    let (mut out, mut numbers) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let length = from.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(from.len());
        let (digits, after) = from.split_at(length);
        out.push_str(before);
        // A browser holds numbers up to 2^53 exactly.
        match digits.parse::<u64>().ok().filter(|number| *number < 1 << 53) {
            Some(number) => {
                out.push('#');
                numbers.push(number);
            }
            None => out.push_str(digits),
        }
        rest = after;
    }
    out.push_str(rest);
    (out, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_words_and_numbers() {
        let (text, numbers) = split("12 is in the way at (3, 40)");
        assert_eq!((text.as_str(), numbers), ("# is in the way at (#, #)", vec![12, 3, 40]));
        assert_eq!(split("nothing"), ("nothing".to_owned(), vec![]));
    }
}
