//! `Clone` whose `clone_from` reuses buffers, which a derived one does not.

/// Clones a struct field by field. The `fresh` fields of a new copy are empty. The method after `then` completes a copy.
macro_rules! clone_fields {
    ($type:ident { $($field:ident),* $(,)? } $(fresh { $($fresh:ident),* $(,)? } then $then:ident)?) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                #[allow(unused_mut, reason = "only `then` changes it")]
                let mut copy =
                    Self { $($field: self.$field.clone(),)* $($($fresh: Default::default(),)*)? };
                $(copy.$then(self);)?
                copy
            }

            fn clone_from(&mut self, from: &Self) {
                $(self.$field.clone_from(&from.$field);)*
                $(self.$then(from);)?
            }
        }
    };
}

pub(crate) use clone_fields;
