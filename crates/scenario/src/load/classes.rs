//! Builds movement classes.

use crate::scenario::{self, Scenario};
use crate::scenario::{Diagnostics, Message};
use wheelbase_grid::{GridShape, GridSize, Side};
use wheelbase_planner::model::{ClassError, OFFSET_MAX, Pivot, Sweep};
use wheelbase_planner::{ClassSpec, MovementClass, Primitive};
use wheelbase_sim::{ClassId, Setup};

/// Builds a class for maps of a shape, and checks that it fits on a map of `size` if that is known.
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
            let (line, key) = location_in_class(class, &error);
            let message = match error {
                ClassError::FootprintTwice((forward, right)) => {
                    Message::unexpected("each cell once", format!("[{forward}, {right}] twice"))
                }
                other => other.into(),
            };
            errors.add(line, &key, message);
        })
        .ok()
}

/// The specification of a class for maps of a shape. Only its pivot is checked.
pub(crate) fn spec_of(
    class: &scenario::Class,
    shape: GridShape,
    errors: &mut Diagnostics<'_>,
) -> Option<ClassSpec> {
    let [forward, right] = class.pivot.value;
    let Some(pivot) = Pivot::from_cells(forward, right) else {
        let expected = format!("two multiples of a half within {OFFSET_MAX} cells, both whole or both not");
        let message = Message::unexpected(expected, format!("[{forward}, {right}]"));
        errors.add(class.pivot.line, &format!("{}.pivot", class.key), message);
        return None;
    };
    let pair = |&[a, b]: &[i32; 2]| (a, b);
    let speeds = |of: &[scenario::SpeedOverride]| of.iter().map(|o| (o.name.clone(), o.speed)).collect();
    let primitive = |typed: &scenario::Move| Primitive {
        name: typed.name.clone(),
        by: pair(&typed.by),
        turn: typed.turn,
        time: u32::from(typed.time),
        swept: typed.swept.as_ref().map(|swept| swept.iter().map(pair).collect()),
        when: typed.when,
    };
    let usual = Sweep::usual(shape);
    Some(ClassSpec {
        name: class.name.clone(),
        shape,
        headings: class.headings.value,
        footprint: class.footprint.value.iter().map(pair).collect(),
        footprint_diagonal: class.footprint_diagonal.as_ref().map(|cells| cells.iter().map(pair).collect()),
        pivot,
        sweep: Sweep {
            moves: class.sweep_moves.unwrap_or(usual.moves),
            turns: class.sweep_turns.unwrap_or(usual.turns),
        },
        climb: class.climb,
        speed: speeds(&class.speed),
        side_speed: speeds(&class.side_speed),
        primitives: class.moves.iter().map(primitive).collect(),
    })
}

/// Line and key path of a mistake in a class.
fn location_in_class(class: &scenario::Class, error: &ClassError) -> (u32, String) {
    let footprint = || (class.footprint.line, format!("{}.footprint", class.key));
    match error {
        ClassError::FootprintSize(_) | ClassError::FootprintTwice(_) | ClassError::LargerThanMap { .. } => {
            footprint()
        }
        ClassError::Headings { .. } => (class.headings.line, format!("{}.headings", class.key)),
        ClassError::PivotOnHex => (class.pivot.line, format!("{}.pivot", class.key)),
        ClassError::FullOnHex => (class.line, format!("{}.sweep", class.key)),
        ClassError::DiagonalWithout8 | ClassError::DiagonalEmpty => {
            (class.line, format!("{}.footprint_diagonal", class.key))
        }
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
        | ClassError::NameTwice(name)
        | ClassError::WhenWithout8(name)
        | ClassError::WhenMissing(name)
        | ClassError::SweptTooMany { name, .. }
        | ClassError::SweepTooLong(name) => class
            .moves
            .iter()
            .find(|one| one.name == *name)
            .map_or_else(|| (class.line, class.key.clone()), |one| (one.line, one.key.clone())),
        _ => (class.line, class.key.clone()),
    }
}

/// The shape of the maps that a class file is for; square unless something in it is hexagonal.
pub(super) fn shape_of_class_file(file: &scenario::ClassFile) -> GridShape {
    let is_hex = |side: Side| GridShape::Square.side_number(side).is_none();
    let mut sides = file.terrains.iter().flat_map(|terrain| &terrain.sides);
    match file.class.headings.value == 6 || sides.any(|&(side, _)| is_hex(side)) {
        true => GridShape::Hex,
        false => GridShape::Square,
    }
}

/// The message on the built-in class on a hexagonal map.
pub(super) const OCTILE_ON_HEX: &str =
    "class \"octile\" is for square maps; on hexagonal maps classes have 1 or 6 headings";

/// Line and key path of the first agent, of the scenario or of its map, that has the built-in class. `None` if a class
/// of the scenario replaces it.
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

/// The class of a name.
pub(super) fn find_class(
    setup: &Setup,
    name: &scenario::Located<String>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<ClassId> {
    let names = || setup.tables.iter().map(|tables| tables.class().spec().name.as_str());
    let at = names().position(|class| class == name.value);
    if at.is_none() {
        let message = Message::unknown_name("no class", &name.value, names());
        let message = match names().next() {
            None => message.with_help("define it under [class.NAME], or use the built-in class \"octile\""),
            Some(_) => message,
        };
        errors.add(name.line, &format!("{key}.class"), message);
    }
    at.map(|at| ClassId(at as u8))
}
