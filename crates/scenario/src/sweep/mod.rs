//! Sweeps: scenarios over seeds and values of keys, as a table with a row for each run.
//!
//! A [`Sweep`] describes the runs, as plain values; a [`PreparedSweep`] has read its files and knows the key of each
//! item. An item is a function of the program, the files, the seed and the values. The same row comes out on any
//! machine, in any order, however often. [`PreparedSweep::run`] runs items side by side and gives their rows to the
//! caller. [`TableFile`] keeps them in a file that can be resumed. [`merge`] joins the tables of shards.
//!
//! ```
//! use wheelbase_grid::MemoryMax;
//! use wheelbase_scenario::sweep::{PreparedSweep, RunOptions, Status, Sweep, parse_seeds};
//! let sweep = Sweep {
//!     scenarios: vec!["../../scenarios/first/01_yard.toml".to_owned()],
//!     set: vec!["ticks=5,500".parse()?],
//!     seeds: parse_seeds("0..2")?,
//!     measures: vec!["orders_done".to_owned()],
//!     check_invariants: false,
//!     times: false,
//! };
//! let prepared = PreparedSweep::new(sweep, MemoryMax::NONE)?;
//! let items: Vec<usize> = (0..prepared.items().n_items()).collect();
//! let mut rows = Vec::new();
//! prepared.run(&items, &RunOptions::default(), &|| false, &mut |row| {
//!     rows.push((row.item, row.status, row.measures[0].as_u64()));
//!     Ok(())
//! })?;
//! rows.sort_unstable();
//! let done: Vec<_> = rows.into_iter().map(|(_, status, done)| (status, done)).collect();
//! assert_eq!(done[0], (Status::Done, Some(0)));
//! assert_eq!((done.len(), done[3].1 > Some(0)), (4, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod items;
mod manifest;
mod prepared;
mod run;
mod summary;
mod table;
mod table_file;
mod values;

pub use error::SweepError;
pub use items::{Items, Sweep, cell_text};
pub use manifest::{Host, Input, Manifest};
pub use prepared::PreparedSweep;
pub use run::RunOptions;
pub use summary::{FailedItems, Summary};
pub use table::{Format, ReadRows, Row, Status, Table};
pub use table_file::{TableFile, files_of_table, merge, write_table};
pub use values::{ITEMS_MAX, Setting, Shard, parse_seeds};
