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

/// Reads the queries of a MovingAI `.scen` file and their map, which lies beside it and whose size must match. The class
/// is as in [`load_planning_problem`].
/// # Errors
/// [`LoadError`] with what is wrong, and where.
pub fn load_scen(file: &Path, class: Option<&str>, memory_max: MemoryMax) -> Result<ScenProblem, LoadError> {
    let name = || file.display().to_string();
    let queries = movingai_scen::parse(&read_file(file)?).map_err(|error| {
        let span = Span::in_line(error.line, error.column, 1);
        ScenarioErrors::from(ScenarioError::at(name(), span, error.kind))
    })?;
    let first = queries.queries[0].line as usize;
    let report = |why: String| ScenarioErrors::from(ScenarioError::new(name(), first, String::new(), why));
    let map = map_beside(file, queries.map_name()).map_err(report)?;
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

/// The map in the folder of the file, by the name given in the file, else by the name of the file itself. Published
/// files name maps by folders of their authors, and sometimes by a wrong name.
fn map_beside(file: &Path, name: &str) -> Result<PathBuf, String> {
    let by_name = file.with_file_name(name);
    let stem = file.with_extension("");
    let by_file = if stem.extension().is_some() { stem } else { stem.with_extension("map") };
    if let Some(map) = [&by_name, &by_file].into_iter().find(|map| map.exists()) {
        return Ok(map.clone());
    }
    let missing = match by_name == by_file {
        true => format!("there is no {}", by_name.display()),
        false => format!("there is neither {} nor {}", by_name.display(), by_file.display()),
    };
    Err(format!("map: {missing}; expected the map in the folder of the queries"))
}
