//! Commands and questions of scripts.

use crate::map::terrain_name;
use crate::terrain::rect;
use crate::told::integer;
use crate::world::{Game, WheelbaseWorld, team_of, ticket_of};
use godot::prelude::*;
use wheelbase_grid::Lattice;
use wheelbase_sim::{
    AgentId, CellXY, Change, ClassId, Command, EventKind, Heading, IfNoRoom, Order, Pose, Spawn, SpawnGroup,
};

#[godot_api(secondary)]
impl WheelbaseWorld {
    /// Places a unit with its anchor in a cell. [signal unit_spawned] has its number and the ticket returned here.
    #[func]
    pub(crate) fn spawn(
        &mut self,
        class: i64,
        cell: Vector2i,
        #[opt(default = 0)] heading: i64,
        #[opt(default = 0)] team: i64,
    ) -> i64 {
        self.give("spawn", |game| {
            let (pose, team) = (pose_of(game, class, cell, heading)?, team_of(team)?);
            Ok(Command::Spawn(Spawn { team, ..Spawn::new(ClassId(game.class(class)?.0), pose) }))
        })
    }

    /// Places units at random in an area, as many as there is room for.
    #[func]
    pub(crate) fn spawn_group(
        &mut self,
        class: i64,
        count: i64,
        area: Rect2i,
        #[opt(default = 0)] team: i64,
    ) -> i64 {
        self.give("spawn_group", |game| {
            Ok(Command::SpawnGroup(SpawnGroup {
                class: ClassId(game.class(class)?.0),
                count: integer("count", count, "0 or more")?,
                area: area_of(area)?,
                priority: 0,
                team: team_of(team)?,
                orders: [].into(),
                speed_factor: 1000,
                anywhere: false,
                if_no_room: IfNoRoom::Drop,
            }))
        })
    }

    /// Removes units. Their cells are free at the next tick.
    #[func]
    pub(crate) fn remove(&mut self, units: PackedInt32Array) -> i64 {
        self.give("remove", |_| Ok(Command::remove(ids(&units)?)))
    }

    /// Sends units to a cell: each of them to it, or as near as possible. Use [method order_goto_group] for several.
    /// With `append` the order comes after their present ones.
    #[func]
    pub(crate) fn order_goto(
        &mut self,
        units: PackedInt32Array,
        cell: Vector2i,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_goto", &units, append, |_| Ok(Order::goto(xy(cell)).or_nearest()))
    }

    /// Sends units to poses around a cell, shared out among them: a click of a strategy game.
    #[func]
    pub(crate) fn order_goto_group(
        &mut self,
        units: PackedInt32Array,
        cell: Vector2i,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_goto_group", &units, append, |_| Ok(Order::goto_group(xy(cell))))
    }

