//! Cost-to-go of unit robots: one field for each goal cell, made on request and kept while there is memory.
//!
//! Every action takes a tick, and a robot turns in place. So no heading of a cell costs more than two turns more than
//! the cheapest. A heading that costs two turns more is opposite the cheapest. That leaves 19 turn patterns. A cell
//! takes 2 bytes: 11 bits for the cost of the cheapest heading, 5 for the pattern of the others. A field with a cost
//! that needs more bits has 4 bytes per cell.
//!
//! A field is made for a robot by A* from the goal back towards the robot. The Manhattan distance is the lower bound.
//! The search goes on for `robot_field_margin_ticks` beyond the cost of the robot. The abstract distances of Silver
//! 2005 are similar but lazy. So the field knows the cells of all paths that are little longer than the shortest. It
//! is rebuilt when the robot is pushed off them.

use super::guidance::{Guidance, NO_STEP, STEP_BITS};
use super::unit_map::UnitMap;
use crate::clone_fields::clone_fields;
use crate::params::TrafficParams;
use rayon::prelude::*;

/// Slot of a goal without a field.
pub(super) const NO_WINDOW: u32 = u32::MAX;
/// Goal of a field that is not in use.
pub(super) const NO_GOAL_CELL: u32 = u32::MAX;
/// Request of a field that need not be made.
const NO_REQUEST: u32 = u32::MAX;
/// Cost of a state that a field does not know, or that has no path to the goal.
pub(super) const UNKNOWN: u32 = u32::MAX >> 8;
/// Bits of a cell for its turn pattern.
const PATTERN_BITS: u32 = 5;
/// An unknown cell of two bytes.
const NARROW_UNKNOWN: u16 = u16::MAX;
/// An unknown cell of four bytes.
const WIDE_UNKNOWN: u32 = u32::MAX;
/// The turn patterns: extra cost of each heading over the cheapest, two bits each. The last slots are unused.
const PATTERNS: [u8; 1 << PATTERN_BITS] = patterns();
/// Number of each pattern.
const PATTERN_NUMBERS: [u8; 256] = pattern_numbers();
/// Buckets in the ring: more than a key grows by in one step, which is its cost and one for leading away.
const RING: u32 = (Guidance::STEP_MAX + 2).next_power_of_two();
/// Costs of a cell before it is reached.
const UNTOUCHED: [u32; 4] = [u32::MAX; 4];

/// The fields. Which are there depends only on the requests so far.
#[derive(Debug)]
pub(super) struct UnitFields {
    params: TrafficParams,
    /// Slot of each goal cell, `[n_free]`.
    pub of_cell: Vec<u32>,
    pub fields: Vec<Field>,
    bytes_max: usize,
    scratches: Vec<Scratch>,
    /// Fields to be made: index of the request, slot.
    to_make: Vec<(u32, u32)>,
    /// Fields in the making, with their requests.
    taken: Vec<(FieldRequest, Field)>,
    /// Fields made so far.
    pub n_made: u64,
}

clone_fields!(UnitFields { params, of_cell, fields, bytes_max, n_made } keep { scratches, to_make, taken });

/// The field of a goal.
#[derive(Debug)]
pub(super) struct Field {
    /// Number of the goal cell; [`NO_GOAL_CELL`] if the field is not in use.
    pub goal: u32,
    pub used_at: u32,
    /// Index of the request for which it must be made; [`NO_REQUEST`] if it need not.
    made_for: u32,
    /// It knows every cell from which there is a path, or must be made so.
    pub whole: bool,
    pub costs: FieldCosts,
}

clone_fields!(Field { goal, used_at, made_for, whole, costs });

/// Costs of a field, `[n_free]`: the cost of the cheapest heading `<< PATTERN_BITS`, and the number of the turn
/// pattern. One of the two arrays is empty.
#[derive(Debug, Default)]
pub(super) struct FieldCosts {
    pub narrow: Vec<u16>,
    pub wide: Vec<u32>,
}

clone_fields!(FieldCosts { narrow, wide });

impl FieldCosts {
    /// Cost from a cell at a heading; [`UNKNOWN`] if the field does not know it.
    #[inline]
    pub fn cost(&self, number: u32, heading: u8) -> u32 {
        let word = match self.narrow.get(number as usize) {
            Some(&NARROW_UNKNOWN) => return UNKNOWN,
            Some(&word) => u32::from(word),
            None => self.wide[number as usize],
        };
        if word == WIDE_UNKNOWN {
            return UNKNOWN;
        }
        let pattern = PATTERNS[(word & ((1 << PATTERN_BITS) - 1)) as usize];
        (word >> PATTERN_BITS) + u32::from(pattern >> (2 * heading) & 3)
    }

