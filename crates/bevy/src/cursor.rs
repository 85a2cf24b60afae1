//! Picking by footprint: the cell and the unit at a point. Needs no window, no mesh and no camera.

use crate::space::Space;
use crate::units::Units;
use crate::wheelbase::Wheelbase;
use bevy_ecs::change_detection::Res;
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::SystemParam;
use wheelbase_sim::{CellXY, Rect};

/// The point of the plane under the mouse, in world units; `None` outside the window. A system of the game sets it,
/// from its camera; see docs/bevy.md. Tests set it without a window.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct CursorPoint(pub Option<[f32; 2]>);

/// Finds the cell and the unit under the mouse, by the cells that units hold.
#[derive(SystemParam)]
pub struct Cursor<'w> {
    point: Res<'w, CursorPoint>,
    space: Res<'w, Space>,
    wheelbase: Res<'w, Wheelbase>,
    units: Res<'w, Units>,
}

impl Cursor<'_> {
    /// The cell under the mouse; `None` off the map.
    pub fn cell(&self) -> Option<CellXY> {
        self.cell_at(self.point.0?)
    }

    /// The entity of the unit under the mouse.
    pub fn unit(&self) -> Option<Entity> {
        self.unit_at(self.point.0?)
    }

    /// The cell at a point of the plane; `None` off the map.
    pub fn cell_at(&self, point: [f32; 2]) -> Option<CellXY> {
        if !point.iter().all(|number| number.is_finite()) {
            return None;
        }
        let grid = self.wheelbase.grid();
        let cell = self.space.cell_at(grid.shape(), point);
        grid.size().contains(cell).then_some(cell)
    }

    /// The entity of the unit that holds the cell at a point. A moving unit holds all cells that its move sweeps.
    pub fn unit_at(&self, point: [f32; 2]) -> Option<Entity> {
        self.units.entity(self.wheelbase.agent_at(self.cell_at(point)?)?)
    }

    /// The entities of the units that hold a cell of a rectangle, in order of id: a selection by box. Costs as
    /// [`World::agents_in`](wheelbase_sim::World::agents_in).
    pub fn units_in(&self, cells: Rect) -> Vec<Entity> {
        self.wheelbase.agents_in(cells).into_iter().filter_map(|unit| self.units.entity(unit)).collect()
    }

    /// The cells between two points of the plane, on a map of squares: for [`Cursor::units_in`].
    pub fn cells_between(&self, one: [f32; 2], other: [f32; 2]) -> Rect {
        let shape = self.wheelbase.grid().shape();
        let [one, other] = [one, other].map(|point| Rect::of_cell(self.space.cell_at(shape, point)));
        one.union(other).intersection(self.wheelbase.grid().size().rect())
    }
}
