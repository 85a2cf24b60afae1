//! In steady state a tick at which commands come allocates nothing. The commands are orders to single agents to go,
//! patrol, follow, wait, hold and stop, and tasks, in place of others or behind them. They also set priorities, teams
//! and speed factors. The only test of this file: it counts all allocations of its threads. Building and giving
//! commands, the host's part, is not counted. `WHEELBASE_SHOW=1` prints the places of allocations.
//!
//! These may allocate. Goals without an earlier search do, for the count of their searches and once for each cost field
//! that pays. Orders to groups do, and orders that name headings, for each number of headings. Tasks given by
//! [`Command::Tasks`] do, for the list that holds them. Placing and removing agents does, and so do edits. Class
//! changes do if the agent has orders that name headings. Rayon does once in 63 steps, if the caller is not a thread of
//! the world's pool.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "common/counting.rs"]
mod counting;

use common::{CART, TRUCK, WALKER, at, cell, open, setup_on};
use counting::{allocations, show, watch};
use std::sync::Arc;
use wheelbase_grid::{Rect, SplitMix64};
use wheelbase_sim::{AgentId, AgentSelection, Command, Order, OrderKind, TaskSource, Team, World};

const WIDTH: u32 = 30;
const HEIGHT: u32 = 22;
/// Agents without orders, which stay in place for others to follow.
const LEADERS: u32 = 2;

fn world() -> World {
    let mut setup = setup_on(open(WIDTH as usize, HEIGHT as usize));
    setup.settings.search_slots = 4;
    setup.settings.expansions_per_tick = 20_000;
    setup.friends.befriend(Team(0), Team(1));
    setup.agents.push(at(WALKER, 29, 0, 0).with_orders([Order::hold()]));
    setup.agents.push(at(WALKER, 0, 21, 0).with_orders([Order::hold()]));
    for at_x in 0..8 {
        setup.agents.push(at(WALKER, 1 + 3 * at_x, 1, 0));
        setup.agents.push(at(CART, 1 + 3 * at_x, 4, 1));
        setup.agents.push(at(TRUCK, 2 + 3 * at_x, 8, 0));
    }
    World::new(setup).unwrap()
}

/// The command of a number.
fn command(random: &mut SplitMix64, agents: u32) -> Command {
    let agent = AgentId(LEADERS + random.below(agents - LEADERS));
    let one = AgentSelection::One(agent);
    let to = cell(2 + 6 * random.below(5) as i32, 2 + 5 * random.below(4) as i32);
    match random.below(13) {
        0..3 => Command::order(agent, Order::goto(to)),
        3 => Command::append(agent, Order::goto(to)),
        4 => Command::append(agent, Order::new(OrderKind::Wait(5))),
        5 => Command::stop(one),
        6 => Command::hold(one),
        7 => Command::order(agent, Order::follow(AgentId(random.below(LEADERS)), 2)),
        8 => Command::Priority { agents: one, priority: random.between(-3, 3) },
        9 => Command::SpeedFactor { agents: one, permille: [800, 1000, 1500][random.below(3) as usize] },
        10 => Command::Team { agents: one, team: Team(random.below(2) as u8) },
        11 => {
            let area = Rect::new(20, 12, 3, 3);
            let source = Arc::new(TaskSource::Random { area });
            Command::order(agent, Order::new(OrderKind::Tasks(source, 0)))
        }
        _ => Command::order(agent, Order::patrol(&[to, cell(2, 2)])),
    }
}

/// Runs some ticks with commands, and counts allocations inside of steps.
fn run(world: &mut World, random: &mut SplitMix64, ticks: u32) -> u64 {
    let before = allocations();
    for _ in 0..ticks {
        for _ in 0..random.below(3) {
            let agents = world.agents().len() as u32;
            world.command(command(random, agents));
        }
        watch(true);
        world.step();
        watch(false);
    }
    allocations() - before
}

#[test]
fn a_tick_with_commands_allocates_nothing() {
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.broadcast(|_| watch(true));
        pool.install(|| {
            watch(false);
            let mut world = world();
            let mut random = SplitMix64::new(3);
            run(&mut world, &mut random, 16_000);
            if std::env::var_os("WHEELBASE_SHOW").is_some() {
                show();
            }
            let (moves, done) = (world.counts().moves, world.counts().orders_done);
            let n = run(&mut world, &mut random, 2_000);
            assert!(world.counts().moves > moves + 1_000 && world.counts().orders_done > done + 100);
            assert_eq!(n, 0, "{threads} threads");
        });
    }
}
