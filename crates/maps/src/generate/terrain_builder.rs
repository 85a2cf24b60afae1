//! Builds the terrain of a generated map.

use wheelbase_grid::{CellXY, Grid, GridSize, Rect, SideTable, SplitMix64, TerrainKind, TerrainTable};

/// Kinds of [`TerrainTable::movingai`] by number; a test below compares them with the table.
pub(super) const GROUND: TerrainKind = TerrainKind(0);
pub(super) const SWAMP: TerrainKind = TerrainKind(1);
pub(super) const WATER: TerrainKind = TerrainKind(2);
pub(super) const TREES: TerrainKind = TerrainKind(3);
pub(super) const OUT: TerrainKind = TerrainKind(4);

/// The terrain of a map, `[height * width]`, row-major; ground at first. Areas are clipped at the border.
pub(super) struct TerrainBuilder {
    size: GridSize,
    kinds: Vec<TerrainKind>,
}

impl TerrainBuilder {
    pub(super) fn new(size: GridSize) -> Self {
        Self { size, kinds: vec![GROUND; size.n_cells()] }
    }

    /// Columns and rows.
    pub(super) fn lengths(&self) -> (i32, i32) {
        (self.size.width() as i32, self.size.height() as i32)
    }

    /// The whole map.
    pub(super) fn rect(&self) -> Rect {
        self.size.rect()
    }

    /// All cells, row-major.
    pub(super) fn cells_mut(&mut self) -> &mut [TerrainKind] {
        &mut self.kinds
    }

    /// Terrain kind of a cell, or `None` off the map.
    pub(super) fn at(&self, x: i32, y: i32) -> Option<TerrainKind> {
        self.size.cell(CellXY::new(x, y)).map(|cell| self.kinds[cell.0 as usize])
    }

    pub(super) fn put(&mut self, x: i32, y: i32, kind: TerrainKind) {
        if let Some(cell) = self.size.cell(CellXY::new(x, y)) {
            self.kinds[cell.0 as usize] = kind;
        }
    }

    pub(super) fn fill(&mut self, area: Rect, kind: TerrainKind) {
        let area = area.intersection(self.rect());
        if area.is_empty() {
            return;
        }
        let (start, end) = (area.x as usize, area.x as usize + area.width as usize);
        let rows = self.kinds.chunks_exact_mut(self.size.width() as usize);
        for row in rows.skip(area.y as usize).take(area.height as usize) {
            row[start..end].fill(kind);
        }
    }

    /// Fills the cells of `within` whose squared distance to `(x, y)` is at most `radius_squared`.
    pub(super) fn disc(&mut self, x: i32, y: i32, radius_squared: i32, within: Rect, kind: TerrainKind) {
        let radius = radius_squared.isqrt();
        for dy in -radius..=radius {
            let half = (radius_squared - dy * dy).isqrt();
            let row = Rect::new(x - half, y + dy, 2 * half as u32 + 1, 1);
            self.fill(row.intersection(within), kind);
        }
    }

    /// Fills a ragged clump in `within`: two to four discs of at most the given radius around one of its cells.
    pub(super) fn clump(&mut self, random: &mut SplitMix64, within: Rect, radius: i32, kind: TerrainKind) {
        // Away from the border of `within`, if there is room: it would give the clump a straight edge.
        let inner = inset(within, radius);
        let centre = if inner.is_empty() { within } else { inner };
        let x = random.between(centre.x, centre.x + centre.width as i32 - 1);
        let y = random.between(centre.y, centre.y + centre.height as i32 - 1);
        let off = (radius + 1) / 2;
        for _ in 0..random.between(2, 4) {
            let (dx, dy) = (random.between(-off, off), random.between(-off, off));
            let radius_squared = random.between(0, radius * radius + 1);
            self.disc(x + dx, y + dy, radius_squared, within, kind);
        }
    }

    /// Whether every cell of `area` is on the map and ground.
    pub(super) fn is_ground(&self, area: Rect) -> bool {
        area.cells().all(|xy| self.at(xy.x, xy.y) == Some(GROUND))
    }

    pub(super) fn into_grid(self) -> Grid {
        Grid::from_terrain(self.size, self.kinds, TerrainTable::movingai(), SideTable::default())
    }
}

/// The rectangle without `margin` cells on each side; empty if it is too small.
pub(super) fn inset(area: Rect, margin: i32) -> Rect {
    let less = 2 * margin as u32;
    let (width, height) = (area.width.saturating_sub(less), area.height.saturating_sub(less));
    Rect::new(area.x + margin, area.y + margin, width, height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_numbers_of_the_standard_table() {
        let table = TerrainTable::movingai();
        let names = [GROUND, SWAMP, WATER, TREES, OUT].map(|kind| table[kind].name.clone());
        assert_eq!(names, ["ground", "swamp", "water", "trees", "out"]);
        assert_eq!(table.entries().len(), 5);
    }

    #[test]
    fn areas_are_clipped_at_the_border() {
        let mut terrain = TerrainBuilder::new(GridSize::new(5, 4).unwrap());
        terrain.fill(Rect::new(3, -2, 9, 3), OUT);
        terrain.disc(0, 3, 2, terrain.rect(), TREES);
        terrain.put(-1, 0, WATER);
        let drawn: Vec<u8> = terrain.kinds.iter().map(|kind| kind.0).collect();
        assert_eq!(drawn, [0, 0, 0, 4, 4, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 3, 3, 0, 0, 0]);
        assert!(terrain.is_ground(Rect::new(2, 1, 3, 3)) && !terrain.is_ground(Rect::new(2, 1, 4, 3)));
    }
}
