//! Runs a recording again and finds the first difference.

use crate::outcome::outcome_json;
use crate::recording::command_code::commands_to_end;
use crate::recording::difference::{Compared, Difference, shortened, value_difference};
use crate::recording::error::RecordingError;
use crate::recording::header::Header;
use crate::recording::header_difference::header_difference;
use crate::recording::map_edits::EditsInForce;
use crate::recording::observe::Observer;
use crate::recording::reader::{EndHead, Reader};
use crate::recording::rebuild::Rebuilt;
use crate::recording::record::End;
use crate::recording::recorded_agents::RecordedAgents;
use crate::recording::replay::{ReplayFlow, ReplayVisitor, ReplayedTick, replay};
use crate::recording::tick_difference::tick_difference;
use serde_json::Value;
use std::io::{Read, Seek};
use wheelbase_sim::{RunResult, RunState, TickTimes, World};

/// What a second run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// Ticks compared.
    pub n_ticks: u32,
    /// The first difference.
    pub difference: Option<Difference>,
}

/// Repeats the run of a recording, up to its end or its last whole chunk, and compares all of it with the second run.
/// It compares the header, each tick to the byte, each key frame, and the end. Ticks have events, moves, paths, waits,
/// counters and the state hash. The commands of a host are given again at their ticks, and a traffic rule from outside
/// is replaced by its recorded decisions. `progress` gets the number of ticks done before each tick; `false` ends the
/// run early.
///
/// The inputs of the second run are compared with nothing. These are the text of the scenario and the name of its file,
/// the attached files and the overrides. So are the cells of a map file, the objects on it, and the kinds of a Tiled
/// map. A host's run has the setup, the commands and the decisions as inputs. A change there makes another run, which
/// differs where its ticks do.
/// # Errors
/// [`RecordingError`] if the recording is damaged or its scenario or setup cannot be built.
pub fn verify<R: Read + Seek>(
    reader: &mut Reader<R>,
    progress: impl FnMut(u32) -> bool,
) -> Result<Verified, RecordingError> {
    let mut verifier = Verifier {
        progress,
        header: None,
        observer: Observer::new(reader.header()),
        edits: EditsInForce::default(),
        bytes: Vec::new(),
        n_ticks: 0,
        ended: false,
        difference: None,
    };
    let world = replay(reader, &mut verifier)?;
    let Verifier { n_ticks, ended, mut difference, .. } = verifier;
    if let Some(world) = world {
        let end = reader.end().filter(|_| n_ticks == reader.n_ticks());
        difference = end.and_then(|end| end_difference(end, reader.end_head(), &world, ended));
    }
    Ok(Verified { n_ticks, difference })
}

/// Compares a recording with its replay.
struct Verifier<P> {
    progress: P,
    /// That of the second run; `None` before it begins.
    header: Option<Header>,
    observer: Observer,
    edits: EditsInForce,
    /// The last tick of the second run, or its edits in force.
    bytes: Vec<u8>,
    n_ticks: u32,
    /// Whether the second run ended at the last tick.
    ended: bool,
    difference: Option<Difference>,
}

impl<P> Verifier<P> {
    /// Ends the replay if there is a difference.
    fn end_at(&mut self, difference: Option<Difference>) -> ReplayFlow {
        self.difference = difference;
        if self.difference.is_some() { ReplayFlow::End } else { ReplayFlow::Step }
    }
}

impl<R: Read + Seek, P: FnMut(u32) -> bool> ReplayVisitor<R> for Verifier<P> {
    fn begin(&mut self, reader: &Reader<R>, Rebuilt { world, source, .. }: &mut Rebuilt) -> ReplayFlow {
        let recorded = reader.header();
        let found = match (&recorded.snapshot, &recorded.host) {
            // The snapshot is an input, and its part of an outside rule cannot be saved again.
            (Some(start), _) => Header::of_resumed_from(world, start.clone()),
            (None, Some(_)) => Header::of_host(world),
            (None, None) => Header::of(world, source, recorded.scenario_text()),
        };
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                let texts = Compared { recorded: "a world that can be recorded".to_owned(), found: why };
                return self.end_at(Some(texts.difference(0, "world")));
            }
        };
        let difference = header_difference(Compared { recorded, found: &found });
        self.header = Some(found);
        if reader.end().is_some_and(counts_collisions) {
            world.check_invariants();
        }
        if recorded.snapshot.is_none() {
            world.keep_log();
            return self.end_at(difference);
        }
        world.keep_log_from_here();
        let begun = self.observer.begin_at(world).err().map(|why| {
            let texts = Compared { recorded: "a world that can be recorded".to_owned(), found: why };
            texts.difference(world.tick(), "world")
        });
        self.end_at(difference.or(begun))
    }

    fn goes_on(&mut self, n_ticks: u32) -> bool {
        (self.progress)(n_ticks)
    }

    fn key_frame(&mut self, reader: &Reader<R>, world: &World) -> ReplayFlow {
        self.observer.begin_chunk(world);
        self.bytes.clear();
        self.observer.frame.texts.encode(&mut self.bytes);
        let in_orders = self.bytes != reader.key_orders();
        self.bytes.clear();
        self.edits.encode(&mut self.bytes);
        let tick = world.tick();
        let agents = Compared { recorded: reader.agents(), found: &self.observer.frame };
        let in_map = self.bytes != reader.key_edits();
        let difference = frame_difference(tick, agents)
            .or_else(|| in_orders.then(|| key_difference(tick, "orders")))
            .or_else(|| in_map.then(|| key_difference(tick, "edits in force")));
        self.end_at(difference)
    }

    fn tick(
        &mut self,
        ReplayedTick { tick, reader, record, world, state }: ReplayedTick<'_, R>,
    ) -> ReplayFlow {
        let Some(header) = &self.header else { return ReplayFlow::End };
        self.bytes.clear();
        let observed = self.observer.observe(world, header, tick, state, &mut self.bytes);
        world.clear_log();
        let observed = observed.and_then(|()| self.edits.note(&self.observer.record));
        if let Err(why) = observed {
            let texts = Compared { recorded: "a world that can be recorded".to_owned(), found: why };
            return self.end_at(Some(texts.difference(tick, "tick")));
        }
        self.ended = state == RunState::Ended;
        // Equal bytes, decoded from equal frames, have equal meanings.
        if self.bytes == reader.tick_bytes() {
            self.n_ticks += 1;
            return ReplayFlow::Step;
        }
        let end_differs = reader.has_ended() != self.ended;
        let records = Compared { recorded: record, found: &self.observer.record };
        let frames = Compared { recorded: reader.agents(), found: &self.observer.frame };
        let difference = tick_difference(header, frames, records)
            .or_else(|| end_differs.then(|| end_tick_difference(tick, self.ended)))
            .unwrap_or_else(|| {
                let texts = Compared { recorded: "another way to write the same", found: "the usual one" };
                texts.map(str::to_owned).difference(tick, "bytes")
            });
        self.n_ticks += u32::from(end_differs);
        self.end_at(Some(difference))
    }
}

