//! Random batches of moves, compared with the rules of collision agent by agent and cell by cell.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use super::*;
use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};

/// An agent and its move in progress: the primitive, and the tick at which it ends.
struct Walker<'c> {
    class: &'c MovementClass,
    pose: Pose,
    going: Option<(usize, u32)>,
}

impl<'c> Walker<'c> {
    fn step(&self, primitive: usize) -> Transition<'c> {
        Transition { class: self.class, pose: self.pose, primitive }
    }

    fn body(&self) -> BTreeSet<CellXY> {
        cells((self.pose.cell, self.class.cells_at(self.pose)))
    }

    /// The cells that it holds.
    fn held(&self, rule: CollisionRule) -> BTreeSet<CellXY> {
        self.going.map_or_else(|| self.body(), |(primitive, _)| cells(rule.held(&self.step(primitive))))
    }
}

fn cells((anchor, offsets): (CellXY, &[Offset])) -> BTreeSet<CellXY> {
    offsets.iter().map(|offset| offset.cell_from(anchor)).collect()
}

fn classes() -> [MovementClass; 2] {
    let mut dot = ClassSpec::new("dot", 1);
    dot.primitives = [("E", (1, 0), 1), ("W", (-1, 0), 2), ("N", (0, -1), 1), ("S", (0, 1), 3)]
        .map(|(name, by, time)| Primitive::step(name, by, time))
        .to_vec();
    let mut truck = ClassSpec::new("truck", 4);
    truck.footprint = vec![(0, 0), (-1, 0)];
    truck.primitives = Primitive::vehicle(1, 2, 1);
    [dot, truck].map(|spec| MovementClass::new(spec).unwrap())
}

/// Whether two agents fit together from now on, by the definitions alone.
fn fit(rule: CollisionRule, one: &Walker<'_>, other: &Walker<'_>) -> bool {
    if !one.held(rule).is_disjoint(&other.held(rule)) {
        return false;
    }
    if rule == CollisionRule::Swept {
        return true;
    }
    // Where it ends must be free from its end on.
    let comes_in_time = |one: &Walker<'_>, other: &Walker<'_>| {
        let Some((primitive, until)) = one.going else { return true };
        let end = cells(one.step(primitive).end());
        match other.going {
            None => end.is_disjoint(&other.body()),
            Some((_, others_until)) => others_until <= until || end.is_disjoint(&other.body()),
        }
    };
    let exchange = match (one.going, other.going) {
        (Some((a, until)), Some((b, others_until))) => {
            let (one_end, other_end) = (cells(one.step(a).end()), cells(other.step(b).end()));
            if !one_end.is_disjoint(&other_end) {
                return false;
            }
            until == others_until
                && !one_end.is_disjoint(&other.body())
                && !other_end.is_disjoint(&one.body())
        }
        _ => false,
    };
    comes_in_time(one, other) && comes_in_time(other, one) && !exchange
}

