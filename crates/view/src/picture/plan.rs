//! A search as a picture: expanded poses, the path with its swept cells and, after a failure, the obstacles. Of a path
//! along a route: the abstract graph and the route, in place of the expanded poses.

use crate::picture::bodies::BodyShape;
use crate::picture::drawing::{Cells, Item, Paint, Picture, Shape};
use crate::picture::ground;
use crate::picture::view::View;
use std::collections::BTreeSet;
use wheelbase_grid::{CellXY, Grid, GridShape, Point, Rgb, Side};
use wheelbase_planner::abstraction::{Abstraction, Route};
use wheelbase_planner::model::{MoveBlocked, PoseBlocked, Reached};
use wheelbase_planner::search::Answer;
use wheelbase_planner::{
    Distances, GoalMember, Heading, Legality, MovementTables, Path, Pose, Request, Scratch, SettleTarget,
    Status,
};

/// Class number whose colour stands out from the colours of expansions.
const COLOUR_OF_BODY: usize = 1;
const SWEPT: Paint = Paint::new([255; 3], 72);
const FOOTPRINT: Paint = Paint::new([0; 3], 110);
const LINE: Paint = Paint::solid([255; 3]);
const GOAL: Paint = Paint::solid([255; 3]);
/// Anchors of reachable poses.
const REACHED: Paint = Paint::new([110, 200, 255], 96);
/// Obstacles.
const BLOCKED: Rgb = [255, 32, 32];
const WINDOW: Paint = Paint::solid([255, 230, 90]);
/// Borders of clusters.
const CLUSTERS: Paint = Paint::new([255; 3], 120);
const PORTALS: Paint = Paint::solid([90, 220, 255]);
const ROUTE: Paint = Paint::solid([255, 140, 30]);

/// A request with its answer and its search.
pub struct SearchOutcome<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// Movement tables of the class on this map.
    pub tables: &'a MovementTables,
    /// The request.
    pub request: &'a Request<'a>,
    /// The answer.
    pub answer: &'a Answer,
    /// The path of the answer, possibly empty.
    pub path: &'a Path,
    /// The scratch of the search, which holds the expanded poses.
    pub scratch: &'a Scratch,
    /// The abstract graph, where the path was to follow a route over it, and the route, if it does.
    pub graph: Option<(&'a Abstraction, Option<&'a Route>)>,
}

