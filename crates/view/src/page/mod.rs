//! The playback page: a self-contained HTML file that plays a recorded run.

mod html;
mod pack;
mod reasons;
mod reload;
mod remedies;
mod tasks;
mod timeline;

pub use html::{is_page, page};
pub use reload::{Reloading, is_version};
