//! What every call does: catch panics, keep the message of a failure.

use crate::status::{Failure, WB_OK, WB_PANIC};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// The message of this thread's last failure. Calls that succeed leave it alone.
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs the body of the function `name`, and gives its status. An object that was being changed when the body panicked
/// is broken (see `handle`).
pub(crate) fn call(name: &'static str, body: impl FnOnce() -> Result<(), Failure>) -> u32 {
    // What the panic left half done is behind the lock of the object's handle, which is poisoned by it.
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return WB_OK,
        Ok(Err(failure)) => failure,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Failure::new(WB_PANIC, format!("panic: {text}"))
        }
    };
    LAST_ERROR.with_borrow_mut(|message| {
        message.clear();
        message.push_str(name);
        message.push_str(": ");
        message.push_str(&failure.message);
    });
    failure.status
}

/// Reads the message of this thread's last failure.
pub(crate) fn with_last_error<R>(read: impl FnOnce(&str) -> R) -> R {
    LAST_ERROR.with_borrow(|message| read(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::{Kind, Object, destroy, exclusive, insert, shared};
    use crate::status::{WB_BROKEN, WB_OK};

    struct Thing;
    impl Object for Thing {
        const KIND: Kind = Kind::Class;
    }

    #[test]
    fn a_panic_is_told_and_what_was_being_changed_is_broken() {
        let thing = insert(Thing).unwrap();
        let status = call("wb_thing", || {
            let _thing = exclusive::<Thing>(thing)?;
            panic!("on purpose");
        });
        assert_eq!(status, WB_PANIC);
        with_last_error(|message| assert_eq!(message, "wb_thing: panic: on purpose"));
        assert_eq!(call("wb_thing", || shared::<Thing>(thing).map(|_| ())), WB_BROKEN);
        with_last_error(|message| {
            assert_eq!(message, "wb_thing: a call panicked while it changed this class: destroy it");
        });
        assert_eq!(call("wb_destroy", || destroy::<Thing>(thing)), WB_OK);
        // While it is read nothing is changed.
        let thing = insert(Thing).unwrap();
        let read = || {
            let _thing = shared::<Thing>(thing)?;
            panic!("on purpose");
        };
        assert_eq!(call("wb_thing", read), WB_PANIC);
        assert_eq!(call("wb_thing", || shared::<Thing>(thing).map(|_| ())), WB_OK);
        assert_eq!(call("wb_destroy", || destroy::<Thing>(thing)), WB_OK);
    }
}
