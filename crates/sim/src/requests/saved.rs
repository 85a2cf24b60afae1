//! Path requests as a snapshot holds them.

use super::slot::{SearchState, Slot};
use super::slot_leg::SlotLeg;
use super::{PathRequest, PathSource, Requests, Route, SearchContext};
use crate::agents::Agents;
use crate::codec::COUNT_MAX;
use crate::shared_fields::{SavedFields, SharedFields};
use serde::{Deserialize, Serialize};
use wheelbase_grid::BitGrid;
use wheelbase_planner::model::State;
use wheelbase_planner::search::SavedSearch;
use wheelbase_planner::{Goal, Path, Progress};

/// All path requests, searches and fields.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedRequests {
    source: PathSource,
    queue: Vec<PathRequest>,
    /// By slot.
    slots: Vec<Option<SavedSlot>>,
    fields: SavedFields,
}

/// A search in progress as a snapshot holds it. A search that has not begun rebuilds the parts that are left out.
#[derive(Debug, Serialize, Deserialize)]
struct SavedSlot {
    state: SearchState,
    search: Option<SavedSearch>,
    first_part: Path,
    obstacles: Option<BitGrid>,
}

impl SavedRequests {
    /// The source of paths.
    pub fn source(&self) -> PathSource {
        self.source
    }
}

impl Requests {
    /// All requests, between two ticks.
    pub(crate) fn save(&self) -> SavedRequests {
        SavedRequests {
            source: self.source,
            queue: self.queue.clone(),
            slots: self.slots.iter().map(Slot::save).collect(),
            fields: self.fields.save(),
        }
    }

    /// Takes over requests as they were saved. `self` is fresh.
    /// # Errors
    /// The first mistake, in words.
    pub(crate) fn restore(
        &mut self,
        saved: SavedRequests,
        tick: u32,
        context: &SearchContext<'_>,
    ) -> Result<(), String> {
        let SavedRequests { source, queue, slots, fields } = saved;
        let agents = context.search_inputs.agents;
        let in_slots = slots.iter().flatten().filter_map(|slot| slot.state.request.as_ref());
        if let Some(wrong) = queue.iter().chain(in_slots).find(|request| !is_right(request, tick, agents)) {
            return Err(format!("{wrong:?} at tick {tick}"));
        }
        if slots.len() != self.slots.len() {
            return Err(format!("{} search slots, expected {}", slots.len(), self.slots.len()));
        }
        self.fields = SharedFields::restore(fields, context.search_inputs.tables)?;
        for (slot, saved) in self.slots.iter_mut().zip(slots) {
            if let Some(saved) = saved {
                slot.restore(saved, context)?;
            }
        }
        (self.source, self.queue) = (source, queue);
        Ok(())
    }
}

/// Whether a request is of an agent that is there, and was made before a tick.
fn is_right(request: &PathRequest, tick: u32, agents: &Agents) -> bool {
    request.issued <= tick && agents.row(request.agent).is_some()
}

impl Slot {
    /// Its request and search, if it has one.
    fn save(&self) -> Option<SavedSlot> {
        let mut state = self.state;
        state.request?;
        let searches = state.begun && !state.by_field;
        if !searches {
            (state.progress, state.made, state.leg, state.charge) = (Progress::Running, state.spent, None, 0);
        }
        Some(SavedSlot {
            state,
            search: if searches { self.scratch.save() } else { None },
            first_part: if state.from.is_some() { self.first_part.clone() } else { Path::new() },
            obstacles: (searches && self.has_obstacles).then(|| self.obstacles.clone()),
        })
    }

    /// Takes over a search as it was saved, in a free slot. The context holds the agents, orders and tables of its
    /// world.
    /// # Errors
    /// The first mistake, in words.
    fn restore(&mut self, saved: SavedSlot, context: &SearchContext<'_>) -> Result<(), String> {
        let search_inputs = context.search_inputs;
        let agents = search_inputs.agents;
        let state = saved.state;
        let SearchState { spent, made, begun, by_field, .. } = state;
        let found = state.request.and_then(|request| Some((request, agents.row(request.agent)?)));
        let (request, row) = found.ok_or_else(|| format!("a search of {:?}", state.request))?;
        let tables = search_inputs.tables(row);
        let is_state = |state: State| (state.0 as usize) < tables.space().n_states();
        let searches = begun && !by_field;
        if spent > made || made > COUNT_MAX || searches != saved.search.is_some() || by_field && !begun {
            return Err(format!("a search of {:?} that has spent {spent} of {made}", request.agent));
        }
        let headings = tables.space().headings();
        if state.leg.is_some_and(|leg| !leg.is_on(tables.space().size(), headings))
            || state.charge > COUNT_MAX
        {
            return Err(format!("a leg of {:?} to no pose of the map", request.agent));
        }
        let is_other = |map: &BitGrid| map.size() != self.obstacles.size();
        let needs_obstacles =
            state.among_agents.is_some() || matches!(request.route, Route::Detour | Route::Bypass);
        let may_have = needs_obstacles || request.route == Route::CongestionAware;
        let (has, obstacles) = (saved.obstacles.is_some(), saved.obstacles.as_ref());
        if obstacles.is_some_and(is_other)
            || has && !(searches && may_have)
            || !has && searches && needs_obstacles
        {
            return Err("obstacles to a search on another map".to_owned());
        }
        let first = &saved.first_part;
        let is_path = match (state.from, agents.motion[row].state) {
            (None, _) => first.poses.is_empty(),
            (Some(from), _) if request.route == Route::NextLeg => {
                is_state(from)
                    && first.moves.is_empty()
                    && first.poses.len() == 1
                    && tables.space().state(first.poses[0].pose) == Some(from)
            }
            (Some(from), start) => {
                is_state(from)
                    && tables.follow_moves(start, &first.moves).is_ok_and(|end| end.state == from)
                    && first.poses.len() == first.moves.len() + 1
            }
        };
        if !is_path {
            return Err("the first part of a path does not lead to its end".to_owned());
        }
        if let Some(search) = &saved.search {
            let from = state.from.unwrap_or(agents.motion[row].state);
            let Some((.., mut asked)) = search_inputs.cheapest(row, from) else {
                return Err(format!("a search of {:?}, which goes nowhere", request.agent));
            };
            let penalties = context.congestion.around(agents.motion[row].class, asked.start.cell);
            let members = state.leg.map(SlotLeg::members);
            if let Some((members, n)) = &members {
                asked.goal = Goal::of(&members[..*n]);
            }
            if request.route == Route::CongestionAware {
                asked.penalties = Some(&penalties);
                asked.weight_permille = context.params.replan_weight_permille;
            }
            self.scratch.restore(search, tables, &asked).map_err(|error| error.to_string())?;
            let expansions = search.expansions().saturating_add(state.charge);
            if expansions < spent || expansions > made {
                return Err(format!("{expansions} expansions of a search that has spent {spent} of {made}"));
            }
        }
        self.state = state;
        self.first_part = saved.first_part;
        self.has_obstacles = saved.obstacles.is_some();
        if let Some(obstacles) = saved.obstacles {
            self.obstacles = obstacles;
        }
        Ok(())
    }
}