    /// Sends units in formation: they keep their layout and the pace of the slowest. Those with as many headings as the
    /// first unit turn to the heading.
    #[func]
    pub(crate) fn order_goto_formation(
        &mut self,
        units: PackedInt32Array,
        cell: Vector2i,
        heading: i64,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_goto_formation", &units, append, |game| {
            let (pose, headings) = pose_of_first(game, &units, cell, heading)?;
            Ok(Order::goto_formation(pose, headings))
        })
    }

    /// Sends units to a cell and a heading. All must have as many headings as the first.
    #[func]
    pub(crate) fn order_goto_pose(
        &mut self,
        units: PackedInt32Array,
        cell: Vector2i,
        heading: i64,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_goto_pose", &units, append, |game| {
            let (pose, headings) = pose_of_first(game, &units, cell, heading)?;
            Ok(Order::goto_pose(pose, headings))
        })
    }

    /// Sends units to free poses in an area.
    #[func]
    pub(crate) fn order_goto_area(
        &mut self,
        units: PackedInt32Array,
        area: Rect2i,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_goto_area", &units, append, |_| Ok(Order::goto_area(area_of(area)?)))
    }

    /// Sends units from cell to cell, without end.
    #[func]
    pub(crate) fn order_patrol(
        &mut self,
        units: PackedInt32Array,
        cells: Array<Vector2i>,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_patrol", &units, append, |_| {
            Ok(Order::patrol(&cells.iter_shared().map(xy).collect::<Vec<_>>()))
        })
    }

    /// Keeps units within a number of cells of another unit.
    #[func]
    pub(crate) fn order_follow(
        &mut self,
        units: PackedInt32Array,
        leader: i64,
        #[opt(default = 3)] within: i64,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_follow", &units, append, |game| {
            let leader = game.unit(leader)?.agent();
            Ok(Order::follow(leader, integer("within", within, "0 or more")?))
        })
    }

    /// Has units stand for a number of ticks; others may push them aside.
    #[func]
    pub(crate) fn order_wait(
        &mut self,
        units: PackedInt32Array,
        ticks: i64,
        #[opt(default = false)] append: bool,
    ) -> i64 {
        self.order("order_wait", &units, append, |_| Ok(Order::wait(integer("ticks", ticks, "0 or more")?)))
    }

    /// Has units drop their orders and rest; others may push them.
    #[func]
    pub(crate) fn stop(&mut self, units: PackedInt32Array) -> i64 {
        self.give("stop", |_| Ok(Command::stop(ids(&units)?)))
    }

    /// Has units drop their orders and hold their place; nobody pushes them.
    #[func]
    pub(crate) fn hold(&mut self, units: PackedInt32Array) -> i64 {
        self.give("hold", |_| Ok(Command::hold(ids(&units)?)))
    }

    /// Puts a kind of terrain on an area as soon as no unit is in its way; nobody enters it until then.
    #[func]
    pub(crate) fn build(&mut self, area: Rect2i, terrain: GString) -> i64 {
        self.give("build", |game| Ok(Command::edit(terrain_change(game, area, &terrain)?)))
    }

    /// Withdraws a waiting edit by its ticket.
    #[func]
    pub(crate) fn cancel_edit(&mut self, ticket: i64) -> i64 {
        self.give("cancel_edit", |_| Ok(Command::CancelEdit(ticket_of(ticket)?)))
    }

    /// Moves units to another team.
    #[func]
    pub(crate) fn set_team(&mut self, units: PackedInt32Array, team: i64) -> i64 {
        self.give("set_team", |_| Ok(Command::Team { agents: ids(&units)?.into(), team: team_of(team)? }))
    }

    /// Sets the speed of units in thousandths of the usual one: 500 is half.
    #[func]
    pub(crate) fn set_speed(&mut self, units: PackedInt32Array, permille: i64) -> i64 {
        self.give("set_speed", |_| {
            let permille = integer("permille", permille, "1 to 65535")?;
            Ok(Command::SpeedFactor { agents: ids(&units)?.into(), permille })
        })
    }

    /// Sets the priority of units: those with more go first. The usual one is 0.
    #[func]
    pub(crate) fn set_priority(&mut self, units: PackedInt32Array, priority: i64) -> i64 {
        self.give("set_priority", |_| {
            let priority = integer("priority", priority, "a number of 32 bits")?;
            Ok(Command::Priority { agents: ids(&units)?.into(), priority })
        })
    }

    /// Gives a unit another class, at the end of its present move.
    #[func]
    pub(crate) fn set_class(&mut self, unit: i64, class: i64) -> i64 {
        self.give("set_class", |game| {
            let class = ClassId(game.class(class)?.0);
            Ok(Command::Class { agent: game.unit(unit)?.agent(), class, pose: None })
        })
    }

    /// Takes units off the map, for example into a transport; they keep their numbers and orders. `container` is the
    /// unit that they enter, -1 for none. Until [method leave] they are in no list but that of [method units_inside].
    #[func]
    pub(crate) fn enter(&mut self, units: PackedInt32Array, #[opt(default = -1)] container: i64) -> i64 {
        self.give("enter", |_| {
            Ok(Command::Enter { agents: ids(&units)?.into(), container: container_of(container)? })
        })
    }

    /// Puts a unit that is off the map into a cell, or as near as possible. It goes on with its orders.
    #[func]
    pub(crate) fn leave(&mut self, unit: i64, cell: Vector2i, #[opt(default = 0)] heading: i64) -> i64 {
        self.give("leave", |game| {
            let inside = game.world.off_map().find(|inside| i64::from(inside.id.0) == unit);
            let inside = inside.ok_or_else(|| format!("no unit {unit} is off the map"))?;
            Ok(Command::leave(inside.id, pose_of(game, i64::from(inside.class.0), cell, heading)?))
        })
    }

    /// The units that have entered a container; with -1 those in none.
    #[func]
    pub(crate) fn units_inside(&self, #[opt(default = -1)] container: i64) -> PackedInt32Array {
        let units = self.asked("units_inside", |game| {
            let container = container_of(container)?;
            let inside = game.world.off_map().filter(|inside| inside.container == container);
            Ok(inside.map(|inside| inside.id.0 as i32).collect())
        });
        units.unwrap_or_default()
    }

    /// The number of ticks that have run.
    #[func]
    pub(crate) fn tick(&self) -> i64 {
        self.game().map_or(0, |game| i64::from(game.world.tick()))
    }

    /// A number that is equal for equal worlds, on all machines. Compare it now and then in lockstep.
    #[func]
    pub(crate) fn state_hash(&self) -> i64 {
        let hash = self.game().map(|game| game.world.state_hash() as i64);
        self.told("state_hash", hash).unwrap_or(0)
    }

    /// Whether no unit has anything left to do.
    #[func]
    pub(crate) fn nothing_left(&self) -> bool {
        self.game().is_ok_and(|game| game.world.nothing_left())
    }

    /// The names of the classes; their indices are the numbers of the classes.
    #[func]
    pub(crate) fn classes(&self) -> PackedStringArray {
        self.class_names().into_iter().map(GString::from).collect()
    }

    /// The number of a class; -1 if there is none of that name.
    #[func]
    pub(crate) fn class_id(&self, name: GString) -> i64 {
        let name = name.to_string();
        self.class_names().iter().position(|known| *known == name).map_or(-1, |class| class as i64)
    }

    /// The number of units.
    #[func]
    pub(crate) fn unit_count(&self) -> i64 {
        self.game().map_or(0, |game| game.world.agents().len() as i64)
    }

    /// All units, in order.
    #[func]
    pub(crate) fn units(&self) -> PackedInt32Array {
        let rows = self.game().map_or(&[][..], |game| game.world.agents());
        rows.iter().map(|row| row.id as i32).collect()
    }

    /// Whether a unit is in the world.
    #[func]
    pub(crate) fn has_unit(&self, unit: i64) -> bool {
        self.game().is_ok_and(|game| game.unit(unit).is_ok())
    }

    /// The cell of a unit's anchor; (-1, -1) if there is no such unit. In mid-move it is where the move ends.
    #[func]
    pub(crate) fn unit_cell(&self, unit: i64) -> Vector2i {
        let cell = self.asked("unit_cell", |game| Ok(game.unit(unit)?.to().cell));
        cell.map_or(Vector2i::new(-1, -1), |cell| Vector2i::new(cell.x, cell.y))
    }

    /// The heading of a unit; -1 if there is no such unit.
    #[func]
    pub(crate) fn unit_heading(&self, unit: i64) -> i64 {
        self.asked("unit_heading", |game| Ok(i64::from(game.unit(unit)?.to_heading))).unwrap_or(-1)
    }

    /// The class of a unit; -1 if there is no such unit.
    #[func]
    pub(crate) fn unit_class(&self, unit: i64) -> i64 {
        self.asked("unit_class", |game| Ok(i64::from(game.unit(unit)?.class))).unwrap_or(-1)
    }

    /// The team of a unit; -1 if there is no such unit.
    #[func]
    pub(crate) fn unit_team(&self, unit: i64) -> i64 {
        self.asked("unit_team", |game| Ok(i64::from(game.unit(unit)?.team))).unwrap_or(-1)
    }

    /// What a unit does: `idle`, `awaiting_path`, `following` a path, `dwelling`, `yielding`, `arrived`, `unreachable`
    /// or `holding`. Empty if there is no such unit.
    #[func]
    pub(crate) fn unit_activity(&self, unit: i64) -> GString {
        let name = |game: &Game| Ok(game.unit(unit)?.activity().map_or("", |activity| activity.name()));
        self.asked("unit_activity", name).map(GString::from).unwrap_or_default()
    }

    /// Why a unit waits, in words.
    #[func]
    pub(crate) fn why_waits(&self, unit: i64) -> GString {
        let reason = |game: &Game| {
            let unit = game.unit(unit)?.agent();
            Ok(game.world.reason_for_waiting(unit).map(|reason| reason.to_string()).unwrap_or_default())
        };
        GString::from(self.asked("why_waits", reason).unwrap_or_default().as_str())
    }

    /// The centre of a unit in this frame, between two ticks: x and y in 2D, x and z in 3D.
    #[func]
    pub(crate) fn unit_position(&self, unit: i64) -> Vector2 {
        self.drawn("unit_position", unit).map_or(Vector2::ZERO, |(position, _)| position)
    }

    /// The angle of a unit in this frame, as `rotation` of a [Node2D]; minus that for `rotation.y` of a [Node3D].
    #[func]
    pub(crate) fn unit_rotation(&self, unit: i64) -> f32 {
        self.drawn("unit_rotation", unit).map_or(0.0, |(_, rotation)| rotation)
    }

    /// The unit that covers a cell; -1 if there is none.
    #[func]
    pub(crate) fn unit_at(&self, cell: Vector2i) -> i64 {
        let unit = self.game().ok().and_then(|game| game.world.agent_at(xy(cell)));
        unit.map_or(-1, |unit| i64::from(unit.0))
    }

    /// The units that cover cells of an area, in order.
    #[func]
    pub(crate) fn units_in(&self, area: Rect2i) -> PackedInt32Array {
        let units = self.asked("units_in", |game| Ok(game.world.agents_in(area_of(area)?)));
        units.unwrap_or_default().iter().map(|unit| unit.0 as i32).collect()
    }

    /// Whether a unit of a class could be placed in a cell now.
    #[func]
    pub(crate) fn can_place(&self, class: i64, cell: Vector2i, #[opt(default = 0)] heading: i64) -> bool {
        let can = |game: &Game| {
            let pose = pose_of(game, class, cell, heading)?;
            Ok(game.world.can_place(ClassId(game.class(class)?.0), pose).is_ok())
        };
        self.asked("can_place", can).unwrap_or(false)
    }

    /// The kind of terrain of a cell, with all edits; empty off the map.
    #[func]
    pub(crate) fn terrain_at(&self, cell: Vector2i) -> GString {
        self.game().map_or_else(|_| GString::new(), |game| terrain_name(game.world.grid(), cell))
    }

    /// Columns and rows of the map.
    #[func]
    pub(crate) fn map_size(&self) -> Vector2i {
        let size = self.game().map(|game| game.world.grid().size());
        size.map_or(Vector2i::ZERO, |size| Vector2i::new(size.width() as i32, size.height() as i32))
    }

    /// The cell at a point: x and y in 2D, x and z in 3D. It may be off the map.
    #[func]
    pub(crate) fn cell_at(&self, point: Vector2) -> Vector2i {
        let cell = self.lattice().cell_at(self.place().to_map([point.x, point.y].map(f64::from)));
        Vector2i::new(cell.x, cell.y)
    }

    /// The centre of a cell.
    #[func]
    pub(crate) fn cell_center(&self, cell: Vector2i) -> Vector2 {
        vector(self.place().to_plane(self.lattice().centre(xy(cell))))
    }

    /// What happened in the last tick, in order: dictionaries with `kind`, `tick`, `unit`, `ticket` and the numbers
    /// `a`, `b` and `c` of the kind. It has every kind of event; signals have the usual ones.
    #[func]
    pub(crate) fn events(&self) -> Array<VarDictionary> {
        let events = self.game().map_or(&[][..], |game| game.world.events());
        let dictionary = |event: &wheelbase_sim::EventRow| {
            vdict! {
                "kind" => event.kind().map_or("", EventKind::name),
                "tick" => event.tick,
                "unit" => event.agent().map_or(-1, |unit| i64::from(unit.0)),
                "ticket" => event.ticket().map_or(-1, |ticket| ticket.0 as i64),
                "a" => event.a,
                "b" => event.b,
                "c" => event.c,
            }
        };
        events.iter().map(dictionary).collect()
    }

    /// Previews where [method order_goto_group] would send units: dictionaries with `unit`, `cell` and `heading`, in
    /// order of id. Units without room or a way are left out.
    #[func]
    pub(crate) fn group_poses(&self, units: PackedInt32Array, cell: Vector2i) -> Array<VarDictionary> {
        let poses = self.asked("group_poses", |game| {
            let units: Vec<AgentId> = ids(&units)?;
            Ok(game.world.group_poses(&units, &Order::goto_group(xy(cell))))
        });
        let dictionary = |(unit, pose): (AgentId, Option<Pose>)| {
            let pose = pose?;
            let (cell, heading) = (Vector2i::new(pose.cell.x, pose.cell.y), i64::from(pose.heading.0));
            Some(vdict! { "unit" => i64::from(unit.0), "cell" => cell, "heading" => heading })
        };
        poses.unwrap_or_default().into_iter().filter_map(dictionary).collect()
    }

    /// The units that would have to leave before [method build] can take effect, in order.
    #[func]
    pub(crate) fn units_in_the_way(&self, area: Rect2i, terrain: GString) -> PackedInt32Array {
        let units = self.asked("units_in_the_way", |game| {
            let change = terrain_change(game, area, &terrain)?;
            game.world.would_disturb(&[change]).map_err(|reason| reason.name().to_owned())
        });
        units.unwrap_or_default().iter().map(|unit| unit.0 as i32).collect()
    }
}

