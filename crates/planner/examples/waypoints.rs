//! A network of waypoints with one-way lanes, and a follower that glides along its path: the search is exact,
//! in whole ticks. The animation interpolates between them.

use std::error::Error;
use wheelbase_planner::Status;
use wheelbase_planner::graph::*;

/// Positions of the waypoints, in metres.
const WAYPOINTS: [(&str, f32, f32); 8] = [
    ("depot", 0.0, 0.0),
    ("gate", 10.0, 0.0),
    ("bridge", 20.0, 5.0),
    ("quay", 30.0, 0.0),
    ("mill", 10.0, 10.0),
    ("hill", 20.0, 20.0),
    ("ford", 20.0, -10.0),
    ("farm", 30.0, 10.0),
];

/// Lanes in both directions, and one-way lanes.
const BOTH_WAYS: [(u32, u32); 5] = [(0, 1), (1, 2), (2, 3), (4, 5), (3, 7)];
const ONE_WAY: [(u32, u32); 5] = [(1, 4), (5, 7), (1, 6), (6, 3), (4, 0)];

const TICKS_A_METRE: f32 = 10.0;

/// Ticks that a follower looks ahead and back, which determines the rounding of corners.
const ROUNDING: f32 = 15.0;

fn metres(a: u32, b: u32) -> f32 {
    let ((_, ax, ay), (_, bx, by)) = (WAYPOINTS[a as usize], WAYPOINTS[b as usize]);
    (ax - bx).hypot(ay - by)
}

/// Position on a path at a time, in straight lines between waypoints.
fn on_line(path: &GraphPath, tick: f32) -> (f32, f32) {
    let place = |node: u32| (WAYPOINTS[node as usize].1, WAYPOINTS[node as usize].2);
    let after = path.arrivals.iter().position(|&arrival| arrival as f32 > tick);
    match after {
        Some(0) | None => place(path.nodes[if after.is_some() { 0 } else { path.nodes.len() - 1 }]),
        Some(after) => {
            let [from, to] = [after - 1, after].map(|at| (path.arrivals[at] as f32, place(path.nodes[at])));
            let share = (tick - from.0) / (to.0 - from.0);
            (from.1.0 + share * (to.1.0 - from.1.0), from.1.1 + share * (to.1.1 - from.1.1))
        }
    }
}

/// Position with rounded corners: the mean of slightly earlier, current and slightly later positions.
fn glide(path: &GraphPath, tick: f32) -> (f32, f32) {
    let [before, now, after] =
        [tick - ROUNDING, tick, tick + ROUNDING].map(|tick| on_line(path, tick.max(0.0)));
    ((before.0 + 2.0 * now.0 + after.0) / 4.0, (before.1 + 2.0 * now.1 + after.1) / 4.0)
}

fn names(path: &GraphPath) -> String {
    let names: Vec<&str> = path.nodes.iter().map(|&node| WAYPOINTS[node as usize].0).collect();
    names.join(", ")
}

/// Drives from the depot to the farm and back; returns the log.
pub fn drive() -> Result<Vec<String>, Box<dyn Error>> {
    // A lane takes at least its length in time, so that the straight-line distance is a lower bound.
    let lane = |from, to| Edge::new(from, to, (metres(from, to) * TICKS_A_METRE).ceil() as i64);
    let back_and_forth = BOTH_WAYS.iter().flat_map(|&(a, b)| [lane(a, b), lane(b, a)]);
    let mut graph = Graph::new(8, back_and_forth.chain(ONE_WAY.iter().map(|&(a, b)| lane(a, b))))?;
    let (mut scratch, mut path, mut log) = (GraphScratch::new(), GraphPath::new(), Vec::new());
    let (depot, farm) = (0, 7);
    let to_farm = |node: u32| (metres(node, farm) * TICKS_A_METRE) as u32;
    let mut request = GraphRequest { estimate: Some(&to_farm), ..GraphRequest::new(depot, &[7]) };
    let answer = graph.plan(&request, &mut scratch, &mut path);
    log.push(format!("{} ticks by {}", answer.cost, names(&path)));

    // The bridge closes during the trip: the follower continues to the next waypoint and replans from there.
    let (mut closed, mut tick, mut since) = (false, 0_u32, 0_u32);
    while tick - since < path.cost() {
        if tick == 60 {
            for edge in 0..graph.n_edges() {
                if graph.edge(edge).is_some_and(|(from, to, _)| from == 2 || to == 2) {
                    graph.remove(edge)?;
                }
            }
            log.push(format!("tick {tick}: the bridge closes"));
            closed = true;
        }
        let here = path.arrivals.iter().position(|&arrival| arrival == tick - since);
        if let Some(at) = here.filter(|_| std::mem::take(&mut closed)) {
            request.start = path.nodes[at];
            let answer = graph.plan(&request, &mut scratch, &mut path);
            since = tick;
            log.push(format!("tick {tick}: {} ticks more by {}", answer.cost, names(&path)));
        } else if here.is_some() {
            closed &= path.nodes.last() != Some(&farm);
        }
        if tick.is_multiple_of(50) {
            let (x, y) = glide(&path, (tick - since) as f32);
            log.push(format!("tick {tick}: at {x:.1}, {y:.1}"));
        }
        tick += 1;
    }
    log.push(format!("tick {tick}: arrived"));

    // Lanes are one-way: the return path differs, and without the bridge there is none.
    let home = GraphRequest::new(farm, &[0]);
    let answer = graph.plan(&home, &mut scratch, &mut path);
    log.push(match answer.status {
        Status::Found => format!("home: {} ticks by {}", answer.cost, names(&path)),
        _ => "home: no path".to_owned(),
    });
    // The bridge opens again, at double the time.
    for edge in 0..graph.n_edges() {
        if let Some((from, to, None)) = graph.edge(edge) {
            graph.set_weight(edge, 2 * lane(from, to).weight)?;
        }
    }
    let answer = graph.plan(&home, &mut scratch, &mut path);
    log.push(format!("the bridge opens; home: {} ticks by {}", answer.cost, names(&path)));
    // Distances of all nodes from the farm, by one search.
    let mut field = GraphField::from_start(&graph, &[farm]);
    let mut ticks = Vec::new();
    field.measure(&graph, &[0, 1, 2, 3, 4, 5, 6], &mut ticks);
    let far = ticks.iter().zip(WAYPOINTS).map(|(ticks, (name, ..))| match ticks {
        Some(ticks) => format!("{name} {ticks}"),
        None => format!("{name} never"),
    });
    log.push(format!("from the farm: {}", far.collect::<Vec<_>>().join(", ")));
    Ok(log)
}

fn main() -> Result<(), Box<dyn Error>> {
    drive()?.iter().for_each(|line| println!("{line}"));
    Ok(())
}
