//! probe
use wheelbase_benches::*;
use wheelbase_grid::*;
use wheelbase_planner::*;
fn cpu() -> f64 { std::fs::read_to_string("/proc/thread-self/schedstat").unwrap().split(' ').next().unwrap().parse().unwrap() }
fn main() {
    let size = GridSize::new(512, 512).unwrap();
    let maps: Vec<(&str, Grid)> = vec![("open128", open(128)), ("open512", open(512)), ("rooms", generate(MapKind::Rooms, size, 3)), ("blobs", blobs(512, 3))];
    for (name, grid) in maps {
        let tables = MovementTables::compile(&grid, truck());
        let mut draws = Draws::new(9);
        let (goal, pose) = loop {
            let s = State(draws.below(tables.space().n_states() as u32));
            let pose = tables.space().pose(s);
            let members = [GoalMember::pose(pose)];
            let mut f = CostField::to_goal(&tables, &Goal::of(&members));
            if f.settle(&tables, Until::All, u64::MAX).expansions > 30_000 { break (members, pose); }
        };
        let goal = Goal::of(&goal);
        let mut to = CostField::to_goal(&tables, &goal);
        let (mut scratch, mut path) = (Scratch::new(), Path::new());
        let off = [GoalMember::any(CellXY::new(-5, -5))];
        let mut least = [f64::MAX; 3];
        let mut request = Request::new(pose, Goal::of(&off));
        request.fallback = Fallback::Nearest;
        request.heuristic = Heuristic::Named(HeuristicName::Zero);
        let k = 4_000_000 / tables.space().n_states();
        let n = to.settle(&tables, Until::All, u64::MAX).expansions;
        for _ in 0..8 {
            let b = cpu();
            for _ in 0..k { to.restart(&tables, &goal); to.settle(&tables, Until::All, u64::MAX); }
            least[0] = least[0].min((cpu() - b) / (n * k as u64) as f64);
            let b = cpu();
            for _ in 0..k { to.restart(&tables, &goal); }
            least[1] = least[1].min((cpu() - b) / (n * k as u64) as f64);
            let b = cpu();
            for _ in 0..k { begin(&tables, &request, &mut scratch);
            advance(&tables, &request, &mut scratch, n - 1);
            finish(&tables, &request, &scratch, &mut path); }
            least[2] = least[2].min((cpu() - b) / (n * k as u64) as f64);
        }
        println!("{name}: to {:.2} restart {:.2} kernel zero {:.2}", least[0], least[1], least[2]);
    }
}
