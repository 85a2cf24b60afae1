//! Who goes to which pose, so that the ways do not cross.
//!
//! The least sum of squared distances keeps the order of those who go: for any two of them, whoever is
//! farther on in some direction has no less far to go in it (the monotone maps of optimal transport,
//! Brenier 1991). So nobody overtakes, those in front take the far poses, and no two exchange sides. It is
//! approached from a matching by halves, exchange by exchange of two.

use wheelbase_grid::{CellXY, GridShape};

/// A point of the plane, in thirtieths of a cell's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    x: i64,
    y: i64,
}

/// Farthest from the goal that an agent counts, in thirtieths of a cell.
const PLACE_MAX: i128 = 1 << 28;
/// Pairs looked at in all rounds of exchanges at most.
const PAIRS_MAX: usize = 1 << 22;

impl Place {
    /// Where the middle of a cell is.
    pub fn of_cell(shape: GridShape, cell: CellXY) -> Self {
        let (x, y) = (i64::from(cell.x), i64::from(cell.y));
        match shape {
            GridShape::Square => Self { x: 30 * x, y: 30 * y },
            // Rows are a width times half the root of three apart.
            GridShape::Hex => Self { x: 30 * x + 15 * (y & 1), y: 26 * y },
        }
    }

    /// The place that is as many times as far from this one as `near` is, and the same way.
    pub fn beyond(self, near: Self, (times, of): (u32, u32)) -> Self {
        if of == 0 || times == of {
            return near;
        }
        let scale = |from: i64, to: i64| {
            let step = i128::from(to - from) * i128::from(times) / i128::from(of);
            from + step.clamp(-PLACE_MAX, PLACE_MAX) as i64
        };
        Self { x: scale(self.x, near.x), y: scale(self.y, near.y) }
    }

    /// How far along one of four directions, a quarter of a right angle apart; the diagonal ones are longer.
    fn along(self, direction: usize) -> i64 {
        [self.x, self.y, self.x + self.y, self.x - self.y][direction]
    }
}

/// For each of those who go, the number of the place that it goes to. Both slices have one length.
pub(super) fn match_in_order(from: &[Place], to: &[Place]) -> Vec<u32> {
    let mut matched = vec![0; from.len()];
    let numbers = |of: &[Place]| (0..of.len() as u32).collect::<Vec<_>>();
    match_halves((from, &mut numbers(from)), (to, &mut numbers(to)), &mut matched);
    let rounds = PAIRS_MAX / (from.len() * from.len()).max(1);
    for _ in 0..rounds {
        if !exchange(from, to, &mut matched) {
            break;
        }
    }
    matched
}

/// Matches the half of those who go that is farther on with the half of the places that is, in the direction
/// in which the places reach farthest, and so on within the halves.
fn match_halves(
    (from, goes): (&[Place], &mut [u32]),
    (to, places): (&[Place], &mut [u32]),
    matched: &mut [u32],
) {
    let n = goes.len();
    if n <= 1 {
        if let (Some(&one), Some(&place)) = (goes.first(), places.first()) {
            matched[one as usize] = place;
        }
        return;
    }
    let extent = |direction: usize| {
        let along = |of: &[Place], numbers: &[u32]| {
            let all = numbers.iter().map(|&number| of[number as usize].along(direction));
            all.clone().max().unwrap_or(0) - all.min().unwrap_or(0)
        };
        // The diagonal directions count root two times as much.
        let scale = if direction < 2 { 7 } else { 5 };
        (along(from, goes) + along(to, places)) * scale
    };
    let direction = (0..4).max_by_key(|&direction| (extent(direction), std::cmp::Reverse(direction)));
    let direction = direction.unwrap_or(0);
    let half = n / 2;
    let split = |of: &[Place], numbers: &mut [u32]| {
        numbers.select_nth_unstable_by_key(half, |&number| (of[number as usize].along(direction), number));
    };
    split(from, goes);
    split(to, places);
    let ((goes, goes_on), (places, places_on)) = (goes.split_at_mut(half), places.split_at_mut(half));
    match_halves((from, goes), (to, places), matched);
    match_halves((from, goes_on), (to, places_on), matched);
}

