//! Plots of a measure over a parameter: median and quartiles of each value, a line for each choice of the others.

use crate::report::plot::{short, spacing};
use crate::safe_text::markup;
use std::fmt::Write;

/// Size and margins of a plot, in SVG units.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 38.0;

/// Values that span more than this factor are drawn on a logarithmic axis, if they lie more evenly there.
const LOG_FROM: f64 = 30.0;
/// Distance between the points of two lines at the same word, in SVG units.
const DODGE: f64 = 9.0;
/// Most labels below an axis.
const LABELS_MAX: usize = 8;
/// Width of a character of a label, in SVG units.
const CHAR_WIDTH: f64 = 6.2;

/// Median and quartiles of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub low: f64,
    pub median: f64,
    pub high: f64,
    /// Number of values.
    pub n: usize,
}

impl Spread {
    /// Of values; `None` if there are none. Quantiles lie between the two nearest values.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let quantile = |part: f64| {
            let at = part * last as f64;
            let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
            below + (above - below) * at.fract()
        };
        Some(Self { low: quantile(0.25), median: quantile(0.5), high: quantile(0.75), n: values.len() })
    }
}

/// The horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// The area below it.
    pub name: String,
    /// Its values in words, in the order typed.
    pub labels: Vec<String>,
}

/// A line: a spread for each value of the axis that has any.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// In the key; empty if it is the only one.
    pub name: String,
    pub spreads: Vec<Option<Spread>>,
}

/// Where the values of an axis lie, from 0 to 1.
struct Places {
    at: Vec<f64>,
    /// Words have no distances: their points are not joined by areas.
    are_words: bool,
}

impl Axis {
    fn places(&self) -> Places {
        let numbers: Option<Vec<f64>> =
            self.labels.iter().map(|label| label.replace('_', "").parse().ok()).collect();
        let n = self.labels.len();
        let even = || Places { at: (0..n).map(|at| (at as f64 + 0.5) / n as f64).collect(), are_words: true };
        let Some(numbers) =
            numbers.filter(|numbers| numbers.iter().all(|number: &f64| number.is_finite()) && n > 1)
        else {
            return even();
        };
        let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_log = least > 0.0
            && most / least >= LOG_FROM
            && largest_gap(&numbers, f64::ln) < largest_gap(&numbers, |number| number);
        let scale = |number: f64| if is_log { number.ln() } else { number };
        let (low, high) = (scale(least), scale(most));
        let at = numbers.iter().map(|&number| 0.04 + 0.92 * (scale(number) - low) / (high - low));
        Places { at: at.collect(), are_words: false }
    }
}

/// The largest gap between neighbours on a scale, as a part of the whole.
fn largest_gap(numbers: &[f64], scale: impl Fn(f64) -> f64) -> f64 {
    let mut scaled: Vec<f64> = numbers.iter().map(|&number| scale(number)).collect();
    scaled.sort_by(f64::total_cmp);
    let gaps = scaled.windows(2).map(|pair| pair[1] - pair[0]);
    gaps.fold(0.0, f64::max) / (scaled[scaled.len() - 1] - scaled[0])
}

/// A plot as SVG.
pub(super) fn svg(title: &str, axis: &Axis, lines: &[Line]) -> String {
    let Places { at: places, are_words } = axis.places();
    let spreads = || lines.iter().flat_map(|line| line.spreads.iter().flatten());
    let least = spreads().map(|spread| spread.low).fold(f64::INFINITY, f64::min);
    let most = spreads().map(|spread| spread.high).fold(f64::NEG_INFINITY, f64::max);
    // Zero is shown unless it would flatten the rest.
    let (least, most) = if least >= 0.0 && least <= 0.6 * most { (0.0, most) } else { (least, most) };
    let range = if most > least { most - least } else { most.abs().max(1.0) };
    let step = spacing(range);
    let (bottom, top) =
        ((least / step).floor() * step, (most / step).ceil().max(least / step + 1.0).ceil() * step);
    let x = |place: f64| LEFT + place * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - (value - bottom) / (top - bottom) * (HEIGHT - TOP - BOTTOM);
    let label = format!("{title} over {}", axis.name);
    // Writing to a string cannot fail, here and below.
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        markup(&label)
    );
    for number in 0..=((top - bottom) / step).round() as u32 {
        let value = bottom + f64::from(number) * step;
        let at = y(value);
        let _ = writeln!(
            out,
            "<path class=\"axis\" d=\"M{LEFT} {at:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
            signed_short(value)
        );
    }
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    labels(&mut out, axis, (&places, &order), x);
    for (number, line) in lines.iter().enumerate() {
        let shift = if are_words { (number as f64 - (lines.len() as f64 - 1.0) / 2.0) * DODGE } else { 0.0 };
        let points: Vec<(usize, f64, Spread)> = order
            .iter()
            .filter_map(|&at| line.spreads[at].map(|spread| (at, x(places[at]) + shift, spread)))
            .collect();
        draw_line(&mut out, axis, line, &points, (number, are_words), y);
    }
    out.push_str("</svg>\n");
    out
}

/// The labels below the axis that do not run into each other, and its name.
fn labels(out: &mut String, axis: &Axis, (places, order): (&[f64], &[usize]), x: impl Fn(f64) -> f64) {
    let every = places.len().div_ceil(LABELS_MAX).max(1);
    let mut end = f64::NEG_INFINITY;
    for &at in order.iter().step_by(every) {
        let text = short_label(&axis.labels[at], (WIDTH - LEFT) / places.len().min(LABELS_MAX) as f64);
        let half = text.chars().count() as f64 * CHAR_WIDTH / 2.0;
        let middle = x(places[at]);
        if middle - half < end {
            continue;
        }
        end = middle + half + 4.0;
        let _ = writeln!(
            out,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM + 15.0,
            markup(&text)
        );
    }
    let _ = writeln!(
        out,
        "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 5.0,
        markup(&axis.name)
    );
}