/// Every cell has the holder that the walkers imply, or none, and so has every cell on which a discrete move ends.
fn assert_exact(occupancy: &Occupancy, walkers: &[Walker<'_>], rule: CollisionRule) {
    let (mut holders, mut arriving) = (BTreeMap::new(), BTreeMap::new());
    for (id, walker) in (0..).map(AgentSlot).zip(walkers) {
        for cell in walker.held(rule) {
            assert_eq!(holders.insert(cell, id), None, "{cell} is held twice");
        }
        if let Some((primitive, _)) = walker.going.filter(|_| rule == CollisionRule::Discrete) {
            for cell in cells(walker.step(primitive).end()) {
                assert_eq!(arriving.insert(cell, id), None, "two moves end on {cell}");
            }
        }
    }
    for cell in occupancy.size.rect().cells() {
        assert_eq!(occupancy.holder_at(cell), holders.get(&cell).copied(), "{cell}");
        assert_eq!(occupancy.arriving_at(cell), arriving.get(&cell).copied(), "{cell}");
    }
}

/// Runs a crowd that asks for random moves; gives how many moves began, how many were refused, and how many batches
/// fitted as a whole.
fn run(rule: CollisionRule, seed: u64) -> [usize; 3] {
    let classes = classes();
    let size = GridSize::new(7, 6).unwrap();
    let mut random = Random::new(seed);
    let mut occupancy = Occupancy::new(size, rule);
    let mut walkers: Vec<Walker<'_>> = Vec::new();
    for _ in 0..30 {
        let class = &classes[random.below(2)];
        let cell = CellXY::new(random.below(7) as i32, random.below(6) as i32);
        let pose = Pose { cell, heading: Heading(random.below(usize::from(class.headings())) as u8) };
        let walker = Walker { class, pose, going: None };
        let on_map = walker.body().iter().all(|&cell| size.contains(cell));
        if on_map && walkers.iter().all(|other| other.body().is_disjoint(&walker.body())) {
            occupancy.hold(AgentSlot(walkers.len() as u32), cell, class.cells_at(pose));
            walkers.push(walker);
        }
    }
    // Some crowds hardly move, so that all moves fit.
    let share = random.below(8);
    let (mut counts, mut refused) = ([0; 3], Vec::new());
    for tick in 0..60_u32 {
        // Moves end: all agents give up their cells before any takes its footprint.
        let ends = |walker: &Walker<'_>| walker.going.filter(|&(_, until)| until == tick);
        let ended: Vec<usize> = (0..walkers.len()).filter(|&at| ends(&walkers[at]).is_some()).collect();
        for &at in &ended {
            let (primitive, _) = walkers[at].going.unwrap();
            occupancy.end_move(AgentSlot(at as u32), &walkers[at].step(primitive));
        }
        for &at in &ended {
            let walker = &mut walkers[at];
            let (primitive, _) = walker.going.take().unwrap();
            let shape = walker.class.shape_at(walker.pose, primitive);
            let cell = shape.step.cell_from(walker.pose.cell);
            walker.pose = Pose { cell, heading: walker.class.heading_of(shape.frame_after) };
            occupancy.hold(AgentSlot(at as u32), cell, walker.class.cells_at(walker.pose));
        }
        let mut asked: Vec<(usize, usize, u32)> = Vec::new();
        for (at, walker) in walkers.iter().enumerate().filter(|(_, walker)| walker.going.is_none()) {
            let primitive = random.below(walker.class.primitives().len());
            let swept = cells(walker.step(primitive).swept());
            if random.below(8) <= share && swept.iter().all(|&cell| size.contains(cell)) {
                asked.push((at, primitive, tick + walker.class.primitives()[primitive].time));
            }
        }
        // Not in order of id.
        for at in (1..asked.len()).rev() {
            asked.swap(at, random.below(at + 1));
        }
        let proposal = |number: usize| {
            let (at, primitive, until) = asked[number];
            (AgentSlot(at as u32), walkers[at].step(primitive), until)
        };
        let is_certain = |number: usize| {
            let (agent, step, until) = proposal(number);
            occupancy.certain_blocker_of_move(agent, &step, until).is_some()
        };
        let certain: Vec<bool> = (0..asked.len()).map(is_certain).collect();
        occupancy.begin(asked.len(), proposal, &mut refused);
        // What no agent at rest can change is refused, and everything else only because of one of these.
        for (number, _) in certain.iter().enumerate().filter(|(_, certain)| **certain) {
            assert!(refused.iter().any(|refusal| refusal.number as usize == number), "tick {tick}");
        }
        for refusal in refused.iter().filter(|refusal| !certain[refusal.number as usize]) {
            assert!(walkers[refusal.by.index()].going.is_none(), "tick {tick}: {refusal:?}");
        }
        let is_refused = |number: usize| refused.iter().any(|refusal| refusal.number as usize == number);
        // As if all began.
        let goes = |walkers: &mut [Walker<'_>], take: &dyn Fn(usize) -> bool| {
            for (number, &(at, primitive, until)) in asked.iter().enumerate() {
                walkers[at].going = take(number).then_some((primitive, until));
            }
        };
        let whole_fits = |walkers: &[Walker<'_>]| {
            (0..walkers.len()).all(|one| (0..one).all(|other| fit(rule, &walkers[one], &walkers[other])))
        };
        goes(&mut walkers, &|_| true);
        let fits_whole = whole_fits(&walkers);
        assert_eq!(fits_whole, refused.is_empty(), "tick {tick}: {refused:?}");
        goes(&mut walkers, &|number| !is_refused(number));
        assert!(whole_fits(&walkers), "tick {tick}: the moves that began do not fit");
        for refusal in &refused {
            assert_ne!(asked[refusal.number as usize].0 as u32, refusal.by.0);
        }
        assert_exact(&occupancy, &walkers, rule);
        counts[0] += asked.len() - refused.len();
        counts[1] += refused.len();
        counts[2] += usize::from(fits_whole);
    }
    counts
}

#[test]
fn what_begins_fits_and_what_fits_begins() {
    for rule in [CollisionRule::Swept, CollisionRule::Discrete] {
        let mut total = [0; 3];
        for seed in 0..200 {
            total.iter_mut().zip(run(rule, seed)).for_each(|(sum, count)| *sum += count);
        }
        assert!(total.iter().all(|&count| count > 100), "{rule:?}: {total:?}");
    }
}

/// Four agents rotate in a square at one tick.
#[test]
fn a_ring_rotates_and_two_agents_never_exchange() {
    let [dot, _] = classes();
    let dot = {
        // All moves take the same time.
        let mut spec = dot.spec().clone();
        spec.primitives.iter_mut().for_each(|primitive| primitive.time = 2);
        MovementClass::new(spec).unwrap()
    };
    let at = |x, y| Pose { cell: CellXY::new(x, y), heading: Heading(0) };
    let ring = [(at(0, 0), 0), (at(1, 0), 3), (at(1, 1), 1), (at(0, 1), 2)];
    let begin = |rule, moves: &[(Pose, usize)]| {
        let mut occupancy = Occupancy::new(GridSize::new(3, 3).unwrap(), rule);
        for (id, (pose, _)) in (0..).zip(moves) {
            occupancy.hold(AgentSlot(id), pose.cell, dot.cells_at(*pose));
        }
        let mut refused = Vec::new();
        let proposal = |number: usize| {
            let (pose, primitive) = moves[number];
            (AgentSlot(number as u32), Transition { class: &dot, pose, primitive }, 2)
        };
        occupancy.begin(moves.len(), proposal, &mut refused);
        refused.iter().map(|refusal| refusal.number).collect::<BTreeSet<u32>>()
    };
    assert_eq!(begin(CollisionRule::Discrete, &ring), BTreeSet::new());
    assert_eq!(begin(CollisionRule::Swept, &ring), BTreeSet::from([0, 1, 2, 3]));
    // A row whose first agent moves away follows it; two agents do not exchange.
    assert_eq!(begin(CollisionRule::Discrete, &[ring[0], ring[1], (at(1, 1), 0)]), BTreeSet::new());
    assert_eq!(begin(CollisionRule::Discrete, &[(at(0, 0), 0), (at(1, 0), 1)]), BTreeSet::from([0, 1]));
}

/// An agent that is given a cell of another is an error in every build, and the holder keeps its cell.
#[test]
fn no_cell_is_taken_from_its_holder() {
    let [dot, _] = classes();
    for rule in [CollisionRule::Swept, CollisionRule::Discrete] {
        let mut occupancy = Occupancy::new(GridSize::new(2, 1).unwrap(), rule);
        let pose = Pose { cell: CellXY::new(1, 0), heading: Heading(0) };
        occupancy.hold(AgentSlot(4), pose.cell, dot.cells_at(pose));
        // Its own cells may be given to it again.
        occupancy.hold(AgentSlot(4), pose.cell, dot.cells_at(pose));
        let taken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            occupancy.hold(AgentSlot(7), pose.cell, dot.cells_at(pose));
        }));
        let message = *taken.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(message, "agent slot 7 would take cell (1, 0) from agent slot 4, which holds it");
        assert_eq!(occupancy.holder_at(pose.cell), Some(AgentSlot(4)));
    }
}

