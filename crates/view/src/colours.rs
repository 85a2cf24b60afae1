//! Class colours, shared by all drawings of a run, and colour interpolation. Terrain colours belong to the map.

use wheelbase_grid::Rgb;

/// Colours assigned to classes in order: bright, and far from the terrain colours.
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

/// The colour of a class, by its number. Repeats after eight classes.
pub fn class_colour(class: usize) -> Rgb {
    CLASS_COLOURS[class % CLASS_COLOURS.len()]
}

/// Linear interpolation between two colours: `first` at `part` 0, `second` at 1.
pub fn mixed(first: Rgb, second: Rgb, part: f64) -> Rgb {
    let mix = |channel: usize| f64::from(first[channel]) * (1.0 - part) + f64::from(second[channel]) * part;
    [0, 1, 2].map(|channel| mix(channel) as u8)
}
