//! GIF files whose frames hold only the pixels that changed.

use crate::picture::png::Palette;
use crate::picture::raster::Image;
use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use std::borrow::Cow;
use std::io::{self, Write};
use wheelbase_grid::Rgb;

/// Most pixels along each side, the limit of the format.
pub const SIDE_MAX: u32 = u16::MAX as u32;

/// Most pixels of a frame.
pub const PIXELS_MAX: u64 = 1 << 24;

/// Most colours of a frame: one of the 256 indices stands for unchanged pixels.
const COLOURS_MAX: usize = 255;

/// Pixels sampled to choose the palette of an image with too many colours.
const SAMPLE_PIXELS: usize = 1 << 16;

/// A GIF being written.
pub struct GifFile<W: Write> {
    encoder: Encoder<W>,
    /// The global palette, of all frames without their own.
    colours: Palette,
    /// The frames so far, composed.
    image: Image,
    /// The last frame, not yet written: its display time can still grow.
    frame: Frame<'static>,
}

/// A rectangle of pixels.
#[derive(Clone, Copy)]
struct PixelRect {
    left: u32,
    top: u32,
    width: u32,
    height: u32,
}

impl<W: Write> GifFile<W> {
    /// Begins a GIF that repeats forever, with an image shown for a number of hundredths of a second.
    /// # Errors
    /// Errors of the writer.
    pub fn begin(out: W, image: &Image, hundredths: u16) -> io::Result<Self> {
        let pixels = &image.pixels;
        let (indices, colours) = indexed(pixels.iter().map(|&pixel| Some(pixel)), None);
        let colours = colours.unwrap_or_default();
        let table = with_transparent(&colours);
        let mut encoder =
            Encoder::new(out, image.width as u16, image.height as u16, &table).map_err(io_error)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io_error)?;
        let area = PixelRect { left: 0, top: 0, width: image.width, height: image.height };
        let frame = frame(area, indices, hundredths);
        Ok(Self { encoder, colours: global_palette(pixels, colours), image: image.clone(), frame })
    }

    /// Adds an image of the same size, shown for a number of hundredths of a second.
    /// # Errors
    /// Errors of the writer.
    pub fn show(&mut self, image: &Image, hundredths: u16) -> io::Result<()> {
        let changed = changed(&self.image, image);
        if changed.is_none()
            && let Some(sum) = self.frame.delay.checked_add(hundredths)
        {
            self.frame.delay = sum;
            return Ok(());
        }
        self.encoder.write_frame(&self.frame).map_err(io_error)?;
        // A frame needs at least one pixel, even an unchanged one.
        let area = changed.unwrap_or(PixelRect { left: 0, top: 0, width: 1, height: 1 });
        let PixelRect { left, top, width, height } = area;
        let pixels = || {
            (top..top + height).flat_map(|y| {
                let row = (y * image.width) as usize;
                let columns = row + left as usize..row + (left + width) as usize;
                let both = self.image.pixels[columns.clone()].iter().zip(&image.pixels[columns]);
                both.map(|(before, now)| (before != now).then_some(*now))
            })
        };
        let (indices, colours) = indexed(pixels(), Some(&self.colours));
        let mut next = frame(area, indices, hundredths);
        let transparent = colours.as_ref().map_or(self.colours.colours.len(), Vec::len);
        next.transparent = Some(transparent as u8);
        next.palette = colours.map(|colours| with_transparent(&colours));
        self.frame = next;
        self.image.pixels.copy_from_slice(&image.pixels);
        Ok(())
    }

    /// Writes the last frame and returns the writer.
    /// # Errors
    /// Errors of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.encoder.write_frame(&self.frame).map_err(io_error)?;
        let mut out = self.encoder.into_inner().map_err(io_error)?;
        out.flush()?;
        Ok(out)
    }
}

fn frame(area: PixelRect, indices: Vec<u8>, hundredths: u16) -> Frame<'static> {
    Frame {
        delay: hundredths,
        dispose: DisposalMethod::Keep,
        left: area.left as u16,
        top: area.top as u16,
        width: area.width as u16,
        height: area.height as u16,
        buffer: Cow::Owned(indices),
        ..Frame::default()
    }
}

