//! Loads a MovingAI `.scen` file with its map.

use super::error::LoadError;
use super::files::read_file;
use super::world::{PlanningProblem, load_planning_problem};
use crate::scenario::{ScenarioError, ScenarioErrors, Span};
use std::path::{Path, PathBuf};
use wheelbase_grid::MemoryMax;
use wheelbase_maps::movingai_scen::{self, ScenFile};

/// Queries of a MovingAI `.scen` file with their map and the class to plan for.
#[derive(Debug)]
#[non_exhaustive]
pub struct ScenProblem {
    /// The queries.
    pub queries: ScenFile,
    /// The file of their map.
    pub map: PathBuf,
    /// The map, and the class.
    pub problem: PlanningProblem,
}

/// Reads the queries of a MovingAI `.scen` file and their map, whose size must match: `map`, or the file that they
/// name. It is first looked for beside them, by its name alone or by theirs. Then it is looked for by its whole path,
/// from the working folder and from each folder above them. The class is as in [`load_planning_problem`].
/// # Errors
/// [`LoadError`] with the mistake and its place.
pub fn load_scen(
    file: &Path,
    map: Option<&Path>,
    class: Option<&str>,
    memory_max: MemoryMax,
) -> Result<ScenProblem, LoadError> {
    let name = || file.display().to_string();
    let queries = movingai_scen::parse(&read_file(file)?).map_err(|error| {
        let span = Span::in_line(error.line, error.column, 1);
        ScenarioErrors::from(ScenarioError::at(name(), span, error.kind))
    })?;
    let first = queries.queries[0].line as usize;
    let report = |why: String| ScenarioErrors::from(ScenarioError::new(name(), first, String::new(), why));
    let map = match map {
        Some(map) => map.to_owned(),
        None => find_map(file, &queries).map_err(report)?,
    };
    let problem = load_planning_problem(&map, class, memory_max)?;
    let (stated, found) = (queries.size, problem.grid.size());
    if stated != found {
        let why = format!(
            "the size of the map is {} x {}, but {} is {} x {}",
            stated.width(),
            stated.height(),
            map.display(),
            found.width(),
            found.height()
        );
        return Err(report(why).into());
    }
    Ok(ScenProblem { queries, map, problem })
}

/// The map that queries name. Published files name maps by folders of their authors, and sometimes by a wrong name;
/// archives have maps and queries in different folders.
fn find_map(file: &Path, queries: &ScenFile) -> Result<PathBuf, String> {
    let by_name = file.with_file_name(queries.map_name());
    let stem = file.with_extension("");
    let by_file = if stem.extension().is_some() { stem } else { stem.with_extension("map") };
    let named = queries.map.replace('\\', "/");
    let folder = file.parent().unwrap_or(Path::new(""));
    let absolute = std::path::absolute(file).unwrap_or_default();
    // Relative paths first: messages and results show them.
    let above = folder.ancestors().chain(absolute.ancestors().skip(1)).map(|folder| folder.join(&named));
    let mut places = [by_name.clone(), by_file.clone(), PathBuf::from(&named)].into_iter().chain(above);
    places.find(|map| map.is_file()).ok_or_else(|| {
        let beside = match by_name == by_file {
            true => format!("there is no {}", by_name.display()),
            false => format!("there is neither {} nor {}", by_name.display(), by_file.display()),
        };
        format!(
            "map: {beside}, and no {named} in the working folder or in a folder above the queries; \
             expected --map FILE"
        )
    })
}
