//! What a run writes as it goes: trace, recording and metrics.

use crate::args::RunArgs;
use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wheelbase_sim::recording::Recorder;
use wheelbase_sim::{Counters, PlanFile, RunResult, Simulation, Step, trace};

/// Bytes that are gathered before they are written.
const BUFFER_BYTES: usize = 1 << 16;

/// The files of a run; each is there if it was asked for.
#[derive(Default)]
pub struct RunFiles {
    trace: Option<TraceFile>,
    recording: Option<RecordingFile>,
    metrics: Option<MetricsFile>,
    plan: Option<PlanOut>,
}

impl RunFiles {
    /// Makes the files and writes what stands at their start. `scenario` is the text of the scenario.
    pub fn create(args: &RunArgs, scenario: &str, sim: &mut Simulation) -> Result<Self, Failure> {
        let trace = args.trace.as_deref().map(|path| TraceFile::create(path, sim)).transpose()?;
        let file = args.scenario.file_name().unwrap_or_default().to_string_lossy();
        let recording = args.record.as_deref();
        let recording =
            recording.map(|path| RecordingFile::create(path, &file, scenario, sim)).transpose()?;
        let metrics = args.metrics.as_deref();
        let metrics = metrics.map(|path| MetricsFile::create(path, args.metrics_every)).transpose()?;
        let plan = args.plan_out.as_deref().map(|path| PlanOut::create(path, sim)).transpose()?;
        Ok(Self { trace, recording, metrics, plan })
    }

    /// Writes what became of a tick, and how long it took.
    pub fn write(
        &mut self,
        sim: &mut Simulation,
        tick: u32,
        step: Step,
        took: Duration,
    ) -> Result<(), Failure> {
        if let Some(trace) = &mut self.trace {
            trace.write(sim, tick)?;
        }
        if let Some(recording) = &mut self.recording {
            recording.write(sim, tick, step)?;
        }
        if let Some(metrics) = &mut self.metrics {
            metrics.write(sim, tick, step)?;
        }
        if let Some(plan) = &mut self.plan {
            plan.plan.tick(sim, tick, took.as_secs_f64(), step == Step::Ended);
        }
        sim.clear_log();
        Ok(())
    }

    /// Writes what stands at their end.
    pub fn finish(self, sim: &Simulation, result: &RunResult) -> Result<(), Failure> {
        if let Some(trace) = self.trace {
            trace.finish(result)?;
        }
        if let Some(recording) = self.recording {
            recording.finish(sim)?;
        }
        if let Some(metrics) = self.metrics {
            metrics.finish(sim)?;
        }
        if let Some(plan) = self.plan {
            plan.finish()?;
        }
        Ok(())
    }
}

fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    let file = File::create(path).map_err(|error| Failure::writing(path, &error))?;
    Ok(BufWriter::with_capacity(BUFFER_BYTES, file))
}

/// A trace being written.
struct TraceFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl TraceFile {
    fn create(path: &Path, sim: &mut Simulation) -> Result<Self, Failure> {
        let mut trace = Self { path: path.to_owned(), out: create(path)? };
        sim.keep_log();
        trace.check(|out| trace::write_header(sim, out))?;
        Ok(trace)
    }

    fn check(&mut self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        write(&mut self.out).map_err(|error| Failure::writing(&self.path, &error))
    }

    fn write(&mut self, sim: &Simulation, tick: u32) -> Result<(), Failure> {
        self.check(|out| sim.log().iter().try_for_each(|event| trace::write_event(sim, tick, event, out)))
    }

    fn finish(mut self, result: &RunResult) -> Result<(), Failure> {
        self.check(|out| {
            trace::write_end(result, out)?;
            out.flush()
        })
    }
}

/// A recording being written. It stands under its own name from the start, so that what a run that is
/// killed has written is found there.
struct RecordingFile {
    path: PathBuf,
    recorder: Recorder<BufWriter<File>>,
}

impl RecordingFile {
    fn create(path: &Path, file: &str, scenario: &str, sim: &mut Simulation) -> Result<Self, Failure> {
        let recorder = Recorder::begin(sim, file, scenario, create(path)?);
        let recorder = recorder.map_err(|error| Failure::writing(path, &error))?;
        Ok(Self { path: path.to_owned(), recorder })
    }

    fn write(&mut self, sim: &Simulation, tick: u32, step: Step) -> Result<(), Failure> {
        self.recorder.tick(sim, tick, step).map_err(|error| Failure::writing(&self.path, &error))
    }

    fn finish(self, sim: &Simulation) -> Result<(), Failure> {
        let finished = self.recorder.finish(sim);
        finished.map(|_| ()).map_err(|error| Failure::writing(&self.path, &error))
    }
}

/// The plan of a problem, which is written once the run has ended.
struct PlanOut {
    path: PathBuf,
    out: BufWriter<File>,
    plan: PlanFile,
}

impl PlanOut {
    fn create(path: &Path, sim: &mut Simulation) -> Result<Self, Failure> {
        Ok(Self { path: path.to_owned(), out: create(path)?, plan: PlanFile::begin(sim) })
    }

    fn finish(self) -> Result<(), Failure> {
        self.plan.write(self.out).map_err(|error| Failure::writing(&self.path, &error))
    }
}

/// Metrics being written: a row every so many ticks, and one of the last tick.
struct MetricsFile {
    path: PathBuf,
    out: BufWriter<File>,
    every: u32,
    /// The last tick, if it has no row yet.
    owed: Option<u32>,
}

impl MetricsFile {
    fn create(path: &Path, every: u32) -> Result<Self, Failure> {
        let mut metrics = Self { path: path.to_owned(), out: create(path)?, every, owed: None };
        metrics.check(Counters::write_csv_header)?;
        Ok(metrics)
    }

    fn check(&mut self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        write(&mut self.out).map_err(|error| Failure::writing(&self.path, &error))
    }

    fn write(&mut self, sim: &Simulation, tick: u32, step: Step) -> Result<(), Failure> {
        let due = tick.is_multiple_of(self.every) || step == Step::Ended;
        self.owed = (!due).then_some(tick);
        if due { self.check(|out| Counters::of(sim).write_csv_row(tick, out)) } else { Ok(()) }
    }

    fn finish(mut self, sim: &Simulation) -> Result<(), Failure> {
        let owed = self.owed;
        self.check(|out| {
            owed.map_or(Ok(()), |tick| Counters::of(sim).write_csv_row(tick, out))?;
            out.flush()
        })
    }
}
