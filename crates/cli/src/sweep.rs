//! `wheelbase sweep`: runs scenarios over seeds and values of keys, and writes a table.

use crate::args::SweepArgs;
use crate::failure::{Exit, Failure};
use crate::file_kind::Takes;
use crate::interrupt::Interrupt;
use crate::output::clash::refuse_clashes;
use crate::output::files::Outputs;
use crate::output::{progress_bar, say};
use crate::picture_files::{PAGE_ENDINGS, check_ending};
use std::path::{Path, PathBuf};
use wheelbase_scenario::load::LoadError;
use wheelbase_scenario::sweep::{
    FailedItems, Manifest, PreparedSweep, RunOptions, Setting, Shard, Summary, Sweep, SweepError, Table,
    TableFile, files_of_table, merge, parse_seeds, write_table,
};
use wheelbase_view::{safe_text, sweep};

pub fn run(args: &SweepArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    match args.merge.is_empty() {
        true => run_items(args, stop),
        false => merge_tables(args, stop),
    }
}

/// Refuses outputs that are one file, or an input. The manifest of the table is an output too.
fn refuse_clash(args: &SweepArgs, inputs: &[PathBuf]) -> Result<(), Failure> {
    check_ending("--html", args.html.as_deref(), &PAGE_ENDINGS)?;
    let table = files_of_table(&args.output);
    let table = table.iter().map(|file| ("--output", Some(file.as_path())));
    refuse_clashes(table.chain([("--html", args.html.as_deref())]), inputs.iter().map(PathBuf::as_path))
}

fn run_items(args: &SweepArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let sweep = sweep_of(args)?;
    let shard = args.shard.as_deref().map_or(Ok(Shard::WHOLE), str::parse);
    let shard: Shard = shard.map_err(|error| in_flag("--shard", &error))?;
    let prepared = PreparedSweep::new(sweep, args.memory.max()).map_err(failure)?;
    let read: Vec<PathBuf> = prepared.inputs().into_iter().map(|(path, _)| path).collect();
    refuse_clash(args, &read)?;
    let (mut file, kept) = TableFile::open(&args.output, &prepared, args.resume).map_err(failure)?;
    let items = file.items_left(shard);
    if args.resume && !args.quiet {
        say(kept.text(items.len()));
    }
    let bar = progress_bar("item", items.len() as u64, !args.quiet);
    let options =
        RunOptions { jobs: args.threads.map_or(0, usize::from), record_failed: args.record_failed.clone() };
    // From here on the rows that are there are kept.
    stop.catch_signals();
    let mut failed = FailedItems::default();
    let ran = prepared.run(&items, &options, &|| stop.is_raised(), &mut |row| {
        file.add(&row)?;
        failed.note(prepared.items(), &row);
        if failed.count() > 0 {
            bar.set_message(format!(", {} failed", failed.count()));
        }
        bar.inc(1);
        Ok(())
    });
    bar.finish_and_clear();
    let is_whole = ran.is_ok() && failed.leave_whole(&file, shard);
    if let Err(error) = ran {
        let _kept = file.pause();
        return Err(failure(error));
    }
    if !is_whole {
        let text = Summary::of_interrupted(file.table(), &safe_text::path(&args.output));
        let kept = file.pause().map_err(failure);
        say(text);
        return kept.map(|_| Exit::Interrupted);
    }
    let manifest = Manifest::of(&prepared, shard, command());
    let table = file.finish(&manifest).map_err(failure)?;
    end(args, &table, &manifest, &failed, stop)
}

fn merge_tables(args: &SweepArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let manifests = args.merge.iter().map(|table| Manifest::path_of(table));
    refuse_clash(args, &args.merge.iter().cloned().chain(manifests).collect::<Vec<_>>())?;
    let (table, manifest) = merge(&args.merge).map_err(failure)?;
    let manifest = Manifest { command: command(), ..manifest };
    write_table(&args.output, &table, &manifest).map_err(failure)?;
    end(args, &table, &manifest, &FailedItems::default(), stop)
}

/// Writes the page, and says what the table holds.
fn end(
    args: &SweepArgs,
    table: &Table,
    manifest: &Manifest,
    failed: &FailedItems,
    stop: &Interrupt,
) -> Result<Exit, Failure> {
    let mut outputs = Outputs::default();
    if let Some(html) = &args.html {
        outputs.write(html, sweep::page(table, manifest).as_bytes(), stop);
    }
    let Summary { text, warning } = Summary::of(table, manifest, failed, &safe_text::path(&args.output));
    if !args.quiet {
        say(text);
    }
    let exit = if warning.is_some() { Exit::Negative } else { Exit::Done };
    warning.into_iter().for_each(say);
    outputs.end(exit)
}

/// The subject of the sweep, from the arguments.
fn sweep_of(args: &SweepArgs) -> Result<Sweep, Failure> {
    let scenarios = args.scenarios.iter().map(|path| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| Failure::in_file(path, "expected a path of UTF-8 letters, which tables can hold"))
    });
    let seeds = parse_seeds(args.seeds.as_deref().unwrap_or_default());
    let set = args.set.iter().map(|text| text.parse::<Setting>().map_err(|error| in_flag("--set", &error)));
    Ok(Sweep {
        scenarios: scenarios.collect::<Result<_, _>>()?,
        set: set.collect::<Result<_, _>>()?,
        seeds: seeds.map_err(|error| in_flag("--seeds", &error))?,
        measures: args.measure.clone(),
        check_invariants: args.check_invariants,
        times: args.times,
    })
}

fn in_flag(flag: &str, error: &SweepError) -> Failure {
    Failure::bad_input(format_args!("{flag}: {error}"))
}

fn failure(error: SweepError) -> Failure {
    match error {
        SweepError::Load(error) => {
            let file = match &error {
                LoadError::File { file, .. } | LoadError::Memory { file, .. } => file.clone(),
                LoadError::Scenario(errors) => errors.as_slice()[0].file.clone(),
                _ => return error.into(),
            };
            Takes::RUNNABLE.refuse(Path::new(&file), error)
        }
        SweepError::Differs(_) => Failure::Message { exit: Exit::Negative, text: format!("error: {error}") },
        other => Failure::bad_input(other),
    }
}

/// The command line, for the manifest.
fn command() -> Vec<String> {
    std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect()
}
