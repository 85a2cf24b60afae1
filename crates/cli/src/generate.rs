//! `wheelbase generate`: writes a seeded map, or converts an existing one, to `.map` or PNG.

use crate::args::GenerateArgs;
use crate::failure::{Exit, Failure};
use crate::file_kind::Takes;
use crate::interrupt::Interrupt;
use crate::memory_max;
use crate::output::clash::refuse_clashes;
use crate::output::files::Outputs;
use crate::query::did_you_mean;
use std::path::{Path, PathBuf};
use wheelbase_grid::{Grid, GridSize, MemoryNeed};
use wheelbase_maps::{MapKind, generate};
use wheelbase_maps::{MapWriteError, movingai, png};
use wheelbase_scenario::load::{LoadedGrid, load_grid};
use wheelbase_scenario::scenario::nearest_name;
use wheelbase_view::safe_text;

pub fn run(args: &GenerateArgs, stop: &Interrupt) -> Result<Exit, Failure> {
    let write = match args.output.extension().and_then(|ending| ending.to_str()) {
        Some("map") => movingai::write,
        Some("png") => png::write,
        _ => {
            let message = format!(
                "--output: expected a file .map or .png, found \"{}\"",
                safe_text::path(&args.output)
            );
            return Err(Failure::bad_input(message));
        }
    };
    let grid = match MapKind::from_name(&args.kind) {
        Some(kind) => generated(kind, args)?,
        None => converted(args)?,
    };
    let mut bytes = Vec::new();
    match write(&grid, &mut bytes) {
        Ok(()) => {}
        Err(MapWriteError::Io(error)) => return Err(Failure::writing(&args.output, &error)),
        Err(error) => {
            return Err(Failure::in_file(&args.output, error));
        }
    }
    // Opened last, so that a map that cannot be written leaves no file.
    let mut outputs = Outputs::default();
    outputs.write(&args.output, &bytes, stop);
    outputs.end(Exit::Done)
}

/// Bytes per cell of a new map: the grid, the scratch of its generator and the file.
const GENERATED_BYTES: u64 = 4;

fn generated(kind: MapKind, args: &GenerateArgs) -> Result<Grid, Failure> {
    let (Some(size), Some(seed)) = (&args.size, args.seed) else {
        let message = format!("a map of kind \"{}\" needs --size W,H and --seed N", args.kind);
        return Err(Failure::bad_input(message));
    };
    let parts: Vec<Option<u64>> = size.split(',').map(|part| part.trim().parse().ok()).collect();
    let [Some(width), Some(height)] = parts[..] else {
        return Err(Failure::bad_input(format!("--size: expected W,H, found \"{size}\"")));
    };
    let size = GridSize::new(width, height);
    let size = size.map_err(|error| Failure::bad_input(format!("--size: {error}")))?;
    let need = MemoryNeed::built(GENERATED_BYTES * size.n_cells() as u64);
    memory_max::check(args.memory.max(), need, || format!("--size: a map of {size} cells"))?;
    Ok(generate(kind, size, seed))
}

/// The map of a map file or of a scenario.
fn converted(args: &GenerateArgs) -> Result<Grid, Failure> {
    let file = Path::new(&args.kind);
    if !["map", "tmx", "png", "toml"]
        .iter()
        .any(|ending| file.extension().is_some_and(|found| found == *ending))
    {
        let known: Vec<&str> = MapKind::ALL.iter().map(|kind| kind.name()).collect();
        return Err(Failure::bad_input(format!(
            "KIND: expected one of {} or a map (.map, .tmx, .png, .toml), found \"{}\"{}",
            known.join(", "),
            args.kind,
            did_you_mean(nearest_name(&args.kind, known.iter().copied()))
        )));
    }
    if args.size.is_some() || args.seed.is_some() {
        let message = format!("--size and --seed are for new maps; {} exists already", args.kind);
        return Err(Failure::bad_input(message));
    }
    let output = || [("--output", Some(args.output.as_path()))];
    refuse_clashes(output(), [file])?;
    let LoadedGrid { grid, files, .. } =
        load_grid(file, args.memory.max()).map_err(|error| Takes::PLANNABLE.refuse(file, error))?;
    refuse_clashes(output(), files.iter().map(PathBuf::as_path))?;
    Ok(grid)
}