    /// Sets the costs of the `known` cells of `n_free` to half of `costs`, rounded down; the others are unknown.
    fn fill(&mut self, n_free: usize, known: &[u32], costs: &[[u32; 4]]) {
        let least_of = |&[a, b, c, d]: &[u32; 4]| a.min(b).min(c.min(d)) >> 1;
        let word = |&number: &u32| {
            let of_cell = &costs[number as usize];
            let least = least_of(of_cell);
            // The opposite heading is at most two turns away.
            let [a, b, c, d] = of_cell.map(|cost| (cost >> 1).min(least + 2) - least);
            let pattern = PATTERN_NUMBERS[(a | b << 2 | c << 4 | d << 6) as usize];
            (number as usize, least << PATTERN_BITS | u32::from(pattern))
        };
        self.narrow.clear();
        self.wide.clear();
        let words = known.iter().map(word);
        let dearest = known.iter().map(|&number| least_of(&costs[number as usize])).max();
        if dearest < Some(u32::from(NARROW_UNKNOWN) >> PATTERN_BITS) {
            self.narrow.resize(n_free, NARROW_UNKNOWN);
            words.for_each(|(number, word)| self.narrow[number] = word as u16);
        } else {
            self.wide.resize(n_free, WIDE_UNKNOWN);
            words.for_each(|(number, word)| self.wide[number] = word);
        }
    }
}

/// Whether four headings can cost more than the cheapest in this pattern.
const fn is_pattern(pattern: usize) -> bool {
    let more = [pattern & 3, pattern >> 2 & 3, pattern >> 4 & 3, pattern >> 6 & 3];
    let (mut heading, mut cheapest) = (0, false);
    while heading < 4 {
        if more[heading] > 2 || more[heading].abs_diff(more[(heading + 1) % 4]) > 1 {
            return false;
        }
        cheapest |= more[heading] == 0;
        heading += 1;
    }
    cheapest
}

/// All turn patterns, ascending.
const fn patterns() -> [u8; 1 << PATTERN_BITS] {
    let (mut patterns, mut pattern, mut n) = ([0; 1 << PATTERN_BITS], 0, 0);
    while pattern < 256 {
        if is_pattern(pattern) {
            patterns[n] = pattern as u8;
            n += 1;
        }
        pattern += 1;
    }
    patterns
}

/// The inverse of [`patterns`].
const fn pattern_numbers() -> [u8; 256] {
    let (mut numbers, mut pattern, mut n) = ([0; 256], 0, 0);
    while pattern < 256 {
        if is_pattern(pattern) {
            numbers[pattern] = n;
            n += 1;
        }
        pattern += 1;
    }
    numbers
}

impl Default for Field {
    fn default() -> Self {
        Self {
            goal: NO_GOAL_CELL,
            used_at: 0,
            made_for: NO_REQUEST,
            whole: false,
            costs: FieldCosts::default(),
        }
    }
}

/// A request for a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct FieldRequest {
    /// Number of the goal cell.
    pub goal: u32,
    /// Number of the cell of the robot.
    pub from: u32,
    pub heading: u8,
}

/// Scratch memory of one worker.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// By free cell and heading: twice the cost, and 1 more until it is settled; [`UNTOUCHED`] between two fields.
    costs: Vec<[u32; 4]>,
    /// Open states by key, modulo the ring. The key is the cost plus the distance to the robot.
    buckets: Vec<Vec<u32>>,
    /// FieldCosts with a settled heading, in the order of their first one.
    settled: Vec<u32>,
}

impl UnitFields {
    /// No fields yet; all together may take `bytes_max`.
    pub fn new(map: &UnitMap, bytes_max: usize, params: TrafficParams) -> Self {
        Self {
            params,
            of_cell: vec![NO_WINDOW; map.n_free()],
            fields: Vec::new(),
            bytes_max,
            scratches: Vec::new(),
            to_make: Vec::new(),
            taken: Vec::new(),
            n_made: 0,
        }
    }

