//! Plain graphs against edge relaxation: random graphs with equal weights, zero weights, cycles and one-way
//! edges, before and after changes.

use proptest::prelude::*;
use wheelbase_planner::graph::*;
use wheelbase_planner::model::{COST_MAX, State};
use wheelbase_planner::{Progress, SettleTarget, Status};

/// Costs from a node to all others, or from all others to it, by relaxing every edge to a fixed point (Bellman
/// 1958).
fn costs(graph: &Graph, source: u32, forward: bool) -> Vec<Option<u32>> {
    let mut costs = vec![u64::MAX; graph.n_nodes()];
    costs[source as usize] = 0;
    let edges: Vec<_> = (0..graph.n_edges()).filter_map(|edge| graph.edge(edge)).collect();
    loop {
        let mut helped = false;
        for &(from, to, weight) in &edges {
            let (near, far) = if forward { (from, to) } else { (to, from) };
            let Some(weight) = weight else { continue };
            let cost = costs[near as usize].saturating_add(u64::from(weight));
            helped |= cost < costs[far as usize];
            costs[far as usize] = cost.min(costs[far as usize]);
        }
        if !helped {
            break;
        }
    }
    let reported = |cost: u64| u32::try_from(cost).ok().filter(|&cost| cost <= COST_MAX);
    costs.into_iter().map(reported).collect()
}

fn assert_path(graph: &Graph, path: &GraphPath, start: u32, goal: u32, cost: u32) {
    assert_eq!((path.nodes[0], *path.nodes.last().unwrap(), path.cost()), (start, goal, cost));
    assert_eq!((path.nodes.len(), path.arrivals.len()), (path.edges.len() + 1, path.edges.len() + 1));
    let mut arrival = 0;
    for (at, &edge) in path.edges.iter().enumerate() {
        assert_eq!(path.arrivals[at], arrival);
        let (from, to, weight) = graph.edge(edge as usize).unwrap();
        assert_eq!((from, to), (path.nodes[at], path.nodes[at + 1]));
        arrival += weight.unwrap();
    }
    assert_eq!(path.cost(), arrival);
    let mut nodes = path.nodes.clone();
    nodes.sort_unstable();
    nodes.dedup();
    assert_eq!(nodes.len(), path.nodes.len(), "a node twice");
}

fn assert_searches(graph: &Graph, scratch: &mut GraphScratch, start: u32, goals: &[u32], skew: u32) {
    let from = costs(graph, start, true);
    let least = goals.iter().filter_map(|&goal| from[goal as usize]).min();
    // The cost-to-go to the nearest goal, which is the tightest consistent bound, and a random part of it per
    // node, which is only admissible.
    let mut rest = vec![None::<u32>; graph.n_nodes()];
    for &goal in goals {
        for (rest, cost) in rest.iter_mut().zip(costs(graph, goal, false)) {
            *rest = [*rest, cost].into_iter().flatten().min();
        }
    }
    let exact = |node: u32| rest[node as usize].unwrap_or(COST_MAX);
    let zero = |_: u32| 0;
    let broken = |node: u32| match (node.wrapping_mul(0x9E37_79B9) ^ skew) >> 7 & 3 {
        0 => 0,
        1 => exact(node) / 2,
        _ => exact(node),
    };
    let estimates: [Option<&dyn Fn(u32) -> u32>; 4] = [None, Some(&zero), Some(&exact), Some(&broken)];
    let (mut path, mut first) = (GraphPath::new(), GraphPath::new());
    let mut dijkstra = None;
    for (number, estimate) in estimates.into_iter().enumerate() {
        let request = GraphRequest { estimate, ..GraphRequest::new(start, goals) };
        let answer = graph.plan(&request, scratch, &mut path);
        match least {
            Some(cost) => {
                assert_eq!((answer.status, answer.cost), (Status::Found, cost));
                let goal = *path.nodes.last().unwrap();
                assert!(goals.contains(&goal));
                assert_path(graph, &path, start, goal, cost);
            }
            None => {
                assert!(matches!(answer.status, Status::Unreachable | Status::CostOverflow), "{answer:?}");
                assert!(path.nodes.is_empty());
            }
        }
        // A bound of zero equals Dijkstra's algorithm, expansion by expansion.
        let (status, expansions) = (answer.status, answer.expansions);
        if estimate.is_none() {
            dijkstra = Some((status, expansions));
            first.clone_from(&path);
        } else if number == 1 {
            assert_eq!((dijkstra, &first), (Some((status, expansions)), &path));
        }
        // A limit below the required expansions is reported; one more expansion suffices.
        for limit in [expansions.saturating_sub(1), expansions] {
            let limited = GraphRequest { expansions_max: Some(limit), ..request };
            let stopped = graph.plan(&limited, scratch, &mut path);
            let expected = if limit < expansions { Status::LimitReached } else { status };
            assert_eq!((stopped.status, stopped.expansions), (expected, limit));
        }
    }
}

