//! Which rows of agents the last tick has changed.

use crate::close_up::close_up;
use crate::rows::agent_row::AgentRow;
use wheelbase_traffic::RowSet;
use wheelbase_traffic::clone_fields;

/// The rows written since the last tick began, and their earlier values. A tick costs nothing for other rows.
#[derive(Debug, Default)]
pub(crate) struct ChangedRows {
    written: RowSet,
    /// By row; of no meaning for a row that is not written.
    before: Vec<AgentRow>,
}

clone_fields!(ChangedRows { written, before });

impl ChangedRows {
    /// Begins a tick.
    pub fn clear(&mut self) {
        self.written.clear();
    }

    /// Notes that a row is about to be written.
    pub fn note(&mut self, row: usize, before: &AgentRow) {
        if !self.written.contains(row) {
            self.written.insert(row);
            self.before[row] = *before;
        }
    }

    /// Notes a row that has come after the last one.
    pub fn push(&mut self) {
        self.insert(self.before.len());
    }

    /// Notes a row that has come before all rows from an index on.
    pub fn insert(&mut self, row: usize) {
        self.written.open_up(row);
        self.written.insert(row);
        // No agent has this id.
        self.before.insert(row, AgentRow { id: u32::MAX, ..AgentRow::default() });
    }

    /// Follows the removal of rows, given in ascending order.
    pub fn close_up(&mut self, gone: &[u32]) {
        self.written.close_up(gone);
        close_up(&mut self.before, gone);
    }

    /// The rows that differ from what they were, ascending.
    pub fn iter<'a>(&'a self, rows: &'a [AgentRow]) -> impl Iterator<Item = usize> + 'a {
        self.written.iter().filter(|&row| self.before[row] != rows[row])
    }
}