impl WheelbaseWorld {
    /// The ticket of a command, or -1.
    fn give(&mut self, method: &str, make: impl FnOnce(&Game) -> Result<Command, String>) -> i64 {
        let given =
            self.game_mut().and_then(|game| make(game).map(|command| game.world.command(command).0 as i64));
        self.told(method, given).unwrap_or(-1)
    }

    /// The ticket of an order to units, or -1; also if there are none.
    fn order(
        &mut self,
        method: &str,
        units: &PackedInt32Array,
        append: bool,
        make: impl FnOnce(&Game) -> Result<Order, String>,
    ) -> i64 {
        if units.is_empty() {
            return -1;
        }
        self.give(method, |game| {
            Ok(Command::Order { agents: ids(units)?.into(), orders: [make(game)?].into(), append })
        })
    }

    fn asked<T>(&self, method: &str, ask: impl FnOnce(&Game) -> Result<T, String>) -> Option<T> {
        self.told(method, self.game().and_then(ask))
    }

    /// Position and rotation of a unit in this frame, in two dimensions.
    pub(crate) fn drawn(&self, method: &str, unit: i64) -> Option<(Vector2, f32)> {
        let (place, time) = (self.place(), self.shown_time());
        self.asked(method, |game| {
            let row = game.unit(unit)?;
            let (centre, angle) = game.bodies[usize::from(row.class)].at(row, time);
            Ok((vector(place.to_plane(centre)), -place.angle(angle) as f32))
        })
    }

