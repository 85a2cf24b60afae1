//! Turnaround footprints: where a body that cannot undo its moves may rest.
//!
//! Two bodies without reverse that stand nose to nose lock for good. So does a body that has stopped in a lane too
//! narrow to turn in. So no plan of such a body ends where it could not turn round. The cells that it sweeps in a
//! half turn are free of walls and of agents at rest. No other agent rests there as long as it does. That is the safe
//! state of the banker's algorithm (Dijkstra 1965), in which everybody can still be served one after the other.
//! Others may pass over these cells. A plan that leads through a narrower place leads out of it again.

use crate::clone_fields::clone_fields;
use crate::collision::CollisionRule;
use crate::cooperative::moves::{pose_after, transition_at};
use crate::cooperative::reservations::{FOREVER, Precedence, Reservations};
use crate::motion::AgentSlot;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use wheelbase_grid::{CellXY, GridSize};
use wheelbase_planner::model::{Heading, Offset, State};
use wheelbase_planner::{MovementTables, Pose};

/// The moves of a half turn, and the cells that they sweep, from the anchor at its start.
#[derive(Clone, Debug)]
pub(crate) struct TurnaroundFootprint {
    primitives: Vec<u8>,
    cells: Vec<Offset>,
}

/// The turnaround footprints of all classes, and the cells that agents keep free for them where they will rest.
#[derive(Debug)]
pub(crate) struct TurnaroundFootprints {
    /// By class and frame. No frames: the class can undo every move, or cannot turn.
    of_class: Vec<Vec<TurnaroundFootprint>>,
    /// Whether the tunables have them used.
    is_used: bool,
    /// Which agents keep a cell free. Several can keep the same.
    kept_free: Reservations,
}

clone_fields!(TurnaroundFootprints { of_class, is_used, kept_free });

/// Where an agent is to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// On its way: it needs a footprint.
    OnTheWay,
    /// At the end of its path: where walls leave no room for a footprint it needs none. Agents without a path are where
    /// they want to be.
    PathEnd,
    /// Where it may lock, for no place ahead has room for a footprint.
    Locked,
}

/// A body that is to rest: agent slot, number of the class, and its tables.
pub(crate) type Body<'a> = (AgentSlot, usize, &'a MovementTables);

impl TurnaroundFootprints {
    /// For some classes, on a map without agents.
    pub(crate) fn new(tables: &[MovementTables], size: GridSize, is_used: bool) -> Self {
        let mut turnaround = Self {
            of_class: Vec::new(),
            is_used,
            kept_free: Reservations::new(GridSize::new(1, 1).unwrap_or(size), CollisionRule::Discrete),
        };
        tables.iter().for_each(|tables| turnaround.add_class(tables, size, 0));
        turnaround
    }

    /// Adds a class, on a map with room for `n` agent slots.
    pub(crate) fn add_class(&mut self, tables: &MovementTables, size: GridSize, n: usize) {
        let were_used = self.are_used();
        self.of_class.push(match can_undo_all(tables) || !self.is_used {
            true => Vec::new(),
            // A class that cannot turn at all needs nothing to turn.
            false => starts(tables)
                .map(|start| half_turn(tables, start))
                .collect::<Option<_>>()
                .unwrap_or_default(),
        });
        if self.are_used() && !were_used {
            self.kept_free = Reservations::new(size, CollisionRule::Discrete);
            self.kept_free.grow(n);
        }
    }

    /// Makes room for agent slots below `n`.
    pub(crate) fn grow(&mut self, n: usize) {
        if self.are_used() {
            self.kept_free.grow(n);
        }
    }

    /// Whether some class needs them.
    #[inline]
    pub(crate) fn are_used(&self) -> bool {
        self.of_class.iter().any(|frames| !frames.is_empty())
    }

    /// Whether a class needs them.
    #[inline]
    pub(crate) fn needs(&self, class: usize) -> bool {
        !self.of_class[class].is_empty()
    }

    /// The footprint of a class in a state, if walls leave room for it.
    fn at(&self, of: (usize, &MovementTables), state: State) -> Option<&TurnaroundFootprint> {
        footprint_at(&self.of_class, of, state)
    }

