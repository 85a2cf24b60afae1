//! GIF files: each frame holds the points that have changed, and nothing else.

use crate::picture::png::Palette;
use crate::picture::raster::Image;
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::borrow::Cow;
use std::io::{self, Write};
use wheelbase_grid::Rgb;

/// Most points along each side, which is the format's.
pub const SIDE_MAX: u32 = u16::MAX as u32;

/// Most points of a frame.
pub const POINTS_MAX: u64 = 1 << 24;

/// Colours of a frame: one of the 256 numbers stands for points that stay as they are.
const COLOURS_MAX: usize = 255;

/// Points that are looked at to pick colours where there are too many.
const SAMPLE_POINTS: usize = 1 << 16;

/// A GIF being written.
pub struct GifFile<W: Write> {
    encoder: Encoder<W>,
    /// The colours that frames without a palette of their own have.
    colours: Palette,
    /// The frames so far.
    image: Image,
    /// The last of them: how long it is shown is not known yet.
    frame: Frame<'static>,
}

impl<W: Write> GifFile<W> {
    /// Begins one that shows an image for so many hundredths of a second, and begins anew at its end.
    /// # Errors
    /// Those of the writer.
    pub fn begin(out: W, image: &Image, hundredths: u16) -> io::Result<Self> {
        let points = &image.points;
        let (numbers, colours) = number(points.iter().map(|&point| Some(point)), None);
        let colours = colours.unwrap_or_default();
        let size = [image.width as u16, image.height as u16];
        let table = with_stand_in(&colours);
        let mut encoder = Encoder::new(out, size[0], size[1], &table).map_err(of_writer)?;
        encoder.set_repeat(Repeat::Infinite).map_err(of_writer)?;
        let frame = frame([0, 0], size, numbers, hundredths);
        Ok(Self { encoder, colours: exact(points, colours), image: image.clone(), frame })
    }

    /// Shows another image of the same size for so many hundredths of a second.
    /// # Errors
    /// Those of the writer.
    pub fn show(&mut self, image: &Image, hundredths: u16) -> io::Result<()> {
        let changed = changed(&self.image, image);
        if changed.is_none()
            && let Some(sum) = self.frame.delay.checked_add(hundredths)
        {
            self.frame.delay = sum;
            return Ok(());
        }
        self.encoder.write_frame(&self.frame).map_err(of_writer)?;
        // A point that stays as it is.
        let [left, top, width, height] = changed.unwrap_or([0, 0, 1, 1]);
        let points = || {
            (top..top + height).flat_map(|y| {
                let row = (y * image.width) as usize;
                let columns = row + left as usize..row + (left + width) as usize;
                let both = self.image.points[columns.clone()].iter().zip(&image.points[columns]);
                both.map(|(before, now)| (before != now).then_some(*now))
            })
        };
        let (numbers, colours) = number(points(), Some(&self.colours));
        let mut next = frame([left as u16, top as u16], [width as u16, height as u16], numbers, hundredths);
        let stand_in = colours.as_ref().map_or(self.colours.colours.len(), Vec::len);
        next.transparent = Some(stand_in as u8);
        next.palette = colours.map(|colours| with_stand_in(&colours));
        self.frame = next;
        self.image.points.copy_from_slice(&image.points);
        Ok(())
    }

    /// Writes what is left; gives the writer back.
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.encoder.write_frame(&self.frame).map_err(of_writer)?;
        let mut out = self.encoder.into_inner().map_err(of_writer)?;
        out.flush()?;
        Ok(out)
    }
}

fn frame(corner: [u16; 2], size: [u16; 2], numbers: Vec<u8>, hundredths: u16) -> Frame<'static> {
    Frame {
        delay: hundredths,
        dispose: DisposalMethod::Keep,
        left: corner[0],
        top: corner[1],
        width: size[0],
        height: size[1],
        buffer: Cow::Owned(numbers),
        ..Frame::default()
    }
}

