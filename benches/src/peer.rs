//! Peers that search the same states with the same moves.

use crate::class::MOVE_TICKS;
use crate::scene::{Ours, Query, Scene};
use petgraph::graph::{DiGraph, NodeIndex};
use std::hint::black_box;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::State;
use wheelbase_planner::search::HeuristicName;
use wheelbase_planner::{Heading, Pose};

/// The label of a fair comparison in outputs.
pub const FAIR: &str = "fair: same tables, same heuristic, exact, costs equal";

/// Our heuristic for vehicles on four headings as a plain function. It is the Manhattan distance at 2 ticks per cell,
/// plus 2 ticks per quarter turn between the headings.
#[inline(always)]
pub fn manhattan_ticks(x: i32, y: i32, heading: u8, goal: Pose) -> u32 {
    const QUARTERS: [u32; 4] = [0, 1, 2, 1];
    let (forward, _, turn) = MOVE_TICKS;
    let cells = x.abs_diff(goal.cell.x) + y.abs_diff(goal.cell.y);
    forward * cells + turn * QUARTERS[usize::from(goal.heading.0.wrapping_sub(heading) & 3)]
}

/// Our heuristic for points on eight neighbours as a plain function: 10,000 ticks per straight step, 14,142 per
/// diagonal step.
#[inline(always)]
pub fn octile_ticks(x: i32, y: i32, _heading: u8, goal: Pose) -> u32 {
    let (dx, dy) = (x.abs_diff(goal.cell.x), y.abs_diff(goal.cell.y));
    10_000 * dx.max(dy) + 4_142 * dx.min(dy)
}

/// The peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// `pathfinding::astar` at its best: nodes are our 4-byte states, successors in an array on the stack, no needless
    /// allocation or hashing.
    HandTuned,
    /// `pathfinding::astar` as in its documentation: a node struct, successors in a `Vec`.
    Idiomatic,
    /// `petgraph::algo::astar` over a stored graph of all states and moves; building the graph is not timed.
    Petgraph,
}

impl Peer {
    /// All peers.
    pub const ALL: [Self; 3] = [Self::HandTuned, Self::Idiomatic, Self::Petgraph];

    /// Name in outputs.
    pub fn name(self) -> &'static str {
        match self {
            Self::HandTuned => "pathfinding hand-tuned",
            Self::Idiomatic => "pathfinding idiomatic",
            Self::Petgraph => "petgraph",
        }
    }
}

/// The peers, prepared for a scene.
#[derive(Debug)]
pub struct Peers<'a> {
    scene: &'a Scene,
    /// A node for each state, by index; weights in ticks.
    graph: DiGraph<(), u32>,
}

impl<'a> Peers<'a> {
    /// Builds the graph of the scene.
    pub fn of(scene: &'a Scene) -> Self {
        let n_states = scene.tables.space().n_states();
        let mut graph = DiGraph::with_capacity(n_states, 4 * n_states);
        (0..n_states).for_each(|_| {
            graph.add_node(());
        });
        for state in 0..n_states as u32 {
            scene.tables.for_each_successor(State(state), |next| {
                graph.add_edge(NodeIndex::from(state), NodeIndex::from(next.state.0), next.ticks);
            });
        }
        Self { scene, graph }
    }

    /// Cost of a query in ticks.
    ///
    /// # Panics
    /// If there is no path: scenes hold only answerable queries. Unless the class has four headings and four moves with
    /// the Manhattan heuristic, or one heading and eight moves with the octile one.
    pub fn cost(&self, peer: Peer, query: &Query) -> u64 {
        let cost = match (self.scene.tables.space().headings(), self.scene.heuristic) {
            (4, HeuristicName::Manhattan) => self.cost_by::<4, 4>(peer, query, manhattan_ticks),
            (1, HeuristicName::Octile) => self.cost_by::<1, 8>(peer, query, octile_ticks),
            (headings, heuristic) => panic!("no peer has {headings} headings with {heuristic:?}"),
        };
        u64::from(cost.unwrap_or_else(|| panic!("{}, {}: no path: {query:?}", self.scene.name, peer.name())))
    }

    fn cost_by<const HEADINGS: u32, const MOVES: usize>(
        &self,
        peer: Peer,
        query: &Query,
        ticks: impl Fn(i32, i32, u8, Pose) -> u32,
    ) -> Option<u32> {
        match peer {
            Peer::HandTuned => self.hand_tuned::<HEADINGS, MOVES>(query, ticks),
            Peer::Idiomatic => self.idiomatic(query, ticks),
            Peer::Petgraph => self.petgraph::<HEADINGS>(query, ticks),
        }
    }

