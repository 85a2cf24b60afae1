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

#[cfg(test)]
mod tests {
    use crate::{EventKind, RefusalReason, UnreachableReason};

    /// Names are found by the number of the variant.
    #[test]
    fn tables_are_in_the_order_of_their_variants() {
        assert!((0..).zip(EventKind::ALL).all(|(number, kind)| kind as usize == number));
        assert!((0..).zip(RefusalReason::ALL).all(|(number, reason)| reason as usize == number));
        assert!((0..).zip(UnreachableReason::ALL).all(|(number, reason)| reason as usize == number));
    }
}
