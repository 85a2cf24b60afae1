//! Scenario events: edits of the map and what they do to agents.

use crate::agents::{Activity, AgentId, Motion};
use crate::reservation::{CollisionRule, Step};
use crate::scenario::OnAgents;
use crate::trace::TraceEvent;
use crate::world::Simulation;
use wheelbase_grid::{CellXY, Grid, Rect, TerrainKind};
use wheelbase_planner::{Legality, Offset};

/// A change of terrain asked for by an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerrainEdit {
    /// The cells; those off the map are left out.
    pub area: Rect,
    /// Their new kind.
    pub kind: TerrainKind,
    /// What happens to agents that it disturbs.
    pub on_agents: OnAgents,
}

/// An edit and the tick at which it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedEdit {
    /// Tick of the event.
    pub tick: u32,
    /// The edit.
    pub edit: TerrainEdit,
}

/// Edits that wait until they disturb nobody. Until then only agents that already hold one of an edit's
/// cells may sweep its cells.
#[derive(Debug, Default)]
pub struct PendingEdits {
    edits: Vec<TimedEdit>,
}

impl PendingEdits {
    /// Number of edits that wait.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The edits that wait, oldest first.
    pub fn edits(&self) -> &[TimedEdit] {
        &self.edits
    }

    /// Whether an agent that holds `held` must not sweep `swept`, both from its anchor.
    pub fn forbid(&self, anchor: CellXY, held: &[Offset], swept: &[Offset]) -> bool {
        let touches = |area: Rect, cells: &[Offset]| {
            cells.iter().any(|o| area.contains(CellXY::new(anchor.x + o.dx, anchor.y + o.dy)))
        };
        self.edits.iter().any(|waiting| {
            let area = waiting.edit.area;
            touches(area, swept) && !touches(area, held)
        })
    }
}

/// The events phase of a tick: edits that waited, then the tick's own, in order of the file.
pub(crate) fn apply_events(sim: &mut Simulation) {
    retry_pending(sim);
    while let Some(&timed) = sim.events.get(sim.next_event).filter(|e| e.tick <= sim.tick) {
        sim.next_event += 1;
        if !try_apply(sim, timed) {
            sim.pending.edits.push(timed);
        }
    }
    // One of the tick's own may have removed or stranded those that an edit waited for.
    retry_pending(sim);
}

/// Tries the edits that wait, oldest first, until none of them takes effect any more.
fn retry_pending(sim: &mut Simulation) {
    let mut at = 0;
    while at < sim.pending.edits.len() {
        if try_apply(sim, sim.pending.edits[at]) {
            sim.pending.edits.remove(at);
            at = 0;
        } else {
            at += 1;
        }
    }
}

/// Applies an edit unless it has to wait.
fn try_apply(sim: &mut Simulation, timed: TimedEdit) -> bool {
    let TerrainEdit { area, kind, on_agents } = timed.edit;
    let area = area.intersection(sim.grid.size().rect());
    let disturbed = disturbed_agents(sim, area, kind);
    if on_agents == OnAgents::Wait && !disturbed.is_empty() {
        return false;
    }
    let eased: Vec<bool> =
        sim.classes.iter().map(|class| eases(&sim.grid, class.tables.class(), area, kind)).collect();
    let edit = sim.grid.set_terrain(area, kind);
    if !area.is_empty() {
        let asked = timed.tick;
        sim.note(TraceEvent::SetTerrain { area, kind, on_agents, asked, tick: sim.tick });
    }
    if !edit.changed.is_empty() {
        for class in &mut sim.classes {
            class.tables.update(&sim.grid, edit.changed);
        }
        sim.requests.restart_searches();
        review_agents(sim, &eased);
    }
    if on_agents == OnAgents::Remove && !disturbed.is_empty() {
        let gone: Vec<bool> = sim.agents.ids.iter().map(|id| disturbed.binary_search(id).is_ok()).collect();
        sim.remove_rows(&gone);
    }
    true
}

