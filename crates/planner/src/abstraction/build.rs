//! The abstract graph: built in parallel, in one step or a few clusters at a time, and rebuilt near edits.

use crate::abstraction::cluster_search::{Along, ClusterSearch, UNREACHED};
use crate::abstraction::clusters::{BORDER_PORTALS, Clusters, PORTAL_CELLS, PortalId, SIDE};
use crate::model::{Heading, Pose, StateSpace};
use crate::search::landmarks::in_parallel;
use crate::tables::MovementTables;
use wheelbase_grid::{CellXY, MemoryNeed, Rect};

/// An abstract graph of a class on a map.
///
/// Equal for any number of threads. Memory: [`Abstraction::memory_bytes`], less than one byte per cell on a large map.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, GridSize, SideTable, TerrainTable};
/// use wheelbase_planner::abstraction::{Abstraction, RouteScratch};
/// use wheelbase_planner::*;
///
/// let row = ".".repeat(100);
/// let grid = Grid::from_rows(&vec![row.as_str(); 70], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("walker", 1);
/// spec.primitives = Primitive::four_directions(10);
/// let tables = MovementTables::compile(&grid, MovementClass::new(spec)?);
/// let abstraction = Abstraction::of(&tables);
/// let goal = GoalMember::any(CellXY::new(95, 60));
/// let mut scratch = RouteScratch::default();
/// let route = abstraction.route(&tables, Pose::new(3, 2, Heading(0)), goal, &mut scratch).unwrap();
/// // It passes the borders at portals: exact here, for there are no obstacles and no diagonal moves.
/// assert!(route.cost >= 1500 && route.cost < 1800);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstraction {
    pub(crate) clusters: Clusters,
    /// By number; two of each cluster.
    borders: Vec<Border>,
    /// By cluster.
    costs: Vec<ClusterCosts>,
    /// Clusters below this number have their costs.
    n_searched: usize,
    /// Least rates of these clusters.
    rates: Rates,
    revision: u64,
}

/// Expansions of an exact search that take as long as the search of a cluster, for each heading. It is a quarter of the
/// poses of its eight searches: these run in small arrays.
const CLUSTER_EXPANSIONS: u64 = 8 * (SIDE * SIDE) as u64 / 4;

/// Most memory of a graph.
pub(crate) fn graph_need(space: StateSpace) -> MemoryNeed {
    let portals = 4 * BORDER_PORTALS as usize;
    let costs = portals * portals * size_of::<u32>() + portals * size_of::<(PortalId, CellXY)>();
    let cluster = costs + size_of::<ClusterCosts>() + 2 * size_of::<Border>();
    MemoryNeed::built(Clusters::of(space.size()).len() as u64 * cluster as u64)
}

/// The portals of a border, by their places along it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Border {
    n_portals: u8,
    along: [u8; BORDER_PORTALS as usize],
}

/// Costs between the portals of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ClusterCosts {
    /// From the portal of the row to that of the column, in the order of [`Abstraction::portals`]; [`UNREACHED`]
    /// without a path.
    costs: Box<[u32]>,
    /// The portals in that order, and their cells.
    portals: Box<[(PortalId, CellXY)]>,
    rates: Rates,
}

/// A lower bound of costs, in 1,024ths of a tick per cell of distance along the longer axis and per cell along the
/// shorter axis. [`UNREACHED`] where no cost is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rates {
    long: u32,
    short: u32,
}

impl Default for Rates {
    fn default() -> Self {
        Self { long: UNREACHED, short: UNREACHED }
    }
}

impl Rates {
    /// The greatest bound on some costs between cells, the longer axis first.
    pub(crate) fn of(costs: impl Iterator<Item = (u32, CellXY, CellXY)> + Clone) -> Self {
        let axes = |one: CellXY, other: CellXY| {
            let (x, y) = (one.x.abs_diff(other.x), one.y.abs_diff(other.y));
            (u64::from(x.max(y)), u64::from(x.min(y)))
        };
        let known = costs.filter(|&(cost, one, other)| cost != UNREACHED && one != other);
        let longs = known.clone().map(|(cost, one, other)| u64::from(cost) * 1024 / axes(one, other).0);
        let long = longs.min().unwrap_or(UNREACHED.into());
        let shorts = known.filter_map(|(cost, one, other)| {
            let (longer, shorter) = axes(one, other);
            (u64::from(cost) * 1024 - long * longer).checked_div(shorter)
        });
        let short = shorts.min().unwrap_or(UNREACHED.into());
        let number = |rate: u64| rate.min(UNREACHED.into()) as u32;
        Self { long: number(long), short: number(short) }
    }

    /// A bound on the costs of both.
    pub(crate) fn min(self, other: Self) -> Self {
        Self { long: self.long.min(other.long), short: self.short.min(other.short) }
    }

