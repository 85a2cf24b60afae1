//! Messages to people about the rows of a sweep.

use super::items::Items;
use super::manifest::Manifest;
use super::table::{ReadRows, Row, Status, Table};
use super::table_file::TableFile;
use super::values::Shard;

/// The items that failed in a run of a sweep.
#[derive(Clone, Debug, Default)]
pub struct FailedItems {
    count: usize,
    /// The first in the order of the table, with its label and reason.
    first: Option<(usize, String)>,
    /// The items that lacked memory, ascending.
    without_memory: Vec<usize>,
}

impl FailedItems {
    /// Notes the row of an item, if it failed.
    pub fn note(&mut self, items: &Items, row: &Row) {
        if row.status == Status::Done {
            return;
        }
        self.count += 1;
        if self.first.as_ref().is_none_or(|(item, _)| row.item < *item) {
            self.first = Some((row.item, format!("{}: {}", items.label(row.item), row.reason)));
        }
        if row.status == Status::NoMemory {
            let at = self.without_memory.partition_point(|&item| item < row.item);
            self.without_memory.insert(at, row.item);
        }
    }

    /// Number of items that failed.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether every item of a shard has a row in a file, or has been computed as well as it can be here. An item that
    /// lacked memory has a row that does not count.
    pub fn leave_whole(&self, file: &TableFile, shard: Shard) -> bool {
        file.items_left(shard).iter().all(|item| self.without_memory.binary_search(item).is_ok())
    }
}

impl ReadRows {
    /// The message when a sweep is resumed and `left` items are to run.
    pub fn text(&self, left: usize) -> String {
        let stale = match self.stale {
            0 => String::new(),
            stale => format!(", {stale} left out: they are of other files, or of another release"),
        };
        format!("{} kept{stale}; {} to run", counted(self.rows, "row"), counted(left, "item"))
    }
}

/// The message at the end of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How many rows the table has, and what failed.
    pub text: String,
    /// That items have no row: a negative answer.
    pub warning: Option<String>,
}

impl Summary {
    /// Of a table that was finished, or merged; `out` is its path as it is shown.
    pub fn of(table: &Table, manifest: &Manifest, failed: &FailedItems, out: &str) -> Self {
        let (n_rows, n_items) = (table.n_rows(), table.items().n_items());
        let shard = manifest.shard;
        let is_shard = shard != Shard::WHOLE;
        let mut text = format!("{out}: {}", counted(n_rows, "row"));
        if is_shard {
            text += &format!(" of shard {}/{} of {}", shard.number, shard.of, counted(n_items, "item"));
        }
        for (status, count) in table.statuses().into_iter().filter(|(status, _)| *status != Status::Done) {
            text += &format!(", {count} {}", status.name());
        }
        if let Some((_, first)) = &failed.first {
            text += &format!("\n  the first that failed: {first}");
        }
        let lacks = n_items - n_rows;
        let warning = (lacks > 0 && !is_shard).then(|| {
            format!(
                "warning: {lacks} of {n_items} items have no row in these tables; is there another shard?"
            )
        });
        Self { text, warning }
    }

    /// The message of an interrupted sweep.
    pub fn of_interrupted(table: &Table, out: &str) -> String {
        let (rows, all) = (table.n_rows(), table.items().n_items());
        let (rows, are) = (counted(rows, "row"), if rows == 1 { "is" } else { "are" });
        format!("interrupted: {rows} of {all} {are} in {out}.part; the same command with --resume goes on")
    }
}

/// A number with its noun.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
