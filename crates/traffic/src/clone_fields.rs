//! `Clone` whose `clone_from` reuses buffers, which a derived one does not. For this crate and the crate above.

/// Clones a struct field by field. The fields after `keep`, scratch memory, are copied by `clone`, and left as they are
/// by `clone_from`. The `fresh` fields of a new copy are empty. The method after `then` completes a copy.
#[doc(hidden)]
#[macro_export]
macro_rules! clone_fields {
    (
        $type:ident $(<$of:ident>)? { $($field:ident),* $(,)? }
        $(keep { $($kept:ident),* $(,)? })?
        $(fresh { $($fresh:ident),* $(,)? } then $then:ident)?
    ) => {
        impl $(<$of: Clone>)? Clone for $type $(<$of>)? {
            fn clone(&self) -> Self {
                #[allow(unused_mut, reason = "only `then` changes it")]
                let mut copy = Self {
                    $($field: self.$field.clone(),)*
                    $($($kept: self.$kept.clone(),)*)?
                    $($($fresh: Default::default(),)*)?
                };
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
