//! `--memory-max`: the memory limit, by default the free memory of the machine.

use crate::failure::Failure;
use std::path::Path;
use wheelbase_grid::{Grid, MemoryMax, MemoryNeed, grid_bytes};
use wheelbase_planner::model::StateSpace;
use wheelbase_planner::tables::search_need;
use wheelbase_planner::{MovementClass, tables_need};
use wheelbase_scenario::machine_memory::{bytes_of, machine_memory};

/// The memory limit.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct MemoryArgs {
    /// Refuse inputs that could need more memory, as bytes or 512MiB, 4GiB [default: free memory]
    #[arg(long, value_name = "SIZE", value_parser = bytes_of)]
    pub memory_max: Option<u64>,
}

impl MemoryArgs {
    /// The given limit, or the free memory of the machine.
    pub fn max(&self) -> MemoryMax {
        self.memory_max.map_or_else(machine_memory, MemoryMax::of_all)
    }
}

/// Refuses a need above the limit.
pub fn check(max: MemoryMax, need: MemoryNeed, what: impl FnOnce() -> String) -> Result<(), Failure> {
    max.check(need, what)
        .map_err(|error| Failure::bad_input(format!("{error}; --memory-max SIZE sets the limit")))
}

/// Refuses to compile a class for a map and to run `searches` searches on it together if they and `more` can exceed the
/// limit.
pub fn check_planning(
    file: &Path,
    (grid, class): (&Grid, &MovementClass),
    searches: u64,
    more: MemoryNeed,
    max: MemoryMax,
) -> Result<(), Failure> {
    let space = StateSpace::new(grid.size(), grid.shape(), class.headings());
    let tables = tables_need(grid, class);
    let map = grid_bytes(grid.size(), grid.shape(), !grid.all_sides_open(), grid.elevation().is_some());
    let search = MemoryNeed::on_demand(search_need(space).total.saturating_mul(searches));
    let kept = MemoryNeed::built(map + tables.kept).and(search).and(more);
    let need = MemoryNeed::built(map + tables.peak).or(kept);
    let what = || {
        let (size, name, headings) = (grid.size(), &class.spec().name, class.headings());
        format!(
            "{}: class \"{name}\" of {headings} headings on a map of {size} cells, {searches} searches together",
            file.display()
        )
    };
    check(max, need, what)
}
