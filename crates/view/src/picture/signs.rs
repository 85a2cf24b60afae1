//! Signs of classes: shapes on their bodies, for people who cannot tell all colours apart.

use std::f64::consts::TAU;
use wheelbase_grid::Point;

/// Number of signs. As many as colours, so that 64 classes differ in one or the other.
const N_SIGNS: usize = 8;

/// The sign of a class, by its number: loops within a circle of radius 1 about the origin. The first is plain: it has
/// none, or a disc where the body has no other `mark`.
pub fn sign(class: usize, has_mark: bool) -> Vec<Vec<Point>> {
    let quarter = TAU / 4.0;
    match (class + class / N_SIGNS) % N_SIGNS {
        0 if has_mark => Vec::new(),
        0 => vec![polygon(24, 0.0)],
        1 => vec![polygon(4, quarter / 2.0)],
        2 => vec![polygon(3, 0.0)],
        3 => vec![cross(0.0)],
        4 => vec![polygon(4, 0.0)],
        5 => vec![bar(0.0)],
        6 => vec![cross(quarter / 2.0)],
        _ => vec![bar(-0.6), bar(0.6)],
    }
}

/// A regular polygon, its first corner at an angle from east.
fn polygon(corners: u32, angle: f64) -> Vec<Point> {
    let corner = |number| {
        let angle = angle + f64::from(number) * TAU / f64::from(corners);
        [angle.cos(), angle.sin()]
    };
    (0..corners).map(corner).collect()
}

/// A cross of two bars, turned by an angle.
fn cross(angle: f64) -> Vec<Point> {
    const HALF: f64 = 0.3;
    let (sin, cos) = angle.sin_cos();
    let arm = [[HALF, HALF], [HALF, 0.95], [-HALF, 0.95]];
    let turned = |[x, y]: Point, quarters: usize| (0..quarters).fold([x, y], |[x, y], _| [-y, x]);
    let corners = (0..4).flat_map(|quarters| arm.map(|point| turned(point, quarters)));
    corners.map(|[x, y]| [x * cos - y * sin, x * sin + y * cos]).collect()
}

/// A bar across the way of the body, its middle `x` to the front.
fn bar(x: f64) -> Vec<Point> {
    const HALF: f64 = 0.25;
    let long = (1.0 - (x.abs() + HALF).powi(2)).sqrt();
    vec![[x - HALF, -long], [x + HALF, -long], [x + HALF, long], [x - HALF, long]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_lie_within_their_circle_and_64_classes_differ() {
        for class in 0..64 {
            let loops = sign(class, true);
            assert!(loops.iter().flatten().all(|[x, y]| x.hypot(*y) < 1.0 + 1e-9), "{loops:?}");
            let same_colour = (0..class).filter(|other| other % N_SIGNS == class % N_SIGNS);
            for other in same_colour {
                assert_ne!(sign(other, true), loops, "{other} {class}");
            }
        }
    }
}
