//! Agents that come and go by the hundred thousand leave memory flat: the bytes in use by the process, and the size of
//! every pool. The only test of this file. `WHEELBASE_SPAWNS=10000000` has ten million of them.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/counting.rs"]
mod counting;

use common::{CART, TRUCK, WALKER, cell, open, pose, setup_on};
use counting::bytes;
use std::sync::Arc;
use std::time::Instant;
use wheelbase_grid::{Change, Rect, SplitMix64, TerrainKind};
use wheelbase_sim::invariant::{PoolSizes, check_pools, pool_sizes};
use wheelbase_sim::{
    AgentId, AgentSelection, Command, IfNoRoom, MapEdit, Order, OrderKind, Spawn, SpawnGroup, TaskSource,
    Team, World,
};

const SIDE: u32 = 24;
/// Agents present at most.
const AGENTS: usize = 48;

/// Orders of a new agent, of all kinds in turn.
fn orders(number: u64, world: &World, random: &mut SplitMix64) -> Arc<[Order]> {
    // Few goals, so that all cost fields that pay are soon there: they take 256 kB of addresses each.
    let to = cell(2 + 5 * random.below(4) as i32, 3 + 5 * random.below(4) as i32);
    let area = Rect::new(to.x, to.y, 3, 3);
    let order = match number % 9 {
        0 => return Arc::default(),
        1 => Order::goto_group(to),
        2 => Order::goto_area(area),
        3 => Order::patrol(&[to, cell(4, 4)]),
        4 => Order::new(OrderKind::Tasks(Arc::new(TaskSource::Random { area }), 0)),
        5 => match world.agents().first() {
            Some(leader) => Order::new(OrderKind::Follow { leader: leader.agent(), within: 2 }),
            None => Order::goto(to),
        },
        6 => return Arc::new([Order::goto(to), Order::new(OrderKind::Wait(3)), Order::goto(cell(1, 1))]),
        7 => Order::new(OrderKind::Hold),
        _ => Order::goto(to),
    };
    Arc::new([order])
}

/// The commands of a tick: about as many agents go as come.
fn commands(world: &mut World, random: &mut SplitMix64) {
    let n = world.agents().len();
    for _ in 0..12 {
        let number = world.counts().placed + u64::from(random.below(9));
        let class = [WALKER, CART, TRUCK][random.below(3) as usize];
        let at = pose(random.below(SIDE) as i32, random.below(SIDE) as i32, 0);
        let orders = orders(number, world, random);
        world.command(Command::Spawn(Spawn {
            orders,
            team: Team(number as u8 % 2),
            ..Spawn::new(class, at)
        }));
    }
    if random.chance(100) {
        let area = Rect::new(2, 2, 9, 9);
        let orders = orders(1, world, random);
        let group = SpawnGroup {
            class: WALKER,
            count: 6,
            area,
            priority: 0,
            team: Team(0),
            orders,
            speed_factor: 1000,
            anywhere: false,
            if_no_room: IfNoRoom::Drop,
        };
        world.command(Command::SpawnGroup(group));
    }
    let goes: Vec<AgentId> =
        world.agents().iter().filter(|_| n > AGENTS || random.chance(250)).map(|row| row.agent()).collect();
    world.command(Command::Remove(AgentSelection::Named(goes)));
    // What the others do meanwhile.
    let present = world.agents();
    if !present.is_empty() {
        let one = present[random.below(present.len() as u32) as usize].agent();
        let append = random.chance(500);
        let class = [WALKER, CART, TRUCK][random.below(3) as usize];
        let (team, permille) = (Team(random.below(3) as u8), 500 + 500 * random.below(3) as u16);
        let orders = orders(u64::from(random.below(9)), world, random);
        for command in [
            Command::Order { agents: one.into(), orders, append },
            Command::Class { agent: one, class, pose: None },
            Command::Team { agents: one.into(), team },
            Command::SpeedFactor { agents: one.into(), permille },
            Command::remove(AgentId(one.0 ^ 1)),
        ] {
            if random.chance(200) {
                world.command(command);
            }
        }
    }
}

