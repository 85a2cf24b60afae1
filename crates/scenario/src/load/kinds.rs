//! Builds the tables of terrain and side kinds.

use crate::scenario;
use crate::scenario::{Diagnostics, Message, listed};
use std::path::Path;
use wheelbase_grid::{
    GridShape, SIDES_MAX, SideEntry, SideKind, SideTable, TableError, TerrainEntry, TerrainTable,
};

/// Terrain and side kinds as typed, each with its file.
#[derive(Default)]
pub(super) struct TypedKinds<'a> {
    terrains: Vec<(&'a Path, &'a scenario::Terrain)>,
    sides: Vec<(&'a Path, &'a scenario::Side)>,
}

impl<'a> TypedKinds<'a> {
    pub(super) fn of(path: &'a Path, terrains: &'a [scenario::Terrain], sides: &'a [scenario::Side]) -> Self {
        let mut kinds = Self::default();
        kinds.add(path, terrains, sides);
        kinds
    }

    /// Adds the kinds of a file, which replace kinds of the same name.
    pub(super) fn add(
        &mut self,
        path: &'a Path,
        terrains: &'a [scenario::Terrain],
        sides: &'a [scenario::Side],
    ) {
        self.terrains.retain(|(_, old)| terrains.iter().all(|new| new.name != old.name));
        self.terrains.extend(terrains.iter().map(|new| (path, new)));
        self.sides.retain(|(_, old)| sides.iter().all(|new| new.name != old.name));
        self.sides.extend(sides.iter().map(|new| (path, new)));
    }

    /// The tables for a map of the given shape: these kinds, and the standard ones.
    pub(super) fn tables(&self, shape: GridShape, errors: &mut Diagnostics<'_>) -> (TerrainTable, SideTable) {
        let sides = self.side_table(errors);
        (self.terrain_table(shape, &sides, errors), sides)
    }

    fn side_table(&self, errors: &mut Diagnostics<'_>) -> SideTable {
        let entries =
            self.sides.iter().map(|(_, side)| SideEntry { name: side.name.clone(), speed: side.speed });
        SideTable::new(entries.collect()).unwrap_or_else(|error| {
            let message = match error {
                TableError::TooMany { found, max } => {
                    format!("expected at most {max} side kinds, found {found} with open and wall")
                }
                other => other.to_string(),
            };
            if let Some((path, last)) = self.sides.last() {
                errors.add_in(path, last.line, &last.key, message);
            }
            SideTable::default()
        })
    }

    fn terrain_table(
        &self,
        shape: GridShape,
        sides: &SideTable,
        errors: &mut Diagnostics<'_>,
    ) -> TerrainTable {
        let mut entries = Vec::new();
        for (path, terrain) in &self.terrains {
            let mut sides_at_start = [SideKind::OPEN; SIDES_MAX];
            for (side, named) in &terrain.sides {
                let message: Message = match (shape.side_number(*side), sides.kind_of_name(&named.value)) {
                    (Some(number), Some(kind)) => {
                        sides_at_start[number] = kind;
                        continue;
                    }
                    (None, _) => {
                        let known = listed(shape.sides().iter().map(|side| side.name()));
                        format!("cells of a map of shape \"{}\" have sides {known}", shape.name()).into()
                    }
                    (_, None) => {
                        let known = sides.entries().iter().map(|e| e.name.as_str());
                        Message::unknown_name("no side kind", &named.value, known)
                    }
                };
                let key = format!("{}.sides.{}", terrain.key, side.name());
                errors.add_in(path, named.line, &key, message);
            }
            let glyphs = terrain.glyphs.as_ref().map_or(String::new(), |glyphs| glyphs.value.clone());
            let (name, speed) = (terrain.name.clone(), terrain.speed);
            let colour = terrain.colour.as_ref().map(|colour| colour.value);
            entries.push(TerrainEntry { name, glyphs, speed, colour, sides: sides_at_start });
        }
        TerrainTable::with_standard(entries).unwrap_or_else(|error| {
            self.report_terrains(&error, errors);
            TerrainTable::movingai()
        })
    }

    fn report_terrains(&self, error: &TableError, errors: &mut Diagnostics<'_>) {
        let named = match error {
            TableError::GlyphTwice { second, .. } => {
                self.terrains.iter().find(|(_, terrain)| terrain.name == *second)
            }
            TableError::ColourTwice { second, .. } => {
                let named = self.terrains.iter().find(|(_, terrain)| terrain.name == *second);
                if let Some((path, terrain)) = named {
                    let line = terrain.colour.as_ref().map_or(terrain.line, |colour| colour.line);
                    errors.add_in(path, line, &format!("{}.colour", terrain.key), error);
                }
                return;
            }
            _ => None,
        };
        let message = match error {
            TableError::TooMany { found, max } => format!(
                "expected at most {max} terrain kinds, found {found}, including kinds of the map format that are not replaced"
            ),
            TableError::GlyphTwice { glyph, first, second } if first == second => {
                format!("expected each glyph once, found {glyph:?} twice")
            }
            other => other.to_string(),
        };
        match (named, self.terrains.last()) {
            (Some((path, terrain)), _) => {
                let line = terrain.glyphs.as_ref().map_or(terrain.line, |glyphs| glyphs.line);
                errors.add_in(path, line, &format!("{}.glyphs", terrain.key), message);
            }
            (None, Some((path, last))) => errors.add_in(path, last.line, &last.key, message),
            (None, None) => {}
        }
    }
}
