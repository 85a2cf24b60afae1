//! Landmarks survive edits: they are repaired, and paths cost the same with and without them.

use crate::common::{CART, at, cell, map, setup_on};
use wheelbase_grid::{Change, GridShape, Rect, TerrainKind};
use wheelbase_sim::{AgentId, Command, Host, Order, Random, Settings, Setup, World};

const A: AgentId = AgentId(0);
const GROUND: TerrainKind = TerrainKind(0);
const TREES: TerrainKind = TerrainKind(3);

/// Walls of trees with a gap at one end, in turns: the straight distance says little. Between them are single trees.
fn forest(width: usize, height: usize, landmarks: usize, expansions_per_tick: u64) -> World {
    let is_gap = |x: usize, y: usize| if (x / 6).is_multiple_of(2) { y + 3 > height } else { y < 3 };
    let is_tree = |x: usize, y: usize| x % 6 == 5 && !is_gap(x, y) || x % 6 == 2 && y % 8 == 4;
    let glyph = |x: usize, y: usize| if is_tree(x, y) { 'T' } else { '.' };
    let rows: Vec<String> = (0..height).map(|y| (0..width).map(|x| glyph(x, y)).collect()).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let mut setup: Setup = setup_on(map(&rows, GridShape::Square));
    setup.settings = Settings { expansions_per_tick, ..setup.settings };
    setup.landmarks = Some(landmarks);
    setup.agents = vec![at(CART, 1, 1, 0)];
    World::new(setup).unwrap()
}

fn terrain(x: i32, y: i32, kind: TerrainKind) -> Change {
    Change::Terrain { area: Rect::new(x, y, 1, 1), kind }
}

/// Expansions of the search for a path to a cell.
fn search(world: &mut World, x: i32, y: i32) -> u64 {
    let before = world.counts().expansions;
    world.command(Command::order(A, Order::goto(cell(x, y))));
    world.step();
    world.counts().expansions - before
}

#[test]
fn one_felled_tree_leaves_far_searches_cheap() {
    let mut world = forest(96, 64, 4, 200_000);
    let before = search(&mut world, 94, 60);
    assert!(world.landmarks_in_use(CART));
    world.command(Command::edit(terrain(44, 36, GROUND)));
    world.command(Command::stop(A));
    world.step();
    assert!(world.landmarks_in_use(CART), "repaired at the same tick");
    let after = search(&mut world, 94, 60);
    let mut without = forest(96, 64, 0, 200_000);
    without.command(Command::edit(terrain(44, 36, GROUND)));
    without.step();
    let plain = search(&mut without, 94, 60);
    assert!(after < before * 2 && after * 4 < plain, "{before} {after} {plain}");
}

#[test]
fn a_repair_keeps_to_its_part_of_the_budget() {
    let mut world = forest(96, 64, 4, 2_000);
    world.command(Command::edit(terrain(5, 20, GROUND)));
    let (mut ticks, mut spent) = (0, 0);
    let mut copies: Vec<World> = Vec::new();
    loop {
        let before = world.counts().expansions;
        world.step();
        copies.iter_mut().for_each(|copy| {
            copy.step();
            assert_eq!(copy.state_hash(), world.state_hash());
            assert_eq!(copy.landmarks_in_use(CART), world.landmarks_in_use(CART));
        });
        let of_tick = world.counts().expansions - before;
        assert!(of_tick <= 500);
        (ticks, spent) = (ticks + 1, spent + of_tick);
        if world.landmarks_in_use(CART) {
            break;
        }
        if ticks % 7 == 3 {
            // A save in the middle of a repair holds the rest to pay.
            copies.push(World::load(&world.save().unwrap(), Host::default()).unwrap());
            copies.push(world.clone());
        }
        if ticks == 5 {
            // Another edit waits for the end of the first repair.
            let change = Command::edit(terrain(41, 40, GROUND));
            copies.iter_mut().chain([&mut world]).for_each(|world| {
                world.command(change.clone());
            });
        }
    }
    assert!(ticks > 10 && spent > 4_000 && copies.len() > 3, "{ticks} {spent}");
}

/// Random edits of trees, one after the other: every trip costs the same with landmarks and without.
#[test]
fn trips_cost_the_same_with_and_without_landmarks() {
    for seed in 0..4 {
        let mut random = Random::of_stream(seed, 10);
        let mut worlds = [4, 0].map(|landmarks| forest(48, 32, landmarks, 1 << 20));
        let (mut in_use, mut n_trips) = (0, 0);
        for _ in 0..60 {
            let mut below = |n: usize| random.below(n) as i32;
            let (x, y) = (below(48), below(32));
            let edits: Vec<Command> = (0..1 + below(3))
                .map(|_| {
                    let kind = if below(2) == 0 { GROUND } else { TREES };
                    Command::edit(terrain(below(8) * 6 + 5, below(32), kind))
                })
                .collect();
            for world in &mut worlds {
                edits.iter().cloned().chain([Command::order(A, Order::goto(cell(x, y)))]).for_each(
                    |command| {
                        world.command(command);
                    },
                );
                for _ in 0..2_000 {
                    world.step();
                    if world.agent(A).unwrap().order == u32::MAX {
                        break;
                    }
                }
            }
            in_use += u32::from(worlds[0].landmarks_in_use(CART));
            let [with, without] = worlds.each_ref().map(|world| world.counts());
            let of = |counts: &wheelbase_sim::Counts| {
                (counts.orders_done, counts.orders_unreachable, counts.bound_ticks, counts.trip_ticks)
            };
            assert_eq!(of(with), of(without), "seed {seed}");
            n_trips = with.trips;
        }
        assert!(in_use > 50 && n_trips > 30, "{in_use} {n_trips}");
    }
}
