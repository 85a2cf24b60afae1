//! Tables of the variants of an enum with their names.

/// The variants of a table, in its order.
pub(crate) const fn variants<T: Copy, N: Copy, const LEN: usize>(table: &[(T, N); LEN]) -> [T; LEN] {
    let mut all = [table[0].0; LEN];
    let mut at = 1;
    while at < LEN {
        all[at] = table[at].0;
        at += 1;
    }
    all
}
