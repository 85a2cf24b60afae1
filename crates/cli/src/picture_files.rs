//! Picture files: their view and their output.

use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::clash::Output;
use crate::output::files::Outputs;
use std::path::Path;
use wheelbase_grid::{Lattice, Rect};
use wheelbase_view::picture::caption::{CaptionLayout, HEIGHT_MAX};
use wheelbase_view::picture::drawing::Picture;
use wheelbase_view::picture::raster::Canvas;
use wheelbase_view::picture::view::{PIXELS_MAX, View, ViewError};
use wheelbase_view::picture::{gif, png, svg};
use wheelbase_view::safe_text;

/// How the names of pages end.
pub const PAGE_ENDINGS: [&str; 2] = ["html", "htm"];

/// How the names of pictures and pages end, ours and others.
const KNOWN_ENDINGS: [&str; 14] =
    ["avif", "bmp", "gif", "htm", "html", "jpeg", "jpg", "mp4", "pdf", "png", "svg", "tif", "tiff", "webp"];

/// The requested picture files and their view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputSpec<'a> {
    /// PNG file.
    pub png: Option<&'a Path>,
    /// SVG file.
    pub svg: Option<&'a Path>,
    /// Visible part of the map.
    pub area: Option<Rect>,
    /// Pixels per cell.
    pub scale: Option<u32>,
    /// Whether pictures have a caption.
    pub caption: bool,
}

impl OutputSpec<'_> {
    /// Whether any file is requested.
    pub fn any(&self) -> bool {
        self.png.is_some() || self.svg.is_some()
    }

    /// The view of a map.
    /// # Errors
    /// If its picture is too large for one of the files; the message says what fits.
    pub fn view(&self, lattice: Lattice, map: Rect) -> Result<View, Failure> {
        let view = self.view_within(lattice, map, PIXELS_MAX)?;
        let cells = u64::from(view.area.width) * u64::from(view.area.height);
        if self.svg.is_some() && cells > svg::CELLS_MAX {
            return Err(Failure::bad_input(format!(
                "an SVG of {cells} cells is too large; the limit is {} cells; show a part of the map with --area X,Y,W,H, or write a PNG",
                svg::CELLS_MAX
            )));
        }
        Ok(view)
    }

    /// The view of a map for a GIF.
    /// # Errors
    /// If a frame is too large; the message says what fits.
    pub fn animation_view(&self, lattice: Lattice, map: Rect) -> Result<View, Failure> {
        let view = self.view_within(lattice, map, gif::PIXELS_MAX)?;
        let (width, height) = view.size();
        let height = height + if self.caption { HEIGHT_MAX } else { 0 };
        if width.max(height) > gif::SIDE_MAX {
            return Err(Failure::bad_input(format!(
                "a GIF of {width} x {height} pixels is too large; the limit is {} pixels along each side; show a part of the map with --area X,Y,W,H",
                gif::SIDE_MAX
            )));
        }
        Ok(view)
    }

    fn view_within(&self, lattice: Lattice, map: Rect, pixels_max: u64) -> Result<View, Failure> {
        View::of(lattice, map, self.area, self.scale, pixels_max).map_err(|error| {
            Failure::bad_input(match error {
                ViewError::TooLarge { fitting: Some(scale), .. } => format!(
                    "{error}; --scale {scale} is the largest that fits, or show a part with --area X,Y,W,H"
                ),
                ViewError::TooLarge { fitting: None, .. } => {
                    format!("{error}; show a part of the map with --area X,Y,W,H")
                }
                _ => format!("--area: {error}"),
            })
        })
    }

    /// The requested files with their flags.
    pub fn outputs(&self) -> [Output<'_>; 2] {
        [("--png", self.png), ("--svg", self.svg)]
    }

    /// Refuses files whose names say that they are other pictures.
    /// # Errors
    /// The first.
    pub fn check_endings(&self) -> Result<(), Failure> {
        check_ending("--png", self.png, &["png"])?;
        check_ending("--svg", self.svg, &["svg"])
    }

    /// Writes the requested files.
    pub fn write(&self, picture: &Picture, outputs: &mut Outputs, stop: &Interrupt) {
        let caption = self.caption.then(|| CaptionLayout::of(&picture.view, &picture.title));
        if let Some(path) = self.svg {
            outputs.write(path, svg::text(picture, caption.as_ref()).as_bytes(), stop);
        }
        if let Some(path) = self.png {
            let mut canvas = Canvas::new(picture.view);
            canvas.draw(&picture.items);
            let captioned = caption.map(|caption| caption.under(canvas.image(), &picture.title));
            let encoded = png::encode(captioned.as_ref().unwrap_or(canvas.image()))
                .map_err(|error| Failure::writing(path, &error));
            if let Some(bytes) = outputs.note(encoded) {
                outputs.write(path, &bytes, stop);
            }
        }
    }
}

/// Refuses a file whose name says that it is another kind of picture or page than one of `endings`.
/// # Errors
/// With the flag and the first ending.
pub fn check_ending(flag: &str, file: Option<&Path>, endings: &[&str]) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let is_one_of = |endings: &[&str]| {
        file.extension().is_some_and(|found| endings.iter().any(|ending| found.eq_ignore_ascii_case(ending)))
    };
    if is_one_of(endings) || !is_one_of(&KNOWN_ENDINGS) {
        return Ok(());
    }
    Err(Failure::bad_input(format!(
        "{flag}: expected a file .{}, found {}",
        endings[0],
        safe_text::path(file)
    )))
}
