//! A world from bytes.

use super::error::LoadError;
use super::format::{AgentsBlock, BLOCKS, RequestsBlock, RuleBlock, SNAPSHOT, TablesBlock, WorldBlock};
use crate::agents::Agents;
use crate::assigned_poses::AssignedPoses;
use crate::class_graph::{ClassGraph, SavedGraph};
use crate::class_landmarks::{ClassLandmarks, LandmarkRecipe};
use crate::codec::{BlockHead, COUNT_MAX, Damage, read_block, read_prefix};
use crate::command_queue::CommandQueue;
use crate::commands::{AGENTS_MAX, RefusalReason};
use crate::counts::Counts;
use crate::disturbed::check_edit;
use crate::invariant;
use crate::order_pool::OrderPool;
use crate::phases::orders_given::check_order;
use crate::pool_check::check_pools;
use crate::replan_params::tune;
use crate::requests::{PathSource, Requests};
use crate::route_legs::{early_graphs, make_early_graphs};
use crate::rows::event_details::WAITS_FOR_MAX;
use crate::setup::{WorldBase, out_of_range};
use crate::threads::Threads;
use crate::traffic_buffers::TrafficBuffers;
use crate::world::{Settings, Start, World};
use crate::world_need::WorldParts;
use serde::de::DeserializeOwned;
use std::io::Read;
use wheelbase_grid::{MemoryMax, MemoryNeed};
use wheelbase_planner::model::StateSpace;
use wheelbase_planner::tables::SavedTables;
use wheelbase_planner::{MovementClass, MovementTables};
use wheelbase_traffic::motion::{AgentId, ClassId, transition_of};
use wheelbase_traffic::occupancy::{Occupancy, Refusal};
use wheelbase_traffic::teams::{Friends, Team};
use wheelbase_traffic::{OwnRule, RuleContext, RulePart, RuleSetting, RuleState, Traffic};

/// Makes the traffic rule of a saved name, in its initial state. `None` for an unknown name, or if the rule does not
/// support the setting.
pub type MakeRule<'a> = dyn Fn(&str, RuleSetting<'_>) -> Option<Box<dyn Traffic>> + 'a;

/// What a host gives to a loaded world.
pub struct Host<'a> {
    /// Makes the traffic rule of a saved name.
    pub traffic: &'a MakeRule<'a>,
    /// The threads that the world runs on.
    pub threads: Threads,
    /// Limits on the memory of the world.
    pub memory_max: MemoryMax,
}

impl Default for Host<'_> {
    /// Knows the rules of this crate, runs on the caller's thread, and sets no limit.
    fn default() -> Self {
        Self { traffic: &make_own_rule, threads: Threads::default(), memory_max: MemoryMax::NONE }
    }
}

impl Host<'_> {
    /// Most memory of a decoded block.
    pub(crate) fn block_bytes_max(&self) -> usize {
        let limit = self.memory_max.total.or(self.memory_max.built).unwrap_or(BLOCK_BYTES_MAX);
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}

/// A [`MakeRule`] of the rules of `wheelbase-traffic`.
pub fn make_own_rule(name: &str, setting: RuleSetting<'_>) -> Option<Box<dyn Traffic>> {
    OwnRule::from_name(name)?.make_to_restore(setting)
}

/// Most memory of a decoded block where the host sets no limit.
const BLOCK_BYTES_MAX: u64 = 8 << 30;

impl World {
    /// A world as [`World::save`] wrote it. Everything is checked: lengths before memory is taken, then what they mean.
    /// Linear in the map, and as long as its tables and landmarks take to make.
    /// # Errors
    /// [`LoadError`], with the part and its mistake.
    pub fn load(mut bytes: &[u8], host: Host<'_>) -> Result<Self, LoadError> {
        Self::load_from(&mut bytes, host)
    }

