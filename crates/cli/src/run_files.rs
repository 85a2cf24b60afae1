//! Files written during a run: trace, recording, metrics and plan.

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::output::files::Outputs;
use crate::output::say;
use crate::snapshot_file::SnapshotFile;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wheelbase_scenario::load::{Source, is_problem};
use wheelbase_scenario::output_file::{Destination, OutputFile, Stream, Unfinished};
use wheelbase_scenario::recording::{Recorder, ScenarioText};
use wheelbase_scenario::{MovePlanRecorder, PlanFile, trace};
use wheelbase_sim::{Counters, RunResult, RunState, World};
use wheelbase_view::safe_text::SafeText;

/// Size of the write buffer of each file.
const BUFFER_BYTES: usize = 1 << 16;

/// The files of a run; `None` if not requested, or failed.
#[derive(Default)]
pub struct RunFiles {
    trace: Option<TraceFile>,
    recording: Option<RecordingFile>,
    metrics: Option<MetricsFile>,
    plan: Option<PlanOut>,
    snapshot: Option<SnapshotFile>,
    outputs: Outputs,
}

/// The files of a run, opened but still empty.
pub struct OpenedFiles<'a> {
    args: &'a RunArgs,
    trace: Option<Opened>,
    recording: Option<Opened>,
    metrics: Option<Opened>,
    plan: Option<Opened>,
    outputs: Outputs,
}

impl<'a> OpenedFiles<'a> {
    /// Opens the files. A failure gives a warning immediately, because the run can be long, and is reported at the end.
    pub fn open(args: &'a RunArgs) -> Self {
        let mut outputs = Outputs::default();
        let mut open = |path: &Option<PathBuf>, unfinished| {
            let opened = Opened::open(path.as_deref()?, unfinished);
            if let Err(Failure::Message { text, .. }) = &opened {
                let why = text.trim_start_matches("error: ");
                say(format_args!("warning: {why}; the run goes on without it"));
            }
            outputs.note(opened)
        };
        let trace = open(&args.trace, Unfinished::Removed);
        let recording = open(&args.record, Unfinished::Kept);
        let metrics = open(&args.metrics, Unfinished::Removed);
        let plan = open(&args.plan_out, Unfinished::Removed);
        Self { args, trace, recording, metrics, plan, outputs }
    }

    /// Writes the headers. `scenario` is the file of the scenario, its text and its sources; `None` for a resumed run.
    pub fn begin(self, scenario: Option<(&Path, &str, &Source)>, world: &mut World) -> RunFiles {
        let Self { args, trace, recording, metrics, plan, mut outputs } = self;
        let trace = trace.and_then(|file| outputs.note(TraceFile::begin(file, scenario.is_none(), world)));
        let recording = recording.and_then(|file| outputs.note(RecordingFile::begin(file, scenario, world)));
        let metrics = metrics.and_then(|file| outputs.note(MetricsFile::begin(file, args.metrics_every)));
        let plan = plan.and_then(|file| {
            outputs.note(PlanOut::begin(file, scenario.is_some_and(|(file, ..)| is_problem(file)), world))
        });
        let snapshot = args.snapshot.as_deref().map(|path| SnapshotFile::new(path, args.snapshot_every));
        RunFiles { trace, recording, metrics, plan, snapshot, outputs }
    }
}

impl RunFiles {
    /// Before each tick: writes the snapshot if it is due.
    pub fn before_tick(&mut self, world: &mut World) {
        if let Some(snapshot) = &mut self.snapshot {
            self.outputs.note(snapshot.before_tick(world));
        }
    }

