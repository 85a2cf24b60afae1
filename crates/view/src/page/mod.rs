//! The playback page: a self-contained HTML file that plays a recorded run.

mod html;
mod pack;
mod reload;
mod timeline;

pub use html::{is_page, page};
pub use reload::{Reloading, is_version};
