//! Cost-to-go of unit robots: a field for each goal cell, made when it is asked for and kept while there is
//! memory.
//!
//! Every action of a unit robot takes a tick, and a robot turns where it stands. So of the four headings in a
//! cell none is dearer than the cheapest by more than two turns, and one dearer by two stands opposite the
//! cheapest. There are 19 ways in which that can be, so a cell takes 2 bytes: 11 bits for the cost of the
//! cheapest heading and 5 for how much dearer the others are. A field in which some cost takes more bits has
//! 4 bytes a cell.
//!
//! A field is made for a robot: it is an A* from the goal back towards where the robot stands, with the
//! distance of cells as the lower bound, that goes on for [`MARGIN_TICKS`] beyond the robot's own way (like
//! the abstract distances of Silver 2005, but made at once). So it knows the cells of all ways that are a
//! little longer than the shortest, and is made anew when the robot is pushed off them.

use super::guidance::{Guidance, NO_STEP, STEP_BITS};
use super::unit_map::UnitMap;
use rayon::prelude::*;

/// No field.
const NONE: u32 = u32::MAX;
/// Cost of what a field says nothing of, or from where there is no way.
pub(super) const UNKNOWN: u32 = u32::MAX >> 8;
/// Bits of a cell for how much dearer than the cheapest its headings are.
const WAY_BITS: u32 = 5;
/// A cell of two bytes of which a field says nothing.
const NARROW_UNKNOWN: u16 = u16::MAX;
/// How much dearer the headings are, two bits each; the last stands for none.
const WAYS: [u8; 1 << WAY_BITS] = directions();
/// Number of each way.
const WAY_NUMBERS: [u8; 256] = way_numbers();
/// A field knows the cells of all ways that are so many ticks longer than the robot's own.
const MARGIN_TICKS: u32 = 48;
/// Places in the ring of buckets: more than a key grows by, which is a step and the cell it leads away.
const RING: u32 = (Guidance::STEP_MAX + 2).next_power_of_two();
/// The headings of a cell of which nothing is known yet.
const UNTOUCHED: [u32; 4] = [u32::MAX; 4];
/// Fields that are made under one and the same guidance.
const BATCH: usize = 128;

/// The fields. Deterministic: which are there depends on who asked for what, and when.
#[derive(Debug)]
pub(super) struct UnitFields {
    /// Field of each goal cell, `[n_free]`.
    of_cell: Vec<u32>,
    fields: Vec<Field>,
    bytes_max: usize,
    scratches: Vec<Scratch>,
    /// Those to be made: number of the wish, and field.
    todo: Vec<(u32, u32)>,
    taken: Vec<(Wanted, Field)>,
    /// Fields made so far.
    pub n_made: u64,
}

#[derive(Debug)]
struct Field {
    /// Goal cell, by number among the free ones; [`NONE`] if it is nobody's.
    goal: u32,
    used_at: u32,
    /// Number of the wish for which it is to be made; [`NONE`] if it is made.
    to_make: u32,
    /// It knows every cell from which there is a way, or is to be made so.
    whole: bool,
    cells: Cells,
}

/// What a field says of each cell, `[n_free]`: the cost of the cheapest heading `<< WAY_BITS`, and the number
/// of the way in which the others are dearer. Of the two arrays one is empty.
#[derive(Debug, Default)]
pub(super) struct Cells {
    narrow: Vec<u16>,
    wide: Vec<u32>,
}

impl Cells {
    /// Cost from a cell at a heading; [`UNKNOWN`] where the field says nothing.
    #[inline]
    pub fn cost(&self, number: u32, heading: u8) -> u32 {
        let word = match self.narrow.get(number as usize) {
            Some(&NARROW_UNKNOWN) => return UNKNOWN,
            Some(&word) => u32::from(word),
            None => self.wide[number as usize],
        };
        if word == u32::MAX {
            return UNKNOWN;
        }
        let way = WAYS[(word & ((1 << WAY_BITS) - 1)) as usize];
        (word >> WAY_BITS) + u32::from(way >> (2 * heading) & 3)
    }

