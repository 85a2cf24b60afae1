//! The least bound over all prices of gates, by steps along subgradients.

use super::ways::{Resource, Ways};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A task in the units of prices.
pub(super) const TASK: u128 = 1_000_000_000_000;
/// Loads and steps are counted in this part.
const PART: i128 = 1_000_000;
/// Steps at most. Each is a search over the regions of the map for each trip.
const STEPS: usize = 48;
/// At first it is aimed at this part of the bound below it.
const AIM_SHARE: u128 = 16;
/// Steps in which the bound does not fall before it is aimed less low.
const PATIENCE: usize = 2;
/// If it does not fall in the first steps no more are made: agents have other ways that cost nothing, as on
/// large maps.
const FIRST_STEPS: usize = 8;

/// Trips, by number, and regions where each can end.
pub(super) type TripEnds = Vec<(u32, Vec<u32>)>;

/// Trips from the same regions.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub class: u32,
    /// Regions where they can begin.
    pub from: Vec<u32>,
    pub trips: TripEnds,
}

/// All that a bound is made of.
#[derive(Debug, Default)]
pub(super) struct Problem {
    pub classes: Vec<Ways>,
    pub groups: Vec<Group>,
    /// Trips of each agent, one behind the other; those in no group cost nothing.
    pub agents: Vec<Range<usize>>,
    pub n_trips: usize,
    /// Weight times ticks that there is of each resource; 0 for those that are none.
    pub supply: Vec<u64>,
}

/// A cheapest way of a trip: its price, and crossings of its class, last first.
#[derive(Clone, Debug, Default)]
struct Way {
    price: u64,
    crossings: Vec<u32>,
}

/// Scratch memory of a search over regions.
#[derive(Default)]
struct Scratch {
    /// Price and number of crossings, and the crossing by which a region was reached.
    reached: Vec<(u64, u32, u32)>,
    touched: Vec<u32>,
    open: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

const FAR: (u64, u32, u32) = (u64::MAX, u32::MAX, u32::MAX);

impl Problem {
    /// The least bound found, in units of [`TASK`]. `None` where `go_on` says no.
    ///
    /// Each step goes as far as would bring the bound down to a level aimed at if it were linear (Polyak 1969),
    /// a part of the least one below that. Where it does not come down it is aimed less low, from the prices of
    /// the least one on.
    pub fn least_bound(&self, go_on: &(impl Fn() -> bool + Sync)) -> Option<u128> {
        let mut prices = vec![0_u64; self.supply.len()];
        let (mut least, mut least_prices, mut least_demand) = (u128::MAX, prices.clone(), Vec::new());
        let (mut aim, mut fruitless) = (None, 0);
        for step in 0..STEPS {
            let ways = self.cheapest_ways(&prices);
            if !go_on() {
                return None;
            }
            let (mut bound, mut demand) = self.bound(&prices, &ways);
            fruitless += 1;
            if bound < least {
                (least, fruitless) = (bound, 0);
                least_prices.clone_from(&prices);
                least_demand.clone_from(&demand);
            }
            let mut below = aim.unwrap_or(least / AIM_SHARE);
            if fruitless > 0 && fruitless % PATIENCE == 0 {
                below /= 2;
                bound = least;
                prices.clone_from(&least_prices);
                demand.clone_from(&least_demand);
            }
            aim = Some(below);
            // Less than a task is no gain.
            let is_done = below < TASK / 2 || step >= FIRST_STEPS && fruitless >= step;
            if is_done || !self.step(&mut prices, &demand, bound - least + below) {
                break;
            }
        }
        Some(least)
    }

    /// The bound that prices give, and what the ways take of each resource.
    fn bound(&self, prices: &[u64], ways: &[Way]) -> (u128, Vec<u64>) {
        let mut bound: u128 = self
            .supply
            .iter()
            .zip(prices)
            .map(|(&supply, &price)| u128::from(supply) * u128::from(price))
            .sum();
        let mut pays = vec![false; self.n_trips];
        for trips in &self.agents {
            let (mut gain, mut most, mut done) = (0_i128, 0_i128, trips.start);
            for trip in trips.clone() {
                gain += TASK as i128 - i128::from(ways[trip].price);
                if gain > most {
                    (most, done) = (gain, trip + 1);
                }
            }
            bound += most.unsigned_abs();
            pays[trips.start..done].fill(true);
        }
        let mut demand = vec![0_u64; self.supply.len()];
        for group in &self.groups {
            let class = &self.classes[group.class as usize];
            for &(trip, _) in &group.trips {
                if !pays[trip as usize] {
                    continue;
                }
                for &crossing in &ways[trip as usize].crossings {
                    for &(resource, amount) in class.takes(class.crossings[crossing as usize]) {
                        demand[resource as usize] += u64::from(amount);
                    }
                }
            }
        }
        (bound, demand)
    }

