//! Crash reports of runs: written when an invariant breaks or a step panics.

use crate::failure::{Exit, Failure};
use crate::output::say;
use crate::run_files::RunFiles;
use std::io;
use std::path::{Path, PathBuf};
use wheelbase_scenario::output_file::{OutputFile, Unfinished};
use wheelbase_sim::{Broken, CommandsSince, World};
use wheelbase_view::safe_text;

/// Ends a run whose world is broken: completes its files with the last whole tick, and writes the report into a folder.
/// `again` as for [`report`].
pub fn end_broken(
    world: &World,
    broken: &Broken,
    again: impl FnOnce() -> Option<(World, CommandsSince)>,
    files: RunFiles,
    folder: &Path,
) -> Failure {
    if let Err(Failure::Message { text, .. }) = files.finish_without_end().end(Exit::Broken) {
        say(text);
    }
    let (tick, message) = (broken.tick(), safe_text::line(broken.message()));
    Failure::Message {
        exit: Exit::Broken,
        text: format!(
            "error: the step of tick {tick} panicked: {message}; nothing is written of it\n{}",
            report(world, again, "", folder)
        ),
    }
}

/// Writes the report of a world, and says what to do with it. It begins with the last snapshot, or else with what
/// `again` makes: the world as the run began with it, and the commands given since. `flags` are needed to reproduce the
/// report.
pub fn report(
    world: &World,
    again: impl FnOnce() -> Option<(World, CommandsSince)>,
    flags: &str,
    folder: &Path,
) -> String {
    let from_start = || again().and_then(|(start, commands)| world.report_from(&start, &commands).ok());
    let Some(bytes) = world.report().or_else(from_start) else {
        return "there is no report: the run can no more be begun as it was, its files have changed"
            .to_owned();
    };
    let name = format!("wheelbase-crash-{}.report", world.tick());
    let in_temp = std::env::temp_dir();
    let written = write(&bytes, folder.join(&name)).or_else(|_| write(&bytes, in_temp.join(&name)));
    match written {
        Ok(path) => {
            let path = safe_text::path(&path);
            format!(
                "to reproduce it, run `wheelbase run --resume {path}{flags}`; please send that file with your report"
            )
        }
        Err(error) => format!("its report cannot be written: {}: {error}", safe_text::path(&in_temp)),
    }
}