    /// Writes a tick and its wall time. A file that fails is dropped; the others go on.
    /// # Errors
    /// [`Failure::ClosedPipe`] if the only output was a trace to standard output and its reader is gone.
    pub fn write(
        &mut self,
        world: &mut World,
        tick: u32,
        step: RunState,
        took: Duration,
    ) -> Result<(), Failure> {
        if let Some(trace) = &mut self.trace {
            let written = trace.write(world, tick);
            let nobody_reads = matches!(written, Err(Failure::ClosedPipe)) && trace.file.is_printed();
            if self.outputs.note(written).is_none() {
                self.trace = None;
                if nobody_reads && self.recording.is_none() && self.metrics.is_none() && self.plan.is_none() {
                    return Err(Failure::ClosedPipe);
                }
            }
        }
        if let Some(recording) = &mut self.recording
            && self.outputs.note(recording.write(world, tick, step)).is_none()
        {
            self.recording = None;
        }
        if let Some(metrics) = &mut self.metrics
            && self.outputs.note(metrics.write(world, tick, step)).is_none()
        {
            self.metrics = None;
        }
        if let Some(plan) = &mut self.plan {
            plan.tick(world, tick, step, took);
        }
        world.clear_log();
        Ok(())
    }

    /// Completes the files. Returns the failures.
    pub fn finish(self, world: &World, result: &RunResult) -> Outputs {
        let Self { trace, recording, metrics, plan, snapshot, mut outputs } = self;
        trace.map(|trace| outputs.note(trace.finish(result)));
        recording.map(|recording| outputs.note(recording.finish(world, result)));
        metrics.map(|metrics| outputs.note(metrics.finish(world)));
        plan.map(|plan| outputs.note(plan.finish(world)));
        snapshot.map(|snapshot| outputs.note(snapshot.finish(world)));
        outputs
    }

    /// Completes the files of a run that a panic has ended, with its last whole tick. A plan and the snapshot of the
    /// end are not written. Returns the failures.
    pub fn finish_without_end(self) -> Outputs {
        let Self { trace, recording, metrics, mut outputs, .. } = self;
        trace.map(|trace| outputs.note(trace.file.finish()));
        recording.map(|recording| outputs.note(recording.finish_without_end()));
        metrics.map(|metrics| outputs.note(metrics.file.finish()));
        outputs
    }
}

/// An open file with its path as given.
struct Opened {
    path: PathBuf,
    out: BufWriter<OutputFile>,
}

impl Opened {
    fn open(path: &Path, unfinished: Unfinished) -> Result<Self, Failure> {
        let file = OutputFile::create(path, unfinished).map_err(|error| Failure::writing(path, &error))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::with_capacity(BUFFER_BYTES, file) })
    }

    /// Whether the file is standard output.
    fn is_printed(&self) -> bool {
        matches!(Destination::of(&self.path), Ok(Destination::Stream(Stream::Out)))
    }

    fn check<T>(
        &mut self,
        write: impl FnOnce(&mut BufWriter<OutputFile>) -> io::Result<T>,
    ) -> Result<T, Failure> {
        write(&mut self.out).map_err(|error| Failure::writing(&self.path, &error))
    }

    /// Flushes and commits the file.
    fn finish(self) -> Result<(), Failure> {
        let Self { path, out } = self;
        commit(out).map_err(|error| Failure::writing(&path, &error))
    }
}

fn commit(out: BufWriter<OutputFile>) -> io::Result<()> {
    out.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
}

/// A trace being written.
struct TraceFile {
    file: Opened,
}

impl TraceFile {
    fn begin(file: Opened, is_resumed: bool, world: &mut World) -> Result<Self, Failure> {
        let mut trace = Self { file };
        trace.file.check(|out| trace::write_header(world, &mut SafeText::json(out)))?;
        if is_resumed {
            world.keep_log_from_here();
            trace.file.check(|out| trace::write_opening(world, &mut SafeText::json(out)))?;
        } else {
            world.keep_log();
        }
        Ok(trace)
    }

    fn write(&mut self, world: &World, tick: u32) -> Result<(), Failure> {
        self.file.check(|out| trace::write_log(world, tick, &mut SafeText::json(out)))
    }