#[test]
fn memory_stays_flat() {
    let spawns: u64 =
        std::env::var("WHEELBASE_SPAWNS").ok().and_then(|text| text.parse().ok()).unwrap_or(30_000);
    let mut setup = setup_on(open(SIDE as usize, SIDE as usize));
    setup.settings.expansions_per_tick = 5_000;
    setup.friends.befriend(Team(0), Team(1));
    let mut world = World::new(setup).unwrap();
    let mut random = SplitMix64::new(11);
    // The most bytes, and the largest pools, in each tenth.
    let mut tenths = [(0, PoolSizes::default()); 10];
    while world.counts().placed < spawns {
        commands(&mut world, &mut random);
        world.step();
        let (most, pools) = &mut tenths[(world.counts().placed * 10 / spawns).min(9) as usize];
        *most = bytes().max(*most);
        *pools = largest(*pools, pool_sizes(&world));
        if world.tick().is_multiple_of(64) {
            assert_eq!(check_pools(&world), Ok(()));
        }
    }
    let counts = *world.counts();
    for (at, (most, pools)) in tenths.iter().enumerate() {
        println!("tenth {at}: {most} bytes, {pools:?}");
    }
    println!(
        "{} placed, {} removed, {} moves in {} ticks",
        counts.placed,
        counts.removed,
        counts.moves,
        world.tick()
    );
    let (early, late) = (tenths[1], tenths[9]);
    // Capacities double now and then; nothing grows with the run.
    assert!(late.0 < early.0 + early.0 / 10, "{} bytes, then {}", early.0, late.0);
    assert!(late.1.agent_slots <= 2 * AGENTS + 100 && late.1.entities == late.1.agents, "{:?}", late.1);
    assert!(late.1.orders.iter().all(|&n| n <= 1000), "{:?}", late.1);
    assert!(late.1.requests <= late.1.agents && late.1.followers <= late.1.agents);
    assert!(late.1.group_centres <= 70 + 2 * 3 * late.1.agents, "{:?}", late.1);
    assert!(late.1.obstructed <= late.1.agents && late.1.assigned <= late.1.agents, "{:?}", late.1);
    edits_that_wait_take_little();
}

/// Thousands of edits of most of a large map wait for one agent, which moves. They take no memory by the cell, and no
/// tick tests or clears each of their cells.
fn edits_that_wait_take_little() {
    const EDITS: u64 = 5_000;
    let mut setup = setup_on(open(1000, 1000));
    // A patrol with all waypoints inside would be sent off.
    let orders = (0..40).map(|number| Order::goto(cell(if number % 2 == 0 { 45 } else { 40 }, 40)));
    setup.agents.push(Spawn::new(WALKER, pose(40, 40, 0)).with_orders(orders.collect::<Vec<_>>()));
    let before = bytes();
    // Edits of the setup do not replace each other.
    setup.scheduled.extend((0..EDITS as u32).map(|number| {
        let area = Rect::new(0, 0, 1000 - number % 100, 1000 - number / 100);
        let change = Change::Terrain { area, kind: TerrainKind(2 + (number % 2) as u8) };
        (20, Command::Edit(MapEdit::new(change)))
    }));
    let scheduled = bytes() - before;
    let mut world = World::new(setup).unwrap();
    for _ in 0..20 {
        world.step();
    }
    let before = bytes() - scheduled;
    let started = Instant::now();
    for _ in 0..100 {
        world.step();
    }
    let (took, more) = (started.elapsed(), bytes() - before);
    println!("{EDITS} edits that wait: {more} bytes, {took:?} for 100 ticks");
    assert_eq!(world.edits_pending() as u64, EDITS);
    assert!(world.counts().moves > 20, "the agent does not move");
    assert!(more as u64 <= 1000 * EDITS, "{more} bytes");
    // Ten times the time of a build that is not optimised; testing each cell takes minutes.
    assert!(took.as_secs() < 20, "{took:?}");
}

fn largest(one: PoolSizes, other: PoolSizes) -> PoolSizes {
    PoolSizes {
        agents: one.agents.max(other.agents),
        entities: one.entities.max(other.entities),
        agent_slots: one.agent_slots.max(other.agent_slots),
        orders: std::array::from_fn(|at| one.orders[at].max(other.orders[at])),
        requests: one.requests.max(other.requests),
        followers: one.followers.max(other.followers),
        obstructed: one.obstructed.max(other.obstructed),
        assigned: one.assigned.max(other.assigned),
        group_centres: one.group_centres.max(other.group_centres),
        waiting: std::array::from_fn(|at| one.waiting[at].max(other.waiting[at])),
    }
}
