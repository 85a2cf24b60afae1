//! Maps of the names of their cells, as tiles have them.

use wheelbase_grid::{Grid, GridSize, Rect, SideTable, TerrainEntry, TerrainTable};
use wheelbase_maps::movingai;

/// The kinds of terrain of a map: the kinds of MovingAI maps, and more.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    entries: Vec<TerrainEntry>,
}

impl Kinds {
    /// Adds a kind.
    /// # Errors
    /// Why it cannot be one, such as a name or a letter that is taken. Nothing is added.
    pub(crate) fn add(&mut self, name: &str, letters: &str, speed: u16) -> Result<(), String> {
        if name.is_empty() {
            return Err("name is empty".to_owned());
        }
        let mut entries = self.entries.clone();
        entries.push(TerrainEntry::new(name, letters, speed));
        TerrainTable::with_standard(entries.clone()).map_err(|error| error.to_string())?;
        self.entries = entries;
        Ok(())
    }

    /// The table of all kinds.
    pub(crate) fn table(&self) -> TerrainTable {
        // Each entry was tried when it was added.
        TerrainTable::with_standard(self.entries.clone()).unwrap_or_else(|_| TerrainTable::movingai())
    }

    /// A map of text: a MovingAI file, or rows of letters.
    /// # Errors
    /// The line and column of the first mistake.
    pub(crate) fn parse(&self, text: &str) -> Result<Grid, String> {
        let (table, sides) = (self.table(), SideTable::default());
        if text.starts_with("type") {
            return movingai::parse(text.as_bytes(), table, sides)
                .map(|file| file.grid)
                .map_err(|e| e.to_string());
        }
        let rows: Vec<&str> = text.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
        Grid::from_rows(&rows, table, sides).map_err(|error| error.to_string())
    }

    /// A map of the names of its cells, row by row. `name` gets column and row.
    /// # Errors
    /// A size out of range, a cell without a name, or a name that no kind has.
    pub(crate) fn of_names(
        &self,
        (width, height): (u64, u64),
        mut name: impl FnMut(u32, u32) -> Result<String, String>,
    ) -> Result<Grid, String> {
        let table = self.table();
        let size = GridSize::new(width, height).map_err(|error| error.to_string())?;
        let mut terrain = Vec::with_capacity(size.n_cells());
        for y in 0..size.height() {
            for x in 0..size.width() {
                let name = name(x, y)?;
                let kind = table.kind_of_name(&name).ok_or_else(|| {
                    let known: Vec<&str> = table.entries().iter().map(|entry| &*entry.name).collect();
                    format!("cell ({x}, {y}): no terrain \"{name}\", known are {}", known.join(", "))
                })?;
                terrain.push(kind);
            }
        }
        Ok(Grid::from_terrain(size, terrain, table, SideTable::default()))
    }
}

/// A rectangle of cells, from numbers of a script.
/// # Errors
/// A side below 1.
pub(crate) fn rect([x, y, width, height]: [i32; 4]) -> Result<Rect, String> {
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width @ 1..), Ok(height @ 1..)) => Ok(Rect::new(x, y, width, height)),
        _ => Err(format!("area is {width} x {height} cells, expected at least 1 x 1")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wheelbase_grid::CellXY;

    #[test]
    fn text_is_rows_or_a_file() {
        let mut kinds = Kinds::default();
        kinds.add("road", "r", 2000).unwrap();
        for text in ["..r\n.T.\n", "\n  ..r\n  .T.\n", "type octile\nheight 2\nwidth 3\nmap\n..r\n.T.\n"] {
            let grid = kinds.parse(text).unwrap();
            assert_eq!((grid.size().width(), grid.size().height()), (3, 2));
            let road = grid.terrain_at(CellXY::new(2, 0)).unwrap();
            assert_eq!(grid.terrain_table().entries()[usize::from(road.0)].name, "road");
        }
        let error = kinds.parse("..\n.?").unwrap_err();
        assert!(error.contains("(1, 1)") && error.contains('?'), "{error}");
        let error = kinds.parse("type octile\nheight 2\nwidth 2\nmap\n..\n.?\n").unwrap_err();
        assert!(error.starts_with("6:2") || error.contains("line 6"), "{error}");
        assert!(kinds.parse("").is_err());
        assert!(kinds.add("again", "r", 1).is_err() && kinds.add("", "x", 1).is_err());
        assert_eq!(kinds.table().entries().iter().filter(|entry| entry.name == "again").count(), 0);
    }

    #[test]
    fn an_unknown_name_is_told_with_its_cell_and_the_known_ones() {
        let kinds = Kinds::default();
        let error = kinds.of_names((2, 2), |x, y| Ok(if x + y == 2 { "lava" } else { "water" }.to_owned()));
        assert_eq!(
            error.unwrap_err(),
            "cell (1, 1): no terrain \"lava\", known are ground, swamp, water, trees, out"
        );
        assert!(kinds.of_names((0, 2), |_, _| Ok("ground".to_owned())).is_err());
        assert!(kinds.of_names((u64::MAX, 2), |_, _| Ok("ground".to_owned())).is_err());
    }

    #[test]
    fn areas_have_cells() {
        assert_eq!(rect([1, 2, 3, 4]), Ok(Rect::new(1, 2, 3, 4)));
        assert_eq!(rect([1, 2, 0, -4]).unwrap_err(), "area is 0 x -4 cells, expected at least 1 x 1");
    }
}