    fn finish(mut self, result: &RunResult) -> Result<(), Failure> {
        self.file.check(|out| trace::write_end(result, &mut SafeText::json(out)))?;
        self.file.finish()
    }
}

/// A recording being written. If the run is killed, its `FILE.part` holds the recording so far.
struct RecordingFile {
    path: PathBuf,
    recorder: Recorder<BufWriter<OutputFile>>,
}

impl RecordingFile {
    fn begin(
        Opened { path, out }: Opened,
        scenario: Option<(&Path, &str, &Source)>,
        world: &mut World,
    ) -> Result<Self, Failure> {
        let begun = match scenario {
            Some((file, text, source)) => {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                Recorder::begin(world, source, ScenarioText { file: &name, text }, out)
            }
            None => Recorder::begin_resumed(world, out),
        };
        match begun {
            Ok(recorder) => Ok(Self { path, recorder }),
            Err(error) => Err(Failure::writing(&path, &error)),
        }
    }

    fn write(&mut self, world: &World, tick: u32, step: RunState) -> Result<(), Failure> {
        self.recorder.tick(world, tick, step).map_err(|error| Failure::writing(&self.path, &error))
    }

    fn finish_without_end(self) -> Result<(), Failure> {
        let finished = self.recorder.finish_without_end().and_then(commit);
        finished.map_err(|error| Failure::writing(&self.path, &error))
    }

    fn finish(self, world: &World, result: &RunResult) -> Result<(), Failure> {
        let finished = self.recorder.finish_with(world, result.clone()).and_then(commit);
        finished.map_err(|error| Failure::writing(&self.path, &error))
    }
}

/// The plan of a run, written at its end.
struct PlanOut {
    file: Opened,
    plan: Plan,
}

/// The format of a plan: that of a problem is the competition's.
enum Plan {
    OfProblem(PlanFile),
    Moves(MovePlanRecorder),
}

impl PlanOut {
    fn begin(file: Opened, of_problem: bool, world: &mut World) -> Result<Self, Failure> {
        let plan = if of_problem {
            Plan::OfProblem(PlanFile::begin(world))
        } else {
            let begun = MovePlanRecorder::begin(world);
            Plan::Moves(begun.map_err(|why| Failure::writing(&file.path, &io::Error::other(why)))?)
        };
        Ok(Self { file, plan })
    }

    fn tick(&mut self, world: &World, tick: u32, step: RunState, took: Duration) {
        match &mut self.plan {
            Plan::OfProblem(plan) => plan.tick(world, tick, took.as_secs_f64(), step == RunState::Ended),
            Plan::Moves(plan) => plan.tick(world, tick),
        }
    }

    fn finish(self, world: &World) -> Result<(), Failure> {
        let Self { mut file, plan } = self;
        file.check(|out| match plan {
            Plan::OfProblem(plan) => plan.write(out),
            Plan::Moves(plan) => plan.finish(world).write(SafeText::json(out)),
        })?;
        file.finish()
    }
}

/// Metrics being written: a row every `every` ticks, and one for the last tick.
struct MetricsFile {
    file: Opened,
    every: u32,
    /// The last tick run, if it has no row yet.
    pending: Option<u32>,
}

impl MetricsFile {
    fn begin(mut file: Opened, every: u32) -> Result<Self, Failure> {
        file.check(Counters::write_csv_header)?;
        Ok(Self { file, every, pending: None })
    }

    fn write(&mut self, world: &World, tick: u32, step: RunState) -> Result<(), Failure> {
        let due = tick.is_multiple_of(self.every) || step == RunState::Ended;
        self.pending = (!due).then_some(tick);
        if due { self.file.check(|out| Counters::of(world).write_csv_row(tick, out)) } else { Ok(()) }
    }

    fn finish(mut self, world: &World) -> Result<(), Failure> {
        if let Some(tick) = self.pending {
            self.file.check(|out| Counters::of(world).write_csv_row(tick, out))?;
        }
        self.file.finish()
    }
}
