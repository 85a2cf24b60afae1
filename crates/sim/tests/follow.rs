//! Units that follow a leader which drives far.

use crate::common::{Checked, TRUCK, WALKER, at, cell, map, open, world_on};
use wheelbase_grid::GridShape;
use wheelbase_sim::*;

/// Walkers are asked to stay within 4 cells of a leader, which drives a long route on open land. Their median distance
/// in cells over its whole way, and the ticks of that way.
fn escorted(class: ClassId, escorts: usize) -> (u64, u32) {
    let start = cell(30, 30);
    let is_free = |cell: &CellXY| cell.y != start.y || (cell.x - start.x).abs() > 1;
    let mut cells: Vec<CellXY> = Rect::new(22, 22, 17, 17).cells().filter(is_free).collect();
    cells.sort_by_key(|cell| cell.distance_squared(start));
    let mut agents = vec![at(class, start.x, start.y, 0)];
    let follow = [Order::follow(AgentId(0), 4)];
    agents.extend(cells[..escorts].iter().map(|c| at(WALKER, c.x, c.y, 0).with_orders(follow.clone())));
    let mut run = Checked::new(world_on(open(200, 120), &agents));
    run.steps(20);
    let route = [cell(160, 30), cell(160, 90), cell(40, 100), cell(100, 40)].map(Order::goto);
    run.does(Command::orders(AgentId(0), route));
    let mut seen = Vec::new();
    while run.world.counts().orders_done < 4 {
        run.step();
        let leader = run.cell(AgentId(0));
        seen.extend(run.world.agents()[1..].iter().map(|row| row.pose().cell.distance_squared(leader)));
        assert!(run.world.tick() < 4_000);
    }
    let ticks = run.world.tick() - 20;
    run.steps(200);
    // They rest around it in the end. More than twenty hinder each other.
    let leader = run.cell(AgentId(0));
    let near = run.world.agents()[1..].iter().map(|row| row.pose().cell.distance_squared(leader));
    let n_near = near.filter(|&far| far <= 36).count();
    assert!(n_near >= escorts.min(20), "{n_near} of {escorts}");
    let middle = seen.len() / 2;
    let (_, median, _) = seen.select_nth_unstable(middle);
    (median.isqrt(), ticks)
}

#[test]
fn escorts_keep_their_distance_while_the_leader_drives() {
    let alone = [escorted(TRUCK, 1).1, escorted(WALKER, 1).1];
    for (escorts, most) in [(5, [6, 6]), (20, [6, 14]), (40, [8, 20])] {
        for (at, class) in [TRUCK, WALKER].into_iter().enumerate() {
            let (median, ticks) = escorted(class, escorts);
            assert!(median <= most[at], "{class:?}, {escorts} escorts: {median} cells");
            // They hardly hold it up.
            assert!(ticks * 100 <= alone[at] * 107, "{class:?}, {escorts} escorts: {ticks} of {alone:?}");
        }
    }
}

/// A leader along a wall: the side of the followers is no way for them.
#[test]
fn followers_beside_walls_go_where_they_can() {
    let rows =
        ["............................", "WWWWWWWWWWWWWWWWWWWWWWWWWWWW", "............................"];
    let grid = map(&rows, GridShape::Square);
    let mut run = Checked::on(grid, &[at(WALKER, 6, 0, 0), at(WALKER, 0, 0, 0), at(WALKER, 3, 2, 0)]);
    for follower in [1, 2] {
        run.does(Command::order(AgentId(follower), Order::follow(AgentId(0), 3).or_wait()));
    }
    run.does(Command::order(AgentId(0), Order::goto(cell(26, 0))));
    run.steps_until_at(AgentId(0), cell(26, 0), 100);
    run.steps(40);
    let far = [1, 2].map(|follower| run.cell(AgentId(follower)).distance_squared(cell(26, 0)));
    assert!(far.iter().all(|&far| far <= 9), "{far:?}");
    // Nobody asks for paths after that.
    let asked = run.world.counts().path_requests;
    run.steps(300);
    assert_eq!(run.world.counts().path_requests, asked);
}