    /// Takes half of `costs`, a rest left aside, for the headings of the cells that are `known`; says nothing
    /// of the others of `n_free`.
    fn fill(&mut self, n_free: usize, known: &[u32], costs: &[[u32; 4]]) {
        let least_of = |&[a, b, c, d]: &[u32; 4]| a.min(b).min(c.min(d)) >> 1;
        let word = |&number: &u32| {
            let of_cell = &costs[number as usize];
            let least = least_of(of_cell);
            // Two turns lead to the heading opposite the cheapest.
            let [a, b, c, d] = of_cell.map(|cost| (cost >> 1).min(least + 2) - least);
            let way = WAY_NUMBERS[(a | b << 2 | c << 4 | d << 6) as usize];
            (number as usize, least << WAY_BITS | u32::from(way))
        };
        self.narrow.clear();
        self.wide.clear();
        let words = known.iter().map(word);
        let dearest = known.iter().map(|&number| least_of(&costs[number as usize])).max();
        if dearest < Some(u32::from(NARROW_UNKNOWN) >> WAY_BITS) {
            self.narrow.resize(n_free, NARROW_UNKNOWN);
            words.for_each(|(number, word)| self.narrow[number] = word as u16);
        } else {
            self.wide.resize(n_free, u32::MAX);
            words.for_each(|(number, word)| self.wide[number] = word);
        }
    }
}

/// Whether four headings can be dearer than the cheapest in this way.
const fn is_way(way: usize) -> bool {
    let more = [way & 3, way >> 2 & 3, way >> 4 & 3, way >> 6 & 3];
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

const fn directions() -> [u8; 1 << WAY_BITS] {
    let (mut directions, mut way, mut n) = ([0; 1 << WAY_BITS], 0, 0);
    while way < 256 {
        if is_way(way) {
            directions[n] = way as u8;
            n += 1;
        }
        way += 1;
    }
    directions
}

const fn way_numbers() -> [u8; 256] {
    let (mut numbers, mut way, mut n) = ([0; 256], 0, 0);
    while way < 256 {
        if is_way(way) {
            numbers[way] = n;
            n += 1;
        }
        way += 1;
    }
    numbers
}

impl Default for Field {
    fn default() -> Self {
        Self { goal: NONE, used_at: 0, to_make: NONE, whole: false, cells: Cells::default() }
    }
}

/// Who wants a field: the goal and where it stands, both by number among the free cells, and the heading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub goal: u32,
    pub from: u32,
    pub heading: u8,
}

/// Memory of one worker.
#[derive(Debug, Default)]
struct Scratch {
    /// Twice the cost of each heading of each free cell, and 1 more as long as it is not settled;
    /// [`UNTOUCHED`] between two fields.
    costs: Vec<[u32; 4]>,
    /// States by key, in turn: the cost, and the distance of the cell to the robot.
    buckets: Vec<Vec<u32>>,
    /// Cells of which a heading is settled, in order of the key of the first.
    settled: Vec<u32>,
}

impl UnitFields {
    /// Fields on a map, for which there are so many bytes.
    pub fn new(map: &UnitMap, bytes_max: usize) -> Self {
        Self {
            of_cell: vec![NONE; map.n_free()],
            fields: Vec::new(),
            bytes_max,
            scratches: Vec::new(),
            todo: Vec::new(),
            taken: Vec::new(),
            n_made: 0,
        }
    }

    /// The field of a goal, which [`UnitFields::obtain`] has made.
    pub fn of(&self, goal: u32) -> &Cells {
        &self.fields[self.of_cell[goal as usize] as usize].cells
    }

    /// Forgets all fields, and keeps their memory: the guidance has changed.
    pub fn forget(&mut self) {
        for field in &mut self.fields {
            if field.goal != NONE {
                self.of_cell[field.goal as usize] = NONE;
            }
            field.goal = NONE;
        }
    }