    /// Lower bound of the cost between two cells in ticks.
    pub(crate) fn bound(self, one: CellXY, other: CellXY) -> u32 {
        let known = |rate: u32| if rate == UNREACHED { 0 } else { u64::from(rate) };
        let (x, y) = (u64::from(one.x.abs_diff(other.x)), u64::from(one.y.abs_diff(other.y)));
        ((known(self.long) * x.max(y) + known(self.short) * x.min(y)) / 1024).min(UNREACHED.into()) as u32
    }
}

impl Abstraction {
    /// The graph of a class. It takes a search of 48 x 48 cells for each portal, and a cluster of 32 x 32 open cells
    /// has eight. With the feature `rayon` the present pool searches clusters in parallel.
    pub fn of(tables: &MovementTables) -> Self {
        let mut graph = Self::without_costs(tables);
        graph.search_more(tables, usize::MAX);
        graph
    }

    /// The portals of a graph. It has no routes until [`Abstraction::search_more`] has searched all clusters.
    pub fn without_costs(tables: &MovementTables) -> Self {
        let clusters = Clusters::of(tables.space().size());
        let n = clusters.len();
        let find = |(): &mut (), border: usize| find_portals(tables, clusters, border as u32);
        Self {
            clusters,
            borders: in_parallel(2 * n, || (), find),
            costs: vec![ClusterCosts::default(); n],
            n_searched: 0,
            rates: Rates::default(),
            revision: tables.revision(),
        }
    }

    /// Searches the next clusters, at most some number. Returns how many it has searched.
    pub fn search_more(&mut self, tables: &MovementTables, clusters_max: usize) -> usize {
        debug_assert_eq!(self.revision(), tables.revision(), "the graph follows the map");
        let n = clusters_max.min(self.costs.len() - self.n_searched);
        let next: Vec<u32> = (self.n_searched..self.n_searched + n).map(|cluster| cluster as u32).collect();
        self.n_searched += n;
        self.search_clusters(tables, &next);
        n
    }

    /// Whether all clusters have their costs.
    pub fn is_complete(&self) -> bool {
        self.n_searched == self.costs.len()
    }

    /// Clusters that have their costs.
    pub fn n_searched(&self) -> usize {
        self.n_searched
    }

    /// Estimate of the expansions of an exact search that take as long as the search of one cluster. Linear in the
    /// headings.
    pub fn cluster_expansions(space: StateSpace) -> u64 {
        CLUSTER_EXPANSIONS * u64::from(space.headings())
    }

    /// The same for all clusters.
    pub fn expansions(space: StateSpace) -> u64 {
        Clusters::of(space.size()).len() as u64 * Self::cluster_expansions(space)
    }

    /// Follows an edit of the map that the tables have [followed](MovementTables::update): searches the clusters near
    /// the changed cells again. Afterwards the graph equals a new one of as many clusters.
    pub fn update(&mut self, tables: &MovementTables, changed: Rect) {
        let (anchors, ends) = (tables.touched_anchors(changed), tables.touched_ends(changed));
        let near = |cluster: &u32| {
            let region = self.clusters.region(*cluster);
            region.overlaps(anchors) || region.overlaps(ends)
        };
        let dirty: Vec<u32> = (0..self.clusters.len() as u32).filter(near).collect();
        self.rebuild(tables, &dirty);
    }

    /// Finds the portals and costs of some clusters.
    fn rebuild(&mut self, tables: &MovementTables, dirty: &[u32]) {
        let mut borders: Vec<u32> =
            dirty.iter().flat_map(|&cluster| self.clusters.borders(cluster)).collect();
        borders.sort_unstable();
        borders.dedup();
        let mut stale: Vec<u32> = dirty.to_vec();
        for border in borders {
            let found = find_portals(tables, self.clusters, border);
            if self.borders[border as usize] != found {
                self.borders[border as usize] = found;
                stale.extend(self.clusters.beside(border));
            }
        }
        stale.retain(|&cluster| (cluster as usize) < self.n_searched);
        stale.sort_unstable();
        stale.dedup();
        self.revision = tables.revision();
        self.search_clusters(tables, &stale);
    }

    /// Finds the costs of some clusters.
    fn search_clusters(&mut self, tables: &MovementTables, some: &[u32]) {
        let graph = &*self;
        let found = in_parallel(some.len(), ClusterSearch::default, |search, at| {
            graph.search_cluster(tables, search, some[at])
        });
        for (&cluster, costs) in some.iter().zip(found) {
            self.costs[cluster as usize] = costs;
        }
        self.rates = self.costs.iter().map(|of| of.rates).fold(Rates::default(), Rates::min);
    }