    fn lattice(&self) -> Lattice {
        Lattice(self.game().map_or(wheelbase_sim::GridShape::Square, |game| game.world.grid().shape()))
    }

    /// Places a unit where a node stands: at the pose nearest to its position and rotation in two dimensions.
    pub(crate) fn spawn_at(&mut self, class: &GString, point: Vector2, rotation: f32, team: i64) -> i64 {
        let place = self.place();
        let at = place.to_map([point.x, point.y].map(f64::from));
        let angle = place.angle_on_map(-f64::from(rotation));
        let known = self.class_names().join(", ");
        let number = self.class_id(class.clone());
        self.give("spawn", |game| {
            if number < 0 {
                return Err(format!("no class \"{class}\", known are {known}"));
            }
            let (number, body) = game.class(number)?;
            let pose = body.nearest_pose(game.world.grid().shape(), at, angle);
            Ok(Command::Spawn(Spawn { team: team_of(team)?, ..Spawn::new(ClassId(number), pose) }))
        })
    }
}

pub(crate) fn vector([x, y]: [f64; 2]) -> Vector2 {
    Vector2::new(x as f32, y as f32)
}

fn xy(cell: Vector2i) -> CellXY {
    CellXY::new(cell.x, cell.y)
}

fn area_of(area: Rect2i) -> Result<wheelbase_sim::Rect, String> {
    rect([area.position.x, area.position.y, area.size.x, area.size.y])
}