    /// Makes the fields that are wanted and not there. `made` is told the new ones batch by batch, in the
    /// order in which they were wanted, and may change the guidance of those that follow.
    pub fn obtain(
        &mut self,
        map: &UnitMap,
        guidance: &mut Guidance,
        tick: u32,
        wanted: &[Wanted],
        mut made: impl FnMut(&mut Guidance, &mut dyn Iterator<Item = (&Wanted, &Cells)>),
    ) {
        let mut todo = std::mem::take(&mut self.todo);
        todo.clear();
        // Those that are there first, so that none of them makes room for a new one.
        for (at, want) in wanted.iter().enumerate() {
            let Some(field) = self.fields.get_mut(self.of_cell[want.goal as usize] as usize) else {
                continue;
            };
            field.used_at = tick;
            let is_known = field.whole || field.cells.cost(want.from, want.heading) < UNKNOWN;
            if !is_known && field.to_make == NONE {
                // The robot has left what the field knows.
                field.to_make = at as u32;
                todo.push((at as u32, self.of_cell[want.goal as usize]));
            }
        }
        for (at, want) in wanted.iter().enumerate() {
            match self.fields.get_mut(self.of_cell[want.goal as usize] as usize) {
                // Another of this call wants it too, from elsewhere.
                Some(field) if field.to_make != NONE => field.whole |= field.to_make != at as u32,
                Some(_) => {}
                None => {
                    let slot = self.free_slot(map, tick);
                    self.of_cell[want.goal as usize] = slot;
                    let field = &mut self.fields[slot as usize];
                    (field.goal, field.used_at) = (want.goal, tick);
                    (field.to_make, field.whole) = (at as u32, false);
                    todo.push((at as u32, slot));
                }
            }
        }
        for batch in todo.chunks(BATCH) {
            self.make(map, guidance, wanted, batch);
            let new = |&(at, slot): &(u32, u32)| (&wanted[at as usize], &self.fields[slot as usize].cells);
            made(guidance, &mut batch.iter().map(new));
        }
        self.n_made += todo.len() as u64;
        self.todo = todo;
    }

    /// A field that may be overwritten: a new one while there is memory, else the one used longest ago.
    fn free_slot(&mut self, map: &UnitMap, tick: u32) -> u32 {
        let full = (self.fields.len() + 1) * map.n_free() * 2 > self.bytes_max;
        let old =
            self.fields.iter().enumerate().filter(|(_, field)| field.used_at < tick || field.goal == NONE);
        let oldest =
            old.filter(|(_, field)| full || field.goal == NONE).min_by_key(|(_, field)| field.used_at);
        if let Some((slot, field)) = oldest {
            if field.goal != NONE {
                self.of_cell[field.goal as usize] = NONE;
            }
            return slot as u32;
        }
        self.fields.push(Field::default());
        self.fields.len() as u32 - 1
    }

