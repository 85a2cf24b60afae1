//! Cost fields: made, followed and repaired.
use std::time::Instant;
use wheelbase_benches::{Draws, blobs, calibration, rooms, truck};
use wheelbase_grid::*;
use wheelbase_planner::*;

fn main() {
    println!("calibration: {}", calibration());
    let size = GridSize::new(512, 512).unwrap();
    let maps: Vec<(&str, Grid)> = vec![
        ("open", generate(MapKind::Open, size, 3)),
        ("base", generate(MapKind::Base, size, 3)),
        ("rooms", generate(MapKind::Rooms, size, 3)),
        ("blobs", blobs(512, 3)),
        ("rooms16", rooms(512, 4)),
    ];
    for (name, grid) in maps {
        let mut tables = MovementTables::compile(&grid, truck());
        let mut draws = Draws::new(9);
        let goal = loop {
            let s = State(draws.below(tables.space().n_states() as u32));
            let members = [GoalMember::pose(tables.space().pose(s))];
            let mut f = CostField::to_goal(&tables, &Goal::of(&members));
            if f.settle(&tables, Until::All, u64::MAX).expansions > 100_000 {
                break members;
            }
        };
        let goal = Goal::of(&goal);
        for (what, mut field) in [
            ("to goal", CostField::to_goal(&tables, &goal)),
            ("from start", CostField::from_start(&tables, &goal)),
        ] {
            for keep in [false, true] {
                if keep {
                    field.keep_moves(&tables);
                }
                let mut ns = Vec::new();
                let mut n = 0;
                for _ in 0..9 {
                    field.restart(&tables, &goal);
                    let begun = Instant::now();
                    n = field.settle(&tables, Until::All, u64::MAX).expansions;
                    ns.push(begun.elapsed().as_nanos() as f64 / n as f64);
                }
                ns.sort_by(f64::total_cmp);
                println!(
                    "{name} {what} moves {keep}: {n} settled, {:.2} ns median, {:.2} least",
                    ns[4], ns[0]
                );
            }
        }
        let mut field = CostField::to_goal(&tables, &goal);
        field.settle(&tables, Until::All, u64::MAX);
        let begun = Instant::now();
        field.keep_moves(&tables);
        println!(
            "{name} moves in a pass: {:.2} ns a state",
            begun.elapsed().as_nanos() as f64 / tables.space().n_states() as f64
        );
        let settled: Vec<State> =
            (0..tables.space().n_states() as u32).map(State).filter(|&s| field.cost(s).is_some()).collect();
        for agents in [1, 8, 64, 1000, 10_000] {
            let start: Vec<State> =
                (0..agents).map(|_| settled[draws.below(settled.len() as u32) as usize]).collect();
            let mut best = f64::MAX;
            let mut one = f64::MAX;
            for _ in 0..20 {
                let mut at = start.clone();
                let steps = 200_000 / agents + 1;
                let begun = Instant::now();
                for step in 0..steps {
                    if step % 300 == 0 {
                        at.copy_from_slice(&start);
                    }
                    field.step_all(&mut at);
                }
                best = best.min(begun.elapsed().as_nanos() as f64 / (steps * agents) as f64);
                let mut path = Path::new();
                field.follow(&tables, start[0], &mut path);
                let begun = Instant::now();
                field.follow(&tables, start[0], &mut path);
                one = one.min(begun.elapsed().as_nanos() as f64 / path.moves.len().max(1) as f64);
            }
            println!("{name} follow {agents} agents: {best:.2} ns a step; follow() {one:.2}");
        }
        for keep in [false, true] {
            let mut grid = grid.clone();
            let mut field = CostField::to_goal(&tables, &goal);
            if keep {
                field.keep_moves(&tables);
            }
            field.settle(&tables, Until::All, u64::MAX);
            let mut scratch = FieldScratch::new();
            let mut us = [Vec::new(), Vec::new()];
            let mut lost = 0;
            let mut settled = 0;
            for _ in 0..400 {
                let area = loop {
                    let area = Rect::new(draws.below(509) as i32, draws.below(509) as i32, 4, 4);
                    let free = area.cells().all(|c| grid.terrain_at(c) == Some(TerrainKind(0)));
                    let far = goal.distance_squared(CellXY::new(area.x + 2, area.y + 2)) > 100;
                    if free && far {
                        break area;
                    }
                };
                for (at, kind) in [TerrainKind(2), TerrainKind(0)].into_iter().enumerate() {
                    let edit = grid.set_terrain(area, kind);
                    tables.update(&grid, edit.changed);
                    let begun = Instant::now();
                    let r = field.repair(&tables, edit.changed, &mut scratch);
                    us[at].push(begun.elapsed().as_nanos() as f64 / 1000.0);
                    lost += r.lost;
                    settled += r.expansions;
                }
            }
            for (what, us) in ["up", "down"].iter().zip(&mut us) {
                us.sort_by(f64::total_cmp);
                println!(
                    "{name} repair {what} moves {keep}: median {:.1} us, mean {:.1}, p95 {:.1}, max {:.1}",
                    us[us.len() / 2],
                    us.iter().sum::<f64>() / us.len() as f64,
                    us[us.len() * 95 / 100],
                    us[us.len() - 1]
                );
            }
            println!("   {} lost {} settled an edit", lost / 800, settled / 800);
        }
    }
    println!("calibration: {}", calibration());
}