    /// Costs to a goal, whose field [`UnitFields::obtain`] has made.
    pub fn of(&self, goal: u32) -> &FieldCosts {
        &self.fields[self.of_cell[goal as usize] as usize].costs
    }

    /// Drops all fields and keeps their memory, when the guidance has changed.
    pub fn forget(&mut self) {
        for field in &mut self.fields {
            if field.goal != NO_GOAL_CELL {
                self.of_cell[field.goal as usize] = NO_WINDOW;
            }
            field.goal = NO_GOAL_CELL;
        }
    }

    /// Makes the requested fields that are not there. `made` gets the new ones batch by batch, in the order of the
    /// requests, and may change the guidance for the batches that follow.
    pub fn obtain(
        &mut self,
        map: &UnitMap,
        guidance: &mut Guidance,
        tick: u32,
        requests: &[FieldRequest],
        mut made: impl FnMut(&mut Guidance, &mut dyn Iterator<Item = (&FieldRequest, &FieldCosts)>),
    ) {
        let mut to_make = std::mem::take(&mut self.to_make);
        to_make.clear();
        // Fields in use first, so that no new one takes their slots.
        for (at, request) in requests.iter().enumerate() {
            let Some(field) = self.fields.get_mut(self.of_cell[request.goal as usize] as usize) else {
                continue;
            };
            field.used_at = tick;
            let is_known = field.whole || field.costs.cost(request.from, request.heading) < UNKNOWN;
            if !is_known && field.made_for == NO_REQUEST {
                // The robot has left the cells that the field knows.
                field.made_for = at as u32;
                to_make.push((at as u32, self.of_cell[request.goal as usize]));
            }
        }
        for (at, request) in requests.iter().enumerate() {
            match self.fields.get_mut(self.of_cell[request.goal as usize] as usize) {
                // Another request of this call has the same goal from elsewhere.
                Some(field) if field.made_for != NO_REQUEST => field.whole |= field.made_for != at as u32,
                Some(_) => {}
                None => {
                    let slot = self.free_slot(map, tick);
                    self.of_cell[request.goal as usize] = slot;
                    let field = &mut self.fields[slot as usize];
                    (field.goal, field.used_at) = (request.goal, tick);
                    (field.made_for, field.whole) = (at as u32, false);
                    to_make.push((at as u32, slot));
                }
            }
        }
        for batch in to_make.chunks(self.params.robot_field_batch as usize) {
            self.make(map, guidance, requests, batch);
            let new = |&(at, slot): &(u32, u32)| (&requests[at as usize], &self.fields[slot as usize].costs);
            made(guidance, &mut batch.iter().map(new));
        }
        self.n_made += to_make.len() as u64;
        self.to_make = to_make;
    }

    /// A slot that may be overwritten: an unused one, a new one while there is memory, or the one used longest ago.
    fn free_slot(&mut self, map: &UnitMap, tick: u32) -> u32 {
        let full = (self.fields.len() + 1) * map.n_free() * 2 > self.bytes_max;
        let old = self
            .fields
            .iter()
            .enumerate()
            .filter(|(_, field)| field.used_at < tick || field.goal == NO_GOAL_CELL);
        let oldest = old
            .filter(|(_, field)| full || field.goal == NO_GOAL_CELL)
            .min_by_key(|(_, field)| field.used_at);
        if let Some((slot, field)) = oldest {
            if field.goal != NO_GOAL_CELL {
                self.of_cell[field.goal as usize] = NO_WINDOW;
            }
            return slot as u32;
        }
        self.fields.push(Field::default());
        self.fields.len() as u32 - 1
    }

    /// Makes fields, each worker a share of them. No field depends on another.
    fn make(&mut self, map: &UnitMap, guidance: &Guidance, requests: &[FieldRequest], batch: &[(u32, u32)]) {
        // Outside a pool rayon would create its global one.
        let workers = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
        let workers = workers.clamp(1, batch.len().max(1));
        if self.scratches.len() < workers {
            self.scratches.resize_with(workers, Scratch::default);
        }
        let taken = &mut self.taken;
        taken.clear();
        taken.extend(
            batch
                .iter()
                .map(|&(at, slot)| (requests[at as usize], std::mem::take(&mut self.fields[slot as usize]))),
        );
        let margin = self.params.robot_field_margin_ticks;
        let work = |(share, scratch): (&mut [(FieldRequest, Field)], &mut Scratch)| {
            share
                .iter_mut()
                .for_each(|(request, field)| scratch.settle(map, guidance, (request, margin), field));
        };
        let share = taken.len().div_ceil(workers).max(1);
        if workers > 1 {
            taken.par_chunks_mut(share).zip(&mut self.scratches[..workers]).for_each(work);
        } else {
            taken.chunks_mut(share).zip(&mut self.scratches).for_each(work);
        }
        for (&(_, slot), (_, field)) in batch.iter().zip(taken.drain(..)) {
            self.fields[slot as usize] = field;
        }
    }
}

