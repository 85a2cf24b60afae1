//! Questions of a game to a world. They take `&self` and change nothing, not even a cache, so in lockstep each machine
//! may ask different ones. The answers describe the world after the last step; later commands do not count.

use crate::commands::{MapEdit, OnAgents, RefusalReason};
use crate::disturbed::{disturbed_by, find_one_disturbed, is_known_to_wait};
use crate::goal_poses::poses_of;
use crate::group_goals::{GroupView, preview_group_poses};
use crate::orders::Order;
use crate::pending_edits::{PendingEdit, WaitsFor};
use crate::requests::{PathRequest, PathSource, end_of_far_route};
use crate::route_mode::RouteMode;
use crate::traffic_buffers::TrafficBuffers;
use crate::world::World;
use wheelbase_grid::{Change, Rect};
use wheelbase_planner::abstraction::{RouteScratch, plan_along};
use wheelbase_planner::fields::{Distances, SettleTarget};
use wheelbase_planner::search::{Answer, QueuedRequest};
use wheelbase_planner::{Goal, GoalMember, Path, Pose, Request, Scratch, Status, plan};
use wheelbase_traffic::Commanded;
use wheelbase_traffic::motion::{AgentId, ClassId, end_state};
use wheelbase_traffic::speed::ticks_at_speed;

