//! PNG files, and the colour palettes of PNG and GIF.

use crate::picture::raster::Image;
use std::collections::BTreeMap;
use std::io;
use wheelbase_grid::Rgb;

/// Colours by index, in order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    pub(super) indices: BTreeMap<Rgb, u8>,
    /// The colours.
    pub colours: Vec<Rgb>,
}

impl Palette {
    /// The colours of some pixels; `None` if there are more than `colours_max`, which is at most 256.
    pub fn of(pixels: impl Iterator<Item = Rgb>, colours_max: usize) -> Option<Self> {
        let mut palette = Self::default();
        let mut last = None;
        for pixel in pixels {
            // Most pixels equal the one before; this saves the look-up.
            if last.replace(pixel) == Some(pixel) || palette.indices.contains_key(&pixel) {
                continue;
            }
            if palette.colours.len() == colours_max {
                return None;
            }
            palette.indices.insert(pixel, palette.colours.len() as u8);
            palette.colours.push(pixel);
        }
        Some(palette)
    }

    /// Index of a colour, if the palette has it.
    pub fn index(&self, colour: Rgb) -> Option<u8> {
        self.indices.get(&colour).copied()
    }

    /// Indices of pixels, all of whose colours are in the palette.
    fn indices(&self, pixels: &[Rgb]) -> Vec<u8> {
        let mut last = ([0; 3], self.index([0; 3]).unwrap_or(0));
        let index = |&pixel: &Rgb| {
            if last.0 != pixel {
                last = (pixel, self.index(pixel).unwrap_or(0));
            }
            last.1
        };
        pixels.iter().map(index).collect()
    }
}

/// Encodes an image as PNG; indexed, which is smaller, if it has at most 256 colours.
/// # Errors
/// If the image is too large for the format.
pub fn encode(image: &Image) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    let palette = Palette::of(image.pixels.iter().copied(), 256);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(if palette.is_some() { png::ColorType::Indexed } else { png::ColorType::Rgb });
    if let Some(palette) = &palette {
        encoder.set_palette(palette.colours.as_flattened());
        // Filters predict a pixel from its neighbours, and neighbouring indices are unrelated.
        encoder.set_filter(png::Filter::NoFilter);
    }
    let mut writer = encoder.write_header()?;
    match &palette {
        Some(palette) => writer.write_image_data(&palette.indices(&image.pixels))?,
        None => writer.write_image_data(image.pixels.as_flattened())?,
    }
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> (png::ColorType, Vec<u8>) {
        let mut decoder = png::Decoder::new(io::Cursor::new(bytes));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        (reader.info().color_type, pixels)
    }

    #[test]
    fn a_file_holds_every_pixel() {
        for (n_colours, color_type) in
            [(2, png::ColorType::Indexed), (256, png::ColorType::Indexed), (257, png::ColorType::Rgb)]
        {
            let mut image = Image::filled(31, 17, [0; 3]);
            for (number, pixel) in image.pixels.iter_mut().enumerate() {
                *pixel = [(number % n_colours) as u8, (number % n_colours / 256) as u8, 7];
            }
            let bytes = encode(&image).unwrap();
            assert_eq!(decoded(&bytes), (color_type, image.pixels.as_flattened().to_vec()), "{n_colours}");
        }
    }
}