/// Agents whose legal pose or begun move the edit would make illegal, in order of id.
fn disturbed_agents(sim: &Simulation, area: Rect, kind: TerrainKind) -> Vec<AgentId> {
    let blocked: Vec<bool> = sim
        .classes
        .iter()
        .map(|class| Legality::new(&sim.grid, class.tables.class()).terrain_speeds()[kind.0 as usize] == 0)
        .collect();
    let mut disturbed = Vec::new();
    if !blocked.contains(&true) {
        return disturbed;
    }
    let mut consider = |row: usize| {
        let motion = &sim.agents.motion[row];
        let tables = &sim.classes[motion.class.0 as usize].tables;
        let legal = match motion.at_rest() {
            true => tables.is_legal(motion.state),
            false => tables.move_ticks(motion.state, motion.primitive as usize).is_some(),
        };
        if blocked[motion.class.0 as usize] && legal {
            disturbed.push(sim.agents.ids[row]);
        }
    };
    match sim.reservation.rule() {
        // Whoever touches a cell holds it.
        CollisionRule::Swept => {
            let holders = area.cells().filter_map(|cell| sim.reservation.holder_at(cell));
            holders.filter_map(|agent| sim.agents.row(agent)).for_each(&mut consider);
        }
        CollisionRule::Discrete => {
            let touches = |row: &usize| {
                let (anchor, cells) = touched_cells(sim, *row);
                cells.iter().any(|o| area.contains(CellXY::new(anchor.x + o.dx, anchor.y + o.dy)))
            };
            (0..sim.agents.len()).filter(touches).for_each(&mut consider);
        }
    }
    disturbed.sort_unstable();
    disturbed.dedup();
    disturbed
}

/// Whether the edit makes some cell faster for a class.
fn eases(grid: &Grid, class: &wheelbase_planner::MovementClass, area: Rect, kind: TerrainKind) -> bool {
    let legality = Legality::new(grid, class);
    let speeds = legality.terrain_speeds();
    let new = speeds[kind.0 as usize];
    area.cells().filter_map(|cell| grid.terrain_at(cell)).any(|old| speeds[old.0 as usize] < new)
}

/// After an edit: paths that became illegal, and all paths of a class for which something became
/// faster, are planned anew; agents that had no way ask again.
fn review_agents(sim: &mut Simulation, eased: &[bool]) {
    for row in 0..sim.agents.len() {
        let motion = sim.agents.motion[row];
        let eased = eased[motion.class.0 as usize];
        match motion.activity {
            // One that asks for a way around others keeps its old path in case there is none.
            Activity::Following | Activity::Asking if eased || !path_is_legal(sim, row) => {
                sim.agents.motion[row].replan = true;
            }
            Activity::Yielding if !path_is_legal(sim, row) => {
                sim.paths.drop_path(&mut sim.agents.paths[row]);
            }
            // It begins its order again in the orders phase.
            Activity::Shut if eased => sim.agents.motion[row].activity = Activity::Idle,
            _ => {}
        }
    }
}

/// Whether every move left on an agent's path is legal; of one in mid-move, from its end on.
fn path_is_legal(sim: &Simulation, row: usize) -> bool {
    let motion = sim.agents.motion[row];
    let tables = &sim.classes[motion.class.0 as usize].tables;
    let mut state = motion.state;
    if motion.until != Motion::AT_REST {
        state = tables.state_after(state, motion.primitive as usize);
    }
    sim.paths.moves(sim.agents.paths[row]).iter().all(|&primitive| {
        let legal = tables.move_ticks(state, primitive as usize).is_some();
        if legal {
            state = tables.state_after(state, primitive as usize);
        }
        legal
    })
}

/// The move in progress of an agent.
pub(crate) fn step_of(sim: &Simulation, row: usize) -> Step<'_> {
    let motion = &sim.agents.motion[row];
    let class = sim.classes[motion.class.0 as usize].tables.class();
    Step { class, pose: sim.pose(row), primitive: motion.primitive as usize }
}

/// The cells an agent holds, and their anchor.
pub(crate) fn held_cells(sim: &Simulation, row: usize) -> (CellXY, &[Offset]) {
    let step = step_of(sim, row);
    if sim.agents.motion[row].at_rest() { step.start() } else { sim.reservation.held(&step) }
}

/// The cells an agent touches: its swept cells in mid-move, else its footprint.
fn touched_cells(sim: &Simulation, row: usize) -> (CellXY, &[Offset]) {
    let step = step_of(sim, row);
    if sim.agents.motion[row].at_rest() { step.start() } else { step.swept() }
}
