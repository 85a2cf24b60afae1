//! Captions: a strip below a picture with its title and a bar of this many cells.

use crate::picture::raster::{Image, OUTSIDE, blend};
use crate::picture::view::View;
use crate::round_numbers::least_round;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use wheelbase_grid::Rgb;

/// Height of a line of text, and of the letters in it.
pub const LINE_PIXELS: u32 = 20;
/// Height of letters.
pub const FONT_PIXELS: u32 = 16;
/// Space around the text.
pub const MARGIN_PIXELS: u32 = 8;
/// Most lines, that of the bar included: the rest of a longer title is left out.
const LINES_MAX: usize = 6;
/// Most pixels by which a caption makes a picture higher.
pub const HEIGHT_MAX: u32 = LINES_MAX as u32 * LINE_PIXELS + MARGIN_PIXELS;
/// Least length of the bar.
const BAR_PIXELS_MIN: u32 = 60;
/// Thickness of the bar.
pub const BAR_PIXELS: u32 = 4;
/// Text and bar.
pub const INK: Rgb = [232, 234, 236];

const WEIGHT: FontWeight = FontWeight::Regular;
const FONT: RasterHeight = RasterHeight::Size16;

/// The width of every letter in pixels.
pub const LETTER_PIXELS: u32 = get_raster_width(WEIGHT, FONT) as u32;

/// The layout of the captions of pictures that have a view in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptionLayout {
    width: u32,
    n_lines: usize,
    /// Cells of the bar; `None` where none fits.
    bar_cells: Option<u32>,
    /// Pixels of a cell.
    scale: u32,
}

/// A bar of this many cells, and where it stands below a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaleBar {
    /// Its length in cells.
    pub cells: u32,
    /// Its left end and its length in pixels.
    pub left: u32,
    /// Its length in pixels.
    pub length: u32,
}

impl CaptionLayout {
    /// The layout for the longest title.
    pub fn of(view: &View, longest: &str) -> Self {
        let (width, scale) = (view.size().0, view.scale);
        let cells = least_round(|cells| cells.saturating_mul(scale) >= BAR_PIXELS_MIN);
        let fits = cells.saturating_mul(scale) <= width.saturating_sub(2 * MARGIN_PIXELS);
        let layout = Self { width, n_lines: 1, bar_cells: fits.then_some(cells), scale };
        Self { n_lines: layout.wrapped(longest).len(), ..layout }
    }

    /// Pixels by which a picture grows.
    pub fn height(&self) -> u32 {
        (self.n_lines as u32 + 1) * LINE_PIXELS + MARGIN_PIXELS
    }

    /// The lines of a title, as many as the longest has at most.
    pub fn lines(&self, title: &str) -> Vec<String> {
        let mut lines = self.wrapped(title);
        lines.truncate(self.n_lines);
        lines
    }

    /// The text of the scale, below the title.
    pub fn scale_text(&self) -> String {
        match self.bar_cells {
            Some(1) => "1 cell".to_owned(),
            Some(cells) => format!("{cells} cells"),
            None => format!("{} px a cell", self.scale),
        }
    }

    /// The bar, with room for it in front of [`Self::scale_text`].
    pub fn bar(&self) -> Option<ScaleBar> {
        let cells = self.bar_cells?;
        Some(ScaleBar { cells, left: MARGIN_PIXELS, length: cells * self.scale })
    }

    /// Where the text of the scale begins.
    pub fn scale_text_left(&self) -> u32 {
        self.bar().map_or(MARGIN_PIXELS, |bar| bar.left + bar.length + MARGIN_PIXELS)
    }

    /// The image with its caption below.
    pub fn under(&self, image: &Image, title: &str) -> Image {
        let mut out = Image::filled(image.width, image.height + self.height(), OUTSIDE);
        out.pixels[..image.pixels.len()].copy_from_slice(&image.pixels);
        let mut top = image.height + MARGIN_PIXELS / 2;
        for line in self.lines(title) {
            write(&mut out, &line, MARGIN_PIXELS, top + (LINE_PIXELS - FONT_PIXELS) / 2);
            top += LINE_PIXELS;
        }
        top = image.height + MARGIN_PIXELS / 2 + self.n_lines as u32 * LINE_PIXELS;
        if let Some(bar) = self.bar() {
            let first = top + (LINE_PIXELS - BAR_PIXELS) / 2;
            for y in first..first + BAR_PIXELS {
                let at = (y * out.width + bar.left) as usize;
                out.pixels[at..at + bar.length as usize].fill(INK);
            }
        }
        write(&mut out, &self.scale_text(), self.scale_text_left(), top + (LINE_PIXELS - FONT_PIXELS) / 2);
        out
    }

