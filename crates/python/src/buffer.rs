//! Buffers that arrays of numpy refer to: written once, read-only from then on, used again when no array is left.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::Arc;
use wheelbase_planner::Pose;
use wheelbase_sim::{AgentRow, EventRow};

/// An agent as a traffic rule in Python sees it, in 32 bytes without padding.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct RuleRow {
    pub id: u32,
    pub x: i32,
    pub y: i32,
    pub goal_x: i32,
    pub goal_y: i32,
    pub until: u32,
    pub heading: u8,
    pub class: u8,
    pub activity: u8,
    pub team: u8,
    pub primitive: u8,
    pub next: u8,
    pub has_goal: u8,
    pub refused: u8,
}

const _: () = assert!(size_of::<RuleRow>() == 32);

/// A pose of a path, in 16 bytes without padding.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct PathRow {
    pub x: i32,
    pub y: i32,
    pub heading: u32,
    pub arrival: u32,
}

impl PathRow {
    pub(crate) fn new(pose: Pose, arrival: u32) -> Self {
        Self { x: pose.cell.x, y: pose.cell.y, heading: u32::from(pose.heading.0), arrival }
    }
}

/// A field of a row: name, type of numpy, offset.
type Field = (&'static str, &'static str, usize);

macro_rules! fields {
    ($row:ty, $($name:ident: $kind:literal),*) => {
        &[$((stringify!($name), $kind, offset_of!($row, $name))),*]
    };
}

/// What a buffer holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Agent,
    Event,
    Rule,
    Pose,
    U8,
    U32,
    U64,
    I32,
    F32,
}

impl Element {
    /// The fields of a row.
    fn fields(self) -> &'static [Field] {
        match self {
            Self::Agent => {
                fields!(AgentRow, id: "<u4", class: "u1", team: "u1", activity: "u1", primitive: "u1",
                from_x: "<i4", from_y: "<i4", to_x: "<i4", to_y: "<i4", from_heading: "u1", to_heading: "u1",
                turn: "i1", order_kind: "u1", begin_tick: "<u4", end_tick: "<u4", waits_since: "<u4", order: "<u4",
                flags: "<u4")
            }
            Self::Event => {
                fields!(EventRow, tick: "<u4", kind: "<u4", agent: "<u4", a: "<u4", b: "<u4", c: "<u4",
                ticket: "<u8")
            }
            Self::Rule => fields!(RuleRow, id: "<u4", x: "<i4", y: "<i4", goal_x: "<i4", goal_y: "<i4",
                until: "<u4", heading: "u1", class: "u1", activity: "u1", team: "u1", primitive: "u1", next: "u1",
                has_goal: "?", refused: "?"),
            Self::Pose => fields!(PathRow, x: "<i4", y: "<i4", heading: "<u4", arrival: "<u4"),
            _ => &[],
        }
    }

    /// Bytes of one.
    fn size(self) -> usize {
        match self {
            Self::Agent => size_of::<AgentRow>(),
            Self::Event => size_of::<EventRow>(),
            Self::Rule => size_of::<RuleRow>(),
            Self::Pose => size_of::<PathRow>(),
            Self::U8 => 1,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 => 8,
        }
    }

    /// The type of numpy, made once in each interpreter.
    pub(crate) fn dtype(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        static KINDS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
        const ALL: [Element; 9] = [
            Element::Agent,
            Element::Event,
            Element::Rule,
            Element::Pose,
            Element::U8,
            Element::U32,
            Element::U64,
            Element::I32,
            Element::F32,
        ];
        let make = |element: Self| -> PyResult<Py<PyAny>> {
            let of = py.import("numpy")?.getattr("dtype")?;
            let simple = match element {
                Self::U8 => "u1",
                Self::U32 => "<u4",
                Self::U64 => "<u8",
                Self::I32 => "<i4",
                Self::F32 => "<f4",
                _ => {
                    let spec = PyDict::new(py);
                    let column =
                        |at: fn(&Field) -> &'static str| element.fields().iter().map(at).collect::<Vec<_>>();
                    spec.set_item("names", column(|field| field.0))?;
                    spec.set_item("formats", column(|field| field.1))?;
                    spec.set_item(
                        "offsets",
                        element.fields().iter().map(|field| field.2).collect::<Vec<_>>(),
                    )?;
                    spec.set_item("itemsize", element.size())?;
                    return Ok(of.call1((spec,))?.unbind());
                }
            };
            Ok(of.call1((simple,))?.unbind())
        };
        let kinds = KINDS.get_or_try_init(py, || ALL.into_iter().map(make).collect::<PyResult<_>>())?;
        let at = ALL.iter().position(|other| *other == self).unwrap_or(0);
        Ok(kinds[at].bind(py).clone())
    }
}

