//! SVG plots over the ticks of a run.

use crate::safe_text::markup;
use std::fmt::Write;

/// Size and margins of a plot, in SVG units.
const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 22.0;

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlotKind {
    /// A line for each series.
    Lines,
    /// Stacked areas.
    Stack,
    /// A bar for each value of a single series.
    Bars,
}

/// Values over time.
#[derive(Clone, Debug)]
pub struct Series {
    /// Label in the key.
    pub name: &'static str,
    /// A value for each interval of ticks.
    pub values: Vec<f64>,
    /// Number of the page's CSS colour, `--c0` and so on.
    pub colour: usize,
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    /// Title.
    pub title: &'a str,
    /// Caption below the title.
    pub text: String,
    /// How the values are drawn.
    pub kind: PlotKind,
    /// Series of equal length.
    pub series: Vec<Series>,
    /// Ticks per value.
    pub ticks: u32,
}

impl Plot<'_> {
    /// The plot with title, caption and key, as an HTML section.
    pub fn section(&self) -> String {
        let mut out =
            format!("<section><h2>{}</h2><p>{}</p>\n{}", markup(self.title), markup(&self.text), self.svg());
        out.push_str("<div>");
        for Series { name, colour, .. } in &self.series {
            let _ = write!(
                out,
                "<span class=\"key\"><i style=\"background:var(--c{colour})\"></i>{}</span>",
                markup(name)
            );
        }
        out.push_str("</div></section>\n");
        out
    }

    /// The plot alone, as SVG.
    pub fn svg(&self) -> String {
        let n = self.series.iter().map(|series| series.values.len()).max().unwrap_or(0);
        let top = (0..n).map(|at| self.height_at(at)).fold(0.0, f64::max);
        let step = spacing(top);
        let top = (top / step).ceil().max(1.0) * step;
        let x = |at: f64| LEFT + at / n.max(1) as f64 * (WIDTH - LEFT - RIGHT);
        let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM);
        let mut out = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
            markup(self.title)
        );
        // Writing to a string cannot fail, here and below.
        for line in 0..=(top / step).round() as u32 {
            let value = f64::from(line) * step;
            let at = y(value);
            let _ = writeln!(
                out,
                "<path class=\"axis\" d=\"M{LEFT} {at:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                at + 4.0,
                short(value)
            );
        }
        let ticks = f64::from(self.ticks) * n as f64;
        let every = spacing(ticks * 1.3).max(1.0);
        let mut tick = 0.0;
        while tick <= ticks {
            let at = x(tick / f64::from(self.ticks.max(1)));
            let _ = writeln!(
                out,
                "<text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - 6.0,
                short(tick)
            );
            tick += every;
        }
        let mut below = vec![0.0; n];
        for Series { name, values, colour } in &self.series {
            let _ = match self.kind {
                PlotKind::Lines => {
                    let points = values.iter().enumerate();
                    let points =
                        points.map(|(at, &value)| format!("{:.1} {:.1}", x(at as f64 + 0.5), y(value)));
                    let path = points.collect::<Vec<_>>().join("L");
                    writeln!(
                        out,
                        "<path fill=\"none\" stroke=\"var(--c{colour})\" stroke-width=\"1.6\" stroke-linejoin=\"round\" d=\"M{path}\"><title>{}</title></path>",
                        markup(name)
                    )
                }
                PlotKind::Bars | PlotKind::Stack => {
                    let mut path = String::new();
                    for (at, (value, below)) in values.iter().zip(&mut below).enumerate() {
                        let (low, high) = (*below, *below + value);
                        if *value > 0.0 {
                            let gap = if self.kind == PlotKind::Bars { 0.12 } else { 0.0 };
                            let (left, right) = (x(at as f64 + gap), x(at as f64 + 1.0 - gap));
                            let _ =
                                write!(path, "M{left:.1} {:.1}H{right:.1}V{:.1}H{left:.1}z", y(low), y(high));
                        }
                        *below = if self.kind == PlotKind::Stack { high } else { low };
                    }
                    writeln!(
                        out,
                        "<path fill=\"var(--c{colour})\" shape-rendering=\"crispEdges\" d=\"{path}\"><title>{}</title></path>",
                        markup(name)
                    )
                }
            };
        }
        out.push_str("</svg>\n");
        out
    }

    fn height_at(&self, at: usize) -> f64 {
        let values = self.series.iter().map(|series| series.values.get(at).copied().unwrap_or(0.0));
        if self.kind == PlotKind::Stack { values.sum() } else { values.fold(0.0, f64::max) }
    }
}

/// Spacing of about four axis lines up to `top`: 1, 2 or 5 times a power of ten.
pub(crate) fn spacing(top: f64) -> f64 {
    if top <= 0.0 {
        return 1.0;
    }
    let power = 10_f64.powf((top / 4.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|step| top / step <= 5.0).unwrap_or(top)
}

/// A number with few digits and a unit prefix.
pub(crate) fn short(value: f64) -> String {
    let (value, unit) = match value {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e4 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let text = format!("{value:.3}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_labels_are_few_and_round() {
        for (top, expected) in
            [(0.0, 1.0), (1.0, 0.2), (4.0, 1.0), (7.0, 2.0), (12.0, 5.0), (1040.0, 500.0), (0.03, 0.01)]
        {
            assert!((spacing(top) - expected).abs() < 1e-12, "{top} {}", spacing(top));
        }
        let texts = [0.0, 0.25, 3.0, 9999.0, 12_500.0, 2e6, 3e9].map(short);
        assert_eq!(texts, ["0", "0.25", "3", "9999", "12.5k", "2M", "3G"]);
    }

    #[test]
    fn a_stack_is_as_high_as_its_sum() {
        let series = |values: &[f64], colour| Series { name: "a", values: values.to_vec(), colour };
        let mut plot = Plot {
            title: "<t>",
            text: String::new(),
            kind: PlotKind::Stack,
            series: vec![series(&[1.0, 2.0], 0), series(&[3.0, 0.0], 1)],
            ticks: 10,
        };
        assert_eq!(plot.height_at(0), 4.0);
        let svg = plot.svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let filled = document.descendants().filter(|node| node.has_attribute("fill"));
        // Zeros are not drawn.
        let boxes: Vec<usize> =
            filled.map(|node| node.attribute("d").unwrap().matches('M').count()).collect();
        assert_eq!(boxes, [2, 1]);
        plot.kind = PlotKind::Lines;
        assert_eq!(plot.height_at(0), 3.0);
        plot.series.clear();
        assert!(roxmltree::Document::parse(&plot.svg()).is_ok());
    }
}