fn of_writer(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// A table of colours, and one more for the points that stay as they are.
fn with_stand_in(colours: &[Rgb]) -> Vec<u8> {
    [colours.as_flattened(), &[0; 3]].concat()
}

/// The palette of colours that are those of points, all of them; where they are only near, none.
fn exact(points: &[Rgb], colours: Vec<Rgb>) -> Palette {
    let palette = Palette::of(points.iter().copied(), COLOURS_MAX);
    // The table stands in the file, whether it is of use or not.
    palette.unwrap_or_else(|| Palette { colours, ..Palette::default() })
}

/// Left, top, width and height of the rectangle about all points that differ, if any do.
fn changed(before: &Image, now: &Image) -> Option<[u32; 4]> {
    let differ = |a: &[Rgb], b: &[Rgb]| a.iter().zip(b).position(|(a, b)| a != b);
    let (mut top, mut bottom, mut left, mut right) = (None, 0, u32::MAX, 0);
    for (y, (a, b)) in before.rows().zip(now.rows()).enumerate() {
        let Some(first) = differ(a, b) else { continue };
        let last = a.iter().zip(b).rposition(|(a, b)| a != b).unwrap_or(first);
        top = top.or(Some(y as u32));
        bottom = y as u32;
        left = left.min(first as u32);
        right = right.max(last as u32);
    }
    top.map(|top| [left, top, right - left + 1, bottom - top + 1])
}

/// Numbers of points, those that stay as they are having the one behind the last colour, and the colours,
/// if those that there are will not do. More than [`COLOURS_MAX`] give way to the nearest of so many.
fn number(
    points: impl Iterator<Item = Option<Rgb>> + Clone,
    there: Option<&Palette>,
) -> (Vec<u8>, Option<Vec<Rgb>>) {
    let by = |palette: &Palette| -> Option<Vec<u8>> {
        let stay = palette.colours.len() as u8;
        points.clone().map(|point| point.map_or(Some(stay), |point| palette.number(point))).collect()
    };
    if let Some(numbers) = there.and_then(by) {
        return (numbers, None);
    }
    let of_frame = Palette::of(points.clone().flatten(), COLOURS_MAX);
    if let Some(palette) = of_frame {
        return (by(&palette).unwrap_or_default(), Some(palette.colours));
    }
    let opaque = |[red, green, blue]: Rgb| [red, green, blue, 255];
    let sample: Vec<u8> = points.clone().flatten().flat_map(opaque).collect();
    // One of so many, which is 30 at most.
    let one_of = (sample.len() / 4 / SAMPLE_POINTS).clamp(1, 30);
    let nearest = NeuQuant::new(one_of as i32, COLOURS_MAX, &sample);
    let mut last = None;
    let number = |point: Option<Rgb>| {
        let Some(point) = point else { return COLOURS_MAX as u8 };
        match last {
            Some((same, number)) if same == point => number,
            _ => {
                let number = nearest.index_of(&opaque(point)) as u8;
                last = Some((point, number));
                number
            }
        }
    };
    let numbers = points.map(number).collect();
    let colours = nearest.color_map_rgb();
    (numbers, Some(colours.as_chunks().0.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of a file, composed, and how long each is shown.
    fn frames(bytes: &[u8]) -> Vec<(Vec<Rgb>, u16)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let width = usize::from(decoder.width());
        let mut points = vec![[0; 3]; width * usize::from(decoder.height())];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (at, point) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
                let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
                if point[3] > 0 {
                    let at = (usize::from(frame.top) + y) * width + usize::from(frame.left) + x;
                    points[at] = [point[0], point[1], point[2]];
                }
            }
            frames.push((points.clone(), frame.delay));
        }
        frames
    }

    fn written(images: &[Image]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut file = GifFile::begin(&mut bytes, &images[0], 5).unwrap();
        images[1..].iter().for_each(|image| file.show(image, 5).unwrap());
        file.finish().unwrap();
        bytes
    }

    #[test]
    fn frames_composed_are_the_images() {
        let first = Image::filled(40, 30, [9, 8, 7]);
        let mut second = first.clone();
        second.points[45] = [200, 0, 0];
        let mut third = second.clone();
        // Colours that the first frame did not have, and one that it had.
        (100..340).for_each(|at| third.points[at] = [at as u8, 3, (at / 256) as u8]);
        third.points[45] = [9, 8, 7];
        let images = [first.clone(), second.clone(), second.clone(), third, first];
        let shown = frames(&written(&images));
        let delays: Vec<u16> = shown.iter().map(|frame| frame.1).collect();
        assert_eq!(delays, [5, 10, 5, 5]);
        for (frame, image) in shown.iter().zip([&images[0], &images[1], &images[3], &images[4]]) {
            assert!(frame.0 == image.points);
        }
    }

    #[test]
    fn a_point_that_changes_takes_few_bytes() {
        let mut image = Image::filled(1000, 1000, [9, 8, 7]);
        let mut images = vec![image.clone()];
        for at in 0..100 {
            image.points[at * 1000 + at] = [1, 2, 3];
            images.push(image.clone());
        }
        let (one, all) = (written(&images[..1]).len(), written(&images).len());
        assert!(all - one < 100 * 40, "{one} {all}");
    }

    #[test]
    fn too_many_colours_give_way_to_near_ones() {
        let mut image = Image::filled(64, 64, [0; 3]);
        for (at, point) in image.points.iter_mut().enumerate() {
            *point = [(at % 64 * 4) as u8, (at / 64 * 4) as u8, 100];
        }
        let mut second = image.clone();
        second.points[70] = [255, 255, 255];
        let shown = frames(&written(&[image.clone(), second]));
        for (found, wanted) in shown[0].0.iter().zip(&image.points) {
            let off: u32 = found.iter().zip(wanted).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
            assert!(off < 48, "{found:?} {wanted:?}");
        }
        assert_eq!(shown[1].0[70], [255, 255, 255]);
        assert!(shown[1].0[71..] == shown[0].0[71..]);
    }

    #[test]
    fn what_is_shown_for_very_long_is_shown_again() {
        let image = Image::filled(3, 2, [1; 3]);
        let mut bytes = Vec::new();
        let mut file = GifFile::begin(&mut bytes, &image, 60_000).unwrap();
        file.show(&image, 60_000).unwrap();
        file.finish().unwrap();
        let shown = frames(&bytes);
        assert_eq!(shown.iter().map(|frame| frame.1).collect::<Vec<_>>(), [60_000, 60_000]);
        assert!(shown[1].0 == image.points);
    }
}