/// Two agents at a time ask for moves that overlap, until 10^5 of these were refused under each rule, in every build.
#[test]
fn overlapping_moves_never_begin() {
    let [dot, _] = classes();
    for rule in [CollisionRule::Swept, CollisionRule::Discrete] {
        let mut random = Random::new(11);
        let (mut n_refused, mut refused) = (0, Vec::new());
        while n_refused < 100_000 {
            let mut occupancy = Occupancy::new(GridSize::new(9, 1).unwrap(), rule);
            let x = 1 + random.below(6) as i32;
            let at = |x| Pose { cell: CellXY::new(x, 0), heading: Heading(0) };
            // Either both come to the cell between them, or each to the cell of the other.
            let meet = random.below(2) > 0;
            let poses = if meet { [at(x - 1), at(x + 1)] } else { [at(x - 1), at(x)] };
            let mut walkers = poses.map(|pose| Walker { class: &dot, pose, going: None });
            for (id, walker) in (0..).map(AgentSlot).zip(&walkers) {
                occupancy.hold(id, walker.pose.cell, dot.cells_at(walker.pose));
            }
            let order = if random.below(2) > 0 { [0, 1] } else { [1, 0] };
            let proposal = |number: usize| {
                (AgentSlot(order[number] as u32), walkers[order[number]].step(order[number]), 1)
            };
            occupancy.begin(2, proposal, &mut refused);
            let numbers: BTreeSet<u32> = refused.iter().map(|refusal| refusal.number).collect();
            assert_eq!(numbers, if meet { BTreeSet::from([1]) } else { BTreeSet::from([0, 1]) });
            for number in (0..2).filter(|&number| !numbers.contains(&(number as u32))) {
                walkers[order[number]].going = Some((order[number], 1));
            }
            assert_exact(&occupancy, &walkers, rule);
            n_refused += refused.len();
        }
    }
}