    /// Makes fields; a worker makes a share of them, and none depends on another.
    fn make(&mut self, map: &UnitMap, guidance: &Guidance, wanted: &[Wanted], batch: &[(u32, u32)]) {
        let workers = rayon::current_num_threads().clamp(1, batch.len().max(1));
        if self.scratches.len() < workers {
            self.scratches.resize_with(workers, Scratch::default);
        }
        let taken = &mut self.taken;
        taken.clear();
        taken.extend(
            batch
                .iter()
                .map(|&(at, slot)| (wanted[at as usize], std::mem::take(&mut self.fields[slot as usize]))),
        );
        let work = |(share, scratch): (&mut [(Wanted, Field)], &mut Scratch)| {
            share.iter_mut().for_each(|(want, field)| scratch.settle(map, guidance, want, field));
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
    fn settle(&mut self, map: &UnitMap, guidance: &Guidance, want: &Wanted, field: &mut Field) {
        self.costs.resize(map.n_free(), UNTOUCHED);
        // Room for as many states as there are cells, so that later ticks need not take memory.
        self.buckets.resize_with(RING as usize, || Vec::with_capacity(map.n_free()));
        self.settled.clear();
        self.settled.reserve(map.n_free());
        let known = if field.whole {
            self.settle_from::<false>(map, guidance, want)
        } else {
            self.settle_from::<true>(map, guidance, want)
        };
        // Nothing waits any more if all was settled.
        field.whole |= self.buckets.iter().all(Vec::is_empty);
        field.cells.fill(map.n_free(), &self.settled[..known], &self.costs);
        // All that were touched are settled or wait in a bucket.
        for &number in &self.settled {
            self.costs[number as usize] = UNTOUCHED;
        }
        for bucket in &mut self.buckets {
            for state in bucket.drain(..) {
                self.costs[state as usize / 4] = UNTOUCHED;
            }
        }
        field.to_make = NONE;
    }

    /// Settles states in order of their keys, all of them or those up to somewhat beyond the robot's. Says
    /// how many of the settled cells are known at all headings.
    fn settle_from<const TOWARDS: bool>(
        &mut self,
        map: &UnitMap,
        guidance: &Guidance,
        want: &Wanted,
    ) -> usize {
        let Self { costs, buckets, settled } = self;
        let towards = map.place(want.from);
        let from = want.from * 4 + u32::from(want.heading);
        costs[want.goal as usize] = [1; 4];
        buckets[0].extend((0..4).map(|heading| want.goal * 4 + heading));
        // Keys count from that of the goal; none is less than the one settled before.
        let (mut now, mut stop, mut left, mut known) = (0_u32, UNKNOWN, 4_usize, None);
        // The dearest heading of a cell is settled two ticks behind the first.
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
                    stop = now + MARGIN_TICKS;
                }
                for turned in [(heading + 1) % 4, (heading + 3) % 4] {
                    if open + 2 < of_cell[turned as usize] {
                        of_cell[turned as usize] = open + 2;
                        buckets[((now + 1) % RING) as usize].push(number * 4 + turned);
                        left += 1;
                    }
                }
                // A step at this heading comes from behind.
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
    fn every_way_of_being_dearer_is_kept() {
        assert_eq!((0..256).filter(|&way| is_way(way)).count(), 19);
        for way in (0..256_usize).filter(|&way| is_way(way)) {
            for least in [0, 7, 2_045, 2_046, 100_000] {
                let costs: [u32; 4] =
                    std::array::from_fn(|heading| least + (way >> (2 * heading) & 3) as u32);
                let mut cells = Cells::default();
                cells.fill(2, &[0], &[costs.map(|cost| 2 * cost)]);
                let kept: [u32; 4] = std::array::from_fn(|heading| cells.cost(0, heading as u8));
                assert_eq!(kept, costs);
                assert_eq!(cells.narrow.is_empty(), least >= 2_047);
                assert_eq!(cells.cost(1, 3), UNKNOWN);
            }
        }
    }

    /// Fields as the planner makes them are the truth.
    #[test]
    fn fields_are_those_of_the_planner() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            let tables = random_tables(&mut random);
            let map = UnitMap::new(&tables, 0);
            if map.n_free() == 0 {
                continue;
            }
            let mut guidance = Guidance::new(&map);
            let mut fields = UnitFields::new(&map, 1 << 20);
            let cells: Vec<CellXY> = tables.space().size().rect().cells().collect();
            let free: Vec<CellXY> =
                cells.iter().copied().filter(|&cell| map.number_at(cell).is_some()).collect();
            for tick in 0..5 {
                let mut number = || map.number_at(free[random.below(free.len())]).unwrap_or(0);
                // A field that is there may have been made for a robot elsewhere.
                let anew = tick % 2 == 0;
                if anew {
                    fields.forget();
                }
                let wanted = [0, 1, 2].map(|_| Wanted { goal: number(), from: number(), heading: 1 });
                fields.obtain(&map, &mut guidance, tick, &wanted, |_, _| {});
                for want in &wanted {
                    check_field(&tables, &map, &fields, want, (&free, anew));
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
        want: &Wanted,
        (free, anew): (&[CellXY], bool),
    ) {
        let cell_of = |number: u32| *free.iter().find(|&&cell| map.number_at(cell) == Some(number)).unwrap();
        let goal = [GoalMember::any(cell_of(want.goal))];
        let mut truth = CostField::to_goal(tables, &Goal::of(&goal));
        truth.settle(tables, SettleTarget::All, u64::MAX);
        let true_cost = |cell: CellXY, heading: u8| {
            let state = tables.space().state(Pose { cell, heading: Heading(heading) }).unwrap();
            truth.cost(state).unwrap_or(UNKNOWN)
        };
        let own = fields.of(want.goal).cost(want.from, want.heading);
        assert_eq!(own, true_cost(cell_of(want.from), want.heading));
        let known_up_to = match true_cost(cell_of(want.from), want.heading) {
            UNKNOWN => UNKNOWN,
            own => own + MARGIN_TICKS,
        };
        for &cell in free {
            for heading in 0..4 {
                let found = fields.of(want.goal).cost(map.number_at(cell).unwrap(), heading);
                let right = true_cost(cell, heading);
                let from = cell_of(want.from);
                let apart = cell.x.abs_diff(from.x) + cell.y.abs_diff(from.y);
                let may_be_unknown = !anew || right + apart > known_up_to;
                assert!(found == right || (found == UNKNOWN && may_be_unknown), "{found} {right}");
            }
        }
    }
}