/// Plain values that a buffer can hold: no padding, no pointer, every byte with a value.
pub(crate) trait Plain: Copy + Send + Sync + 'static {
    const ELEMENT: Element;
}

macro_rules! plain {
    ($($of:ty: $element:ident),*) => { $(impl Plain for $of { const ELEMENT: Element = Element::$element; })* };
}
plain!(AgentRow: Agent, EventRow: Event, RuleRow: Rule, PathRow: Pose, u8: U8, u32: U32, u64: U64, i32: I32, f32: F32);

/// Something that keeps values at one address.
trait Values: Send + Sync {
    fn bytes(&self) -> (*const c_void, usize);
}

impl<T: Plain> Values for Vec<T> {
    fn bytes(&self) -> (*const c_void, usize) {
        (self.as_ptr().cast(), size_of_val(self.as_slice()))
    }
}

/// What arrays refer to. It keeps its values alive, and nobody changes them while it is there.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct Buffer {
    values: Arc<dyn Values>,
}

#[pymethods]
impl Buffer {
    // SAFETY: called by Python alone, with a view to fill in.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        let (start, length) = slf.get().values.bytes();
        // SAFETY: `view` may be written; a request for a writable view is refused. The view keeps this object alive.
        // The values do not move while it lives, since a shared `Arc` of a vector is never changed.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start.cast_mut(), length as ffi::Py_ssize_t, 1, flags)
        };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// A read-only array over shared values.
pub(crate) fn array_of<'py, T: Plain>(
    py: Python<'py>,
    values: &Arc<Vec<T>>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    static ARRAY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let ndarray =
        ARRAY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.getattr("ndarray")?.unbind()))?;
    let buffer = Bound::new(py, Buffer { values: Arc::clone(values) as Arc<dyn Values> })?;
    ndarray.bind(py).call1((PyTuple::new(py, shape)?, T::ELEMENT.dtype(py)?, buffer))
}

/// A read-only array that owns its values.
pub(crate) fn array<'py, T: Plain>(
    py: Python<'py>,
    values: Vec<T>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    array_of(py, &Arc::new(values), shape)
}

/// A read-only array of one dimension.
pub(crate) fn list<T: Plain>(py: Python<'_>, values: Vec<T>) -> PyResult<Bound<'_, PyAny>> {
    let n = values.len();
    array(py, values, &[n])
}

/// Buffers of rows, used again in turn.
#[derive(Clone)]
pub(crate) struct Ring<T> {
    current: Arc<Vec<T>>,
    earlier: Vec<Arc<Vec<T>>>,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self { current: Arc::default(), earlier: Vec::new() }
    }
}

impl<T: Plain> Ring<T> {
    /// Most buffers kept that are not the current one. Those beyond live as long as the arrays over them.
    const KEPT: usize = 3;

    /// Copies rows into a buffer to which no array refers, which becomes the current one.
    pub(crate) fn publish(&mut self, rows: &[T]) {
        let mut next = self.lend();
        next.clear();
        next.extend_from_slice(rows);
        self.give_back(next);
    }

    /// A buffer to which no array refers, with whatever it held, to write and give back.
    pub(crate) fn lend(&mut self) -> Vec<T> {
        let free = self.earlier.iter().position(|buffer| Arc::strong_count(buffer) == 1);
        free.and_then(|at| Arc::try_unwrap(self.earlier.swap_remove(at)).ok()).unwrap_or_default()
    }

    /// Makes a buffer the current one.
    pub(crate) fn give_back(&mut self, next: Vec<T>) {
        let next = Arc::new(next);
        let last = std::mem::replace(&mut self.current, next);
        if self.earlier.len() < Self::KEPT {
            self.earlier.push(last);
        } else if let Some(held) = self.earlier.iter_mut().find(|buffer| Arc::strong_count(buffer) > 1) {
            *held = last;
        }
    }

    /// The buffer of the last step.
    pub(crate) fn current(&self) -> Arc<Vec<T>> {
        Arc::clone(&self.current)
    }
}