impl SearchOutcome<'_> {
    /// The picture of the search.
    pub fn picture(&self, view: View) -> Picture {
        let class = self.tables.class();
        let mut body = BodyShape::of(class, COLOUR_OF_BODY, &view);
        // There is no other class to tell it from.
        body.sign.clear();
        let mut items = ground::of_grid(&view, self.grid);
        let route = self.graph.and_then(|(_, route)| route);
        // The scratch knows the last leg of a route alone.
        if route.is_none() {
            items.push(Item::Cells(self.expansions(&view)));
        }
        let failed = self.answer.reached != Some(Reached::Goal);
        let mut obstacles = Obstacles::default();
        if self.answer.status == Status::Unreachable || self.answer.reached == Some(Reached::Nearest) {
            items.push(Item::Cells(self.reachable(&view, &mut obstacles)));
        }
        if let Some((graph, route)) = self.graph {
            items.extend(graph_marks(&view, graph));
            items.extend(route.into_iter().flat_map(|route| self.route_marks(&view, route)));
        }
        items.extend(self.trail(&view, &body));
        if let Some(window) = self.request.window {
            let [left, top] = view.lattice.corner_of(window);
            let [width, height] = view.lattice.extent(window);
            let (right, bottom) = (left + width, top + height);
            let corners = vec![[left, top], [right, top], [right, bottom], [left, bottom]];
            items.push(Shape::outlines(vec![corners], WINDOW, view.cells(2.0)).into());
        }
        let start = self.request.start;
        items.extend(body.shapes(&view, body.resting(start), "start".to_owned()).map(Item::from));
        let last = self.path.poses.last().map(|last| last.pose);
        let named =
            self.request.goal.members.iter().map(|member| Pose { cell: member.cell, heading: Heading(0) });
        let ends = [Some(start), last].into_iter().flatten().chain(named.filter(|_| failed));
        items.extend(
            ends.filter_map(|end| body.ring_if_small(&view, body.resting(end), GOAL)).map(Item::from),
        );
        if failed {
            items.extend(self.goals(&view, &body));
            self.add_blocked_ends(&mut obstacles);
        } else if let Some(last) = last {
            let outline = body.outline(body.resting(last));
            items.push(Shape::outlines(outline, GOAL, view.cells(2.0)).titled("goal".to_owned()).into());
        }
        items.extend(obstacles.items(&view));
        let (status, cost) = (self.answer.status.name().replace('_', " "), self.answer.cost);
        let along = route.map_or_else(String::new, |route| {
            format!(" along a route of {} portals and cost {}", route.portals.len(), route.cost)
        });
        let title = format!(
            "{} from {}: {status}, cost {cost} ticks{along}, {} expansions",
            class.spec().name,
            self.tables.space().display(start),
            self.answer.expansions
        );
        Picture { view, title, items }
    }

    /// The route from portal to portal, and its portals.
    fn route_marks(&self, view: &View, route: &Route) -> [Item; 2] {
        let goal = self.request.goal.members.iter().map(|member| member.cell);
        let portals = route.portals.iter().map(|portal| portal.cell);
        let cells = std::iter::once(self.request.start.cell).chain(portals.clone()).chain(goal);
        let line = cells.map(|cell| view.lattice.centre(cell)).collect();
        [
            Shape::lines(vec![line], ROUTE, view.cells(2.0)).titled("route".to_owned()).into(),
            marks(view, portals, 7.0, ROUTE).titled("portals of the route".to_owned()).into(),
        ]
    }

    /// The share of expanded headings of each cell, as a heat map.
    fn expansions(&self, view: &View) -> Cells {
        let space = self.tables.space();
        let count = |cell: CellXY| {
            let poses = (0..space.headings()).map(|heading| Pose { cell, heading: Heading(heading) });
            poses
                .filter(|&pose| space.state(pose).is_some_and(|s| self.scratch.expanded_cost(s).is_some()))
                .count()
        };
        let paint = |cell| {
            let heat = count(cell) as f64 / f64::from(space.headings());
            if heat == 0.0 {
                return Paint::NONE;
            }
            Paint::new(
                [255, (220.0 - 180.0 * heat) as u8, (60.0 - 40.0 * heat) as u8],
                96 + (96.0 * heat) as u8,
            )
        };
        Cells::of(view, paint)
    }

    /// The reachable anchors. Adds the obstacles of all illegal moves from them.
    fn reachable(&self, view: &View, obstacles: &mut Obstacles) -> Cells {
        let tables = self.tables;
        let legality = Legality::new(self.grid, tables.class());
        let mut from = Distances::from_pose(tables, self.request.start);
        from.settle(tables, SettleTarget::All, u64::MAX);
        let mut cells = Cells::of(view, |_| Paint::NONE);
        let space = tables.space();
        for (pose, _) in from.field().settled() {
            let Some(state) = space.state(pose).filter(|_| view.area.contains(pose.cell)) else { continue };
            let (x, y) = (pose.cell.x - view.area.x, pose.cell.y - view.area.y);
            cells.paints[y as usize * view.area.width as usize + x as usize] = REACHED;
            for primitive in 0..tables.class().primitives().len() {
                if tables.move_ticks(state, primitive).is_none()
                    && let Err(blocked) = legality.explain(pose, primitive)
                {
                    let end = legality.pose_after(pose, primitive).cell;
                    obstacles.add_move(&blocked, end);
                }
            }
        }
        cells
    }

    /// The swept cells of the path, each footprint on it, and the line of the pivot.
    fn trail(&self, view: &View, body: &BodyShape) -> Vec<Item> {
        let Path { poses, moves } = self.path;
        if poses.is_empty() {
            return Vec::new();
        }
        let class = self.tables.class();
        let mut swept = BTreeSet::new();
        for (pose, &primitive) in poses.iter().zip(moves) {
            let shape = class.shape_at(pose.pose, usize::from(primitive));
            let CellXY { x, y } = pose.pose.cell;
            swept.extend(shape.swept.iter().map(|cell| (y + cell.dy, x + cell.dx)));
        }
        let paint = |cell: CellXY| if swept.contains(&(cell.y, cell.x)) { SWEPT } else { Paint::NONE };
        let mut items = vec![Item::Cells(Cells::of(view, paint))];
        let outlines = poses.iter().flat_map(|pose| body.outline(body.resting(pose.pose)));
        items.push(Shape::outlines(outlines.collect(), FOOTPRINT, view.cells(1.0)).into());
        let mut line: Vec<Point> = poses.iter().map(|pose| body.pivot_at(pose.pose.cell)).collect();
        line.dedup();
        let width = view.cells((f64::from(view.scale) * 0.16).clamp(1.0, 4.0));
        items.push(Shape::lines(vec![line], LINE, width).into());
        items
    }

    /// The members of the goal.
    fn goals(&self, view: &View, body: &BodyShape) -> Vec<Item> {
        let goal = |member: &GoalMember| {
            let pose = Pose { cell: member.cell, heading: member.heading.unwrap_or(Heading(0)) };
            match member.heading {
                Some(_) => Shape::outlines(body.outline(body.resting(pose)), GOAL, view.cells(2.0)),
                None => Shape::outlines(vec![view.lattice.polygon(member.cell)], GOAL, view.cells(2.0)),
            }
        };
        self.request.goal.members.iter().map(|member| goal(member).titled("goal".to_owned()).into()).collect()
    }

    /// Adds the obstacles of a blocked start, or of each member of a blocked goal.
    fn add_blocked_ends(&self, obstacles: &mut Obstacles) {
        let legality = Legality::new(self.grid, self.tables.class());
        match self.answer.status {
            Status::StartBlocked => obstacles.add_pose(&legality, self, self.request.start),
            Status::GoalBlocked => {
                for member in self.request.goal.members {
                    let headings = 0..self.tables.class().headings();
                    for heading in headings.map(Heading).filter(|h| member.heading.is_none_or(|of| of == *h))
                    {
                        obstacles.add_pose(&legality, self, Pose { cell: member.cell, heading });
                    }
                }
            }
            _ => {}
        }
    }
}

