//! Pictures as SVG, in units of cells, so that they scale to any size.

use crate::picture::caption::{
    BAR_PIXELS, CaptionLayout, FONT_PIXELS, INK, LETTER_PIXELS, LINE_PIXELS, MARGIN_PIXELS, ScaleBar,
};
use crate::picture::drawing::{Cells, Item, Paint, Picture, Shape};
use crate::picture::raster::OUTSIDE;
use crate::picture::view::View;
use crate::safe_text::markup;
use std::collections::BTreeMap;
use std::fmt::Write;
use wheelbase_grid::hexadecimal as css;
use wheelbase_grid::{CellXY, GridShape, Lattice, Point};

/// Most cells of a picture. Each run of equal cells takes text, so larger files would be unwieldy.
pub const CELLS_MAX: u64 = 1 << 20;

/// The SVG text of a picture, with a caption below if there is a layout for one. Linear in its cells and points.
pub fn text(picture: &Picture, caption: Option<&CaptionLayout>) -> String {
    let Picture { view, title, items } = picture;
    let added = caption.map_or(0, CaptionLayout::height);
    let ([left, top], [width, height]) = (view.lattice.corner_of(view.area), view.lattice.extent(view.area));
    let (columns, rows) = (view.size().0, view.size().1 + added);
    let mut out = String::new();
    // Writing to a string cannot fail, here and below.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{columns}\" height=\"{rows}\" viewBox=\"{} {} {} {}\">\n<title>{}</title>\n<rect x=\"{}\" y=\"{}\" width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        Number(left),
        Number(top),
        Number(width),
        Number(height + view.cells(added.into())),
        markup(title),
        Number(left),
        Number(top),
        css(OUTSIDE)
    );
    for item in items {
        match item {
            Item::Cells(cells) => write_cells(&mut out, view, cells),
            Item::Shape(shape) => write_shape(&mut out, shape),
        }
    }
    if let Some(caption) = caption {
        write_caption(&mut out, picture, caption);
    }
    out.push_str("</svg>\n");
    out
}

/// Writes a caption, in pixels from the lower left corner of the map.
fn write_caption(out: &mut String, picture: &Picture, caption: &CaptionLayout) {
    let Picture { view, title, .. } = picture;
    let ([left, top], [_, height]) = (view.lattice.corner_of(view.area), view.lattice.extent(view.area));
    let (top, scale) = (top + height, view.cells(1.0));
    let (ink, strip) = (css(INK), css(OUTSIDE));
    let _ = writeln!(
        out,
        "<g transform=\"translate({} {}) scale({scale})\" fill=\"{ink}\" font-family=\"monospace\" font-size=\"{FONT_PIXELS}\">\n<rect width=\"{}\" height=\"{}\" fill=\"{strip}\"/>",
        Number(left),
        Number(top),
        view.size().0,
        caption.height(),
    );
    // Letters stand on a line a little above the bottom of their row.
    let mut y = MARGIN_PIXELS / 2 + FONT_PIXELS;
    let text = |out: &mut String, x: u32, y: u32, text: &str| {
        let length = text.chars().count() as u32 * LETTER_PIXELS;
        let _ = writeln!(
            out,
            "<text x=\"{x}\" y=\"{y}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>",
            markup(text)
        );
    };
    for line in caption.lines(title).iter().filter(|line| !line.is_empty()) {
        text(out, MARGIN_PIXELS, y, line);
        y += LINE_PIXELS;
    }
    text(out, caption.scale_text_left(), y, &caption.scale_text());
    if let Some(bar) = caption.bar() {
        let y = y + (LINE_PIXELS - BAR_PIXELS) / 2 - FONT_PIXELS;
        let ScaleBar { left, length, .. } = bar;
        let _ = writeln!(out, "<rect x=\"{left}\" y=\"{y}\" width=\"{length}\" height=\"{BAR_PIXELS}\"/>");
    }
    out.push_str("</g>\n");
}

/// A number, printed with three decimals at most: more would be invisible.
struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = format!("{:.3}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

/// Writes cells as one path for each paint, in runs along the rows.
fn write_cells(out: &mut String, view: &View, cells: &Cells) {
    let mut paths: BTreeMap<Paint, String> = BTreeMap::new();
    let width = cells.area.width as usize;
    for (y, row) in (cells.area.y..).zip(cells.paints.chunks_exact(width.max(1))) {
        let mut x = cells.area.x;
        for run in row.chunk_by(|a, b| a == b) {
            if run[0].alpha > 0 {
                let path = paths.entry(run[0]).or_default();
                put_run(path, view.lattice, CellXY::new(x, y), run.len());
            }
            x += run.len() as i32;
        }
    }
    // No gaps between cells: squares snap to whole pixels, hexagons have a thin stroke.
    let square = view.lattice.0 == GridShape::Square;
    let _ = writeln!(out, "<g{}>", if square { " shape-rendering=\"crispEdges\"" } else { "" });
    for (paint, path) in paths {
        let _ = write!(out, "<path fill=\"{}\"", css(paint.rgb));
        put_opacity(out, "fill", paint);
        if !square && paint.alpha == 255 {
            let _ = write!(out, " stroke=\"{}\" stroke-width=\".03\"", css(paint.rgb));
        }
        let _ = writeln!(out, " d=\"{path}\"/>");
    }
    out.push_str("</g>\n");
}

/// Appends a run of cells to a path: one box, or a hexagon for each cell.
fn put_run(path: &mut String, lattice: Lattice, first: CellXY, length: usize) {
    if lattice.0 == GridShape::Square {
        let _ = write!(path, "M{} {}h{length}v1h-{length}z", first.x, first.y);
        return;
    }
    for x in (first.x..).take(length) {
        put_loop(path, &lattice.polygon(CellXY::new(x, first.y)), true);
    }
}

fn write_shape(out: &mut String, shape: &Shape) {
    let mut path = String::new();
    let closed = shape.stroke.is_none_or(|stroke| stroke.closed);
    shape.loops.iter().for_each(|points| put_loop(&mut path, points, closed));
    match shape.fill {
        Some(paint) => {
            let _ = write!(out, "<path fill=\"{}\"", css(paint.rgb));
            put_opacity(out, "fill", paint);
        }
        None => out.push_str("<path fill=\"none\""),
    }
    if let Some(stroke) = shape.stroke {
        let _ =
            write!(out, " stroke=\"{}\" stroke-width=\"{}\"", css(stroke.paint.rgb), Number(stroke.width));
        put_opacity(out, "stroke", stroke.paint);
        out.push_str(" stroke-linejoin=\"round\"");
    }
    let _ = write!(out, " d=\"{path}\"");
    match &shape.title {
        Some(title) => {
            let _ = writeln!(out, "><title>{}</title></path>", markup(title));
        }
        None => out.push_str("/>\n"),
    }
}

fn put_loop(path: &mut String, points: &[Point], closed: bool) {
    for (number, [x, y]) in points.iter().enumerate() {
        let _ = write!(path, "{}{} {}", if number == 0 { 'M' } else { 'L' }, Number(*x), Number(*y));
    }
    if closed {
        path.push('z');
    }
}

fn put_opacity(out: &mut String, of: &str, paint: Paint) {
    if paint.alpha < 255 {
        let _ = write!(out, " {of}-opacity=\"{}\"", Number(f64::from(paint.alpha) / 255.0));
    }
}