    /// Moves the prices against the subgradient as far as the bound would have to fall along it; says whether
    /// any price can change. Each price is weighed by the supply, so that it is loads that count.
    fn step(&self, prices: &mut [u64], demand: &[u64], fall: u128) -> bool {
        let of = |at: usize| {
            let (supply, demand) = (i128::from(self.supply[at]), i128::from(demand[at]));
            if supply == 0 { 0 } else { PART - demand * PART / supply }
        };
        let is_free = |at: &usize, prices: &[u64]| prices[*at] > 0 || of(*at) < 0;
        let free: Vec<usize> = (0..prices.len()).filter(|at| is_free(at, prices)).collect();
        let squares = free.iter().map(|&at| of(at).saturating_mul(of(at)));
        let square = squares.fold(0, i128::saturating_add);
        if square == 0 {
            return false;
        }
        let fall = i128::try_from(fall).unwrap_or(i128::MAX);
        for at in free {
            let change = fall.saturating_mul(of(at)) / square;
            let change = change.saturating_mul(PART) / i128::from(self.supply[at]);
            let price = i128::from(prices[at]).saturating_sub(change).clamp(0, TASK as i128);
            prices[at] = price as u64;
        }
        true
    }

    /// A cheapest way of each trip.
    fn cheapest_ways(&self, prices: &[u64]) -> Vec<Way> {
        let of_crossings = |ways: &Ways| -> Vec<u64> {
            let price = |&(resource, amount): &(Resource, u32)| {
                prices[resource as usize].saturating_mul(u64::from(amount))
            };
            let price = |&crossing| ways.takes(crossing).iter().map(price).fold(0_u64, u64::saturating_add);
            ways.crossings.iter().map(price).collect()
        };
        let crossings: Vec<Vec<u64>> = self.classes.iter().map(of_crossings).collect();
        let found: Vec<Vec<Way>> = self
            .groups
            .par_iter()
            .map_init(Scratch::default, |scratch, group| {
                let class = group.class as usize;
                scratch.run(&self.classes[class], &crossings[class], group)
            })
            .collect();
        let mut ways = vec![Way::default(); self.n_trips];
        for (group, found) in self.groups.iter().zip(found) {
            for (&(trip, _), way) in group.trips.iter().zip(found) {
                ways[trip as usize] = way;
            }
        }
        ways
    }
}

impl Scratch {
    /// Cheapest ways of the trips of a group (Dijkstra), of these those with the fewest crossings.
    fn run(&mut self, ways: &Ways, prices: &[u64], group: &Group) -> Vec<Way> {
        self.reached.resize(self.reached.len().max(ways.n_regions as usize), FAR);
        let mut left = group.trips.len();
        let mut ends: Vec<Option<u32>> = vec![None; left];
        for &region in &group.from {
            self.reach(region, (0, 0, u32::MAX));
        }
        while left > 0
            && let Some(Reverse((price, n_crossings, region))) = self.open.pop()
        {
            let known = self.reached[region as usize];
            if (price, n_crossings) != (known.0, known.1) {
                continue;
            }
            for ((_, to), end) in group.trips.iter().zip(&mut ends) {
                if end.is_none() && to.contains(&region) {
                    *end = Some(region);
                    left -= 1;
                }
            }
            for number in ways.from(region) {
                let to = ways.crossings[number as usize].to;
                let price = price.saturating_add(prices[number as usize]);
                self.reach(to, (price, n_crossings + 1, number));
            }
        }
        let found = ends.into_iter().map(|end| {
            let mut way = Way::default();
            let Some(mut region) = end else { return way };
            way.price = self.reached[region as usize].0;
            loop {
                let number = self.reached[region as usize].2;
                if number == u32::MAX {
                    return way;
                }
                way.crossings.push(number);
                region = ways.crossings[number as usize].from;
            }
        });
        let found = found.collect();
        for region in self.touched.drain(..) {
            self.reached[region as usize] = FAR;
        }
        self.open.clear();
        found
    }

    fn reach(&mut self, region: u32, by: (u64, u32, u32)) {
        let known = &mut self.reached[region as usize];
        if (by.0, by.1) >= (known.0, known.1) {
            return;
        }
        if *known == FAR {
            self.touched.push(region);
        }
        *known = by;
        self.open.push(Reverse((by.0, by.1, region)));
    }
}
