//! Compares a recorded tick with that of a second run.

use crate::recording::difference::{Compared, Difference};
use crate::recording::header::Header;
use crate::recording::record::{Event, PathRun, TickRecord, pose_text};
use crate::recording::recorded_agents::RecordedAgents;
use wheelbase_grid::Rect;
use wheelbase_planner::Pose;
use wheelbase_sim::{AgentId, ClassId, Counters, EditEffect, OnAgents};

/// The first thing in which two records of a tick differ: commands, decisions, new orders, an event, else a counter,
/// else the hash. `frames` are those after the tick.
pub(super) fn tick_difference(
    header: &Header,
    frames: Compared<&RecordedAgents>,
    records: Compared<&TickRecord>,
) -> Option<Difference> {
    let Compared { recorded, found } = records;
    if found == recorded {
        return None;
    }
    let tick = found.tick;
    let comparison = TickComparison { header, frames, records, tick };
    let before_events = records
        .map(|record| format!("{:?}", record.commands))
        .differ_shortened(tick, "commands")
        .or_else(|| {
            records.map(|record| format!("{:?}", record.decisions)).differ_shortened(tick, "decisions")
        })
        .or_else(|| {
            records.map(|record| format!("{:?}", record.new_orders)).differ_shortened(tick, "new orders")
        });
    if before_events.is_some() {
        return before_events;
    }
    let n_events = found.events.len().max(recorded.events.len());
    let of_events =
        (0..n_events).find_map(|at| comparison.event_difference(records.map(|record| record.events.get(at))));
    let of_counters = || {
        let values = recorded.counters.values().into_iter().zip(found.counters.values());
        Counters::NAMES.into_iter().zip(values).find_map(|(name, (recorded, found))| {
            Compared { recorded, found }.map(|value| value.to_string()).differ(tick, name)
        })
    };
    let of_hash = || {
        let hashes = records.map(|record| format!("{:016x}", record.state_hash));
        hashes.difference(tick, "state hash")
    };
    Some(of_events.or_else(of_counters).unwrap_or_else(of_hash))
}

/// What the comparison of two events of a tick needs around them.
struct TickComparison<'a> {
    header: &'a Header,
    frames: Compared<&'a RecordedAgents>,
    records: Compared<&'a TickRecord>,
    tick: u32,
}