    /// Breaks a title into lines at spaces, and in words that are longer than a line.
    fn wrapped(&self, title: &str) -> Vec<String> {
        let columns = (self.width.saturating_sub(2 * MARGIN_PIXELS) / LETTER_PIXELS).max(1) as usize;
        let mut lines = vec![String::new()];
        for word in title.split_whitespace() {
            let letters: Vec<char> = word.chars().collect();
            for (number, part) in letters.chunks(columns).enumerate() {
                let last = lines.len() - 1;
                let used = lines[last].chars().count();
                let space = usize::from(used > 0 && number == 0);
                if used > 0 && used + space + part.len() > columns {
                    lines.push(part.iter().collect());
                    continue;
                }
                lines[last].extend(std::iter::repeat_n(' ', space).chain(part.iter().copied()));
            }
        }
        lines.truncate(LINES_MAX - 1);
        lines
    }
}

/// Writes a line of text, cut off at the border. Letters that the font lacks become question marks.
fn write(image: &mut Image, text: &str, left: u32, top: u32) {
    let letters = text
        .chars()
        .filter_map(|letter| get_raster(letter, WEIGHT, FONT).or_else(|| get_raster('?', WEIGHT, FONT)));
    let mut x = left;
    for letter in letters {
        if x >= image.width {
            break;
        }
        for (y, row) in (top..).zip(letter.rows()) {
            let at = (y * image.width + x) as usize;
            let room = image.width.saturating_sub(x) as usize;
            for (pixel, &alpha) in image.pixels[at..].iter_mut().zip(row).take(room) {
                blend(pixel, INK, alpha.into());
            }
        }
        x += LETTER_PIXELS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::{GridShape, Lattice, Rect};

    fn view(width: u32, scale: u32) -> View {
        let area = Rect::new(0, 0, width, 4);
        View { lattice: Lattice(GridShape::Square), area, scale }
    }

    #[test]
    fn a_caption_stands_below_the_picture_and_changes_nothing_in_it() {
        for (width, scale) in [(100, 8), (10, 32), (3, 4), (1, 1)] {
            let view = view(width, scale);
            let layout = CaptionLayout::of(&view, "river crossing, tick 1234");
            let image = Image::filled(view.size().0, view.size().1, [9, 8, 7]);
            let with = layout.under(&image, "river crossing, tick 7");
            assert_eq!((with.width, with.height), (image.width, image.height + layout.height()));
            assert!(layout.height() <= HEIGHT_MAX);
            assert_eq!(with.pixels[..image.pixels.len()], image.pixels);
            let written = with.pixels[image.pixels.len()..].iter().filter(|pixel| **pixel != OUTSIDE).count();
            assert!(width * scale < 24 || written > 50, "{written}");
        }
    }

    #[test]
    fn a_bar_has_the_length_of_its_cells() {
        for (width, scale, expected) in
            [(100, 8, Some(10)), (10, 32, Some(2)), (3, 4, None), (1024, 1, Some(100))]
        {
            let layout = CaptionLayout::of(&view(width, scale), "a");
            assert_eq!(layout.bar().map(|bar| bar.cells), expected);
            assert!(layout.bar().is_none_or(|bar| bar.length == bar.cells * scale));
        }
    }

    #[test]
    fn titles_are_broken_into_lines() {
        let layout = CaptionLayout { width: 16 + 10 * LETTER_PIXELS, n_lines: 9, bar_cells: None, scale: 1 };
        let broken = |title| layout.wrapped(title);
        assert_eq!(broken("one two three"), ["one two", "three"]);
        assert_eq!(broken("a abcdefghijklmno z"), ["a", "abcdefghij", "klmno z"]);
        assert_eq!(broken(""), [""]);
    }
}