fn assert_fields(graph: &Graph, fields: &mut [GraphField; 2], source: u32, slice: u64, ticks: u32) {
    let mut path = GraphPath::new();
    for (field, forward) in fields.iter_mut().zip([false, true]) {
        let expected = costs(graph, source, forward);
        field.restart(graph, &[source]);
        field.settle(graph, SettleTarget::Within(ticks), u64::MAX);
        let within: Vec<(u32, u32)> =
            (0..).zip(&expected).filter_map(|(n, cost)| Some((n, (*cost)?))).collect();
        let near: Vec<(u32, u32)> = within.iter().copied().filter(|&(_, cost)| cost <= ticks).collect();
        assert_eq!(field.within(ticks).collect::<Vec<_>>(), near);
        let some = source.wrapping_mul(7) % graph.n_nodes() as u32;
        let mut answers = Vec::new();
        field.measure(graph, &[some, u32::MAX], &mut answers);
        assert_eq!(answers, [expected[some as usize], None]);
        while field.settle(graph, SettleTarget::All, slice).progress == Progress::Running {}
        assert!(field.is_complete());
        assert_eq!(field.within(COST_MAX).collect::<Vec<_>>(), within);
        for (node, &cost) in (0..).zip(&expected) {
            assert_eq!((field.cost(node), field.follow(graph, node, &mut path)), (cost, cost.is_some()));
            let Some(cost) = cost else { continue };
            let (start, goal) = if forward { (source, node) } else { (node, source) };
            assert_path(graph, &path, start, goal, cost);
            assert_eq!(field.next(graph, node).is_none(), node == source);
        }
    }
}

fn weight() -> impl Strategy<Value = i64> {
    prop_oneof![3 => Just(0_i64), 8 => 0_i64..12, 2 => 0_i64..100_000, 1 => Just(i64::from(COST_MAX) / 3)]
}

