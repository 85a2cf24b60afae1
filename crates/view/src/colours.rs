//! Colours of the classes, alike wherever a run is drawn, and colours between others. Those of terrain are
//! the map's own.

use wheelbase_grid::Rgb;

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

/// A colour between two, `part` of the way to the second.
pub fn mixed(first: Rgb, second: Rgb, part: f64) -> Rgb {
    let mix = |at: usize| f64::from(first[at]) * (1.0 - part) + f64::from(second[at]) * part;
    [0, 1, 2].map(|at| mix(at) as u8)
}
