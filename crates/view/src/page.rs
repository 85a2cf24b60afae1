//! The page that plays a run: one file that needs nothing beside it.

mod html;
mod pack;
mod timeline;

pub use html::page;
