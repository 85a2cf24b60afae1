//! Edits that wait until they disturb nobody. Agents without an order that stand on the cells are sent off. An agent
//! that stays is named with its reason.

use crate::common::build_world;
use wheelbase_sim::{AgentId, Command, RunState, World, invariant};

/// Open ground of 40x24 cells whose middle is flooded at tick 5, and agents given by class, place and orders.
fn world(agents: &[(&str, [i32; 2], &str)]) -> World {
    let rows = vec![format!("\"{}\"", ".".repeat(40)); 24].join(", ");
    let agents = agents.iter().map(|(class, [x, y], orders)| {
        format!("[[agents]]\nclass = \"{class}\"\nat = [{x}, {y}, \"E\"]\norders = [{orders}]\n")
    });
    build_world(&format!(
        r#"
name = "flood"
ticks = 4000
[map]
rows = [{rows}]
[class.scout]
moves = [
  {{ name = "forward", by = [1, 0], time = 2 }},
  {{ name = "left", turn = 1, time = 2 }},
  {{ name = "right", turn = -1, time = 2 }},
]
headings = 4
[class.tank]
headings = 4
footprint = ["XX>", "XXX"]
pivot = [-0.5, 0.5]
moves = [
  {{ name = "forward", by = [1, 0], time = 5 }},
  {{ name = "reverse", by = [-1, 0], time = 15 }},
  {{ name = "left", turn = 1, time = 8 }},
  {{ name = "right", turn = -1, time = 8 }},
]
[class.post]
headings = 4
moves = [{{ name = "left", turn = 1, time = 4 }}]
{}
[[events]]
tick = 5
set_terrain = {{ area = [8, 4, 24, 16], kind = "water", on_agents = "wait" }}
"#,
        agents.collect::<String>()
    ))
}

/// Steps until the edit is carried out, at most to a tick; gives the tick.
fn flooded_at(world: &mut World, last: u32) -> Option<u32> {
    while world.tick() < 6 || (world.edits_pending() > 0 && world.tick() < last) {
        if world.step() == RunState::Ended {
            break;
        }
        assert_eq!(invariant::check(world), []);
    }
    (world.edits_pending() == 0).then_some(world.tick())
}

#[test]
fn idle_agents_are_sent_off_the_cells() {
    let agents = [
        ("tank", [20, 12], ""),
        ("scout", [19, 10], ""),
        ("tank", [25, 12], ""),
        ("tank", [14, 9], ""),
        ("scout", [9, 5], ""),
        ("scout", [12, 12], "{ goto = [14, 12] }"),
    ];
    let mut world = world(&agents);
    let at = flooded_at(&mut world, 2_000);
    // The slowest turns and goes 12 cells; all of them go one after the other at most.
    assert!(at.is_some_and(|tick| tick < 600), "{at:?}");
    assert_eq!((world.counts().removed, world.agents().len()), (0, 6));
}

#[test]
fn who_stays_is_named_with_what_keeps_it() {
    let mut world =
        world(&[("tank", [20, 12], "{ hold = true }"), ("post", [10, 6], ""), ("scout", [2, 2], "")]);
    assert_eq!(flooded_at(&mut world, 800), None);
    let waiting = world.edits_pending_for();
    assert_eq!((waiting.len(), waiting[0].asked, waiting[0].agents), (1, 5, 2));
    let named: Vec<_> = waiting[0].held.iter().map(|of| (of.agent, &*of.class, of.reason.rule)).collect();
    assert_eq!(named, [(0, "tank", "hold"), (1, "post", "no_way_out")]);
    // Once they are gone it is carried out.
    world.command(Command::stop(AgentId(0)));
    world.command(Command::remove(AgentId(1)));
    assert!(flooded_at(&mut world, 1_200).is_some());
    assert_eq!(world.edits_pending_for(), []);
}