fn terrain_change(game: &Game, area: Rect2i, terrain: &GString) -> Result<Change, String> {
    let kind = game.world.grid().terrain_table().kind_of_name(&terrain.to_string());
    let kind = kind.ok_or_else(|| format!("no terrain \"{terrain}\" on this map"))?;
    Ok(Change::Terrain { area: area_of(area)?, kind })
}

fn pose_of(game: &Game, class: i64, cell: Vector2i, heading: i64) -> Result<Pose, String> {
    let headings = game.class(class)?.1.headings;
    let known = u8::try_from(heading).ok().filter(|heading| *heading < headings);
    let heading = known.ok_or_else(|| format!("heading is {heading}, expected 0 to {}", headings - 1))?;
    Ok(Pose { cell: xy(cell), heading: Heading(heading) })
}

/// The ids of units; the simulation refuses unknown ids.
fn ids(units: &PackedInt32Array) -> Result<Vec<AgentId>, String> {
    let id = |(index, &unit): (usize, &i32)| {
        integer::<u32>(&format!("units[{index}]"), i64::from(unit), "0 or more").map(AgentId)
    };
    units.as_slice().iter().enumerate().map(id).collect()
}

/// A pose for the class of the first unit, and the number of headings of the class.
fn pose_of_first(
    game: &Game,
    units: &PackedInt32Array,
    cell: Vector2i,
    heading: i64,
) -> Result<(Pose, u8), String> {
    let class = i64::from(game.unit(units.get(0).map_or(-1, i64::from))?.class);
    Ok((pose_of(game, class, cell, heading)?, game.class(class)?.1.headings))
}

/// The container of a number; -1 is none.
fn container_of(container: i64) -> Result<AgentId, String> {
    if container == -1 {
        Ok(AgentId::NOBODY)
    } else {
        integer("container", container, "-1 or a unit").map(AgentId)
    }
}