    /// As [`World::load`], from a file. Reads it once, and nothing behind the first block that is wrong.
    /// # Errors
    /// As [`World::load`].
    pub fn load_from(input: &mut impl Read, host: Host<'_>) -> Result<Self, LoadError> {
        let mut reader = Reader { input, next: 0, memory_max: host.block_bytes_max() };
        read_prefix(&SNAPSHOT, reader.input).map_err(|damage| LoadError::Damage { block: None, damage })?;
        let mut block: WorldBlock = reader.read()?;
        let tick = block.tick;
        let Settings { traffic, replan, .. } = &mut block.settings;
        for (name, value) in &block.tunables {
            tune(traffic, replan, name, *value).map_err(|error| wrong(0, error.to_string()))?;
        }
        check_need(&block, host.memory_max)?;
        let tables_block: TablesBlock = reader.read()?;
        check_tables_need(&block, &tables_block, host.memory_max)?;
        let graphs: Vec<SavedGraph> = tables_block.0.iter().map(|&(.., graph)| graph).collect();
        let base = base_of(block, tables_block)?;
        let agents_block: AgentsBlock<'_> = reader.read()?;
        let requests_block: RequestsBlock = reader.read()?;
        let rule: RuleBlock = reader.read()?;
        reader.end()?;
        let setting = RuleSetting {
            tables: &base.tables[..base.start.n_classes],
            size: base.grid.size(),
            collision: base.settings.collision,
            n_agents: agents_block.agents.len(),
            seed: base.settings.seed,
            params: base.settings.traffic,
        };
        let traffic = (host.traffic)(&rule.name, setting);
        let mut traffic = traffic.ok_or_else(|| LoadError::UnknownRule(rule.name.clone()))?;
        if (base.start.n_classes..base.tables.len()).any(|n| !traffic.add_class(&base.tables[..=n])) {
            return Err(wrong(4, "a rule that cannot drive the classes added to its world".to_owned()));
        }
        let mut world = base.into_world(traffic, host.threads, requests_block.source());
        world.tick = tick;
        restore_agents(&mut world, agents_block).map_err(|why| wrong(2, why))?;
        world.requests = restore_requests(&world, requests_block).map_err(|why| wrong(3, why))?;
        check_pools(&world).map_err(|why| wrong(2, why))?;
        if let Some(violation) = invariant::check(&world).first() {
            return Err(wrong(2, violation.to_string()));
        }
        restore_rule(&mut world, rule).map_err(|why| wrong(4, why))?;
        let mut pool = world.pool.clone();
        let is_early = early_graphs(&world);
        pool.run(|| {
            for ((class, tables), graph) in world.classes.iter_mut().zip(&world.tables).zip(graphs) {
                class.graph = ClassGraph::restore(graph, tables);
            }
            make_early_graphs(&mut world.classes, &world.tables, is_early);
        });
        Ok(world)
    }
}

fn wrong(block: usize, why: String) -> LoadError {
    LoadError::Meaning { part: BLOCKS[block].1, why }
}

/// Takes blocks from the front of a snapshot.
struct Reader<'a, R> {
    input: &'a mut R,
    next: u32,
    memory_max: usize,
}

impl<R: Read> Reader<'_, R> {
    fn read<T: DeserializeOwned>(&mut self) -> Result<T, LoadError> {
        let number = self.next;
        let damaged = |damage| LoadError::Damage { block: Some(number), damage };
        let head = BlockHead::read(self.input).map_err(damaged)?;
        let (kind, name) = BLOCKS[number as usize];
        if (head.kind, head.number) != (kind, number) {
            let why = format!("block {} of kind {}, expected the {name}", head.number, head.kind);
            return Err(damaged(Damage::Meaning(why)));
        }
        self.next += 1;
        read_block(&head, self.memory_max, self.input).map_err(damaged)
    }

    fn end(&mut self) -> Result<(), LoadError> {
        let damage = match self.input.read(&mut [0]) {
            Ok(0) => return Ok(()),
            Ok(_) => Damage::meaning("something stands behind the last block"),
            Err(error) => Damage::Reading(error),
        };
        Err(LoadError::Damage { block: Some(self.next), damage })
    }
}

