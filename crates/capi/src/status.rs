//! Statuses: what a call returns.

/// The call succeeded.
pub const WB_OK: u32 = 0;
/// A pointer is null where a value is needed, or not aligned.
pub const WB_POINTER: u32 = 1;
/// The number is no handle: 0, or never given out.
pub const WB_NO_HANDLE: u32 = 2;
/// The object of this handle has been destroyed.
pub const WB_DESTROYED: u32 = 3;
/// The handle is of another kind than the call takes.
pub const WB_WRONG_KIND: u32 = 4;
/// Another thread is in a call that excludes this one. Nothing was done; the call may be repeated.
pub const WB_BUSY: u32 = 5;
/// A call panicked while it changed this object. It can only be destroyed.
pub const WB_BROKEN: u32 = 6;
/// The `size` of a structure is none that this version of the library knows.
pub const WB_SIZE: u32 = 7;
/// The buffer is too small: the count says how much is needed. Nothing was written into the buffer.
pub const WB_BUFFER: u32 = 8;
/// An argument is out of its range; the message names it.
pub const WB_ARGUMENT: u32 = 9;
/// A text or file is wrong; the message gives file, line and column.
pub const WB_TEXT: u32 = 10;
/// A limit is exceeded: memory, or the number of objects.
pub const WB_LIMIT: u32 = 11;
/// The requested object does not exist, such as an agent that has been removed.
pub const WB_NOT_FOUND: u32 = 12;
/// A call panicked, which is a fault of the library, and changed nothing.
pub const WB_PANIC: u32 = 13;

/// All statuses with their names, each with the zero byte that ends it in C.
const NAMES: [(u32, &str); 14] = [
    (WB_OK, "ok\0"),
    (WB_POINTER, "pointer\0"),
    (WB_NO_HANDLE, "no handle\0"),
    (WB_DESTROYED, "destroyed\0"),
    (WB_WRONG_KIND, "wrong kind\0"),
    (WB_BUSY, "busy\0"),
    (WB_BROKEN, "broken\0"),
    (WB_SIZE, "size\0"),
    (WB_BUFFER, "buffer\0"),
    (WB_ARGUMENT, "argument\0"),
    (WB_TEXT, "text\0"),
    (WB_LIMIT, "limit\0"),
    (WB_NOT_FOUND, "not found\0"),
    (WB_PANIC, "panic\0"),
];

/// The name of a status with a zero byte at its end, or `None` for a number that is none.
pub(crate) fn name(status: u32) -> Option<&'static str> {
    NAMES.iter().find(|(number, _)| *number == status).map(|(_, name)| *name)
}

/// Why a call failed: the status that it returns, and the message that `wb_last_error` gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) status: u32,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(status: u32, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// An argument out of its range.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(WB_ARGUMENT, message)
    }
}

impl From<wheelbase_scenario::load::LoadError> for Failure {
    fn from(error: wheelbase_scenario::load::LoadError) -> Self {
        use wheelbase_scenario::load::LoadError;
        match error {
            LoadError::Memory { file, error } => Self::new(WB_LIMIT, format!("{file}: {error}")),
            other => Self::new(WB_TEXT, other.to_string()),
        }
    }
}