fn io_error(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// A colour table with one more entry, for unchanged pixels.
fn with_transparent(colours: &[Rgb]) -> Vec<u8> {
    [colours.as_flattened(), &[0; 3]].concat()
}

/// The palette for later frames. If `colours` only approximate the pixels, no colour has an index. Only the number of
/// colours matters then: it is the size of the table in the file.
fn global_palette(pixels: &[Rgb], colours: Vec<Rgb>) -> Palette {
    let palette = Palette::of(pixels.iter().copied(), COLOURS_MAX);
    palette.unwrap_or_else(|| Palette { colours, ..Palette::default() })
}

/// The bounding rectangle of all pixels that differ; `None` if none does.
fn changed(before: &Image, now: &Image) -> Option<PixelRect> {
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
    top.map(|top| PixelRect { left, top, width: right - left + 1, height: bottom - top + 1 })
}

/// Colour indices of pixels, and the colours unless the global palette holds them all. An unchanged pixel (`None`) gets
/// the index after the last colour. More than [`COLOURS_MAX`] colours are quantised to that number.
fn indexed(
    pixels: impl Iterator<Item = Option<Rgb>> + Clone,
    global: Option<&Palette>,
) -> (Vec<u8>, Option<Vec<Rgb>>) {
    let by = |palette: &Palette| -> Option<Vec<u8>> {
        let unchanged = palette.colours.len() as u8;
        pixels.clone().map(|pixel| pixel.map_or(Some(unchanged), |pixel| palette.index(pixel))).collect()
    };
    if let Some(indices) = global.and_then(by) {
        return (indices, None);
    }
    let of_frame = Palette::of(pixels.clone().flatten(), COLOURS_MAX);
    if let Some(palette) = of_frame {
        return (by(&palette).unwrap_or_default(), Some(palette.colours));
    }
    let opaque = |[red, green, blue]: Rgb| [red, green, blue, 255];
    let sample: Vec<u8> = pixels.clone().flatten().flat_map(opaque).collect();
    // NeuQuant learns from one pixel in this many, at most 30.
    let sample_every = (sample.len() / 4 / SAMPLE_PIXELS).clamp(1, 30);
    let nearest = NeuQuant::new(sample_every as i32, COLOURS_MAX, &sample);
    let mut last = None;
    let index = |pixel: Option<Rgb>| {
        let Some(pixel) = pixel else { return COLOURS_MAX as u8 };
        match last {
            Some((same, index)) if same == pixel => index,
            _ => {
                let index = nearest.index_of(&opaque(pixel)) as u8;
                last = Some((pixel, index));
                index
            }
        }
    };
    let indices = pixels.map(index).collect();
    let colours = nearest.color_map_rgb();
    (indices, Some(colours.as_chunks().0.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The composed frames of a file, with the delay of each.
    fn frames(bytes: &[u8]) -> Vec<(Vec<Rgb>, u16)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let width = usize::from(decoder.width());
        let mut pixels = vec![[0; 3]; width * usize::from(decoder.height())];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (at, pixel) in frame.buffer.as_chunks::<4>().0.iter().enumerate() {
                let (x, y) = (at % usize::from(frame.width), at / usize::from(frame.width));
                if pixel[3] > 0 {
                    let at = (usize::from(frame.top) + y) * width + usize::from(frame.left) + x;
                    pixels[at] = [pixel[0], pixel[1], pixel[2]];
                }
            }
            frames.push((pixels.clone(), frame.delay));
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
    fn composed_frames_equal_the_images() {
        let first = Image::filled(40, 30, [9, 8, 7]);
        let mut second = first.clone();
        second.pixels[45] = [200, 0, 0];
        let mut third = second.clone();
        // Colours absent from the first frame, and one from it.
        (100..340).for_each(|at| third.pixels[at] = [at as u8, 3, (at / 256) as u8]);
        third.pixels[45] = [9, 8, 7];
        let images = [first.clone(), second.clone(), second.clone(), third, first];
        let shown = frames(&written(&images));
        let delays: Vec<u16> = shown.iter().map(|frame| frame.1).collect();
        assert_eq!(delays, [5, 10, 5, 5]);
        for (frame, image) in shown.iter().zip([&images[0], &images[1], &images[3], &images[4]]) {
            assert!(frame.0 == image.pixels);
        }
    }

    #[test]
    fn a_changed_pixel_takes_few_bytes() {
        let mut image = Image::filled(1000, 1000, [9, 8, 7]);
        let mut images = vec![image.clone()];
        for at in 0..100 {
            image.pixels[at * 1000 + at] = [1, 2, 3];
            images.push(image.clone());
        }
        let (one, all) = (written(&images[..1]).len(), written(&images).len());
        assert!(all - one < 100 * 40, "{one} {all}");
    }

    #[test]
    fn too_many_colours_are_quantised_to_near_ones() {
        let mut image = Image::filled(64, 64, [0; 3]);
        for (at, pixel) in image.pixels.iter_mut().enumerate() {
            *pixel = [(at % 64 * 4) as u8, (at / 64 * 4) as u8, 100];
        }
        let mut second = image.clone();
        second.pixels[70] = [255, 255, 255];
        let shown = frames(&written(&[image.clone(), second]));
        for (found, wanted) in shown[0].0.iter().zip(&image.pixels) {
            let off: u32 = found.iter().zip(wanted).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
            assert!(off < 48, "{found:?} {wanted:?}");
        }
        assert_eq!(shown[1].0[70], [255, 255, 255]);
        assert!(shown[1].0[71..] == shown[0].0[71..]);
    }

    #[test]
    fn a_delay_beyond_the_format_takes_another_frame() {
        let image = Image::filled(3, 2, [1; 3]);
        let mut bytes = Vec::new();
        let mut file = GifFile::begin(&mut bytes, &image, 60_000).unwrap();
        file.show(&image, 60_000).unwrap();
        file.finish().unwrap();
        let shown = frames(&bytes);
        assert_eq!(shown.iter().map(|frame| frame.1).collect::<Vec<_>>(), [60_000, 60_000]);
        assert!(shown[1].0 == image.pixels);
    }
}
