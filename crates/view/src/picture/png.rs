//! PNG files, and colours by number for them and for GIF.

use crate::picture::raster::Image;
use std::collections::BTreeMap;
use std::io;
use wheelbase_grid::Rgb;

/// Colours by number, in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    pub(super) numbers: BTreeMap<Rgb, u8>,
    /// The colours.
    pub colours: Vec<Rgb>,
}

impl Palette {
    /// The colours of some points, or `None` if they are more than `most`, of 256 at most.
    pub fn of(points: impl Iterator<Item = Rgb>, most: usize) -> Option<Self> {
        let mut palette = Self::default();
        let mut last = None;
        for point in points {
            // Most points are as the one before.
            if last.replace(point) == Some(point) || palette.numbers.contains_key(&point) {
                continue;
            }
            if palette.colours.len() == most {
                return None;
            }
            palette.numbers.insert(point, palette.colours.len() as u8);
            palette.colours.push(point);
        }
        Some(palette)
    }

    /// Number of a colour, if it has one.
    pub fn number(&self, colour: Rgb) -> Option<u8> {
        self.numbers.get(&colour).copied()
    }

    /// Numbers of points, all of which have one.
    fn numbers(&self, points: &[Rgb]) -> Vec<u8> {
        let mut last = ([0; 3], self.number([0; 3]).unwrap_or(0));
        let number = |&point: &Rgb| {
            if last.0 != point {
                last = (point, self.number(point).unwrap_or(0));
            }
            last.1
        };
        points.iter().map(number).collect()
    }
}

/// An image as a PNG file: of 256 colours or fewer by their numbers, which makes it smaller.
/// # Errors
/// If it would be too large for the format.
pub fn encode(image: &Image) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width, image.height);
    let palette = Palette::of(image.points.iter().copied(), 256);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(if palette.is_some() { png::ColorType::Indexed } else { png::ColorType::Rgb });
    if let Some(palette) = &palette {
        encoder.set_palette(palette.colours.as_flattened());
        // Numbers next to each other are not like each other.
        encoder.set_filter(png::Filter::NoFilter);
    }
    let mut writer = encoder.write_header()?;
    match &palette {
        Some(palette) => writer.write_image_data(&palette.numbers(&image.points))?,
        None => writer.write_image_data(image.points.as_flattened())?,
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
        let mut points = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut points).unwrap();
        (reader.info().color_type, points)
    }

    #[test]
    fn a_file_holds_every_point() {
        for (n_colours, color_type) in
            [(2, png::ColorType::Indexed), (256, png::ColorType::Indexed), (257, png::ColorType::Rgb)]
        {
            let mut image = Image::filled(31, 17, [0; 3]);
            for (number, point) in image.points.iter_mut().enumerate() {
                *point = [(number % n_colours) as u8, (number % n_colours / 256) as u8, 7];
            }
            let bytes = encode(&image).unwrap();
            assert_eq!(decoded(&bytes), (color_type, image.points.as_flattened().to_vec()), "{n_colours}");
        }
    }
}
