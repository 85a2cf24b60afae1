//! Corridors that edits create and remove: they behave as on a map that had them from the start, and all agents pass.

use crate::common::{CART, OTHERS, TRUCK, build_world, cell, run_checked, set_terrain};
use wheelbase_sim::{RunState, World, invariant};

const WIDTH: usize = 21;
const HEIGHT: usize = 9;

/// A map with a wall through the middle, which has a gap of the given rows; or without a wall.
fn rows(gap: Option<std::ops::Range<usize>>) -> String {
    let row = |y: usize| -> String {
        let is_wall = |x: usize| x == WIDTH / 2 && gap.as_ref().is_some_and(|gap| !gap.contains(&y));
        (0..WIDTH).map(|x| if is_wall(x) { 'W' } else { '.' }).collect()
    };
    (0..HEIGHT).map(|y| format!("\"{}\"", row(y))).collect::<Vec<_>>().join(",")
}

/// Groups of several classes on both sides, which go to the other side.
fn crossing(collision: &str, gap: Option<std::ops::Range<usize>>, events: &str) -> World {
    let mut text = format!(
        "name = \"gap\"\nseed = 3\nticks = 6000\ncollision = \"{collision}\"\n[map]\nrows = [{}]\n{CART}{TRUCK}{OTHERS}",
        rows(gap)
    );
    let (west, east) = ([0, 8], [WIDTH - 8, 8]);
    for (class, count) in [("cart", 4), ("truck", 3), ("tank", 1), ("walker", 2)] {
        for ([x, width], [to, to_width]) in [(west, east), (east, west)] {
            text += &format!(
                "[[groups]]\nanywhere = true\nclass = \"{class}\"\ncount = {count}\narea = [{x}, 0, {width}, {HEIGHT}]\n\
                 orders = [{{ goto_area = [{to}, 0, {to_width}, {HEIGHT}] }}]\n"
            );
        }
    }
    build_world(&(text + events))
}

/// Edits of a tick that build a wall with a gap, or remove it.
fn wall(tick: u32, gap: std::ops::Range<usize>, kind: &str) -> String {
    let x = WIDTH / 2;
    let above = format!("[{x}, 0, 1, {}]", gap.start);
    let below = format!("[{x}, {}, 1, {}]", gap.end, HEIGHT - gap.end);
    set_terrain(tick, &above, kind, "wait") + &set_terrain(tick, &below, kind, "wait")
}

/// The poses of all agents after each tick, to the end.
fn trajectories(mut world: World) -> Vec<Vec<(i32, i32, u8)>> {
    let mut course = Vec::new();
    loop {
        let step = world.step();
        assert_eq!(invariant::check(&world), [], "tick {}", world.tick());
        let poses = (0..world.agent_arrays().len()).map(|row| world.pose(row));
        course.push(poses.map(|pose| (pose.cell.x, pose.cell.y, pose.heading.0)).collect());
        if step == RunState::Ended {
            let n = world.agent_arrays().len() as u64;
            assert_eq!(
                (world.counts().orders_done, world.counts().not_placed),
                (n, 0),
                "tick {}",
                world.tick()
            );
            return course;
        }
    }
}

/// A wall built before any agent moves makes the same corridor as on a new map. Widening its gap makes a wider corridor
/// or none, as on a new map.
#[test]
fn corridors_after_an_edit_are_those_of_a_new_map() {
    for collision in ["swept", "discrete"] {
        let narrow = trajectories(crossing(collision, Some(4..6), ""));
        let edited = trajectories(crossing(collision, None, &wall(0, 4..6, "water")));
        assert!(narrow == edited, "{collision}: a wall is put up");
        // All but the top row: two of the widest agents can pass each other.
        let wide = trajectories(crossing(collision, Some(1..9), ""));
        let area = format!("[{}, 1, 1, 8]", WIDTH / 2);
        let widened = trajectories(crossing(collision, Some(4..6), &set_terrain(0, &area, "ground", "wait")));
        assert!(wide == widened, "{collision}: a gap is widened");
        assert!(wide.len() < narrow.len());
    }
}

/// A wall appears and its gap moves while all agents drive. Agents in the old gap make the new wall wait. The new gap
/// is off the border: a truck beside the wall that faces south could not turn at the border.
#[test]
fn opposite_groups_get_through_a_gap_that_moves() {
    for collision in ["swept", "discrete"] {
        for tick in [5, 20, 40] {
            let x = WIDTH / 2;
            let events = wall(tick, 4..6, "water")
                + &set_terrain(tick + 60, &format!("[{x}, 1, 1, 2]"), "ground", "wait")
                + &set_terrain(tick + 60, &format!("[{x}, 4, 1, 2]"), "water", "wait");
            let mut world = crossing(collision, None, &events);
            let n = world.agent_arrays().len() as u64;
            run_checked(&mut world);
            assert_eq!(
                (world.counts().orders_done, world.edits_pending()),
                (n, 0),
                "{collision}, tick {tick}"
            );
            assert!((0..world.agent_arrays().len()).all(|row| cell(&world, row).x != x as i32));
        }
    }
}