/// Has any two exchange their places where that makes the sum of squared distances less; says whether any
/// have.
fn exchange(from: &[Place], to: &[Place], matched: &mut [u32]) -> bool {
    let mut any = false;
    let place = |number: u32| to[number as usize];
    for one in 0..from.len() {
        for other in 0..one {
            let (at, there) = (place(matched[one]), place(matched[other]));
            // Negative where they are farther apart in a direction in which their places are the other way.
            let along = |directions: i64, places: i64| i128::from(directions) * i128::from(places);
            let order = along(from[one].x - from[other].x, at.x - there.x)
                + along(from[one].y - from[other].y, at.y - there.y);
            if order < 0 {
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

    /// Least sum of squared distances by the Hungarian method (Kuhn 1955, with the potentials of Jonker and
    /// Volgenant 1987): the place of each.
    fn cheapest(from: &[Place], to: &[Place]) -> Vec<u32> {
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

    fn squared(a: Place, b: Place) -> i64 {
        (a.x - b.x).pow(2) + (a.y - b.y).pow(2)
    }

    fn sum(from: &[Place], to: &[Place], matched: &[u32]) -> i64 {
        from.iter().zip(matched).map(|(&at, &place)| squared(at, to[place as usize])).sum()
    }

    /// Pairs that would go less far if they exchanged their places.
    fn crossing_pairs(from: &[Place], to: &[Place], matched: &[u32]) -> usize {
        let place = |one: usize| to[matched[one] as usize];
        let pairs = (0..from.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        let crosses = |&(one, other): &(usize, usize)| {
            let now = squared(from[one], place(one)) + squared(from[other], place(other));
            squared(from[one], place(other)) + squared(from[other], place(one)) < now
        };
        pairs.filter(crosses).count()
    }

    /// Agents of a block of cells somewhere and a disc of poses, in thirtieths of a cell.
    fn drawn(random: &mut Random, n: usize) -> (Vec<Place>, Vec<Place>) {
        let mut within = |width: usize, height: usize, (x, y): (i64, i64)| {
            let cell = |_| {
                let (dx, dy) = (random.below(width) as i64, random.below(height) as i64);
                Place { x: 30 * (x + dx), y: 30 * (y + dy) }
            };
            (0..n).map(cell).collect::<Vec<_>>()
        };
        (within(24, 8, (-40, 5)), within(9, 9, (0, 0)))
    }

    #[test]
    fn every_place_is_given_once_and_no_two_cross() {
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
        // Of what the best gains over places at random, two hundredths are missed at most.
        let [ours, best, _, random] = totals;
        assert!((ours - best) * 50 <= random - best, "{totals:?}");
    }

    #[test]
    fn who_comes_first_goes_farthest() {
        // A queue from the west, and places in a row: nobody overtakes.
        let from: Vec<Place> = (0..5).map(|at| Place { x: -300 - 30 * at, y: 0 }).collect();
        let to: Vec<Place> = [2, 0, 4, 1, 3].iter().map(|&at| Place { x: 30 * at, y: 0 }).collect();
        let places: Vec<i64> =
            match_in_order(&from, &to).into_iter().map(|place| to[place as usize].x / 30).collect();
        assert_eq!(places, [4, 3, 2, 1, 0]);
        // As far out as its way is long, on the line through where it comes near.
        let goal = Place::of_cell(GridShape::Square, CellXY::new(5, 5));
        let near = Place::of_cell(GridShape::Square, CellXY::new(5, 3));
        assert_eq!(goal.beyond(near, (60, 20)), Place::of_cell(GridShape::Square, CellXY::new(5, -1)));
        assert_eq!(goal.beyond(near, (20, 20)), near);
        assert_eq!(goal.beyond(near, (7, 0)), near);
    }
}
