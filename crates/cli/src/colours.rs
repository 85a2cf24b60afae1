//! Colours of the classes, alike wherever a run is drawn. Those of terrain are the map's own.

pub use wheelbase_grid::Rgb;

/// Colours of the classes of a picture, one after the other: bright, and none near one of terrain.
const CLASS_COLOURS: [Rgb; 8] = [
    [236, 88, 64],
    [250, 206, 60],
    [232, 104, 220],
    [72, 214, 236],
    [250, 152, 48],
    [244, 240, 224],
    [168, 120, 250],
    [150, 234, 90],
];

/// The colour of a class, by its number.
pub fn class_colour(class: usize) -> Rgb {
    CLASS_COLOURS[class % CLASS_COLOURS.len()]
}

/// A colour as CSS and SVG write it.
pub use wheelbase_grid::hexadecimal as css;
