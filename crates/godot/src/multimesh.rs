//! One node that draws thousands of units.

use crate::instances::{Layout, Look, write_instances};
use crate::told::{Told, place_of};
use crate::world::WheelbaseWorld;
use godot::classes::multi_mesh::TransformFormat;
use godot::classes::{MultiMesh, MultiMeshInstance2D, MultiMeshInstance3D};
use godot::prelude::*;

/// Draws the units of a [WheelbaseWorld] as instances of a [MultiMesh], thousands of them with one node.
///
/// Put it below a [MultiMeshInstance2D] or [MultiMeshInstance3D], which stands at the origin: it fills the [MultiMesh]
/// of that node in every frame. Set mesh, transform format and colors of the [MultiMesh] before it has instances. With
/// colors, each instance has the color of its team. With custom data, shaders get unit, class, team and activity.
#[derive(GodotClass)]
#[class(init, base=Node)]
pub struct WheelbaseMultiMesh {
    /// The world. Without one it is the nearest [WheelbaseWorld] above in the tree.
    #[export]
    world: Option<Gd<WheelbaseWorld>>,
    /// The [MultiMesh] to fill. Without one it is the [MultiMesh] of the parent.
    #[export]
    multimesh: Option<Gd<MultiMesh>>,
    /// The name of the class that it draws; empty for all.
    #[export]
    unit_class: GString,
    /// Color of each team; teams without one are white.
    #[export]
    team_colors: PackedColorArray,
    /// y of the instances in 3D.
    #[export]
    height: f32,
    buffer: Vec<f32>,
    told: Told,
    base: Base<Node>,
}

#[godot_api]
impl INode for WheelbaseMultiMesh {
    fn process(&mut self, _delta: f64) {
        self.draw();
    }
}

#[godot_api]
impl WheelbaseMultiMesh {
    /// Fills the [MultiMesh] for this frame, as the node does by itself in every frame. Returns the number of
    /// instances.
    #[func]
    fn draw(&mut self) -> i64 {
        let (Some(world), Some(mut target)) = (self.found_world(), self.found_multimesh()) else { return 0 };
        let world = world.bind();
        let Ok(game) = world.game() else { return 0 };
        let class = if self.unit_class.is_empty() { -1 } else { world.class_id(self.unit_class.clone()) };
        if class < 0 && !self.unit_class.is_empty() {
            let mistake =
                format!("no class \"{}\", known are {}", self.unit_class, world.class_names().join(", "));
            self.tell_once(mistake);
            return 0;
        }
        let layout = Layout {
            is_2d: target.get_transform_format() == TransformFormat::TRANSFORM_2D,
            colours: target.is_using_colors(),
            custom_data: target.is_using_custom_data(),
        };
        let colours: Vec<[f32; 4]> =
            self.team_colors.as_slice().iter().map(|c| [c.r, c.g, c.b, c.a]).collect();
        let look = Look {
            layout,
            place: world.place(),
            height: self.height,
            class: u8::try_from(class).ok(),
            colours: &colours,
        };
        let n =
            write_instances(game.world.agents(), &game.bodies, world.shown_time(), &look, &mut self.buffer);
        if target.get_instance_count() != n as i32 {
            target.set_instance_count(n as i32);
        }
        if n > 0 {
            target.set_buffer(&PackedFloat32Array::from(self.buffer.as_slice()));
        }
        n as i64
    }

    /// The message of the last mistake; empty if there was none.
    #[func]
    fn last_error(&self) -> GString {
        self.told.last()
    }
}

impl WheelbaseMultiMesh {
    fn found_world(&mut self) -> Option<Gd<WheelbaseWorld>> {
        if self.world.is_none() {
            let ancestors = std::iter::successors(self.base().get_parent(), |node| node.get_parent());
            self.world = ancestors.filter_map(|node| node.try_cast().ok()).next();
        }
        let world = self.world.clone().filter(|world| world.is_instance_valid());
        if world.is_none() {
            self.tell_once("no WheelbaseWorld: set `world`, or put the node below one".to_owned());
        }
        world
    }

    fn found_multimesh(&mut self) -> Option<Gd<MultiMesh>> {
        if self.multimesh.is_none() {
            let parent = self.base().get_parent()?;
            self.multimesh = match parent.try_cast::<MultiMeshInstance2D>() {
                Ok(parent) => parent.get_multimesh(),
                Err(parent) => {
                    parent.try_cast::<MultiMeshInstance3D>().ok().and_then(|parent| parent.get_multimesh())
                }
            };
        }
        if self.multimesh.is_none() {
            self.tell_once(
                "no MultiMesh: set `multimesh`, or put the node below a MultiMeshInstance".to_owned(),
            );
        }
        self.multimesh.clone()
    }

    /// Tells a mistake that would come again in every frame.
    fn tell_once(&self, mistake: String) {
        if !self.told.last().to_string().ends_with(&mistake) {
            self.told.told::<()>(&place_of(&self.base()), "draw", Err(mistake));
        }
    }
}