    fn idiomatic(&self, query: &Query, ticks: impl Fn(i32, i32, u8, Pose) -> u32) -> Option<u32> {
        let (tables, space) = (&self.scene.tables, self.scene.tables.space());
        let goal = Node::of(query.goal);
        let successors = |node: &Node| {
            let mut found = Vec::new();
            let pose = Pose { cell: CellXY::new(node.x, node.y), heading: Heading(node.heading) };
            if let Some(state) = space.state(pose) {
                tables.for_each_successor(state, |next| {
                    found.push((Node::of(space.pose(next.state)), next.ticks));
                });
            }
            found
        };
        let estimate = |node: &Node| ticks(node.x, node.y, node.heading, query.goal);
        let start = Node::of(query.start);
        let found = pathfinding::directed::astar::astar(&start, successors, estimate, |node| *node == goal);
        let (path, cost) = found?;
        black_box(path);
        Some(cost)
    }

    fn hand_tuned<const HEADINGS: u32, const MOVES: usize>(
        &self,
        query: &Query,
        ticks: impl Fn(i32, i32, u8, Pose) -> u32,
    ) -> Option<u32> {
        let (tables, space) = (&self.scene.tables, self.scene.tables.space());
        let (start, goal) = (space.state(query.start)?.0, space.state(query.goal)?.0);
        let width = space.size().width();
        let successors = |&state: &u32| {
            let mut moves = Moves { found: [(0, 0); MOVES], n_found: 0, at: 0 };
            tables.for_each_successor(State(state), |next| {
                moves.found[moves.n_found] = (next.state.0, next.ticks);
                moves.n_found += 1;
            });
            moves
        };
        let estimate = |&state: &u32| estimate::<HEADINGS>(state, width, query.goal, &ticks);
        let found = pathfinding::directed::astar::astar(&start, successors, estimate, |&state| state == goal);
        let (path, cost) = found?;
        black_box(path);
        Some(cost)
    }

    fn petgraph<const HEADINGS: u32>(
        &self,
        query: &Query,
        ticks: impl Fn(i32, i32, u8, Pose) -> u32,
    ) -> Option<u32> {
        let space = self.scene.tables.space();
        let [start, goal] = [query.start, query.goal].map(|pose| space.state(pose));
        let (start, goal) = (NodeIndex::from(start?.0), NodeIndex::from(goal?.0));
        let width = space.size().width();
        let estimate = |node: NodeIndex| estimate::<HEADINGS>(node.index() as u32, width, query.goal, &ticks);
        let found =
            petgraph::algo::astar(&self.graph, start, |node| node == goal, |edge| *edge.weight(), estimate);
        let (cost, path) = found?;
        black_box(path);
        Some(cost)
    }

    /// Compares the costs of all peers with ours, query by query.
    ///
    /// # Panics
    /// If a cost differs: then one planner is wrong, and the times mean nothing.
    pub fn assert_same_costs(&self) {
        let mut ours = Ours::new(self.scene);
        for query in &self.scene.queries {
            let expected = ours.cost(query);
            for peer in Peer::ALL {
                let cost = self.cost(peer, query);
                assert_eq!(cost, expected, "{}, {}: {query:?}", self.scene.name, peer.name());
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    x: i32,
    y: i32,
    heading: u8,
}

impl Node {
    fn of(pose: Pose) -> Self {
        Self { x: pose.cell.x, y: pose.cell.y, heading: pose.heading.0 }
    }
}

/// Successors of a state, on the stack.
struct Moves<const N: usize> {
    found: [(u32, u32); N],
    n_found: usize,
    at: usize,
}

impl<const N: usize> Iterator for Moves<N> {
    type Item = (u32, u32);

    #[inline(always)]
    fn next(&mut self) -> Option<(u32, u32)> {
        let next = self.found[..self.n_found].get(self.at).copied();
        self.at += 1;
        next
    }
}

#[inline(always)]
fn estimate<const HEADINGS: u32>(
    state: u32,
    width: u32,
    goal: Pose,
    ticks: impl Fn(i32, i32, u8, Pose) -> u32,
) -> u32 {
    let (cell, heading) = (state / HEADINGS, (state % HEADINGS) as u8);
    ticks((cell % width) as i32, (cell / width) as i32, heading, goal)
}
