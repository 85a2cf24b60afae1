//! The page that plays a run: one file that needs nothing beside it.

mod film;
mod html;
mod pack;

pub use html::page;