impl TickComparison<'_> {
    /// How the events at one index differ.
    fn event_difference(&self, events: Compared<Option<&Event>>) -> Option<Difference> {
        let Compared { recorded: Some(recorded), found: Some(found) } = events else {
            let only = events.recorded.or(events.found)?;
            let text = |event: Option<&Event>| event.map_or_else(nothing, |event| self.event_text(event));
            return Some(self.of_event(only.agent(), event_field(only), events.map(text)));
        };
        match (*recorded, *found) {
            (
                Event::Move { agent, primitive, from, to, end },
                Event::Move {
                    agent: found_agent,
                    primitive: found_primitive,
                    from: found_from,
                    to: found_to,
                    end: found_end,
                },
            ) if agent == found_agent => {
                let primitives = Compared { recorded: primitive, found: found_primitive };
                let starts = Compared { recorded: from, found: found_from };
                let ends = Compared { recorded: to, found: found_to };
                let end_ticks = Compared { recorded: end, found: found_end };
                self.differ(agent, "move", primitives.map(|primitive| self.primitive_name(agent, primitive)))
                    .or_else(|| self.pose_difference(agent, "start pose of its move", starts))
                    .or_else(|| self.pose_difference(agent, "end pose of its move", ends))
                    .or_else(|| {
                        self.differ(agent, "end tick of its move", end_ticks.map(|tick| tick.to_string()))
                    })
            }
            (
                Event::Path { agent, from, runs },
                Event::Path { agent: found_agent, from: found_from, runs: found_runs },
            ) if agent == found_agent => {
                let starts = Compared { recorded: from, found: found_from };
                let paths = Compared {
                    recorded: self.records.recorded.runs_of_path(runs),
                    found: self.records.found.runs_of_path(found_runs),
                };
                self.pose_difference(agent, "start of its path", starts)
                    .or_else(|| self.path_difference(agent, paths))
            }
            (
                Event::Spawn { agent, class, pose, .. },
                Event::Spawn { agent: found_agent, class: found_class, pose: found_pose, .. },
            ) if agent == found_agent && (class, pose) != (found_class, found_pose) => {
                let classes = Compared { recorded: class, found: found_class };
                let poses = Compared { recorded: (class, pose), found: (found_class, found_pose) };
                self.differ(agent, "class", classes.map(|class| class.0.to_string())).or_else(|| {
                    self.differ(agent, "pose", poses.map(|(class, pose)| pose_text(self.header, class, pose)))
                })
            }
            (recorded, found) if recorded == found => None,
            (recorded, found) => {
                // Events are in order of id: the other side lacks that of the lower id.
                let agent = match (recorded.agent(), found.agent()) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                let text = |event: Event| {
                    if event.agent() == agent { self.event_text(&event) } else { nothing() }
                };
                let field = event_field(if recorded.agent() == agent { &recorded } else { &found });
                Some(self.of_event(agent, field, Compared { recorded, found }.map(text)))
            }
        }
    }

    /// What an event says, apart from its agent.
    fn event_text(&self, event: &Event) -> String {
        let header = self.header;
        let order = |order: u32| {
            let Compared { recorded, found } = self.frames;
            let text = found.order_text(order, header).or_else(|| recorded.order_text(order, header));
            text.unwrap_or("none")
        };
        let kind = |kind: u8| header.order_kinds.get(usize::from(kind)).map_or("?", String::as_str);
        match *event {
            Event::Order { order: number, append: true, .. } => format!("{}, behind others", order(number)),
            Event::Order { order: number, .. } | Event::Current { order: number, .. } => {
                order(number).to_owned()
            }
            Event::Done { kind: number, .. } | Event::Unreachable { kind: number, .. } => {
                kind(number).to_owned()
            }
            Event::Path { runs, .. } => format!("a path of {} stretches", runs.count),
            Event::Move { primitive, end, .. } => format!("primitive {primitive} until {end}"),
            Event::Wait { since: u32::MAX, .. } => "waits no more".to_owned(),
            Event::Wait { since, .. } => format!("waits since {since}"),
            Event::Spawn { class, pose, team, speed_factor, .. }
            | Event::Leave { class, pose, team, speed_factor, .. } => {
                format!(
                    "{} of team {} and speed factor {speed_factor}",
                    pose_text(header, class, pose),
                    team.0
                )
            }
            Event::Refused { ticket, reason, .. } => format!("{} for ticket {}", reason.name(), ticket.0),
            Event::Priority { priority, .. } => priority.to_string(),
            Event::Team { team, .. } => team.0.to_string(),
            Event::SpeedFactor { permille, .. } => permille.to_string(),
            Event::Class { class, pose, .. } => {
                format!("class {} at {}", class.0, pose_text(header, class, pose))
            }
            Event::TasksReplaced { .. } => "replaced".to_owned(),
            Event::Task { cell, heading: None, .. } | Event::TaskDone { cell, .. } => cell.to_string(),
            Event::Task { cell, heading: Some(heading), .. } => format!("{cell} with heading {}", heading.0),
            Event::Remove { .. } => "taken out".to_owned(),
            Event::Enter { container: AgentId::NOBODY, .. } => "off the map".to_owned(),
            Event::Enter { container, .. } => format!("into agent {}", container.0),
            Event::Edit(edit) => {
                let effect = match edit.effect {
                    EditEffect::Terrain { area, kind } => {
                        let known = header.terrain_kinds.get(usize::from(kind.0));
                        let known = known.map_or("?", |kind| &kind.name);
                        format!("terrain {known} on {}", area_text(area))
                    }
                    EditEffect::Elevation { area, height } => {
                        format!("height {height} on {}", area_text(area))
                    }
                    EditEffect::Sides { cell, kinds } => {
                        let kinds = kinds.map(|kind| kind.map_or("-".to_owned(), |kind| kind.0.to_string()));
                        format!("sides {} of cell {cell}", kinds.join(" "))
                    }
                };
                match edit.on_agents {
                    OnAgents::WaitUntil { deadline, .. } => {
                        format!("{effect}, at its deadline of {deadline} ticks")
                    }
                    _ => effect,
                }
            }
        }
    }

    /// The first move in which two paths differ.
    fn path_difference(&self, agent: AgentId, paths: Compared<&[PathRun]>) -> Option<Difference> {
        let n_moves = |runs: &[PathRun]| runs.iter().map(|run| u64::from(run.n_moves())).sum::<u64>();
        self.differ(agent, "path", paths.map(|runs| format!("{} moves", n_moves(runs)))).or_else(|| {
            // The paths are equally long, so both have a run here; only the shorter one is looked through.
            let Compared { recorded, found } = paths;
            let at = recorded.iter().zip(found).position(|(recorded, found)| recorded != found)?;
            let same_primitive = recorded[at].primitive() == found[at].primitive();
            let shared = u64::from(recorded[at].n_moves().min(found[at].n_moves()));
            let number = n_moves(&recorded[..at]) + if same_primitive { shared } else { 0 };
            let text = |runs: &[PathRun]| {
                let is_used_up = same_primitive && u64::from(runs[at].n_moves()) == shared;
                let run = runs.get(if is_used_up { at + 1 } else { at });
                run.map_or("none".to_owned(), |run| format!("primitive {}", run.primitive()))
            };
            self.differ(agent, &format!("move {number} of its path"), paths.map(text))
        })
    }

    fn pose_difference(&self, agent: AgentId, field: &str, poses: Compared<Pose>) -> Option<Difference> {
        self.differ(agent, field, poses.map(|pose| pose_text(self.header, self.class_of(agent), pose)))
    }

    /// A difference that is about an agent, unless the texts are equal.
    fn differ(&self, agent: AgentId, field: &str, texts: Compared<String>) -> Option<Difference> {
        (texts.recorded != texts.found).then(|| self.of_event(Some(agent), field, texts))
    }

    fn of_event(&self, agent: Option<AgentId>, field: &str, texts: Compared<String>) -> Difference {
        Difference { agent, ..texts.difference(self.tick, field) }
    }

    fn class_of(&self, agent: AgentId) -> ClassId {
        let agents = self.frames.found;
        agents.row(agent).map_or(ClassId(u8::MAX), |row| agents.classes[row])
    }

    fn primitive_name(&self, agent: AgentId, primitive: u8) -> String {
        let class = self.header.classes.get(usize::from(self.class_of(agent).0));
        let known = class.and_then(|class| class.movement().primitives().get(usize::from(primitive)));
        known.map_or_else(|| primitive.to_string(), |known| known.name.clone())
    }
}

fn nothing() -> String {
    "nothing".to_owned()
}

/// What an event is about.
fn event_field(event: &Event) -> &'static str {
    match event {
        Event::Spawn { .. } => "placing",
        Event::Remove { .. } => "removal",
        Event::Enter { .. } => "way off the map",
        Event::Leave { .. } => "way back to the map",
        Event::Order { .. } => "order given",
        Event::Done { .. } => "order done",
        Event::Unreachable { .. } => "order that cannot be done",
        Event::Task { .. } => "task given",
        Event::TaskDone { .. } => "task done",
        Event::Refused { .. } => "refusal",
        Event::Priority { .. } => "priority",
        Event::Team { .. } => "team",
        Event::SpeedFactor { .. } => "speed factor",
        Event::Class { .. } => "class taken",
        Event::TasksReplaced { .. } => "tasks replaced",
        Event::Edit(_) => "edit of the map",
        Event::Path { .. } => "path",
        Event::Move { .. } => "move",
        Event::Wait { .. } => "wait",
        Event::Current { .. } => "current order",
    }
}

fn area_text(area: Rect) -> String {
    format!("[{}, {}, {}, {}]", area.x, area.y, area.width, area.height)
}