impl Scratch {
    /// Makes a field.
    fn settle(
        &mut self,
        map: &UnitMap,
        guidance: &Guidance,
        (request, margin): (&FieldRequest, u32),
        field: &mut Field,
    ) {
        self.costs.resize(map.n_free(), UNTOUCHED);
        // Memory for as many states as there are cells, so that later ticks do not allocate.
        self.buckets.resize_with(RING as usize, || Vec::with_capacity(map.n_free()));
        self.settled.clear();
        self.settled.reserve(map.n_free());
        let known = if field.whole {
            self.settle_from::<false>(map, guidance, (request, margin))
        } else {
            self.settle_from::<true>(map, guidance, (request, margin))
        };
        // All states are settled if none is open.
        field.whole |= self.buckets.iter().all(Vec::is_empty);
        field.costs.fill(map.n_free(), &self.settled[..known], &self.costs);
        // All states that were reached are settled or in a bucket.
        for &number in &self.settled {
            self.costs[number as usize] = UNTOUCHED;
        }
        for bucket in &mut self.buckets {
            for state in bucket.drain(..) {
                self.costs[state as usize / 4] = UNTOUCHED;
            }
        }
        field.made_for = NO_REQUEST;
    }

    /// Settles states in the order of their keys: all of them, or those up to a margin beyond the robot's. Gives how
    /// many of the settled cells are known at all headings.
    fn settle_from<const TOWARDS: bool>(
        &mut self,
        map: &UnitMap,
        guidance: &Guidance,
        (request, margin): (&FieldRequest, u32),
    ) -> usize {
        let Self { costs, buckets, settled } = self;
        let towards = map.position(request.from);
        let from = request.from * 4 + u32::from(request.heading);
        costs[request.goal as usize] = [1; 4];
        buckets[0].extend((0..4).map(|heading| request.goal * 4 + heading));
        // Keys count from that of the goal. They never decrease.
        let (mut now, mut stop, mut left, mut known) = (0_u32, UNKNOWN, 4_usize, None);
        // The last heading of a cell is settled at most two ticks after the first.
        while left > 0 && now <= stop + 2 {
            while let Some(state) = buckets[(now % RING) as usize].pop() {
                left -= 1;
                let (number, heading) = (state / 4, state % 4);
                let of_cell = &mut costs[number as usize];
                let open = of_cell[heading as usize];
                if open & 1 == 0 {
                    continue;
                }
                if of_cell.iter().all(|cost| cost & 1 == 1) {
                    settled.push(number);
                }
                of_cell[heading as usize] = open - 1;
                if TOWARDS && state == from {
                    stop = now + margin;
                }
                for turned in [(heading + 1) % 4, (heading + 3) % 4] {
                    if open + 2 < of_cell[turned as usize] {
                        of_cell[turned as usize] = open + 2;
                        buckets[((now + 1) % RING) as usize].push(number * 4 + turned);
                        left += 1;
                    }
                }
                // A step at this heading comes from the cell behind.
                let step = guidance.step_to(number, heading);
                if step == NO_STEP {
                    continue;
                }
                let (behind, ticks) = (step >> STEP_BITS, step & Guidance::STEP_MAX);
                let cost = &mut costs[behind as usize][heading as usize];
                if open + 2 * ticks < *cost {
                    *cost = open + 2 * ticks;
                    let growth = match TOWARDS {
                        true if map.leads_away(number, heading, towards) => ticks + 1,
                        true => ticks - 1,
                        false => ticks,
                    };
                    buckets[((now + growth) % RING) as usize].push(behind * 4 + heading);
                    left += 1;
                }
            }
            if now == stop {
                known = Some(settled.len());
            }
            now += 1;
        }
        known.filter(|_| left > 0).unwrap_or(settled.len())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::random::Random;
    use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    use wheelbase_planner::fields::CostField;
    use wheelbase_planner::{
        ClassSpec, Goal, GoalMember, Heading, MovementClass, MovementTables, Pose, Primitive, SettleTarget,
    };

    #[test]
    fn every_turn_pattern_is_kept() {
        assert_eq!((0..256).filter(|&pattern| is_pattern(pattern)).count(), 19);
        for pattern in (0..256_usize).filter(|&pattern| is_pattern(pattern)) {
            for least in [0, 7, 2_045, 2_046, 100_000] {
                let costs: [u32; 4] =
                    std::array::from_fn(|heading| least + (pattern >> (2 * heading) & 3) as u32);
                let mut cells = FieldCosts::default();
                cells.fill(2, &[0], &[costs.map(|cost| 2 * cost)]);
                let kept: [u32; 4] = std::array::from_fn(|heading| cells.cost(0, heading as u8));
                assert_eq!(kept, costs);
                assert_eq!(cells.narrow.is_empty(), least >= 2_047);
                assert_eq!(cells.cost(1, 3), UNKNOWN);
            }
        }
    }

    /// Fields equal the fields of the planner.
    #[test]
    fn fields_equal_those_of_the_planner() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            let tables = random_tables(&mut random);
            let map = UnitMap::new(&tables, [0, 1, 2]);
            if map.n_free() == 0 {
                continue;
            }
            let mut guidance = Guidance::new(&map);
            let mut fields = UnitFields::new(&map, 1 << 20, TrafficParams::USUAL);
            let cells: Vec<CellXY> = tables.space().size().rect().cells().collect();
            let free: Vec<CellXY> =
                cells.iter().copied().filter(|&cell| map.number_at(cell).is_some()).collect();
            for tick in 0..5 {
                let mut number = || map.number_at(free[random.below(free.len())]).unwrap_or(0);
                // A field may be there that was made for a robot elsewhere.
                let anew = tick % 2 == 0;
                if anew {
                    fields.forget();
                }
                let requests = [0, 1, 2].map(|_| FieldRequest { goal: number(), from: number(), heading: 1 });
                fields.obtain(&map, &mut guidance, tick, &requests, |_, _| {});
                for request in &requests {
                    check_field(&tables, &map, &fields, request, (&free, anew));
                }
            }
        }
    }

    fn random_tables(random: &mut Random) -> MovementTables {
        let row =
            |random: &mut Random| (0..90).map(|_| if random.below(5) == 0 { '@' } else { '.' }).collect();
        let rows: Vec<String> = (0..3).map(|_| row(random)).collect();
        let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
        let mut spec = ClassSpec::new("robot", 4);
        spec.primitives =
            vec![Primitive::step("F", (1, 0), 1), Primitive::turn("L", 1, 1), Primitive::turn("R", -1, 1)];
        MovementTables::compile(&grid, MovementClass::new(spec).unwrap())
    }

    fn check_field(
        tables: &MovementTables,
        map: &UnitMap,
        fields: &UnitFields,
        request: &FieldRequest,
        (free, anew): (&[CellXY], bool),
    ) {
        let cell_of = |number: u32| *free.iter().find(|&&cell| map.number_at(cell) == Some(number)).unwrap();
        let goal = [GoalMember::any(cell_of(request.goal))];
        let mut truth = CostField::to_goal(tables, &Goal::of(&goal));
        truth.settle(tables, SettleTarget::All, u64::MAX);
        let true_cost = |cell: CellXY, heading: u8| {
            let state = tables.space().state(Pose { cell, heading: Heading(heading) }).unwrap();
            truth.cost(state).unwrap_or(UNKNOWN)
        };
        let own = fields.of(request.goal).cost(request.from, request.heading);
        assert_eq!(own, true_cost(cell_of(request.from), request.heading));
        let known_up_to = match true_cost(cell_of(request.from), request.heading) {
            UNKNOWN => UNKNOWN,
            own => own + TrafficParams::USUAL.robot_field_margin_ticks,
        };
        for &cell in free {
            for heading in 0..4 {
                let found = fields.of(request.goal).cost(map.number_at(cell).unwrap(), heading);
                let right = true_cost(cell, heading);
                let from = cell_of(request.from);
                let apart = cell.x.abs_diff(from.x) + cell.y.abs_diff(from.y);
                let may_be_unknown = !anew || right + apart > known_up_to;
                assert!(found == right || (found == UNKNOWN && may_be_unknown), "{found} {right}");
            }
        }
    }
}
