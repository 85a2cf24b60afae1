//! One node for each unit, for tens of units.

use crate::world::WheelbaseWorld;
use godot::prelude::*;

/// A class of nodes. Two differ in their base, and in how they turn a point of the plane into their place.
macro_rules! unit_class {
    ($(#[$($documentation:tt)*])* $name:ident, $base:ident, $interface:ident, $read:path, $write:path) => {
        $(#[$($documentation)*])*
        #[derive(GodotClass)]
        #[class(init, base=$base)]
        pub struct $name {
            /// The world. Without one it is the nearest [WheelbaseWorld] above in the tree.
            #[export]
            world: Option<Gd<WheelbaseWorld>>,
            /// The name of its class of units.
            #[export]
            unit_class: GString,
            /// Its team, 0 to 31.
            #[export]
            team: i64,
            /// Whether the node is freed when its unit is removed.
            #[export]
            #[init(val = true)]
            free_with_unit: bool,
            /// Its unit; -1 until it is in the world. Set it before the node is ready to show a unit that exists.
            #[var]
            #[init(val = -1)]
            unit: i64,
            #[init(val = -1)]
            ticket: i64,
            base: Base<$base>,
        }

        #[godot_api]
        impl $interface for $name {
            #[func(gd_self)]
            fn ready(mut this: Gd<Self>) {
                let Some(world) = Self::find_world(&this) else {
                    let place = this.get_path();
                    godot::global::push_error(&[format!("{place}: no WheelbaseWorld above it").to_variant()]);
                    return;
                };
                this.bind_mut().world = Some(world.clone());
                world.signals().started().builder().connect_other_gd(&this, Self::enter_world);
                world.signals().unit_spawned().builder().connect_other_gd(&this, Self::on_spawned);
                world.signals().unit_removed().builder().connect_other_gd(&this, Self::on_removed);
                world.signals().arrived().builder().connect_other_gd(&this, Self::on_arrived);
                world.signals().order_failed().builder().connect_other_gd(&this, Self::on_order_failed);
                world.signals().command_refused().builder().connect_other_gd(&this, Self::on_refused);
                if world.bind().is_running() {
                    Self::enter_world(this);
                }
            }

            fn process(&mut self, _delta: f64) {
                let Some(world) = self.living_world() else { return };
                let drawn = {
                    let world = world.bind();
                    if !world.has_unit(self.unit) { None } else { world.drawn("unit_position", self.unit) }
                };
                if let Some((position, rotation)) = drawn {
                    $write(&mut self.base_mut(), position, rotation);
                }
            }
        }

        #[godot_api]
        impl $name {
            /// Its unit is in the world.
            #[signal]
            fn spawned(unit: i64);
            /// Its unit is no longer in the world.
            #[signal]
            fn removed();
            /// It has reached the goal of an order.
            #[signal]
            fn arrived();
            /// It cannot do an order, and drops it.
            #[signal]
            fn order_failed(reason: GString);
            /// It could not be placed, or a command for it was refused.
            #[signal]
            fn refused(reason: GString);

            /// Sends it to a cell, or as near as possible. Returns the ticket, or -1.
            #[func]
            fn goto(&mut self, cell: Vector2i, #[opt(default = false)] append: bool) -> i64 {
                self.commanded(|world, units| world.order_goto(units, cell, append))
            }

            /// Has it drop its orders and rest.
            #[func]
            fn stop(&mut self) -> i64 {
                self.commanded(|world, units| world.stop(units))
            }

            /// Has it drop its orders and hold its place.
            #[func]
            fn hold(&mut self) -> i64 {
                self.commanded(|world, units| world.hold(units))
            }

            /// Removes its unit from the world.
            #[func]
            fn remove(&mut self) -> i64 {
                self.commanded(|world, units| world.remove(units))
            }
        }

        impl $name {
            fn find_world(this: &Gd<Self>) -> Option<Gd<WheelbaseWorld>> {
                let given = this.bind().world.clone();
                let ancestors = std::iter::successors(this.get_parent(), |node| node.get_parent());
                given.or_else(|| ancestors.filter_map(|node| node.try_cast().ok()).next())
            }

            fn living_world(&self) -> Option<Gd<WheelbaseWorld>> {
                self.world.clone().filter(|world| world.is_instance_valid())
            }

            fn commanded(&mut self, give: impl FnOnce(&mut WheelbaseWorld, PackedInt32Array) -> i64) -> i64 {
                let units = i32::try_from(self.unit).ok().filter(|unit| *unit >= 0);
                match (self.living_world(), units) {
                    (Some(mut world), Some(unit)) => give(&mut world.bind_mut(), [unit].into()),
                    _ => {
                        let place = self.base().get_path();
                        godot::global::push_error(&[format!("{place}: its unit is not in a world").to_variant()]);
                        -1
                    }
                }
            }

            /// Asks for a unit where the node stands.
            fn enter_world(mut this: Gd<Self>) {
                let Some(mut world) = this.bind().living_world() else { return };
                if world.bind().has_unit(this.bind().unit) {
                    return;
                }
                let (position, rotation) = $read(&this);
                let (class, team) = (this.bind().unit_class.clone(), this.bind().team);
                let ticket = world.bind_mut().spawn_at(&class, position, rotation, team);
                this.bind_mut().ticket = ticket;
            }

            fn on_spawned(mut this: Gd<Self>, unit: i64, ticket: i64) {
                if this.bind().unit < 0 && ticket >= 0 && ticket == this.bind().ticket {
                    this.bind_mut().unit = unit;
                    this.signals().spawned().emit(unit);
                }
            }

            fn on_removed(mut this: Gd<Self>, unit: i64) {
                if unit == this.bind().unit {
                    this.bind_mut().unit = -1;
                    this.signals().removed().emit();
                    if this.is_instance_valid() && this.bind().free_with_unit {
                        this.queue_free();
                    }
                }
            }

            fn on_arrived(this: Gd<Self>, unit: i64) {
                if unit == this.bind().unit {
                    this.signals().arrived().emit();
                }
            }

            fn on_order_failed(this: Gd<Self>, unit: i64, _order: GString, reason: GString) {
                if unit == this.bind().unit {
                    this.signals().order_failed().emit(&reason);
                }
            }

            fn on_refused(this: Gd<Self>, ticket: i64, unit: i64, reason: GString) {
                let is_own = unit >= 0 && unit == this.bind().unit;
                let is_its_place = this.bind().unit < 0 && ticket >= 0 && ticket == this.bind().ticket;
                if is_own || is_its_place {
                    this.signals().refused().emit(&reason);
                }
            }
        }
    };
}

unit_class! {
    /// A node of two dimensions that is a unit of a [WheelbaseWorld].
    ///
    /// Put it below the world, where the unit shall begin: the unit takes the nearest cell and heading. Give it a
    /// sprite that looks to the right. The world moves it in every frame. For thousands of units use
    /// [WheelbaseMultiMesh].
    WheelbaseUnit2D, Node2D, INode2D, read_2d, write_2d
}

unit_class! {
    /// A node of three dimensions that is a unit of a [WheelbaseWorld], on the plane of x and z.
    ///
    /// Put it below the world, where the unit shall begin: the unit takes the nearest cell and heading. Give it a model
    /// that looks along +x. The world moves and turns it in every frame; its height y is yours. For thousands of units
    /// use [WheelbaseMultiMesh].
    WheelbaseUnit3D, Node3D, INode3D, read_3d, write_3d
}

fn read_2d(node: &Node2D) -> (Vector2, f32) {
    (node.get_global_position(), node.get_global_rotation())
}

fn write_2d(node: &mut Node2D, position: Vector2, rotation: f32) {
    node.set_global_position(position);
    node.set_global_rotation(rotation);
}

fn read_3d(node: &Node3D) -> (Vector2, f32) {
    let position = node.get_global_position();
    (Vector2::new(position.x, position.z), -node.get_global_rotation().y)
}

fn write_3d(node: &mut Node3D, position: Vector2, rotation: f32) {
    let height = node.get_global_position().y;
    node.set_global_position(Vector3::new(position.x, height, position.y));
    node.set_global_rotation(Vector3::new(0.0, -rotation, 0.0));
}
