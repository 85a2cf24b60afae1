//! Movement classes.

use super::diagnostics::{Diagnostics, listed};
use crate::scenario::{self, Scenario};
use wheelbase_grid::{GridShape, GridSize, Side};
use wheelbase_planner::model::{ClassError, OFFSET_MAX, Pivot};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
use wheelbase_sim::{ClassId, World};

/// Makes a class for maps of a shape; with `size`, one that fits on a map of that size.
pub(super) fn build_class(
    class: &scenario::Class,
    shape: GridShape,
    size: Option<GridSize>,
    errors: &mut Diagnostics<'_>,
) -> Option<MovementClass> {
    let spec = spec_of(class, shape, errors)?;
    let built = match size {
        Some(size) => MovementClass::for_map(spec, size),
        None => MovementClass::new(spec),
    };
    built
        .map_err(|error| {
            let (line, key) = place_in_class(class, &error);
            let message = match error {
                ClassError::FootprintTwice((forward, right)) => {
                    format!("expected each cell once, found [{forward}, {right}] twice")
                }
                other => other.to_string(),
            };
            errors.add(line, &key, message);
        })
        .ok()
}

/// A class as the planner takes it, for maps of a shape; not checked but for its pivot.
pub(crate) fn spec_of(
    class: &scenario::Class,
    shape: GridShape,
    errors: &mut Diagnostics<'_>,
) -> Option<ClassSpec> {
    let [forward, right] = class.pivot.value;
    let Some(pivot) = Pivot::from_cells(forward, right) else {
        let message = format!(
            "expected two multiples of a half within {OFFSET_MAX} cells, both whole or both not, found [{forward}, {right}]"
        );
        errors.add(class.pivot.line, &format!("{}.pivot", class.key), message);
        return None;
    };
    let pair = |&[a, b]: &[i32; 2]| (a, b);
    let speeds = |of: &[scenario::SpeedOverride]| of.iter().map(|o| (o.name.clone(), o.speed)).collect();
    let primitive = |one: &scenario::Move| Primitive {
        name: one.name.clone(),
        by: pair(&one.by),
        turn: one.turn,
        time: u32::from(one.time),
        swept: one.swept.as_ref().map(|swept| swept.iter().map(pair).collect()),
        when: one.when,
    };
    Some(ClassSpec {
        name: class.name.clone(),
        shape,
        headings: class.headings.value,
        footprint: class.footprint.value.iter().map(pair).collect(),
        footprint_diagonal: class.footprint_diagonal.as_ref().map(|cells| cells.iter().map(pair).collect()),
        pivot,
        sweep: class.sweep,
        climb: class.climb,
        speed: speeds(&class.speed),
        side_speed: speeds(&class.side_speed),
        primitives: class.moves.iter().map(primitive).collect(),
    })
}

/// Line and key path of what is wrong with a class.
fn place_in_class(class: &scenario::Class, error: &ClassError) -> (u32, String) {
    let footprint = || (class.footprint.line, format!("{}.footprint", class.key));
    match error {
        ClassError::FootprintSize(_) | ClassError::FootprintTwice(_) | ClassError::LargerThanMap { .. } => {
            footprint()
        }
        ClassError::Headings { .. } => (class.headings.line, format!("{}.headings", class.key)),
        ClassError::PivotOnHex => (class.pivot.line, format!("{}.pivot", class.key)),
        ClassError::FullOnHex => (class.line, format!("{}.sweep", class.key)),
        ClassError::OffsetTooFar((forward, right)) => {
            let cell = [*forward, *right];
            let sweeps =
                class.moves.iter().find(|one| one.swept.iter().flatten().any(|swept| *swept == cell));
            let of_move = sweeps.map(|one| (one.line, format!("{}.swept", one.key)));
            if class.footprint.value.contains(&cell) {
                footprint()
            } else {
                of_move.unwrap_or_else(footprint)
            }
        }
        ClassError::TurnTooFar { name, .. }
        | ClassError::TooFar { name, .. }
        | ClassError::Time { name, .. }
        | ClassError::NoEffect(name)
        | ClassError::SweptTooMany { name, .. }
        | ClassError::SweepTooLong(name) => class
            .moves
            .iter()
            .find(|one| one.name == *name)
            .map_or_else(|| (class.line, class.key.clone()), |one| (one.line, one.key.clone())),
        _ => (class.line, class.key.clone()),
    }
}

/// The shape of the maps that a class file is for, as far as it tells.
pub(super) fn shape_of_class_file(file: &scenario::ClassFile) -> GridShape {
    let is_hex = |side: Side| GridShape::Square.side_number(side).is_none();
    let mut sides = file.terrains.iter().flat_map(|terrain| &terrain.sides);
    match file.class.headings.value == 6 || sides.any(|&(side, _)| is_hex(side)) {
        true => GridShape::Hex,
        false => GridShape::Square,
    }
}

/// What to say where the built-in class is asked for on a map of hexagons.
pub(super) const OCTILE_ON_HEX: &str =
    "class \"octile\" is for square maps; on hexagonal ones classes have 1 or 6 headings";

/// Where the built-in class is named by an agent of the scenario or of its map, if no class of its name takes
/// its place.
pub(super) fn names_octile(typed: &Scenario, on_map: &[scenario::Agent]) -> Option<(u32, String)> {
    let added = typed.events.iter().filter_map(|event| match &event.action {
        scenario::EventAction::AddAgents(group) => Some(group),
        _ => None,
    });
    let groups = typed.groups.iter().chain(added).map(|group| (&group.class, &group.key));
    let mut named = typed.agents.iter().chain(on_map).map(|agent| (&agent.class, &agent.key)).chain(groups);
    if typed.classes.iter().any(|class| class.name == "octile") {
        return None;
    }
    let (class, key) = named.find(|(class, _)| class.value == "octile")?;
    Some((class.line, format!("{key}.class")))
}

pub(super) fn class_named(
    world: &World,
    name: &scenario::Located<String>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<ClassId> {
    let at = world.classes().iter().position(|class| class.name == name.value);
    if at.is_none() {
        let known = listed(world.classes().iter().map(|class| class.name.as_str()));
        let message = format!("no class \"{}\", expected {known}", name.value);
        errors.add(name.line, &format!("{key}.class"), message);
    }
    at.map(|at| ClassId(at as u8))
}