/// Whether the world may be built: numbers in range, and memory for it.
fn check_need(block: &WorldBlock, memory_max: MemoryMax) -> Result<(), LoadError> {
    let WorldBlock { tick, settings, grid, classes, landmarks, eased, n_agents, .. } = block;
    if let Some(error) = out_of_range(settings, landmarks.map(|landmarks| landmarks as usize)).first() {
        return Err(wrong(0, error.to_string()));
    }
    let (n_classes, revision) = (classes.len(), grid.revision());
    if n_classes > usize::from(u8::MAX) + 1 || *n_agents as usize > AGENTS_MAX || *tick == u32::MAX {
        return Err(wrong(0, format!("{n_classes} classes, {n_agents} agents at tick {tick}")));
    }
    if block.n_classes as usize > n_classes {
        return Err(wrong(0, format!("{n_classes} classes, {} of them of its setup", block.n_classes)));
    }
    if revision > COUNT_MAX {
        return Err(wrong(0, format!("revision {revision} of the map, expected at most {COUNT_MAX}")));
    }
    if let Some(class) = classes.iter().find(|class| class.spec().shape != grid.shape()) {
        return Err(wrong(0, format!("class \"{}\" is for maps of another shape", class.spec().name)));
    }
    if eased.iter().any(|change| change.check(grid).is_err()) {
        return Err(wrong(0, "an eased change of an unknown kind or off the map".to_owned()));
    }
    let parts = WorldParts {
        grid,
        classes: classes.iter().collect(),
        collision: settings.collision,
        search_slots: settings.search_slots as u64,
        agents: u64::from(*n_agents),
        changes: eased.len() as u64,
        landmarks: landmarks.map_or(0, |landmarks| landmarks as usize),
        routes: settings.replan.route_mode(),
        fields: WorldParts::FIELDS,
    };
    Ok(parts.check(memory_max)?)
}

/// Whether the tables may be made: after edits on slopes they can be wider than on a fresh map.
fn check_tables_need(
    block: &WorldBlock,
    tables: &TablesBlock,
    memory_max: MemoryMax,
) -> Result<(), LoadError> {
    let TablesBlock(saved) = tables;
    let of_class = |(class, (tables, recipe, _)): (
        &MovementClass,
        &(SavedTables, Option<LandmarkRecipe>, SavedGraph),
    )| {
        let space = StateSpace::new(block.grid.size(), block.grid.shape(), class.headings());
        let of_landmarks = recipe.as_ref().map_or(0, LandmarkRecipe::word_bytes);
        (tables.word_bytes() + of_landmarks).saturating_mul(space.n_states() as u64)
    };
    let need = block.classes.iter().zip(saved).map(of_class).fold(0, u64::saturating_add);
    Ok(memory_max.check(MemoryNeed::built(need), || "movement tables".to_owned())?)
}

/// Compiles the tables and makes the landmarks.
fn base_of(block: WorldBlock, tables: TablesBlock) -> Result<WorldBase, LoadError> {
    let WorldBlock { settings, grid, classes, friends, landmarks, eased, n_classes, .. } = block;
    let TablesBlock(saved) = tables;
    if saved.len() != classes.len() {
        return Err(wrong(1, format!("tables of {} classes, expected {}", saved.len(), classes.len())));
    }
    let (mut tables, mut recipes) = (Vec::with_capacity(classes.len()), Vec::with_capacity(classes.len()));
    for (class, (saved, recipe, _)) in classes.into_iter().zip(saved) {
        tables.push(
            MovementTables::restore(&saved, &grid, class).map_err(|error| wrong(1, error.to_string()))?,
        );
        recipes.push(recipe);
    }
    let friends = friends_of(&friends).ok_or_else(|| wrong(0, "friends that are not mutual".to_owned()))?;
    let start = Start {
        landmarks: landmarks.map(|landmarks| landmarks as usize),
        eased,
        agents: Vec::new(),
        n_classes: n_classes as usize,
    };
    let mut base = WorldBase::new(settings, grid, tables, friends, start);
    for (class, recipe) in recipes.into_iter().enumerate() {
        let Some(recipe) = recipe else { continue };
        let (of_class, movement) = (&base.classes[class], base.tables[class].class());
        let made = ClassLandmarks::restore(recipe, movement, &of_class.speeds, &base.grid);
        base.classes[class].landmarks = Some(made.map_err(|why| wrong(1, why))?);
    }
    Ok(base)
}