    /// The cells that an agent keeps free to turn in a state, from its anchor.
    pub(crate) fn cells_at(&self, of: (usize, &MovementTables), state: State) -> &[Offset] {
        self.at(of, state).map_or(&[], |footprint| &footprint.cells)
    }

    /// Whether walls leave room to turn in a state.
    pub(crate) fn fits(&self, of: (usize, &MovementTables), state: State) -> bool {
        self.at(of, state).is_some()
    }

    /// Keeps free what an agent needs to turn in the state in which it will rest.
    pub(crate) fn keep_free(&mut self, (slot, class, tables): Body<'_>, state: State) {
        if !self.needs(class) {
            return;
        }
        let Self { of_class, kept_free, .. } = self;
        if let Some(footprint) = footprint_at(of_class, (class, tables), state) {
            kept_free.rest(slot, (tables.space().pose(state).cell, &footprint.cells), 0, FOREVER);
        }
    }

    /// An agent keeps nothing free any more.
    pub(crate) fn release(&mut self, slot: AgentSlot) {
        if self.are_used() {
            self.kept_free.remove(slot);
        }
    }

    /// No agent keeps anything free any more.
    pub(crate) fn clear(&mut self) {
        if self.are_used() {
            self.kept_free.clear();
        }
    }

    /// Whether an agent may rest in a state: off the footprints of others, and with room for its own.
    pub(crate) fn may_rest(
        &self,
        (slot, class, tables): Body<'_>,
        state: State,
        rest: Rest,
        (reservations, precedence): (&Reservations, Precedence<'_>),
        is_finished: impl Fn(AgentSlot) -> bool,
    ) -> bool {
        let pose = tables.space().pose(state);
        let counts = |other: AgentSlot| {
            other != slot && !precedence.yields(other) && !(rest == Rest::PathEnd && is_finished(other))
        };
        let is_free = tables.class().cells_at(pose).iter().all(|&offset| {
            self.kept_free.on(reservations.index(pose.cell, offset)).all(|kept| !counts(kept.agent))
        });
        if !is_free || !self.needs(class) {
            return is_free;
        }
        let Some(footprint) = self.at((class, tables), state) else { return rest != Rest::OnTheWay };
        footprint.cells.iter().all(|&offset| {
            let mut on = reservations.on(reservations.index(pose.cell, offset));
            on.all(|reservation| reservation.until != FOREVER || !counts(reservation.agent))
        })
    }

    /// An agent that keeps another from resting in a state: it turns there, or rests where the other would turn.
    pub(crate) fn holder(
        &self,
        (slot, class, tables): Body<'_>,
        state: State,
        reservations: &Reservations,
    ) -> Option<AgentSlot> {
        let pose = tables.space().pose(state);
        let body = tables.class().cells_at(pose).iter();
        let kept = body.flat_map(|&offset| self.kept_free.on(reservations.index(pose.cell, offset)));
        let under = self.cells_at((class, tables), state).iter();
        let resting = under.flat_map(|&offset| reservations.on(reservations.index(pose.cell, offset)));
        let mut others = kept.chain(resting.filter(|reservation| reservation.until == FOREVER));
        others.find(|other| other.agent != slot).map(|other| other.agent)
    }

    /// Adds to a list the agents that yield and would keep an agent from resting in a state, each once, by slot.
    pub(crate) fn list_yielding(
        &self,
        (slot, class, tables): Body<'_>,
        state: State,
        (reservations, precedence): (&Reservations, Precedence<'_>),
        blockers: &mut Vec<AgentSlot>,
    ) {
        let pose = tables.space().pose(state);
        let body = tables.class().cells_at(pose).iter();
        let kept = body.flat_map(|&offset| self.kept_free.on(reservations.index(pose.cell, offset)));
        let under = self
            .cells_at((class, tables), state)
            .iter()
            .flat_map(|&offset| reservations.on(reservations.index(pose.cell, offset)));
        let resting = under.filter(|reservation| reservation.until == FOREVER);
        let others = kept.chain(resting).map(|other| other.agent);
        let new: BTreeSet<u32> = others
            .filter(|&other| other != slot && precedence.yields(other) && !blockers.contains(&other))
            .map(|other| other.0)
            .collect();
        blockers.extend(new.into_iter().map(AgentSlot));
    }
}

/// The footprint of a class in a state, if walls leave room for it.
fn footprint_at<'c>(
    of_class: &'c [Vec<TurnaroundFootprint>],
    (class, tables): (usize, &MovementTables),
    state: State,
) -> Option<&'c TurnaroundFootprint> {
    let frame = tables.space().frame_of(state);
    let footprint = of_class[class].get(usize::from(frame.0))?;
    let mut at = state;
    let is_legal = footprint.primitives.iter().all(|&primitive| {
        let legal = tables.move_ticks(at, usize::from(primitive)).is_some();
        if legal {
            at = tables.state_after(at, usize::from(primitive));
        }
        legal
    });
    is_legal.then_some(footprint)
}

