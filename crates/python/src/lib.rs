//! The Python package of Wheelbase. Its documentation is `docs/python.md` and the types in `wheelbase/__init__.pyi`.
//!
//! Each function is thin. It makes Rust values from its arguments, calls one function of the libraries, and makes
//! Python objects from the result. Nothing that the libraries have is implemented here.

#![deny(unsafe_op_in_unsafe_fn)]

mod error;

mod buffer;

mod value;

mod frame;

mod map;

mod class;

mod pool;

mod path;

mod tables;

mod field;

mod order;

mod rule;

mod world;

mod environment;

mod sweep;

use buffer::Element;
use pyo3::prelude::*;
use wheelbase_scenario::MEASURES;

/// The module under the package.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<map::Map>()?;
    module.add_class::<value::PyRect>()?;
    module.add_class::<class::Class>()?;
    module.add_class::<tables::Tables>()?;
    module.add_class::<path::Answer>()?;
    module.add_class::<path::BatchAnswers>()?;
    module.add_class::<field::Field>()?;
    module.add_class::<order::PyOrder>()?;
    module.add_class::<order::PyTaskSource>()?;
    module.add_class::<order::PySpawn>()?;
    module.add_class::<rule::View>()?;
    module.add_class::<rule::PathRequest>()?;
    module.add_class::<world::PyWorld>()?;
    module.add_class::<environment::BatchedEnvironment>()?;
    module.add_class::<sweep::PyPreparedSweep>()?;
    module.add_class::<sweep::PyTableFile>()?;
    module.add_class::<sweep::PyTable>()?;
    module.add_function(wrap_pyfunction!(sweep::parse_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::safe, module)?)?;
    for (name, values) in world::names() {
        module.add(name, values)?;
    }
    for (name, element) in [("AGENT", Element::Agent), ("EVENT", Element::Event), ("PATH", Element::Pose)] {
        module.add(format!("{name}_DTYPE"), element.dtype(module.py())?)?;
    }
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("MEASURES", MEASURES.to_vec())?;
    module.add("NEVER", field::NEVER)?;
    module.add("NO_MOVE", path::NO_MOVE)?;
    module.add("STATUSES", path::STATUSES.map(|status| status.name()).to_vec())?;
    Ok(())
}
