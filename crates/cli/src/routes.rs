//! `plan --abstract`: paths along routes over the abstract graph, and exact paths where no route leads.

use crate::guide::{guided_by, prepared};
use crate::query::Query;
use std::time::Instant;
use wheelbase_planner::abstraction::{Abstraction, Route, RouteScratch, plan_along};
use wheelbase_planner::search::{Answer, Heuristic};
use wheelbase_planner::{MovementTables, Path, Scratch, plan};

/// The abstract graph of a class, with the time of its preparation.
pub struct Routes<'a> {
    tables: &'a MovementTables,
    pub graph: Abstraction,
    prepare_s: f64,
}

/// Memory of a worker.
#[derive(Default)]
pub struct RouteMemory {
    pub search: Scratch,
    route: RouteScratch,
}

/// An answer and its path.
pub struct RouteAnswer {
    pub answer: Answer,
    /// The route that the path follows; `None` after an exact search.
    pub route: Option<Route>,
    pub path: Path,
}

impl<'a> Routes<'a> {
    /// Builds the graph.
    pub fn of(tables: &'a MovementTables) -> Self {
        let begun = Instant::now();
        let graph = Abstraction::of(tables);
        Self { tables, graph, prepare_s: begun.elapsed().as_secs_f64() }
    }

    /// Plans along a route. Where there is none, or no path follows it, the exact search decides: the status never
    /// depends on the graph.
    pub fn answer(&self, query: &Query, memory: &mut RouteMemory) -> RouteAnswer {
        let mut path = Path::new();
        if let [goal] = query.goal[..]
            && let Some(route) = self.graph.route(self.tables, query.start, goal, &mut memory.route)
            && let Some(of_legs) =
                plan_along(self.tables, &route, (query.start, goal), &mut memory.search, &mut path)
        {
            let answer = Answer::at_goal(path.cost(), route.expansions + of_legs);
            return RouteAnswer { answer, route: Some(route), path };
        }
        let request = query.request(Heuristic::Default);
        let answer = plan(self.tables, &request, &mut memory.search, &mut path);
        RouteAnswer { answer, route: None, path }
    }

    /// A line with the portals of the graph, its time and memory.
    pub fn note(&self) -> String {
        let mib = self.graph.memory_bytes() as f64 / f64::from(1 << 20);
        format!("portals: {}", prepared(self.graph.n_portals(), self.prepare_s, mib))
    }
}

impl RouteAnswer {
    /// How the path was found, for people.
    pub fn found_by(&self) -> String {
        match self.route {
            Some(_) => "by a route".to_owned(),
            None => guided_by(&self.answer),
        }
    }
}
