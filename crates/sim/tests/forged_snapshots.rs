//! Snapshots that were cut, damaged or forged are refused with a reason, and never panic, at loading or later.

use std::io::Cursor;
use wheelbase_sim::codec::{BlockHead, BlockWriter, HEAD_BYTES, PREFIX_BYTES};
use wheelbase_sim::grid::SplitMix64;
use wheelbase_sim::*;

/// A small crowd in the midst of everything: searches, moves, tasks, groups, a waiting edit, queued commands.
fn world() -> World {
    let rows = ["..........", "....WW....", "..........", "....WW....", ".........."];
    let grid = Grid::from_rows(&rows, TerrainTable::movingai(), SideTable::default()).unwrap();
    let mut cart = ClassSpec::new("cart", 4);
    cart.footprint = vec![(0, 0), (-1, 0)];
    cart.primitives = Primitive::vehicle(3, 9, 3);
    let classes = vec![MovementClass::octile(), MovementClass::new(cart).unwrap()];
    let mut settings = Settings::named("forged");
    (settings.expansions_per_tick, settings.search_slots) = (9, 2);
    let mut setup = Setup::cooperative(settings, grid, classes);
    let area = Rect::new(0, 0, 10, 5);
    let source = std::sync::Arc::new(TaskSource::Random { area });
    for (number, (x, y)) in [(0, 0), (9, 4), (9, 0), (0, 4)].into_iter().enumerate() {
        let orders = match number {
            0 => vec![Order::new(OrderKind::Tasks(source.clone(), 0))],
            1 => vec![
                Order::goto_group(CellXY::new(5, 2)),
                Order::patrol(&[CellXY::new(0, 2), CellXY::new(9, 2)]),
            ],
            2 => vec![Order::goto(CellXY::new(0, 0)).or_nearest(), Order::wait(3)],
            _ => vec![Order::follow(AgentId(0), 1)],
        };
        let pose = Pose::new(x, y, Heading(0));
        setup.agents.push(Spawn::new(ClassId(0), pose).with_orders(orders));
    }
    let cart = Spawn::new(ClassId(1), Pose::new(3, 2, Heading(0)));
    setup
        .agents
        .push(cart.with_orders([Order::goto(CellXY::new(8, 2)), Order::goto_area(Rect::new(0, 0, 3, 3))]));
    let mut world = World::new(setup).unwrap();
    for _ in 0..7 {
        world.step();
    }
    let kind = TerrainKind(2);
    world.command(Command::edit(Change::Terrain { area: Rect::new(2, 2, 6, 1), kind }));
    world.command_at(40, Command::remove(AgentId(2)));
    world.step();
    world.command(Command::stop(AgentId(1)));
    world
}

fn load(bytes: &[u8]) -> Result<World, LoadError> {
    World::load(bytes, Host::default())
}

#[test]
fn every_cut_and_every_flipped_bit_is_refused() {
    let bytes = world().save().unwrap();
    load(&bytes).unwrap();
    for end in 0..bytes.len() {
        let error = load(&bytes[..end]).err().unwrap_or_else(|| panic!("cut at {end}"));
        assert!(!error.to_string().is_empty());
    }
    let mut flipped = bytes.clone();
    for bit in 0..8 * bytes.len() {
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(load(&flipped).is_err(), "bit {bit}");
        flipped[bit / 8] ^= 1 << (bit % 8);
    }
    flipped.push(0);
    assert!(load(&flipped).is_err(), "a byte behind the end");
}

/// The inflated bytes of each block.
fn blocks(bytes: &[u8]) -> Vec<(BlockHead, Vec<u8>)> {
    let (mut at, mut found) = (PREFIX_BYTES, Vec::new());
    while at < bytes.len() {
        let head = BlockHead::read(&mut Cursor::new(&bytes[at..])).unwrap();
        let stored = &bytes[at + HEAD_BYTES..][..head.stored_bytes as usize];
        found.push((head, miniz_oxide::inflate::decompress_to_vec(stored).unwrap()));
        at += HEAD_BYTES + head.stored_bytes as usize;
    }
    found
}

/// Bytes that are written as they are.
struct Plain<'a>(&'a [u8]);

impl serde::Serialize for Plain<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeTuple;
        let mut tuple = to.serialize_tuple(self.0.len())?;
        self.0.iter().try_for_each(|byte| tuple.serialize_element(byte))?;
        tuple.end()
    }
}

/// A value is changed in one block, with right checksums. It is refused, or the world steps on without a panic and
/// without two agents on one cell.
#[test]
fn forged_values_are_refused_or_harmless() {
    let bytes = world().save().unwrap();
    let blocks = blocks(&bytes);
    let by_hand = std::env::var("WHEELBASE_FORGED").ok().and_then(|n| n.parse().ok());
    let n_forged = by_hand.unwrap_or(N_FORGED);
    let mut random = SplitMix64::new(n_forged.into());
    let (mut n_loaded, mut n_refused) = (0, 0);
    for _ in 0..n_forged {
        let forged = random.below(blocks.len() as u32) as usize;
        let mut out = bytes[..PREFIX_BYTES].to_vec();
        let mut writer = BlockWriter::default();
        for (number, (head, plain)) in blocks.iter().enumerate() {
            let mut plain = plain.clone();
            if number == forged {
                for _ in 0..=random.below(3) {
                    let at = random.below(plain.len() as u32) as usize;
                    let values =
                        [0, 1, 2, 3, 7, 250, 255, plain[at].wrapping_add(1), plain[at].wrapping_sub(1)];
                    plain[at] = values[random.below(9) as usize];
                }
            }
            writer.write(head.kind, (head.first_tick, 0), &Plain(&plain), &mut out).unwrap();
        }
        let host = Host { memory_max: grid::MemoryMax::of_all(1 << 30), ..Host::default() };
        match World::load(&out, host) {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                n_refused += 1;
            }
            Ok(mut world) => {
                n_loaded += 1;
                for _ in 0..60 {
                    world.step();
                }
                let found = invariant::check(&world);
                assert_eq!(invariant::colliding_pairs(&found), 0, "{found:?}");
            }
        }
    }
    assert!(n_refused > n_forged / 10 && n_loaded > 0, "{n_refused} refused, {n_loaded} loaded");
}

/// Forged snapshots in a run of the tests; more by `WHEELBASE_FORGED`.
const N_FORGED: u32 = 1500;
