//! The playback page: a self-contained HTML file that plays a recorded run.

mod html;
mod pack;
mod timeline;

pub use html::page;
