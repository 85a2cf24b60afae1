//! `wheelbase generate`: a seeded map as a MovingAI `.map` file.

use crate::args::GenerateArgs;
use crate::failure::{Exit, Failure};
use std::fs::File;
use std::io::{BufWriter, Write};
use wheelbase_grid::map_file::{MapWriteError, movingai};
use wheelbase_grid::{GridSize, MapKind, generate};

pub fn run(args: &GenerateArgs) -> Result<Exit, Failure> {
    let kind = MapKind::from_name(&args.kind).ok_or_else(|| {
        let known: Vec<&str> = MapKind::ALL.iter().map(|kind| kind.name()).collect();
        Failure::bad_input(format!("KIND: expected one of {}, found \"{}\"", known.join(", "), args.kind))
    })?;
    let parts: Vec<Option<u64>> = args.size.split(',').map(|part| part.trim().parse().ok()).collect();
    let [Some(width), Some(height)] = parts[..] else {
        return Err(Failure::bad_input(format!("--size: expected W,H, found \"{}\"", args.size)));
    };
    let size =
        GridSize::new(width, height).map_err(|error| Failure::bad_input(format!("--size: {error}")))?;
    let grid = generate(kind, size, args.seed);
    let file = File::create(&args.output).map_err(|error| Failure::writing(&args.output, &error))?;
    let mut out = BufWriter::new(file);
    match movingai::write(&grid, &mut out) {
        Ok(()) => out.flush().map_err(|error| Failure::writing(&args.output, &error))?,
        Err(MapWriteError::Io(error)) => return Err(Failure::writing(&args.output, &error)),
        Err(error) => return Err(Failure::bad_input(format!("{}: {error}", args.output.display()))),
    }
    Ok(Exit::Done)
}
