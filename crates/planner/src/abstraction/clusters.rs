//! The division of a map into clusters, and the numbers of their borders and portals.

use wheelbase_grid::{CellXY, GridSize, Rect};

/// Columns and rows of a cluster.
pub(crate) const SIDE: u32 = 32;

/// Cells around a cluster that paths between its portals may use: room to turn next to the border.
const MARGIN: u32 = 8;

/// Cells of a border that share one portal, at most.
pub(crate) const PORTAL_CELLS: u32 = 16;

/// Portals of one border, at most: one in two cells, where each second cell is impassable.
pub(crate) const BORDER_PORTALS: u32 = SIDE / 2;

/// A border of a cluster, east or south of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    East,
    South,
}

/// The clusters of a map, row by row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clusters {
    size: GridSize,
    pub(crate) columns: u32,
    pub(crate) rows: u32,
}

/// Number of a portal: that of its border times [`BORDER_PORTALS`], plus its place on the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PortalId(pub(crate) u32);

impl PortalId {
    pub(crate) fn of(border: u32, place: u32) -> Self {
        Self(border * BORDER_PORTALS + place)
    }

    pub(crate) fn border(self) -> u32 {
        self.0 / BORDER_PORTALS
    }

    pub(crate) fn place(self) -> u32 {
        self.0 % BORDER_PORTALS
    }
}

impl Clusters {
    pub(crate) fn of(size: GridSize) -> Self {
        Self { size, columns: size.width().div_ceil(SIDE), rows: size.height().div_ceil(SIDE) }
    }

    pub(crate) fn len(self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// The cluster of a cell of the map.
    pub(crate) fn at(self, cell: CellXY) -> u32 {
        cell.y as u32 / SIDE * self.columns + cell.x as u32 / SIDE
    }

    /// Cells of a cluster.
    fn cells(self, cluster: u32) -> Rect {
        let (column, row) = (cluster % self.columns, cluster / self.columns);
        Rect::new((column * SIDE) as i32, (row * SIDE) as i32, SIDE, SIDE)
    }

    /// Cells of a cluster on the map.
    pub(crate) fn area(self, cluster: u32) -> Rect {
        self.cells(cluster).intersection(self.size.rect())
    }

    /// Cells of a cluster and the margin around it, on the map.
    pub(crate) fn region(self, cluster: u32) -> Rect {
        let Rect { x, y, .. } = self.cells(cluster);
        let side = SIDE + 2 * MARGIN;
        Rect::new(x - MARGIN as i32, y - MARGIN as i32, side, side).intersection(self.size.rect())
    }

    /// Cells of a cluster and those across its borders, on the map.
    pub(crate) fn near_region(self, cluster: u32) -> Rect {
        let Rect { x, y, .. } = self.cells(cluster);
        Rect::new(x - 1, y - 1, SIDE + 2, SIDE + 2).intersection(self.size.rect())
    }

    /// Number of the border of a cluster on a side; `None` at the edge of the map.
    fn border(self, cluster: u32, side: Side) -> Option<u32> {
        let (column, row) = (cluster % self.columns, cluster / self.columns);
        match side {
            Side::East => (column + 1 < self.columns).then_some(2 * cluster),
            Side::South => (row + 1 < self.rows).then_some(2 * cluster + 1),
        }
    }

    /// The borders of a cluster: north, west, east and south.
    pub(crate) fn borders(self, cluster: u32) -> impl Iterator<Item = u32> {
        let (column, row) = (cluster % self.columns, cluster / self.columns);
        let north = (row > 0).then(|| 2 * (cluster - self.columns) + 1);
        let west = (column > 0).then(|| 2 * (cluster - 1));
        let (east, south) = (self.border(cluster, Side::East), self.border(cluster, Side::South));
        [north, west, east, south].into_iter().flatten()
    }

    /// The two clusters of a border.
    pub(crate) fn beside(self, border: u32) -> [u32; 2] {
        let cluster = border / 2;
        [cluster, if border.is_multiple_of(2) { cluster + 1 } else { cluster + self.columns }]
    }

    /// The cell of a border at a place along it, in the cluster north or west of it, and the cell across.
    pub(crate) fn border_cells(self, border: u32, along: u32) -> [CellXY; 2] {
        let Rect { x, y, .. } = self.cells(border / 2);
        let (last, along) = (SIDE as i32 - 1, along as i32);
        if border.is_multiple_of(2) {
            [CellXY::new(x + last, y + along), CellXY::new(x + SIDE as i32, y + along)]
        } else {
            [CellXY::new(x + along, y + last), CellXY::new(x + along, y + SIDE as i32)]
        }
    }

    /// Whether a cell is on the map.
    pub(crate) fn contains(self, cell: CellXY) -> bool {
        self.size.contains(cell)
    }
}