impl World {
    /// Calls `each` with the agents that hold a cell of an area, or the end of whose move will, in order of id. Linear
    /// in the cells of a small area, else in all agents.
    ///
    /// ```
    /// # use wheelbase_grid::{CellXY, Grid, Rect, SideTable, TerrainTable};
    /// # use wheelbase_planner::{Heading, MovementClass, Pose};
    /// # use wheelbase_sim::{ClassId, Settings, Setup, Spawn, World};
    /// # let grid = Grid::from_rows(&["....", "...."], TerrainTable::movingai(), SideTable::default())?;
    /// # let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::octile()]);
    /// setup.agents.push(Spawn::new(ClassId(0), Pose::new(2, 1, Heading(0))));
    /// let world = World::new(setup)?;
    /// assert_eq!(world.agents_in(Rect::new(1, 0, 2, 2)), world.agent_arrays().ids);
    /// assert_eq!(world.agent_at(CellXY::new(0, 0)), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn agents_in(&self, area: Rect) -> Vec<AgentId> {
        let area = area.intersection(self.grid.size().rect());
        let mut found: Vec<AgentId> = if area.n_cells() <= self.agents.len() as u64 {
            let holders = area.cells().flat_map(|cell| {
                [self.occupancy.holder_at(cell), self.occupancy.arriving_at(cell)].into_iter().flatten()
            });
            let rows = holders.filter_map(|slot| self.agents.row_of_slot(slot));
            rows.map(|row| self.agents.ids[row]).collect()
        } else {
            let touches = |row: &usize| {
                let motion = &self.agents.motion[*row];
                let (anchor, cells) = self.held_cells(*row);
                let tables = &self.tables[usize::from(motion.class.0)];
                let end = tables.space().pose(end_state(tables, motion));
                let ends = tables.class().cells_at(end).iter().map(|offset| offset.cell_from(end.cell));
                cells
                    .iter()
                    .map(|offset| offset.cell_from(anchor))
                    .chain(ends)
                    .any(|cell| area.contains(cell))
            };
            (0..self.agents.len()).filter(touches).map(|row| self.agents.ids[row]).collect()
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether an agent of a class could be placed in a pose now. A command to place it can still be refused if an
    /// earlier command takes the place.
    /// # Errors
    /// [`RefusalReason::UnknownClass`], [`RefusalReason::IllegalPose`], [`RefusalReason::PoseHeld`].
    pub fn can_place(&self, class: ClassId, pose: Pose) -> Result<(), RefusalReason> {
        self.placeable(class, pose).map(|_| ())
    }

    /// The agents whose pose or move would become illegal if these changes were made together now, in order of id.
    /// # Errors
    /// [`RefusalReason::WrongEdit`] if a change names an unknown kind, or a cell off the map.
    pub fn would_disturb(&self, changes: &[Change]) -> Result<Vec<AgentId>, RefusalReason> {
        disturbed_by(self, changes)
    }

    /// Previews the path of an agent from where it rests, or will rest, around the agents that are obstacles to its
    /// team. `None` if there is no such agent. A request now would get the same path, except for ties and
    /// congestion-aware replanning. [`Status::Obstructed`] says that the map alone has a path.
    ///
    /// With `routes = "abstract"`, a path to a far goal follows a route, as the legs of an order do. Agents that are
    /// obstacles exclude routes here: then the path is exact.
    pub fn plan(
        &self,
        agent: AgentId,
        goal: Goal<'_>,
        scratch: &mut Scratch,
        path: &mut Path,
    ) -> Option<Answer> {
        let row = self.agents.row(agent)?;
        let motion = &self.agents.motion[row];
        let number = usize::from(motion.class.0);
        let tables = &self.tables[number];
        let start = tables.space().pose(end_state(tables, motion));
        let obstacles = self.obstacles_to(row);
        let request = Request {
            heuristic: self.classes[number].heuristic(),
            obstacles: obstacles.as_ref(),
            ..Request::new(start, goal)
        };
        if let Some(answer) = self.plan_by_route(number, &request, scratch, path) {
            return Some(answer);
        }
        let answer = plan(tables, &request, scratch, path);
        if answer.status != Status::Unreachable || obstacles.is_none() {
            return Some(answer);
        }
        let on_map = plan(tables, &Request { obstacles: None, ..request }, scratch, path);
        path.clear();
        let mut found = answer;
        found.expansions += on_map.expansions;
        if on_map.status == Status::Found {
            found.status = Status::Obstructed;
        }
        Some(found)
    }

    /// A path along a route, where an order would get one.
    fn plan_by_route(
        &self,
        class: usize,
        request: &Request<'_>,
        scratch: &mut Scratch,
        path: &mut Path,
    ) -> Option<Answer> {
        if self.settings.replan.route_mode() != RouteMode::Abstract || request.obstacles.is_some() {
            return None;
        }
        let (tables, graph) = (&self.tables[class], self.classes[class].graph.complete()?);
        let goal = GoalMember::pose(tables.space().pose(end_of_far_route(tables, request)?));
        let route = graph.route(tables, request.start, goal, &mut RouteScratch::default())?;
        let expansions = plan_along(tables, &route, (request.start, goal), scratch, path)?;
        Some(Answer::at_goal(path.cost(), route.expansions + expansions))
    }

    /// Previews the poses that an order [to a group](Order::goto_group) would give to some agents, in order of id. A
    /// pose is `None` where there is no room or no way. Empty for other orders. An order now gives the same poses,
    /// unless other commands change who stands where. A unit may still turn on the cells of its pose.
    ///
    /// Costs a cost field for each class, as the order itself does; a field that the world keeps for the goal is used.
    /// Nothing of the world is copied but the tables of a class with one-way moves whose components edits have made
    /// stale.
    ///
    /// ```
    /// # use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// # use wheelbase_planner::{Heading, MovementClass, Pose};
    /// # use wheelbase_sim::{AgentId, ClassId, Order, Settings, Setup, Spawn, World};
    /// # let grid = Grid::from_rows(&["......"; 3], TerrainTable::movingai(), SideTable::default())?;
    /// # let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::octile()]);
    /// setup.agents = [0, 2].map(|y| Spawn::new(ClassId(0), Pose::new(0, y, Heading(0)))).to_vec();
    /// let world = World::new(setup)?;
    /// let poses = world.group_poses(&[AgentId(0), AgentId(1)], &Order::goto_group(CellXY::new(4, 1)));
    /// let cells: Vec<_> = poses.iter().filter_map(|(_, pose)| Some(pose.as_ref()?.cell)).collect();
    /// assert_eq!(cells, [CellXY::new(4, 0), CellXY::new(4, 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group_poses(&self, agents: &[AgentId], order: &Order) -> Vec<(AgentId, Option<Pose>)> {
        let mut rows: Vec<usize> = agents.iter().filter_map(|&agent| self.agents.row(agent)).collect();
        rows.sort_unstable();
        rows.dedup();
        // The tables and fields are shared: only what changes is copied.
        let (mut tables, mut fields) = (self.tables.clone(), self.requests.fields.without_counts());
        for &row in &rows {
            tables[usize::from(self.agents.motion[row].class.0)].renew_components();
        }
        let Self { grid, agents, orders, assigned_poses, occupancy, group_goals, tick, .. } = self;
        let (tick, size, tables) = (*tick, grid.size(), &tables[..]);
        let view = GroupView { tick, size, agents, orders, tables, assigned_poses, occupancy };
        let poses = preview_group_poses(group_goals, &mut fields, view, &rows, order).unwrap_or_default();
        let pose = |(agent, state)| {
            let class = agents.motion[agents.row(agent)?].class;
            Some((agent, Some(tables[usize::from(class.0)].space().pose(state))))
        };
        let refused = poses.refused.into_iter().map(|(agent, _)| (agent, None));
        let mut all: Vec<_> = poses.assigned.into_iter().filter_map(pose).chain(refused).collect();
        all.sort_unstable_by_key(|&(agent, _)| agent);
        all
    }

