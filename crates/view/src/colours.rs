//! Class colours, shared by all drawings of a run, and colour interpolation. Terrain colours belong to the map.

use wheelbase_grid::Rgb;

/// Colours assigned to classes in order: bright, far from the terrain colours and from each other, also for eyes with
/// two kinds of cones. The first two are the farthest apart. Signs on the bodies (`picture/signs.rs`) tell classes too.
const CLASS_COLOURS: [Rgb; 8] = [
    [255, 170, 0],
    [187, 255, 255],
    [221, 136, 255],
    [255, 255, 0],
    [136, 187, 204],
    [238, 255, 204],
    [221, 204, 136],
    [187, 204, 187],
];

/// Opacity of the black outline of bodies, of 255.
pub const OUTLINE_OPACITY: u8 = 235;

/// The colour of a class, by its number. Repeats after eight classes.
pub fn class_colour(class: usize) -> Rgb {
    CLASS_COLOURS[class % CLASS_COLOURS.len()]
}

/// Linear interpolation between two colours: `first` at `part` 0, `second` at 1.
pub fn mixed(first: Rgb, second: Rgb, part: f64) -> Rgb {
    let mix = |channel: usize| f64::from(first[channel]) * (1.0 - part) + f64::from(second[channel]) * part;
    [0, 1, 2].map(|channel| mix(channel) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::{SIDES_MAX, SideKind, TerrainEntry, TerrainTable};
    use wheelbase_maps::TerrainColours;

    /// What eyes make of linear RGB: all cones; protanopia, deuteranopia and tritanopia by Machado, Oliveira and
    /// Fernandes (2009), "A Physiologically-based Model for Simulation of Color Vision Deficiency", table 1, severity
    /// 1.0.
    const VISIONS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    /// Linear RGB of a colour as one of [`VISIONS`] sees it.
    fn seen(colour: Rgb, vision: usize) -> [f64; 3] {
        let linear = colour.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        VISIONS[vision].map(|row| row.iter().zip(linear).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0))
    }

    fn luminance([red, green, blue]: [f64; 3]) -> f64 {
        0.2126729 * red + 0.7151522 * green + 0.072175 * blue
    }

    /// CIELAB, of the white point D65.
    fn lab(linear: [f64; 3]) -> [f64; 3] {
        let [red, green, blue] = linear;
        let curve = |t: f64| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
        let x = curve((0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047);
        let y = curve(luminance(linear));
        let z = curve((0.0193339 * red + 0.119192 * green + 0.9503041 * blue) / 1.08883);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// CIEDE2000 by Sharma, Wu and Dalal (2005).
    fn difference([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
        let weight = |chroma: f64| (chroma.powi(7) / (chroma.powi(7) + 25_f64.powi(7))).sqrt();
        let stretch = 1.5 - 0.5 * weight((a1.hypot(b1) + a2.hypot(b2)) / 2.0);
        let (a1, a2) = (a1 * stretch, a2 * stretch);
        let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
        let hue = |a: f64, b: f64| {
            if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a).to_degrees().rem_euclid(360.0) }
        };
        let (h1, h2) = (hue(a1, b1), hue(a2, b2));
        let grey = c1 * c2 == 0.0;
        let turn = match h2 - h1 {
            _ if grey => 0.0,
            turn if turn > 180.0 => turn - 360.0,
            turn if turn < -180.0 => turn + 360.0,
            turn => turn,
        };
        let h = match h1 + h2 {
            sum if grey => sum,
            sum if (h1 - h2).abs() <= 180.0 => sum / 2.0,
            sum if sum < 360.0 => (sum + 360.0) / 2.0,
            sum => (sum - 360.0) / 2.0,
        };
        let (l, c) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
        let cos = |degrees: f64| degrees.to_radians().cos();
        let t = 1.0 - 0.17 * cos(h - 30.0) + 0.24 * cos(2.0 * h) + 0.32 * cos(3.0 * h + 6.0)
            - 0.2 * cos(4.0 * h - 63.0);
        let light = (l2 - l1) / (1.0 + 0.015 * (l - 50.0).powi(2) / (20.0 + (l - 50.0).powi(2)).sqrt());
        let chroma = (c2 - c1) / (1.0 + 0.045 * c);
        let hue = 2.0 * (c1 * c2).sqrt() * (turn / 2.0).to_radians().sin() / (1.0 + 0.015 * c * t);
        let angle = 60.0 * (-((h - 275.0) / 25.0).powi(2)).exp();
        let rotation = -angle.to_radians().sin() * 2.0 * weight(c);
        (light * light + chroma * chroma + hue * hue + rotation * chroma * hue).sqrt()
    }

    /// Least difference of two colours over all visions.
    fn least_difference(a: Rgb, b: Rgb) -> f64 {
        let by = |vision| difference(lab(seen(a, vision)), lab(seen(b, vision)));
        (0..VISIONS.len()).map(by).fold(f64::INFINITY, f64::min)
    }

    /// Contrast by WCAG 2.
    fn contrast(a: f64, b: f64) -> f64 {
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Every standard colour of terrain, greys of all speeds included.
    fn terrains() -> Vec<Rgb> {
        let entry = |name: &str, speed| TerrainEntry {
            name: name.to_owned(),
            glyphs: String::new(),
            speed,
            colour: None,
            sides: [SideKind::OPEN; SIDES_MAX],
        };
        // The kinds of MovingAI (ground, swamp, water, trees, out) are in every table.
        let named = ["road", "shallow", "sand"].map(|name| entry(name, 1000));
        let greys = [0, 1, 400, 1000, 1600].map(|speed| entry(&format!("of speed {speed}"), speed));
        let entries = named.into_iter().chain(greys).collect();
        TerrainColours::of(&TerrainTable::with_standard(entries).unwrap()).all().to_vec()
    }

    #[test]
    fn differences_are_those_of_the_published_test_data() {
        for (a, b, expected) in [
            ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
            ([50.0, -1.3802, -84.2814], [50.0, 0.0, -82.7485], 1.0),
            ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
            ([22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373),
            ([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082),
        ] {
            assert!((difference(a, b) - expected).abs() < 1e-4, "{a:?} {b:?}: {}", difference(a, b));
        }
    }

    #[test]
    fn classes_differ_for_all_eyes() {
        for (number, &colour) in CLASS_COLOURS.iter().enumerate() {
            for (earlier, &other) in CLASS_COLOURS[..number].iter().enumerate() {
                let wanted = if number < 2 { 30.0 } else { 11.0 };
                let found = least_difference(colour, other);
                assert!(found > wanted, "classes {earlier} and {number}: {found}");
            }
        }
    }

    #[test]
    fn bodies_stand_out_from_every_terrain_for_all_eyes() {
        for terrain in terrains() {
            for (number, &colour) in CLASS_COLOURS.iter().enumerate() {
                let found = least_difference(colour, terrain);
                assert!(found > 11.0, "class {number} on {terrain:?}: {found}");
                for vision in 0..VISIONS.len() {
                    let luminance = |colour| luminance(seen(colour, vision));
                    let outline = luminance(mixed(colour, [0; 3], f64::from(OUTLINE_OPACITY) / 255.0));
                    // Fill or outline, on the ground and on each other.
                    let fill = luminance(colour);
                    let on_ground = |part| contrast(part, luminance(terrain));
                    let best = on_ground(fill).max(on_ground(outline));
                    assert!(
                        best > 3.0 && contrast(fill, outline) > 3.0,
                        "class {number} on {terrain:?}: {best}"
                    );
                }
            }
        }
    }
}