/// The borders of the clusters in view, and their portals.
fn graph_marks(view: &View, graph: &Abstraction) -> [Item; 2] {
    let lattice = view.lattice;
    let areas = graph.cluster_areas().map(|area| area.intersection(view.area));
    let mut lines = Vec::new();
    for area in areas.filter(|area| !area.is_empty()) {
        match lattice.0 {
            GridShape::Square => {
                let ([left, top], [width, height]) = (lattice.corner_of(area), lattice.extent(area));
                lines.push(vec![[left, top + height], [left, top], [left + width, top]]);
            }
            // Sides of its cells whose neighbours are in a cluster before it.
            GridShape::Hex => {
                let rim = area.cells().filter(|cell| cell.x == area.x || cell.y == area.y);
                for (cell, (number, _, next)) in
                    rim.flat_map(|cell| lattice.neighbours(cell).map(move |side| (cell, side)))
                {
                    let is_before =
                        next.y < area.y || next.x < area.x && next.y < area.y + area.height as i32;
                    if is_before {
                        lines.push(lattice.side(cell, number).map(|corner| lattice.point(corner)).to_vec());
                    }
                }
            }
        }
    }
    let portals = graph.portal_cells().filter(|&cell| view.area.contains(cell));
    [
        Shape::lines(lines, CLUSTERS, view.cells(1.0)).titled("clusters".to_owned()).into(),
        marks(view, portals, 4.0, PORTALS).titled("portals".to_owned()).into(),
    ]
}

