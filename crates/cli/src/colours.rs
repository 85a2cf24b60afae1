//! Colours of terrain and classes, alike wherever a run is drawn.

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// The colour of a terrain kind: by names that are common, else the slower the darker.
pub fn terrain_colour(name: &str, speed: u16) -> Rgb {
    match name {
        "ground" | "grass" | "meadow" | "floor" => [88, 120, 68],
        "road" | "street" => [150, 150, 150],
        "swamp" | "mud" => [100, 84, 48],
        "trees" | "wood" | "woods" | "forest" => [16, 64, 24],
        "water" | "deep" | "river" | "lake" | "sea" => [20, 48, 120],
        "shallow" | "ford" => [60, 110, 170],
        "sand" => [180, 160, 100],
        "out" | "rock" => [30, 30, 30],
        _ if speed == 0 => [48, 40, 40],
        _ => {
            // At most 60 + 100.
            let level = 60 + (speed.min(1600) / 16) as u8;
            [level, level, level]
        }
    }
}

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
pub fn css(colour: Rgb) -> String {
    let [red, green, blue] = colour;
    format!("#{red:02x}{green:02x}{blue:02x}")
}
