//! Arrays by row from which rows are dropped.

/// Drops some rows of an array, given in ascending order.
pub(crate) fn close_up<T: Copy>(rows: &mut Vec<T>, gone: &[u32]) {
    let mut to = gone.first().map_or(rows.len(), |&row| row as usize);
    for (at, &row) in gone.iter().enumerate() {
        let end = gone.get(at + 1).map_or(rows.len(), |&next| next as usize);
        rows.copy_within(row as usize + 1..end, to);
        to += end - (row as usize + 1);
    }
    rows.truncate(to);
}
