//! Matching of agents to poses such that their paths do not cross.
//!
//! The matching of least sum of squared distances preserves order. Of any two agents, the one farther ahead in a
//! direction gets a pose at least as far ahead in it. (Monotone maps of optimal transport, Brenier 1991.) So nobody
//! overtakes, the agents in front take the far poses, and no two swap sides. It is approximated: a matching by halves,
//! then exchanges of pairs.

use wheelbase_grid::{CellXY, GridShape};

/// A point of the plane, in thirtieths of a cell's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    x: i64,
    y: i64,
}

/// Limit of the distance of an agent's point from the goal, in thirtieths of a cell.
const DISTANCE_MAX: i128 = 1 << 28;
/// Pairs tried in all rounds of exchanges at most.
const PAIRS_MAX: usize = 1 << 22;

impl Point {
    /// Centre of a cell.
    pub fn of_cell(shape: GridShape, cell: CellXY) -> Self {
        let (x, y) = (i64::from(cell.x), i64::from(cell.y));
        match shape {
            GridShape::Square => Self { x: 30 * x, y: 30 * y },
            // The distance of rows is the width of a cell times half the square root of three.
            GridShape::Hex => Self { x: 30 * x + 15 * (y & 1), y: 26 * y },
        }
    }

    /// The point in the direction of `near`, `times / of` times as far.
    pub fn beyond(self, near: Self, (times, of): (u32, u32)) -> Self {
        if of == 0 || times == of {
            return near;
        }
        let scale = |from: i64, to: i64| {
            let step = i128::from(to - from) * i128::from(times) / i128::from(of);
            from + step.clamp(-DISTANCE_MAX, DISTANCE_MAX) as i64
        };
        Self { x: scale(self.x, near.x), y: scale(self.y, near.y) }
    }

    /// Coordinate along one of four directions, 45 degrees apart; along the diagonals scaled by the square root of two.
    fn along(self, direction: usize) -> i64 {
        [self.x, self.y, self.x + self.y, self.x - self.y][direction]
    }
}

/// The index of the point in `to` for each point of `from`. Both slices have the same length.
pub(super) fn match_in_order(from: &[Point], to: &[Point]) -> Vec<u32> {
    let mut matched = vec![0; from.len()];
    let numbers = |of: &[Point]| (0..of.len() as u32).collect::<Vec<_>>();
    match_halves((from, &mut numbers(from)), (to, &mut numbers(to)), &mut matched);
    let rounds = PAIRS_MAX / (from.len() * from.len()).max(1);
    for _ in 0..rounds {
        if !exchange(from, to, &mut matched) {
            break;
        }
    }
    matched
}

/// Has agents keep the targets that they hold (by agent) where the matching only exchanges these. An agent that comes
/// from elsewhere has the agents in front of it move up instead, since in a corridor it could not pass them. Linear.
pub(super) fn keep_held(held: &[Option<u32>], matched: &mut [u32]) {
    let mut holder = vec![None; matched.len()];
    for (agent, target) in held.iter().enumerate() {
        if let Some(target) = target {
            holder[*target as usize] = Some(agent);
        }
    }
    let mut moves_up = vec![false; matched.len()];
    for first in (0..matched.len()).filter(|&agent| held[agent].is_none()) {
        let mut next = Some(first);
        while let Some(agent) = next {
            moves_up[agent] = true;
            next = holder[matched[agent] as usize];
        }
    }
    for (agent, target) in matched.iter_mut().enumerate().filter(|&(agent, _)| !moves_up[agent]) {
        *target = held[agent].unwrap_or(*target);
    }
}