fn draw_line(
    out: &mut String,
    axis: &Axis,
    line: &Line,
    points: &[(usize, f64, Spread)],
    (colour, are_words): (usize, bool),
    y: impl Fn(f64) -> f64,
) {
    let joined = |of: &mut dyn Iterator<Item = (f64, f64)>| {
        of.map(|(x, y)| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join("L")
    };
    let is_spread = points.iter().any(|(_, _, spread)| spread.high > spread.low);
    if is_spread && are_words {
        let bars = points.iter().fold(String::new(), |mut bars, (_, x, spread)| {
            let _ = write!(bars, "M{x:.1} {:.1}V{:.1}", y(spread.low), y(spread.high));
            bars
        });
        let _ = writeln!(
            out,
            "<path stroke=\"var(--c{colour})\" stroke-width=\"5\" stroke-opacity=\"0.3\" d=\"{bars}\"/>"
        );
    } else if is_spread && points.len() > 1 {
        let above = points.iter().map(|(_, x, spread)| (*x, y(spread.high)));
        let below = points.iter().rev().map(|(_, x, spread)| (*x, y(spread.low)));
        let _ = writeln!(
            out,
            "<path fill=\"var(--c{colour})\" fill-opacity=\"0.16\" d=\"M{}z\"/>",
            joined(&mut above.chain(below))
        );
    }
    if points.len() > 1 {
        let dash = if are_words { " stroke-dasharray=\"3 4\"" } else { "" };
        let _ = writeln!(
            out,
            "<path fill=\"none\" stroke=\"var(--c{colour})\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{dash} d=\"M{}\"/>",
            joined(&mut points.iter().map(|(_, x, spread)| (*x, y(spread.median))))
        );
    }
    for (at, x, spread) in points {
        let of_line = if line.name.is_empty() { String::new() } else { format!("{}\n", line.name) };
        let Spread { low, median, high, n } = *spread;
        let values = match n {
            1 => number(median),
            _ => {
                format!("median {}, quartiles {} and {}, {n} runs", number(median), number(low), number(high))
            }
        };
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"{}\" fill=\"var(--c{colour})\"><title>{}</title></circle>",
            y(median),
            if points.len() > 60 { 2.0 } else { 3.5 },
            markup(&format!("{of_line}{} = {}\n{values}", axis.name, axis.labels[*at]))
        );
    }
}

/// A label that fits in some SVG units: the end of a long one, which is what differs in paths.
fn short_label(label: &str, width: f64) -> String {
    let most = ((width / CHAR_WIDTH) as usize).max(4);
    let length = label.chars().count();
    if length <= most {
        return label.to_owned();
    }
    let tail: String = label.chars().skip(length + 1 - most).collect();
    format!("…{tail}")
}

fn signed_short(value: f64) -> String {
    if value < 0.0 { format!("-{}", short(-value)) } else { short(value) }
}

/// A number with at most three digits after the point.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_between_the_values() {
        let spread = Spread::of(vec![4.0, 1.0, 3.0, 2.0, 5.0]).unwrap();
        assert_eq!(spread, Spread { low: 2.0, median: 3.0, high: 4.0, n: 5 });
        let spread = Spread::of(vec![1.0, 2.0]).unwrap();
        assert_eq!((spread.low, spread.median, spread.high), (1.25, 1.5, 1.75));
        assert_eq!(Spread::of(Vec::new()), None);
    }

    #[test]
    fn axes_are_linear_logarithmic_or_of_words() {
        let places = |labels: &[&str]| {
            let labels = labels.iter().map(|label| (*label).to_owned()).collect();
            let places = Axis { name: "a".to_owned(), labels }.places();
            (
                places.at.into_iter().map(|at| (at * 100.0).round() as i32).collect::<Vec<_>>(),
                places.are_words,
            )
        };
        assert_eq!(places(&["10", "20", "30"]), (vec![4, 50, 96], false));
        assert_eq!(places(&["1000", "10", "100"]), (vec![96, 4, 50], false));
        let even: Vec<String> = (1..=40).map(|seed: u32| seed.to_string()).collect();
        let even: Vec<&str> = even.iter().map(String::as_str).collect();
        assert_eq!(places(&even).0[20], 51);
        assert_eq!(places(&["swept", "discrete"]), (vec![25, 75], true));
        assert_eq!(places(&["1", "inf"]), (vec![25, 75], true));
        assert_eq!(places(&["5"]), (vec![50], true));
    }

    #[test]
    fn plots_are_whole_whatever_the_values() {
        let spread = |value: f64| Spread::of(vec![value, value * 1.5]);
        for values in [[0.0, 0.0], [1.0, 2.0], [-5.0, 3.0], [1e9, 1.1e9], [7.0, 7.0]] {
            for labels in [["1", "2"], ["<a>", "&"]] {
                let axis = Axis { name: "<x>".to_owned(), labels: labels.map(str::to_owned).to_vec() };
                let line = |name: &str| Line { name: name.to_owned(), spreads: values.map(spread).to_vec() };
                let gap = Line { name: "gap".to_owned(), spreads: vec![None, spread(1.0)] };
                let svg = svg("t", &axis, &[line("a"), line("b"), gap]);
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                let document = roxmltree::Document::parse(&svg).unwrap();
                let circles = document.descendants().filter(|node| node.has_tag_name("circle"));
                for circle in circles.clone() {
                    let at: f64 = circle.attribute("cy").unwrap().parse().unwrap();
                    assert!((0.0..=HEIGHT).contains(&at), "{at}");
                }
                assert_eq!(circles.count(), 5);
            }
        }
    }
}
