//! Operations of unit robots: strings of actions, with the cells that they pass.
//!
//! An action is a step forward, a turn to the left or right, or a wait, of one tick each. An operation is a string of
//! [`DEPTH`] actions. Strings that pass the same cells at the same ticks and end at the same heading are one operation.

/// Actions of an operation: ticks for which cells are reserved. Strings of 3, 4 and 5 actions did 1380, 1472 and 1495
/// tasks on MR23-I-04.
pub(super) const DEPTH: usize = 4;

/// Actions by number; the first three are the primitives of a robot.
pub(super) const FORWARD: u8 = 0;
pub(super) const LEFT: u8 = 1;
pub(super) const RIGHT: u8 = 2;
pub(super) const WAIT: u8 = 3;

/// All operations. Arrays by heading of the start are `[heading * n + operation]`.
#[derive(Clone, Debug)]
pub(super) struct Operations {
    /// Number of operations.
    pub n: usize,
    /// Actions of each operation.
    pub actions: Vec<[u8; DEPTH]>,
    /// By heading: index of the cell after each action, relative to the start.
    pub cells: Vec<[i32; DEPTH]>,
    /// By heading: heading before each action.
    pub headings: Vec<[u8; DEPTH]>,
    /// By heading: heading at the end.
    pub end_heading: Vec<u8>,
    /// By depth: the first later operation that differs in the first `1 + depth` actions.
    pub skip: Vec<[u16; DEPTH]>,
}

impl Operations {
    /// The operations on a map with rows of `stride` cells; headings count counter-clockwise from east.
    pub fn new(stride: i32) -> Self {
        let mut strings: Vec<[u8; DEPTH]> = (0..4_usize.pow(DEPTH as u32))
            .map(|code| std::array::from_fn(|at| (code >> (2 * (DEPTH - 1 - at)) & 3) as u8))
            .collect();
        // Of equivalent strings the string with the fewest moves stays, then the string that moves first.
        strings.sort_by_key(|string| string.iter().filter(|&&action| action != WAIT).count());
        let mut seen = std::collections::BTreeSet::new();
        strings.retain(|string| seen.insert(trace(string, 0, 1 << 20)));
        strings.sort_unstable();
        let actions = strings;
        let n = actions.len();
        let mut cells = Vec::with_capacity(4 * n);
        let mut headings = Vec::with_capacity(4 * n);
        let mut end_heading = Vec::with_capacity(4 * n);
        for heading in 0..4 {
            for string in &actions {
                let (passed, end) = trace(string, heading, stride);
                cells.push(passed);
                let before = |depth: usize| trace_heading(&string[..depth], heading);
                headings.push(std::array::from_fn(before));
                end_heading.push(end);
            }
        }
        let after = |at: usize, depth: usize| {
            let differs = |other: &&[u8; DEPTH]| other[..=depth] != actions[at][..=depth];
            actions[at..].iter().take_while(|other| !differs(other)).count() + at
        };
        let skip = (0..n).map(|at| std::array::from_fn(|depth| after(at, depth) as u16)).collect();
        Self { n, actions, cells, headings, end_heading, skip }
    }
}

/// Heading after a string of actions.
fn trace_heading(string: &[u8], heading: u8) -> u8 {
    string.iter().fold(heading, |heading, &action| match action {
        LEFT => (heading + 1) % 4,
        RIGHT => (heading + 3) % 4,
        _ => heading,
    })
}

/// Cells that a string of actions passes, relative to the start, and the heading at its end.
fn trace(string: &[u8; DEPTH], heading: u8, stride: i32) -> ([i32; DEPTH], u8) {
    let (mut heading, mut cell) = (heading, 0);
    let cells = std::array::from_fn(|at| {
        match string[at] {
            FORWARD => cell += [1, -stride, -1, stride][usize::from(heading)],
            LEFT => heading = (heading + 1) % 4,
            RIGHT => heading = (heading + 3) % 4,
            _ => {}
        }
        cell
    });
    (cells, heading)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_has_one_operation() {
        let operations = Operations::new(100);
        assert_eq!((operations.n, operations.actions.len()), (88, 88));
        assert_eq!(operations.actions[87], [WAIT; DEPTH]);
        assert_eq!(operations.actions[0], [FORWARD; DEPTH]);
        for heading in 0..4_u8 {
            let of_heading = usize::from(heading) * operations.n..usize::from(heading + 1) * operations.n;
            let mut known: Vec<_> =
                of_heading.map(|at| (operations.cells[at], operations.end_heading[at])).collect();
            known.sort_unstable();
            assert!(known.windows(2).all(|pair| pair[0] != pair[1]));
            for code in 0..256_u32 {
                let string = std::array::from_fn(|at| (code >> (2 * at) & 3) as u8);
                assert!(known.binary_search(&trace(&string, heading, 100)).is_ok(), "{string:?}");
            }
        }
    }

    #[test]
    fn skips_lead_past_all_equal_beginnings() {
        let operations = Operations::new(9);
        for at in 0..operations.n {
            for depth in 0..DEPTH {
                let skip = usize::from(operations.skip[at][depth]);
                let prefix = &operations.actions[at][..=depth];
                assert!(operations.actions[at..skip].iter().all(|other| &other[..=depth] == prefix));
                assert!(operations.actions.get(skip).is_none_or(|other| &other[..=depth] != prefix));
            }
        }
    }
}