/// Matches the front half of the agents with the front half of the targets, in the direction of greatest extent. Does
/// the same within the halves.
fn match_halves(
    (from, agents): (&[Point], &mut [u32]),
    (to, targets): (&[Point], &mut [u32]),
    matched: &mut [u32],
) {
    let n = agents.len();
    if n <= 1 {
        if let (Some(&one), Some(&target)) = (agents.first(), targets.first()) {
            matched[one as usize] = target;
        }
        return;
    }
    let extent = |direction: usize| {
        let along = |of: &[Point], numbers: &[u32]| {
            let all = numbers.iter().map(|&number| of[number as usize].along(direction));
            all.clone().max().unwrap_or(0) - all.min().unwrap_or(0)
        };
        // Compensates the scale of the diagonals: 7 / 5 for the square root of two.
        let scale = if direction < 2 { 7 } else { 5 };
        (along(from, agents) + along(to, targets)) * scale
    };
    let direction = (0..4).max_by_key(|&direction| (extent(direction), std::cmp::Reverse(direction)));
    let direction = direction.unwrap_or(0);
    let half = n / 2;
    let split = |of: &[Point], numbers: &mut [u32]| {
        numbers.select_nth_unstable_by_key(half, |&number| (of[number as usize].along(direction), number));
    };
    split(from, agents);
    split(to, targets);
    let ((rear, front), (near, far)) = (agents.split_at_mut(half), targets.split_at_mut(half));
    match_halves((from, rear), (to, near), matched);
    match_halves((from, front), (to, far), matched);
}

