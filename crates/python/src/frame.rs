//! Pictures of maps and worlds as arrays of red, green and blue.

use crate::buffer;
use crate::error::argument;
use pyo3::prelude::*;
use wheelbase_grid::{Grid, Lattice, Rect};
use wheelbase_sim::World;
use wheelbase_view::picture::bodies::BodyShape;
use wheelbase_view::picture::drawing::Item;
use wheelbase_view::picture::ground;
use wheelbase_view::picture::raster::{Canvas, Image};
use wheelbase_view::picture::view::{PIXELS_MAX, SCALE_MAX, View};

/// The visible part of a map and its scale.
pub(crate) fn view_of(grid: &Grid, area: Option<Rect>, scale: Option<u32>) -> PyResult<View> {
    if let Some(scale) = scale
        && !(1..=SCALE_MAX).contains(&scale)
    {
        return Err(argument(format!("`scale` is {scale}, expected 1 to {SCALE_MAX} pixels a cell")));
    }
    let lattice = Lattice(grid.shape());
    View::of(lattice, grid.size().rect(), area, scale, PIXELS_MAX)
        .map_err(|error| argument(error.to_string()))
}

/// The picture of a map.
pub(crate) fn of_map(grid: &Grid, view: View) -> Image {
    let mut canvas = Canvas::new(view);
    canvas.draw(&ground::of_grid(&view, grid));
    canvas.image().clone()
}

/// The picture of a world at a time in ticks: agents are where their last move has brought them by then.
pub(crate) fn of_world(world: &World, view: View, time: f64) -> Image {
    let mut canvas = Canvas::new(view);
    canvas.draw(&ground::of_grid(&view, world.grid()));
    let classes = world.tables().iter().enumerate();
    let bodies: Vec<BodyShape> =
        classes.map(|(number, tables)| BodyShape::of(tables.class(), number, &view)).collect();
    let mut items: Vec<Item> = Vec::new();
    for row in world.agents() {
        let body = &bodies[usize::from(row.class)];
        let part = row.part(time);
        let placement = match part < 1.0 {
            true => body.moving(row.from(), row.to(), i32::from(row.turn), part),
            false => body.resting(row.to()),
        };
        items.extend(body.shapes(&view, placement, String::new()).map(Item::from));
    }
    canvas.draw(&items);
    canvas.image().clone()
}

/// Rows of pixels.
pub(crate) fn array<'py>(py: Python<'py>, image: &Image) -> PyResult<Bound<'py, PyAny>> {
    let shape = [image.height as usize, image.width as usize, 3];
    buffer::array(py, image.pixels.as_flattened().to_vec(), &shape)
}
