//! `Clone` whose `clone_from` reuses buffers, which a derived one does not.

/// Clones a struct field by field. The fields after `keep`, scratch memory, are copied by `clone`, and left as they are
/// by `clone_from`.
macro_rules! clone_fields {
    ($type:ident $(<$of:ident>)? { $($field:ident),* $(,)? } $(keep { $($kept:ident),* $(,)? })?) => {
        impl $(<$of: Clone>)? Clone for $type $(<$of>)? {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone(),)* $($($kept: self.$kept.clone(),)*)? }
            }

            fn clone_from(&mut self, source: &Self) {
                $(self.$field.clone_from(&source.$field);)*
            }
        }
    };
}

pub(crate) use clone_fields;