fn friends_of(rows: &[u32; Team::COUNT]) -> Option<Friends> {
    let mut friends = Friends::default();
    for one in (0..Team::COUNT as u8).map(Team) {
        for other in (0..Team::COUNT as u8).map(Team).filter(|other| other.is_in(rows[usize::from(one.0)])) {
            friends.befriend(one, other);
        }
    }
    (friends.rows() == rows).then_some(friends)
}

fn restore_agents(world: &mut World, block: AgentsBlock<'_>) -> Result<(), String> {
    let AgentsBlock { agents, orders, commands, pending_edits, class_changes, followers, .. } = block;
    let tick = world.tick;
    world.orders = OrderPool::restore(orders)?;
    world.agents = Agents::restore(agents, (tick, &world.tables, &world.orders))?;
    world.counts = checked_counts(block.counts)?;
    if block.longest.len() != world.classes.len() {
        return Err(format!(
            "longest times of {} classes, expected {}",
            block.longest.len(),
            world.classes.len()
        ));
    }
    world.longest = block.longest;
    check_orders_of_agents(world)?;
    hold_all(&mut world.occupancy, &world.agents, &world.tables)?;
    world.orders.all_orders().for_each(|orders| world.assigned_poses.make_room_for(orders));
    assign_all(&mut world.assigned_poses, &world.agents, &world.tables)?;
    world.commands = CommandQueue::restore(commands, tick)?;
    for pending in pending_edits {
        if pending.asked > tick || pending.ticket.0 > COUNT_MAX {
            return Err(format!("an edit asked for at tick {}", pending.asked));
        }
        if pending.waited_for.len() > WAITS_FOR_MAX {
            return Err(format!("an edit that waited for {} agents by name", pending.waited_for.len()));
        }
        check_edit(world, &pending.edit).map_err(|reason| format!("a pending edit: {reason}"))?;
        world.pending_edits.push(pending);
    }
    let n_classes = world.classes.len();
    if class_changes.iter().any(|change| usize::from(change.class.0) >= n_classes) {
        return Err("a change to an unknown class".to_owned());
    }
    world.class_changes = class_changes;
    if !followers.is_sorted_by(|one, other| one < other) {
        return Err("followers out of order".to_owned());
    }
    world.followers = followers;
    let waiting: Vec<AgentId> = block.obstructed.agents().collect();
    if !waiting.is_sorted_by(|one, other| one < other) {
        return Err("obstructed agents out of order".to_owned());
    }
    world.obstructed = block.obstructed;
    world.congestion.restore(block.congestion)?;
    let headings = |class: ClassId| Some(world.tables.get(usize::from(class.0))?.space().headings());
    let agents = &world.agents;
    let has_pose = |agent| agents.row(agent).is_some_and(|row| agents.assigned[row].is_some());
    if let Some(mistake) = block.group_goals.mistake(headings, has_pose) {
        return Err(mistake.to_owned());
    }
    world.group_goals = block.group_goals;
    world.traffic_buffers = block.buffers.into_owned();
    check_buffers(world, &world.traffic_buffers)
}

/// Orders, tasks and trips: of the agents that have them, on this map.
fn check_orders_of_agents(world: &World) -> Result<(), String> {
    for orders in world.orders.all_orders() {
        for (at, order) in orders.iter().enumerate() {
            // Of several goals a class may lack the headings of all on the map: then the order is found unreachable.
            match check_order(world, order, (&orders[..at], true)) {
                Ok(()) | Err(RefusalReason::GoalOffMap) => {}
                Err(reason) => return Err(format!("an order to {}: {reason}", order.kind.name())),
            }
        }
    }
    for (AgentId(id), class, state) in world.agents.all_orders() {
        let tables = &world.tables[usize::from(class.0)];
        let headings = tables.space().headings();
        let fits =
            world.orders.open(&state).all(|order| order.headings == headings || order.names_no_heading());
        let members = || world.orders.own_trips(&state).flat_map(|trip| &trip.members);
        let is_known = members().filter_map(|member| member.heading).all(|heading| heading.0 < headings);
        if !fits || !is_known {
            return Err(format!("agent {id}: a heading that its class lacks"));
        }
    }
    Ok(())
}