/// Exchanges the targets of pairs where that lowers the sum of squared distances. Returns whether any pair was
/// exchanged.
fn exchange(from: &[Point], to: &[Point], matched: &mut [u32]) -> bool {
    let mut any = false;
    let target = |number: u32| to[number as usize];
    for one in 0..from.len() {
        for other in 0..one {
            let (to_one, to_other) = (target(matched[one]), target(matched[other]));
            // The scalar product of both differences: half of what an exchange adds to the sum.
            let product = |from: i64, to: i64| i128::from(from) * i128::from(to);
            let scalar_product = product(from[one].x - from[other].x, to_one.x - to_other.x)
                + product(from[one].y - from[other].y, to_one.y - to_other.y);
            if scalar_product < 0 {
                matched.swap(one, other);
                any = true;
            }
        }
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_traffic::random::Random;

    /// The matching of least sum of squared distances by the Hungarian method (Kuhn 1955, with the potentials of
    /// Jonker and Volgenant 1987).
    fn cheapest(from: &[Point], to: &[Point]) -> Vec<u32> {
        let n = from.len();
        let (mut of_row, mut of_column) = (vec![0_i64; n + 1], vec![0_i64; n + 1]);
        let mut row_of = vec![0; n + 1];
        for row in 1..=n {
            let (mut least, mut before) = (vec![i64::MAX; n + 1], vec![0; n + 1]);
            let mut used = vec![false; n + 1];
            let mut column = 0;
            row_of[0] = row;
            while row_of[column] != 0 {
                used[column] = true;
                let (at, mut step, mut next) = (row_of[column], i64::MAX, 0);
                for to_column in (1..=n).filter(|&column| !used[column]) {
                    let cost = squared(from[at - 1], to[to_column - 1]) - of_row[at] - of_column[to_column];
                    if cost < least[to_column] {
                        (least[to_column], before[to_column]) = (cost, column);
                    }
                    if least[to_column] < step {
                        (step, next) = (least[to_column], to_column);
                    }
                }
                for column in 0..=n {
                    if used[column] {
                        of_row[row_of[column]] += step;
                        of_column[column] -= step;
                    } else if least[column] < i64::MAX {
                        least[column] -= step;
                    }
                }
                column = next;
            }
            while column != 0 {
                row_of[column] = row_of[before[column]];
                column = before[column];
            }
        }
        let mut matched = vec![0; n];
        (1..=n).for_each(|column| matched[row_of[column] - 1] = column as u32 - 1);
        matched
    }

    fn squared(a: Point, b: Point) -> i64 {
        (a.x - b.x).pow(2) + (a.y - b.y).pow(2)
    }

    fn sum(from: &[Point], to: &[Point], matched: &[u32]) -> i64 {
        from.iter().zip(matched).map(|(&at, &target)| squared(at, to[target as usize])).sum()
    }

    /// Number of pairs for which an exchange lowers the sum.
    fn crossing_pairs(from: &[Point], to: &[Point], matched: &[u32]) -> usize {
        let target = |one: usize| to[matched[one] as usize];
        let pairs = (0..from.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let crosses = |&(one, other): &(usize, usize)| {
            let now = squared(from[one], target(one)) + squared(from[other], target(other));
            squared(from[one], target(other)) + squared(from[other], target(one)) < now
        };
        pairs.filter(crosses).count()
    }

    /// Random agents in one block of cells and poses in another.
    fn drawn(random: &mut Random, n: usize) -> (Vec<Point>, Vec<Point>) {
        let mut within = |width: usize, height: usize, (x, y): (i64, i64)| {
            let cell = |_| {
                let (dx, dy) = (random.below(width) as i64, random.below(height) as i64);
                Point { x: 30 * (x + dx), y: 30 * (y + dy) }
            };
            (0..n).map(cell).collect::<Vec<_>>()
        };
        (within(24, 8, (-40, 5)), within(9, 9, (0, 0)))
    }

    #[test]
    fn every_target_is_used_once_and_no_two_paths_cross() {
        let mut random = Random::new(11);
        let mut totals = [0_i64; 4];
        for n in (1..60).chain([150]) {
            let (from, to) = drawn(&mut random, n);
            let matched = match_in_order(&from, &to);
            let mut all = matched.clone();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..n as u32));
            assert_eq!(crossing_pairs(&from, &to, &matched), 0);
            let best = cheapest(&from, &to);
            assert_eq!(crossing_pairs(&from, &to, &best), 0);
            let mut halves = vec![0; n];
            let numbers = || (0..n as u32).collect::<Vec<_>>();
            match_halves((&from, &mut numbers()), (&to, &mut numbers()), &mut halves);
            let sums = [&matched, &best, &halves, &numbers()].map(|matched| sum(&from, &to, matched));
            assert!(sums[1] <= sums[0] && sums[0] <= sums[2], "{n}: {sums:?}");
            (0..4).for_each(|at| totals[at] += sums[at]);
        }
        // It misses at most a fiftieth of what the best matching gains over a random one.
        let [ours, best, _, random] = totals;
        assert!((ours - best) * 50 <= random - best, "{totals:?}");
    }

    #[test]
    fn holders_keep_their_targets_unless_somebody_comes_in() {
        let kept = |held: &[Option<u32>], matched: &[u32]| {
            let mut matched = matched.to_vec();
            keep_held(held, &mut matched);
            matched
        };
        let all: Vec<Option<u32>> = [3, 0, 1, 2].map(Some).to_vec();
        assert_eq!(kept(&all, &[0, 1, 2, 3]), [3, 0, 1, 2]);
        // The first comes from elsewhere and moves the second on; the other two would only exchange their targets.
        let held = [None, Some(0), Some(1), Some(2)];
        assert_eq!(kept(&held, &[0, 3, 2, 1]), [0, 3, 1, 2]);
        assert_eq!(kept(&held, &[0, 1, 2, 3]), [0, 1, 2, 3]);
    }

    #[test]
    fn the_first_agent_goes_farthest() {
        // A queue from the west, and targets in a row: nobody overtakes.
        let from: Vec<Point> = (0..5).map(|at| Point { x: -300 - 30 * at, y: 0 }).collect();
        let to: Vec<Point> = [2, 0, 4, 1, 3].iter().map(|&at| Point { x: 30 * at, y: 0 }).collect();
        let matched = match_in_order(&from, &to).into_iter();
        let targets: Vec<i64> = matched.map(|target| to[target as usize].x / 30).collect();
        assert_eq!(targets, [4, 3, 2, 1, 0]);
        // As far out as the path is long, through the point where it comes near.
        let goal = Point::of_cell(GridShape::Square, CellXY::new(5, 5));
        let near = Point::of_cell(GridShape::Square, CellXY::new(5, 3));
        assert_eq!(goal.beyond(near, (60, 20)), Point::of_cell(GridShape::Square, CellXY::new(5, -1)));
        assert_eq!(goal.beyond(near, (20, 20)), near);
        assert_eq!(goal.beyond(near, (7, 0)), near);
    }
}
