//! Units larger than a tile for Godot 4, as a GDExtension: `WheelbaseWorld`, `WheelbaseMap`, `WheelbaseUnit2D`,
//! `WheelbaseUnit3D` and `WheelbaseMultiMesh`.
//!
//! `docs/godot.md` is a tutorial. The documentation of the classes is in the editor: it is made from the comments here.

mod clock;
mod commands;
#[cfg(test)]
mod documentation;
mod instances;
mod map;
mod multimesh;
mod place;
mod terrain;
mod told;
mod unit;
mod world;

pub use map::WheelbaseMap;
pub use multimesh::WheelbaseMultiMesh;
pub use unit::{WheelbaseUnit2D, WheelbaseUnit3D};
pub use world::WheelbaseWorld;

struct Wheelbase;

// SAFETY: no safeguard of the bindings is switched off.
#[godot::init::gdextension]
unsafe impl godot::init::ExtensionLibrary for Wheelbase {}