/// A square mark on each cell, of a side in pixels.
fn marks(view: &View, cells: impl Iterator<Item = CellXY>, pixels: f64, paint: Paint) -> Shape {
    let half = view.cells(pixels / 2.0);
    let mark = |cell| {
        let [x, y] = view.lattice.centre(cell);
        vec![[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]]
    };
    Shape::filled(cells.map(mark).collect(), paint)
}

/// Cells and sides that make poses or moves illegal.
#[derive(Default)]
struct Obstacles {
    /// As `(y, x)`.
    cells: BTreeSet<(i32, i32)>,
    /// As `(y, x, side)`.
    sides: BTreeSet<(i32, i32, Side)>,
}

impl Obstacles {
    /// Adds the obstacles of a pose: the reason reported by the legality check, and each impassable covered cell.
    fn add_pose(&mut self, legality: &Legality<'_>, outcome: &SearchOutcome<'_>, pose: Pose) {
        if let Err(blocked) = legality.check_pose(pose) {
            self.add(&blocked);
        }
        if legality.space().state(pose).is_none() {
            return;
        }
        let class_cells = outcome.tables.class().cells_at(pose).iter();
        for cell in class_cells.map(|cell| cell.cell_from(pose.cell)) {
            let kind = outcome.grid.terrain_at(cell);
            if kind.is_none_or(|kind| legality.terrain_speeds()[usize::from(kind.0)] == 0) {
                self.cells.insert((cell.y, cell.x));
            }
        }
    }

    /// Adds the obstacle of a move that would end at a cell.
    fn add_move(&mut self, blocked: &MoveBlocked, end: CellXY) {
        match blocked {
            MoveBlocked::Swept(blocked) => self.add(blocked),
            MoveBlocked::Rise { .. } | MoveBlocked::Fall { .. } => {
                self.cells.insert((end.y, end.x));
            }
            // No cell or side is to blame.
            _ => {}
        }
    }

    fn add(&mut self, blocked: &PoseBlocked) {
        match *blocked {
            PoseBlocked::OffMap { cell }
            | PoseBlocked::Terrain { cell, .. }
            | PoseBlocked::Tilt { cell, .. } => {
                self.cells.insert((cell.y, cell.x));
            }
            PoseBlocked::Edge { cell, side, .. } => {
                self.sides.insert((cell.y, cell.x, side));
            }
            _ => {}
        }
    }

    /// A cross in each cell and a line along each side.
    fn items(&self, view: &View) -> Vec<Item> {
        let width = view.cells(2.0).max(0.08);
        let mut items = Vec::new();
        let cells =
            self.cells.iter().map(|&(y, x)| CellXY::new(x, y)).filter(|cell| view.area.contains(*cell));
        let cells: Vec<CellXY> = cells.collect();
        if !cells.is_empty() {
            let filled = cells.iter().map(|&cell| view.lattice.polygon(cell)).collect();
            items
                .push(Shape::filled(filled, Paint::new(BLOCKED, 120)).titled("in the way".to_owned()).into());
            let cross = |&cell: &CellXY| {
                let [x, y] = view.lattice.centre(cell);
                [[-0.28, -0.28, 0.28, 0.28], [-0.28, 0.28, 0.28, -0.28]]
                    .map(|[ax, ay, bx, by]| vec![[x + ax, y + ay], [x + bx, y + by]])
            };
            items.push(
                Shape::lines(cells.iter().flat_map(cross).collect(), Paint::solid(BLOCKED), width).into(),
            );
        }
        let line = |&(y, x, side): &(i32, i32, Side)| {
            let number = view.lattice.0.side_number(side)?;
            let ends = view.lattice.side(CellXY::new(x, y), number);
            Some(ends.map(|corner| view.lattice.point(corner)).to_vec())
        };
        let lines: Vec<Vec<Point>> = self.sides.iter().filter_map(line).collect();
        if !lines.is_empty() {
            let wide = width.max(0.2);
            items.push(
                Shape::lines(lines, Paint::solid(BLOCKED), wide).titled("in the way".to_owned()).into(),
            );
        }
        items
    }
}
