//! Assembles the playback page from `page/page.html`, its style, its script and the packed run.

use crate::base64::base64;
use crate::page::pack::pack;
use crate::page::timeline::Timeline;
use crate::safe_text::markup;
use crate::template::filled;
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::io::{Read, Seek};
use wheelbase_scenario::recording::{Reader, RecordingError, WaitReasons};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The script, concatenated from its parts.
const SCRIPT: &str = concat!(
    include_str!("script/run.js"),
    include_str!("script/lattice.js"),
    include_str!("script/body.js"),
    include_str!("script/timeline.js"),
    include_str!("script/ground.js"),
    include_str!("script/paths.js"),
    include_str!("script/marks.js"),
    include_str!("script/view.js"),
    include_str!("script/minimap.js"),
    include_str!("script/plot.js"),
    include_str!("script/words.js"),
    include_str!("script/legend.js"),
    include_str!("script/player.js"),
);

/// Stands in every page, before anything that depends on the run.
const MARK: &str = "<meta name=\"generator\" content=\"Wheelbase\">";

/// Slowest and smallest: a page is written once and may be sent often.
const DEFLATE_LEVEL: u8 = 9;

/// The self-contained page of a recording, with or without the planned paths, with the reasons of agents for resting
/// that were [found](wheelbase_scenario::recording::wait_reasons). Reads the recording from its start. Linear in the
/// events.
/// # Errors
/// [`RecordingError`] if the recording is damaged, its scenario cannot be built, or the events take more than half a
/// GiB.
pub fn page<R: Read + Seek>(
    reader: &mut Reader<R>,
    with_paths: bool,
    reasons: &WaitReasons,
) -> Result<String, RecordingError> {
    reader.seek(0)?;
    let timeline = Timeline::read(reader, with_paths)?;
    let run = base64(&compress_to_vec_zlib(&pack(&timeline, reasons), DEFLATE_LEVEL));
    let parts = [
        ("{{title}}", markup(&timeline.header.name)),
        ("{{style}}", STYLE.to_owned()),
        ("{{run}}", run),
        ("{{script}}", SCRIPT.to_owned()),
    ];
    Ok(filled(PAGE, &parts))
}

/// Whether a file is a page of [`page`], by its first KiB.
pub fn is_page(start: &[u8]) -> bool {
    start.windows(MARK.len()).any(|bytes| bytes == MARK.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_placeholder_for_each_part_in_order() {
        let positions = |mark| PAGE.match_indices(mark).map(|(at, _)| at).collect::<Vec<_>>();
        let positions = ["{{title}}", "{{style}}", "{{run}}", "{{script}}"].map(positions);
        assert!(positions.iter().all(|positions| positions.len() == 1));
        assert!(positions.is_sorted());
        assert!(is_page(&PAGE.as_bytes()[..1024]) && PAGE.find(MARK) < PAGE.find("{{title}}"));
        // A closing tag within the script or style would end it there.
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