/// The poses around the origin that one move leads to, each with the number of the move.
fn moves_from(tables: &MovementTables, pose: Pose) -> impl Iterator<Item = (usize, Pose)> {
    let n = tables.class().primitives().len();
    (0..n).map(move |primitive| (primitive, pose_after(&transition_at(tables, pose, primitive))))
}

/// A pose near the origin in each frame, in order.
fn starts(tables: &MovementTables) -> impl Iterator<Item = Pose> {
    let headings = i32::from(tables.class().headings());
    tables.class().frames().map(move |frame| {
        let cell = CellXY::new(0, i32::from(frame.0) / headings);
        Pose { cell, heading: tables.class().heading_of(frame) }
    })
}

/// Whether one move leads back from every move of a class.
fn can_undo_all(tables: &MovementTables) -> bool {
    starts(tables).all(|start| {
        moves_from(tables, start).all(|(_, end)| moves_from(tables, end).any(|(_, back)| back == start))
    })
}

/// The cheapest half turn from a pose on open ground, to wherever it leads.
fn half_turn(tables: &MovementTables, start: Pose) -> Option<TurnaroundFootprint> {
    /// A half turn takes no more moves than this, and is found among no more poses.
    const MOVES_MAX: usize = 12;
    const POSES_MAX: usize = 1 << 14;
    let headings = tables.class().headings();
    let opposite = Heading((start.heading.0 + headings / 2) % headings);
    let key = |pose: Pose| (pose.cell.y, pose.cell.x, pose.heading.0);
    let mut open = BinaryHeap::from([Reverse((0_u32, 0_usize, 0_usize))]);
    let mut nodes: Vec<(Pose, Vec<u8>)> = vec![(start, Vec::new())];
    let mut closed = BTreeSet::new();
    let mut best: BTreeMap<(i32, i32, u8), u32> = BTreeMap::new();
    while let Some(Reverse((cost, _, at))) = open.pop() {
        let (pose, primitives) = nodes[at].clone();
        if !closed.insert(key(pose)) {
            continue;
        }
        if pose.heading == opposite && headings > 1 {
            let mut cells = BTreeSet::new();
            let mut from = start;
            for &primitive in &primitives {
                let step = transition_at(tables, from, usize::from(primitive));
                let (anchor, swept) = step.swept();
                cells.extend(swept.iter().map(|to| to.cell_from(anchor)).map(|cell| (cell.y, cell.x)));
                from = pose_after(&step);
            }
            let cells =
                cells.into_iter().map(|(y, x)| Offset::new(x - start.cell.x, y - start.cell.y)).collect();
            return Some(TurnaroundFootprint { primitives, cells });
        }
        if primitives.len() == MOVES_MAX || nodes.len() > POSES_MAX {
            continue;
        }
        for (primitive, next) in moves_from(tables, pose) {
            let cost = cost.saturating_add(tables.class().primitives()[primitive].time);
            if best.get(&key(next)).is_some_and(|&known| known <= cost) {
                continue;
            }
            best.insert(key(next), cost);
            let mut path = primitives.clone();
            path.push(primitive as u8);
            open.push(Reverse((cost, path.len(), nodes.len())));
            nodes.push((next, path));
        }
    }
    None
}