    /// Writes the rest of the path of an agent, from where it rests or will rest. Arrivals are in ticks from there at
    /// its speed factor, if nothing holds it up. Without a path this is one pose. Returns whether there is such an
    /// agent; without one the path is empty.
    ///
    /// ```
    /// # use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
    /// # use wheelbase_planner::{Heading, MovementClass, Path, Pose};
    /// # use wheelbase_sim::{AgentId, ClassId, Command, Order, Settings, Setup, Spawn, World};
    /// # let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
    /// # let mut setup = Setup::cooperative(Settings::named("field"), grid, vec![MovementClass::octile()]);
    /// let half_as_fast = Spawn { speed_factor: 500, ..Spawn::new(ClassId(0), Pose::new(0, 0, Heading(0))) };
    /// setup.agents.push(half_as_fast.with_orders([Order::goto(CellXY::new(3, 0))]));
    /// let mut world = World::new(setup)?;
    /// world.step();
    /// // The first move has begun. A move to the next cell takes 10,000 ticks at the usual speed.
    /// let mut path = Path::default();
    /// assert!(world.path_of(AgentId(0), &mut path));
    /// let poses: Vec<(i32, u32)> = path.poses.iter().map(|pose| (pose.pose.cell.x, pose.arrival)).collect();
    /// assert_eq!(poses, [(1, 0), (2, 20_000), (3, 40_000)]);
    /// assert!(!world.path_of(AgentId(1), &mut path) && path.poses.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn path_of(&self, agent: AgentId, path: &mut Path) -> bool {
        path.clear();
        let Some(row) = self.agents.row(agent) else { return false };
        let motion = &self.agents.motion[row];
        let tables = &self.tables[usize::from(motion.class.0)];
        let moves = self.agents.moves(row);
        // An edit since the path was found may have closed it: then it is shown up to there.
        let _ = tables.append_moves(path, end_state(tables, motion), moves);
        let factor = self.agents.speed_factors[row];
        let (mut usual, mut arrival) = (0, 0_u32);
        for pose in &mut path.poses {
            let ticks = if pose.arrival == usual { 0 } else { ticks_at_speed(pose.arrival - usual, factor) };
            usual = pose.arrival;
            arrival = arrival.saturating_add(ticks);
            pose.arrival = arrival;
        }
        true
    }

    /// The poses that an agent can reach within some ticks from where it rests or will rest. It moves at the normal
    /// speed, alone on the map. See [`Distances::within`]. `None` if there is no such agent. Linear in the poses within
    /// reach.
    pub fn reach(&self, agent: AgentId, ticks: u32) -> Option<Distances> {
        let row = self.agents.row(agent)?;
        let motion = &self.agents.motion[row];
        let tables = &self.tables[usize::from(motion.class.0)];
        let mut distances = Distances::from_pose(tables, tables.space().pose(end_state(tables, motion)));
        distances.settle(tables, SettleTarget::Within(ticks), u64::MAX);
        Some(distances)
    }

    /// Whether a host may let the agent in a row begin a primitive at the next tick ([`Commanded`]). The moves that
    /// others begin then must still allow it. The agent rests. The move is legal, and does not enter the cells of a
    /// waiting edit. It overlaps nothing that stays whatever the others do
    /// ([`certain_blocker_of_move`](wheelbase_traffic::Occupancy::certain_blocker_of_move)). Exact, unless
    /// [`World::may_change_from_outside`].
    ///
    /// ```
    /// # use wheelbase_grid::{Grid, SideTable, TerrainTable};
    /// # use wheelbase_planner::{ClassSpec, Heading, MovementClass, Pose, Primitive};
    /// # use wheelbase_sim::{ClassId, Settings, Setup, Spawn, World};
    /// # let grid = Grid::from_rows(&["...."], TerrainTable::movingai(), SideTable::default())?;
    /// let mut cart = ClassSpec::new("cart", 4);
    /// cart.primitives = Primitive::vehicle(4, 8, 4); // forward, reverse, two turns
    /// let classes = vec![MovementClass::new(cart)?];
    /// let mut setup = Setup::cooperative(Settings::named("lane"), grid, classes);
    /// for x in [0, 2] {
    ///     setup.agents.push(Spawn::new(ClassId(0), Pose::new(x, 0, Heading(0))));
    /// }
    /// let world = World::new(setup)?;
    /// // The first would reverse off the map. Both may want the cell between them: one of them will get it.
    /// let may = |row| [0, 1, 2, 3].map(|primitive| world.may_begin(row, primitive));
    /// assert_eq!((may(0), may(1)), ([true, false, true, true], [true, true, true, true]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// # Panics
    /// If there is no such row.
    pub fn may_begin(&self, row: usize, primitive: usize) -> bool {
        let motion = &self.agents.motion[row];
        let tables = &self.tables[usize::from(motion.class.0)];
        let Some((step, ticks)) = Commanded::may_begin(tables, motion, primitive, self.pending_edits.areas())
        else {
            return false;
        };
        let until = self.tick.saturating_add(ticks_at_speed(ticks, self.agents.speed_factors[row]));
        self.occupancy.certain_blocker_of_move(self.agents.slots[row], &step, until).is_none()
    }

    /// Whether map or agents may change at the beginning of the next tick: a command takes effect, or an edit that
    /// waits can.
    pub fn may_change_from_outside(&self) -> bool {
        let is_ready = |(at, pending): (usize, &PendingEdit)| {
            let MapEdit { changes, on_agents } = &pending.edit;
            let known = || self.pending_edits.waits_for(at).map(WaitsFor::agent);
            on_agents.after(self.tick - pending.asked) != OnAgents::Wait
                || !is_known_to_wait(self, at) && find_one_disturbed(self, changes, known()).is_none()
        };
        self.commands.any_due(self.tick) || self.pending_edits.edits().iter().enumerate().any(is_ready)
    }

    /// The moves that were refused at the last tick because they would have overlapped another agent. Gives the agent
    /// of the move, and the first agent that holds or has taken a cell of it.
    pub fn refused_moves(&self) -> impl Iterator<Item = (AgentId, AgentId)> {
        let TrafficBuffers { refused, refused_rows, .. } = &self.traffic_buffers;
        refused.iter().zip(refused_rows).filter_map(|(refusal, &row)| {
            let by = self.agents.row_of_slot(refusal.by)?;
            Some((*self.agents.ids.get(row as usize)?, self.agents.ids[by]))
        })
    }

    /// The paths for a host to find, with [`PathSource::Host`]. Each waiting agent has a request. It leads from where
    /// the agent rests to the goal of its order, or to its free poses in an area or a group. A
    /// [`PathQueue`](wheelbase_planner::search::PathQueue) takes it unchanged. A request is listed after each step
    /// until [`Command::PathAnswer`](crate::Command::PathAnswer) answers it, with a path or without. A path must lead
    /// to the goal itself; [`Fallback::Nearest`](wheelbase_planner::search::Fallback) applies to the planner alone.
    pub fn path_requests(&self) -> impl Iterator<Item = (AgentId, QueuedRequest)> {
        let of_host = self.requests.source == PathSource::Host;
        let open = self.requests.queued().iter().filter(move |_| of_host);
        open.filter_map(|request| Some((request.agent, self.request_of(request)?)))
    }

    fn request_of(&self, asked: &PathRequest) -> Option<QueuedRequest> {
        let row = self.agents.row(asked.agent)?;
        let motion = &self.agents.motion[row];
        let tables = &self.tables[usize::from(motion.class.0)];
        let (kind, _, request) = self.search_inputs().cheapest(row, motion.state)?;
        let member = |Pose { cell, heading }| GoalMember { cell, heading: Some(heading) };
        let (goal, within) = match (self.agents.assigned[row], kind.area()) {
            (Some(state), _) => (vec![member(tables.space().pose(state))], 0),
            (None, Some(area)) => {
                let context = self.search_context();
                let cells = area.intersection(self.grid.size().rect()).cells();
                let states = cells.flat_map(|cell| poses_of(tables, GoalMember::any(cell)));
                let poses = states.map(|state| tables.space().pose(state));
                (poses.filter(|&pose| context.is_free(row, pose)).map(member).collect(), 0)
            }
            (None, None) => (request.goal.members.to_vec(), request.goal.within),
        };
        let priority = asked.priority;
        Some(QueuedRequest {
            within,
            priority,
            ..QueuedRequest::new(motion.class.0.into(), request.start, goal)
        })
    }
}