    /// Costs between the portals of a cluster.
    fn search_cluster(
        &self,
        tables: &MovementTables,
        search: &mut ClusterSearch,
        cluster: u32,
    ) -> ClusterCosts {
        let with_cell = |portal: PortalId| (portal, self.cell_of(portal));
        let portals: Box<[_]> = self.find_portals_of(cluster).map(with_cell).collect();
        let cells = || portals.iter().map(|&(_, cell)| cell);
        let mut costs = Vec::with_capacity(portals.len() * portals.len());
        search.enter(tables, self.clusters.region(cluster), Along::Moves);
        for from in cells() {
            search.run(tables, poses_of(tables, from), cells());
            costs.extend(cells().map(|to| search.cost_of_cell(to)));
        }
        let pairs = cells().flat_map(|from| cells().map(move |to| (from, to)));
        let rates = Rates::of(costs.iter().zip(pairs).map(|(&cost, (from, to))| (cost, from, to)));
        ClusterCosts { costs: costs.into_boxed_slice(), portals, rates }
    }

    /// The portals of a cluster, in a fixed order, and their cells.
    pub(crate) fn portals(&self, cluster: u32) -> &[(PortalId, CellXY)] {
        &self.costs[cluster as usize].portals
    }

    /// The portals on the borders of a cluster.
    fn find_portals_of(&self, cluster: u32) -> impl Iterator<Item = PortalId> {
        let of_border = |border: u32| {
            let n = self.borders[border as usize].n_portals.into();
            (0..n).map(move |place| PortalId::of(border, place))
        };
        self.clusters.borders(cluster).flat_map(of_border)
    }

    /// Costs from a portal of a cluster, the `at`th, to all of its portals.
    pub(crate) fn costs_from(&self, cluster: u32, at: usize) -> &[u32] {
        let costs = &self.costs[cluster as usize].costs;
        let n = costs.len().isqrt();
        &costs[at * n..(at + 1) * n]
    }

    /// The cell of a portal.
    pub(crate) fn cell_of(&self, portal: PortalId) -> CellXY {
        let along = self.borders[portal.border() as usize].along[portal.place() as usize];
        self.clusters.border_cells(portal.border(), along.into())[0]
    }

    /// Numbers of portals lie below this.
    pub(crate) fn portal_numbers(&self) -> usize {
        self.borders.len() * BORDER_PORTALS as usize
    }

    /// A bound on the costs of all edges.
    pub(crate) fn rates(&self) -> Rates {
        self.rates
    }

    /// Portals of the whole map.
    pub fn n_portals(&self) -> usize {
        self.borders.iter().map(|border| usize::from(border.n_portals)).sum()
    }

    /// Cells of all portals, each in the cluster west or north of its border.
    pub fn portal_cells(&self) -> impl Iterator<Item = CellXY> {
        let of_border = |(border, of): (usize, &Border)| {
            let portal = move |place| PortalId::of(border as u32, place);
            (0..u32::from(of.n_portals)).map(portal)
        };
        self.borders.iter().enumerate().flat_map(of_border).map(|portal| self.cell_of(portal))
    }

    /// Cells of each cluster, row by row of clusters. Those at the east and south edge of the map are cut.
    pub fn cluster_areas(&self) -> impl Iterator<Item = Rect> {
        (0..self.clusters.len() as u32).map(|cluster| self.clusters.area(cluster))
    }

    /// Revision of the map that the graph follows.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Memory in bytes.
    pub fn memory_bytes(&self) -> usize {
        let of_cluster = |of: &ClusterCosts| size_of_val(&*of.costs) + size_of_val(&*of.portals);
        let costs = self.costs.iter().map(of_cluster).sum::<usize>();
        size_of_val(&*self.borders) + size_of_val(&*self.costs) + costs
    }
}

/// All poses of a cell.
pub(crate) fn poses_of(tables: &MovementTables, cell: CellXY) -> impl Iterator<Item = Pose> {
    (0..tables.space().headings()).map(move |heading| Pose { cell, heading: Heading(heading) })
}

/// The portals of a border. A place is open if some pose is legal on either side. Each run of open places is cut into
/// parts of at most [`PORTAL_CELLS`] cells, and the middle of each part is a portal.
fn find_portals(tables: &MovementTables, clusters: Clusters, border: u32) -> Border {
    let is_open = |along: u32| {
        let is_legal = |cell: CellXY| {
            clusters.contains(cell) && poses_of(tables, cell).any(|pose| tables.is_legal_pose(pose))
        };
        along < SIDE && clusters.border_cells(border, along).into_iter().all(is_legal)
    };
    let (mut found, mut along) = (Border::default(), 0);
    while along < SIDE {
        let length = (along..).take_while(|&at| is_open(at)).count() as u32;
        let parts = length.div_ceil(PORTAL_CELLS);
        for part in 0..parts {
            let (first, last) = (length * part / parts, length * (part + 1) / parts);
            found.along[usize::from(found.n_portals)] = (along + (first + last) / 2) as u8;
            found.n_portals += 1;
        }
        along += length + 1;
    }
    found
}