/// Gives the agents the cells that they hold.
fn hold_all(occupancy: &mut Occupancy, agents: &Agents, tables: &[MovementTables]) -> Result<(), String> {
    for row in 0..agents.len() {
        let (slot, motion) = (agents.slots[row], &agents.motion[row]);
        let (anchor, cells) = transition_of(tables, motion).start();
        if let Some(other) = occupancy.blocker(slot, anchor, cells) {
            let other = agents.row_of_slot(other).map_or(AgentId::NOBODY, |row| agents.ids[row]);
            return Err(format!("agents {} and {} overlap at {anchor}", other.0, agents.ids[row].0));
        }
        occupancy.hold(slot, anchor, cells);
    }
    let moving: Vec<usize> = (0..agents.len()).filter(|&row| !agents.motion[row].at_rest()).collect();
    let move_of = |number: usize| {
        let (row, motion) = (moving[number], &agents.motion[moving[number]]);
        (agents.slots[row], transition_of(tables, motion), motion.until)
    };
    let mut refused = Vec::new();
    occupancy.begin(moving.len(), move_of, &mut refused);
    match refused.first() {
        Some(&Refusal { number, .. }) => {
            let agent = agents.ids[moving[number as usize]];
            Err(format!("the move of agent {} leads onto cells of another", agent.0))
        }
        None => Ok(()),
    }
}

/// Assigns the agents their poses.
fn assign_all(
    assigned_poses: &mut AssignedPoses,
    agents: &Agents,
    tables: &[MovementTables],
) -> Result<(), String> {
    for row in 0..agents.len() {
        let Some(state) = agents.assigned[row] else { continue };
        let tables = &tables[usize::from(agents.motion[row].class.0)];
        let pose = tables.space().pose(state);
        let (slot, cells) = (agents.slots[row], tables.class().cells_at(pose));
        if assigned_poses.is_empty() || !assigned_poses.is_free(slot, pose.cell, cells) {
            return Err(format!("agent {} is assigned {}, as is another", agents.ids[row].0, pose.cell));
        }
        assigned_poses.assign(slot, pose.cell, cells);
    }
    Ok(())
}

fn check_buffers(world: &World, buffers: &TrafficBuffers) -> Result<(), String> {
    let map = world.grid.size().rect();
    if buffers.edited.iter().any(|&area| area.is_empty() || area.intersection(map) != area) {
        return Err("an edited area beyond the map".to_owned());
    }
    // They may have been more agents when it was refused.
    if buffers.refused_rows.iter().any(|&row| row as usize >= world.agents.n_slots()) {
        return Err("a refused move of no agent".to_owned());
    }
    Ok(())
}

/// Counts that can still grow for as long as any run lasts.
fn checked_counts(counts: Counts) -> Result<Counts, String> {
    let largest = counts.largest();
    if largest > COUNT_MAX {
        Err(format!("a count of {largest}, expected at most {COUNT_MAX}"))
    } else {
        Ok(counts)
    }
}

fn restore_requests(world: &World, block: RequestsBlock) -> Result<Requests, String> {
    let slots = world.settings.search_slots;
    let mut requests = Requests::new(slots, world.grid.size(), PathSource::default());
    requests.restore(block, world.tick, &world.search_context())?;
    Ok(requests)
}

fn restore_rule(world: &mut World, rule: RuleBlock) -> Result<(), String> {
    let part = |(name, values)| RulePart { name, values };
    let state = RuleState { parts: rule.parts.into_iter().map(part).collect() };
    let buffers = &world.traffic_buffers;
    let rows = buffers.new_classes.iter().filter_map(|&agent| world.agents.row(agent));
    let mut reclassed: Vec<u32> = rows.map(|row| row as u32).collect();
    reclassed.sort_unstable();
    reclassed.dedup();
    let context = RuleContext {
        tick: world.tick,
        poses_per_agent: world.settings.poses_per_agent,
        grid_size: world.grid.size(),
        tables: &world.tables,
        agents: world.agents.view(&[]),
        edited: &buffers.edited,
        refused: &buffers.refused_rows,
        reclassed: &reclassed,
    };
    world.traffic.restore_state(&state, &context).map_err(|error| error.to_string())
}
