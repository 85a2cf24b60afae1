//! `wheelbase render`: a recording as a page that plays it.

mod film;
mod html;
mod pack;

use crate::args::RenderArgs;
use crate::failure::{Exit, Failure};
use film::Film;
use std::io::{self, Write};
use std::path::Path;
use wheelbase_sim::recording::Reader;

pub fn run(args: &RenderArgs) -> Result<Exit, Failure> {
    let file = args.recording.display();
    let of_file = |error| Failure::bad_input(format!("{file}: {error}"));
    let mut reader = Reader::open_file(&args.recording).map_err(of_file)?;
    // The page lays cells out in rows and columns of squares.
    if reader.header().shape != "square" {
        return Err(Failure::bad_input(format!("{file}: not supported yet: render of hexagonal maps")));
    }
    if let Some(cut) = reader.cut() {
        writeln!(io::stderr(), "warning: {file}: {cut}")?;
    }
    if let Some(path) = &args.html {
        let film = Film::read(&mut reader, !args.no_paths).map_err(of_file)?;
        write(path, html::page(&film).as_bytes())?;
    }
    Ok(Exit::Done)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(path, bytes).map_err(|error| Failure::writing(path, &error))
}