fn graph() -> impl Strategy<Value = (u32, Vec<Edge>)> {
    (1_u32..40).prop_flat_map(|n| {
        let edge = (0..n, 0..n, weight()).prop_map(|(from, to, weight)| Edge::new(from, to, weight));
        (Just(n), prop::collection::vec(edge, 0..130))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Searches and fields, before and after edges are removed, made dearer or cheaper, and restored.
    #[test]
    fn graphs_equal_relaxation(
        (n, edges) in graph(),
        rng in prop::collection::vec((any::<u32>(), any::<u32>(), any::<u32>(), prop::option::of(weight())), 1..4),
        slice in 1_u64..50,
        ticks in 0_u32..60,
    ) {
        let mut graph = Graph::new(n, edges).unwrap();
        let mut scratch = GraphScratch::new();
        let mut fields = [GraphField::to_goal(&graph, &[]), GraphField::from_start(&graph, &[])];
        for (start, goal, edge, change) in rng {
            let goals = [goal % n, (goal >> 8) % n];
            assert_searches(&graph, &mut scratch, start % n, &goals[..1 + (goal as usize >> 30) % 2], edge);
            assert_fields(&graph, &mut fields, start % n, slice, ticks);
            if graph.n_edges() > 0 {
                let edge = edge as usize % graph.n_edges();
                match change {
                    Some(weight) => graph.set_weight(edge, weight).unwrap(),
                    None => graph.remove(edge).unwrap(),
                }
            }
            assert_searches(&graph, &mut scratch, start % n, &goals, edge);
            assert_fields(&graph, &mut fields, start % n, slice, ticks);
        }
    }
}

/// All graphs of three nodes with edges of weight 0 or 1 or no edge: every start and goal.
#[test]
fn every_small_graph() {
    let pairs: Vec<(u32, u32)> = (0..9).map(|pair| (pair / 3, pair % 3)).filter(|(a, b)| a != b).collect();
    let mut scratch = GraphScratch::new();
    for number in 0..3_u32.pow(6) {
        let weights = (0..6).map(|digit| i64::from(number / 3_u32.pow(digit) % 3));
        let edges = pairs.iter().zip(weights).filter(|&(_, weight)| weight < 2);
        let graph = Graph::new(3, edges.map(|(&(from, to), weight)| Edge::new(from, to, weight))).unwrap();
        let mut fields = [GraphField::to_goal(&graph, &[]), GraphField::from_start(&graph, &[])];
        for start in 0..3 {
            (0..3).for_each(|goal| assert_searches(&graph, &mut scratch, start, &[goal], number));
            assert_fields(&graph, &mut fields, start, 1, 0);
        }
    }
}

/// Among equals the node pushed last is expanded first, and the first path found to a node is kept.
#[test]
fn ties_are_as_documented() {
    let edges = [(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 3, 1), (0, 4, 0), (4, 3, 2)];
    let graph = Graph::new(5, edges.map(|(from, to, weight)| Edge::new(from, to, weight))).unwrap();
    let (mut scratch, mut path) = (GraphScratch::new(), GraphPath::new());
    let answer = graph.plan(&GraphRequest::new(0, &[3]), &mut scratch, &mut path);
    // 4 has cost 0 and reaches 3 first, at cost 2; no other path is cheaper.
    assert_eq!((answer.cost, &path.nodes[..]), (2, &[0, 4, 3][..]));
    let mut graph = graph;
    graph.remove(4).unwrap();
    graph.plan(&GraphRequest::new(0, &[3]), &mut scratch, &mut path);
    assert_eq!(path.nodes, [0, 2, 3]);
}

#[test]
fn errors_name_the_edge() {
    let error = |edges: &[Edge]| Graph::new(3, edges.iter().copied()).unwrap_err().to_string();
    let good = Edge::new(0, 1, 5);
    assert_eq!(error(&[good, Edge::new(1, 3, 1)]), "edge 1: there is no node 3; the nodes are 0 to 2");
    assert_eq!(error(&[Edge::new(1, 2, -4)]), "edge 0: a weight of -4; expected 0 to 4294967294");
    assert_eq!(
        error(&[good, good, Edge::new(1, 2, 1 << 32)]),
        "edge 2: a weight of 4294967296; expected 0 to 4294967294"
    );
    let mut graph = Graph::new(3, [good]).unwrap();
    assert_eq!(graph.set_weight(0, -1).unwrap_err(), GraphError::Weight { edge: 0, weight: -1 });
    assert_eq!(graph.remove(1).unwrap_err().to_string(), "there is no edge 1; the graph has 1");
    assert!(Graph::new(u32::MAX, []).is_err());
    let empty = Graph::new(0, []).unwrap();
    let (mut scratch, mut path) = (GraphScratch::new(), GraphPath::new());
    let status = |graph: &Graph, start, goals: &[u32], scratch: &mut _, path: &mut _| {
        graph.plan(&GraphRequest::new(start, goals), scratch, path).status
    };
    assert_eq!(status(&empty, 0, &[0], &mut scratch, &mut path), Status::StartOffMap);
    assert_eq!(status(&graph, 3, &[0], &mut scratch, &mut path), Status::StartOffMap);
    assert_eq!(status(&graph, 0, &[7], &mut scratch, &mut path), Status::GoalOffMap);
    assert_eq!(status(&graph, 0, &[7, 1], &mut scratch, &mut path), Status::Found);
    assert_eq!(status(&graph, 1, &[0], &mut scratch, &mut path), Status::Unreachable);
}

#[test]
fn overflow_is_distinguished_from_unreachable() {
    let long = i64::from(COST_MAX);
    let edges = [Edge::new(0, 1, long), Edge::new(1, 2, 1), Edge::new(0, 3, 1)];
    let graph = Graph::new(5, edges).unwrap();
    let (mut scratch, mut path) = (GraphScratch::new(), GraphPath::new());
    let mut status = |goal| graph.plan(&GraphRequest::new(0, &[goal]), &mut scratch, &mut path).status;
    assert_eq!(
        [1, 2, 3, 4].map(&mut status),
        [Status::Found, Status::CostOverflow, Status::Found, Status::Unreachable]
    );
    let mut field = GraphField::from_start(&graph, &[0]);
    field.settle(&graph, SettleTarget::Pose(State(2)), u64::MAX);
    assert_eq!((field.cost(1), field.cost(2)), (Some(COST_MAX), None));
}