fn write(bytes: &[u8], path: PathBuf) -> io::Result<PathBuf> {
    OutputFile::create(&path, Unfinished::Removed)?.commit_with(bytes)?;
    Ok(path)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::args::{Args, Command, RunArgs};
    use crate::interrupt::Interrupt;
    use crate::run::{Driven, Given, drive};
    use crate::run_files::OpenedFiles;
    use crate::snapshot_file::{Resumed, load_resumed};
    use clap::Parser;
    use std::io::Cursor;
    use wheelbase_scenario::recording::{Reader, verify};
    use wheelbase_sim::grid::{CellXY, Grid, SideTable, TerrainTable};
    use wheelbase_sim::traffic::view::TrafficView;
    use wheelbase_sim::traffic::{Decisions, RuleSetting, Start, Traffic};
    use wheelbase_sim::{
        AgentId, ClassId, Heading, Host, MovementClass, Order, Pose, Settings, Setup, Spawn,
    };

    /// Follows paths, and panics when an agent rests at the eastern edge.
    #[derive(Clone)]
    struct Faulty;

    impl Traffic for Faulty {
        fn decide(&mut self, view: &TrafficView<'_>, decisions: &mut Decisions) {
            for (row, motion) in view.agents.motion.iter().enumerate().filter(|(_, motion)| motion.at_rest())
            {
                let tables = &view.tables[usize::from(motion.class.0)];
                assert!(tables.space().pose(motion.state).cell.x < 19, "an agent\u{1b}[31m at the edge");
                let Some(&primitive) = view.paths.moves(view.agents.paths[row]).first() else { continue };
                let Some(ticks) = tables.move_ticks(motion.state, usize::from(primitive)) else { continue };
                decisions.starts.push(Start { row: row as u32, primitive, ticks });
            }
        }

        fn clone_box(&self) -> Box<dyn Traffic> {
            Box::new(self.clone())
        }

        fn saved_name(&self) -> Option<&'static str> {
            Some("faulty")
        }
    }

    fn make_faulty(name: &str, _: RuleSetting<'_>) -> Option<Box<dyn Traffic>> {
        (name == "faulty").then(|| Box::new(Faulty) as Box<dyn Traffic>)
    }

    fn world() -> World {
        let grid =
            Grid::from_rows(&[".".repeat(20).as_str(); 3], TerrainTable::movingai(), SideTable::default());
        let setup = Setup::cooperative(Settings::named("edge"), grid.unwrap(), vec![MovementClass::octile()]);
        let mut setup = Setup::with_rule(setup.settings, setup.grid, setup.tables, Box::new(Faulty));
        for y in [0, 2] {
            let order = Order::goto(CellXY::new(19 - y, y));
            setup.agents.push(Spawn::new(ClassId(0), Pose::new(0, y, Heading(0))).with_orders([order]));
        }
        World::new(setup).unwrap()
    }

    fn run_args(folder: &Path) -> RunArgs {
        let file = |name: &str| folder.join(name).display().to_string();
        let (trace, record, metrics) = (file("t.jsonl"), file("r.wbr"), file("m.csv"));
        let mut typed = vec!["wheelbase", "run", "--resume", "unread", "--quiet", "--metrics-every", "1"];
        typed.extend(["--trace", &trace, "--record", &record, "--metrics", &metrics]);
        let Command::Run(args) = Args::try_parse_from(typed).unwrap().command else { panic!() };
        args
    }

    type Begun = (World, CommandsSince);

    /// Runs a world to its panic with all files; gives the tick and the message.
    fn run_to_panic(begin: impl Fn() -> Begun, folder: &Path) -> (u32, String) {
        let (mut world, since) = begin();
        let mut given = Given { since, ..Given::default() };
        let args = run_args(folder);
        let stop = Interrupt::listen();
        stop.catch_signals();
        let mut files = OpenedFiles::open(&args).begin(None, &mut world);
        let driven = drive(&mut world, &mut given, &mut files, None, &stop, false, &mut |_| {});
        let Ok(Driven { broken: Some(broken), .. }) = driven else { panic!("no panic") };
        let Failure::Message { exit, text } = end_broken(&world, &broken, || Some(begin()), files, folder)
        else {
            panic!()
        };
        assert_eq!(exit, Exit::Broken);
        (broken.tick(), text)
    }

    #[test]
    fn a_panic_leaves_whole_files_and_a_report_that_panics_again() {
        let folder = std::env::temp_dir().join(format!("wheelbase-crash-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (tick, text) = run_to_panic(|| (world(), CommandsSince::default()), &folder);
        assert!(tick > 100, "{tick}");
        assert!(text.contains(&format!("the step of tick {tick} panicked: an agent")), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        let report = folder.join(format!("wheelbase-crash-{tick}.report"));
        assert!(text.contains(&format!("--resume {}`", report.display())), "{text}");
        // The recording holds all whole ticks, in chunks that are whole.
        let recording = std::fs::read(folder.join("r.wbr")).unwrap();
        let reader = Reader::open(Cursor::new(&recording)).unwrap();
        assert_eq!((reader.n_ticks(), reader.end()), (tick, None));
        // So does the trace, without an end, and so do the metrics.
        let trace = std::fs::read_to_string(folder.join("t.jsonl")).unwrap();
        let last: serde_json::Value = serde_json::from_str(trace.lines().last().unwrap()).unwrap();
        assert!(last["t"].as_u64().unwrap() < tick.into() && last.get("end").is_none(), "{last}");
        let metrics = std::fs::read_to_string(folder.join("m.csv")).unwrap();
        assert!(metrics.lines().last().unwrap().starts_with(&format!("{},", tick - 1)), "{metrics}");
        // The report leads there again.
        let again = || {
            let host = Host { traffic: &make_faulty, ..Host::default() };
            let Resumed { world, commands, expected } = load_resumed(&report, host).unwrap();
            assert_eq!((world.tick(), expected.as_ref().map(Broken::tick)), (0, Some(tick)));
            (world, commands)
        };
        assert_eq!(run_to_panic(again, &folder), (tick, text));
        // Without its rule it is refused by name.
        let Err(Failure::Message { exit, text }) = load_resumed(&report, Host::default()) else { panic!() };
        assert!(exit == Exit::BadInput && text.contains("traffic rule \"faulty\""), "{text}");
        let mut reader = Reader::open(Cursor::new(&recording)).unwrap();
        assert!(verify(&mut reader, |tick| tick < 100).unwrap().difference.is_none());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn without_a_report_the_message_says_so() {
        let mut world = world();
        assert!(report(&world, || None, "", Path::new(".")).contains("no report"));
        world.keep_report().unwrap();
        // The folder is missing: it goes into the temporary one.
        let text = report(&world, || None, " --check-invariants", Path::new("/nowhere/at/all"));
        assert!(text.contains("--check-invariants`"), "{text}");
        assert!(world.agent(AgentId(0)).is_some());
        std::fs::remove_file(std::env::temp_dir().join("wheelbase-crash-0.report")).unwrap();
    }
}