/// Whether the recorded run counted violations: pairs of agents that overlap.
fn counts_collisions(end: &End) -> bool {
    let outcome = serde_json::from_str::<Value>(&end.outcome).unwrap_or_default();
    outcome.get("collisions").is_some_and(|collisions| !collisions.is_null())
}

/// The first agent that differs from a key frame, else the counters.
fn frame_difference(tick: u32, agents: Compared<&RecordedAgents>) -> Option<Difference> {
    let texts = Compared { recorded: "another in a key frame", found: "that of the run" }.map(str::to_owned);
    match agents.found.difference(agents.recorded) {
        Some((agent, field)) => Some(Difference { agent: Some(agent), ..texts.difference(tick, field) }),
        None => {
            (agents.found.counters != agents.recorded.counters).then(|| texts.difference(tick, "counters"))
        }
    }
}

fn key_difference(tick: u32, field: &str) -> Difference {
    let texts = Compared { recorded: "others in a key frame", found: "the values of the run" };
    texts.map(str::to_owned).difference(tick, field)
}

fn end_tick_difference(tick: u32, ended: bool) -> Difference {
    let text = |ended: bool| if ended { "the run ends" } else { "the run goes on" };
    Compared { recorded: !ended, found: ended }.map(|ended| text(ended).to_owned()).difference(tick, "end")
}

/// The first statement of the end that is false.
fn end_difference(end: &End, end_head: EndHead, world: &World, ended: bool) -> Option<Difference> {
    let tick = world.tick();
    let hashes = Compared { recorded: end.state_hash, found: world.state_hash() };
    let heads = Compared { recorded: end_head, found: EndHead { tick, n_ticks: 0 } };
    let head = |EndHead { tick, n_ticks }| format!("tick {tick} and {n_ticks} ticks");
    let ticks = Compared { recorded: end.tick, found: tick };
    let interrupted = Compared { recorded: end.interrupted, found: !ended };
    ticks
        .map(|tick| tick.to_string())
        .differ(tick, "tick of the end")
        .or_else(|| heads.map(head).differ(tick, "head of the end"))
        .or_else(|| interrupted.map(|is| is.to_string()).differ(tick, "interrupted"))
        .or_else(|| {
            let mut given = Vec::new();
            let bytes = commands_to_end(world, &mut given).map(|()| given);
            let texts = Compared { recorded: "others", found: "the values of the run" }.map(str::to_owned);
            (bytes.as_ref() != Ok(&end.commands)).then(|| texts.difference(tick, "commands at the end"))
        })
        .or_else(|| hashes.map(|hash| format!("{hash:016x}")).differ(tick, "state hash at the end"))
        .or_else(|| {
            let found = outcome_json(&RunResult::of(world, 1, &TickTimes::default(), 0.0, 0));
            outcome_difference(tick, &end.outcome, found)
        })
}

/// The first key in which two outcomes differ. White space between values does not count.
fn outcome_difference(tick: u32, recorded: &str, found: Value) -> Option<Difference> {
    let parsed = serde_json::from_str::<Value>(recorded).ok();
    let Some(Value::Object(_)) = &parsed else {
        let texts = Compared { recorded: shortened(recorded), found: "a JSON object".to_owned() };
        return Some(texts.difference(tick, "outcome"));
    };
    let text = found.to_string();
    if without_white_space(recorded) == text {
        return None;
    }
    let values = Compared { recorded: parsed.as_ref(), found: Some(&found) };
    let whole = || Compared { recorded, found: text.as_str() }.map(shortened).difference(tick, "outcome");
    Some(value_difference(tick, "outcome: ", values).unwrap_or_else(whole))
}

/// JSON without the white space between its values.
fn without_white_space(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let kept = json.chars().filter(|&c| {
        let is_space = !in_string && matches!(c, ' ' | '\t' | '\n' | '\r');
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && c == '\\' && !escaped;
        !is_space
    });
    kept.collect()
}
