//! Fields that are saved and restored, or cloned, go on as if they had not been, also after later edits.

use crate::common::{apply, edit, goal, saved_cases, world, world_of};
use proptest::prelude::*;
use wheelbase_grid::*;
use wheelbase_planner::fields::*;
use wheelbase_planner::model::*;
use wheelbase_planner::*;

/// What happens to a field.
#[derive(Clone, Debug)]
enum Step {
    /// Kind of target, ticks, state, budget.
    Settle(u8, u32, u32, u64),
    Edit((i32, i32, u32, u32, u8, usize)),
    KeepMoves,
    Restart((Vec<GoalMember>, u32)),
    Restore,
    Clone,
}

fn step() -> impl Strategy<Value = Step> {
    let ticks = prop_oneof![0_u32..40, 0_u32..20_000];
    let budget = prop_oneof![0_u64..5, 0_u64..60, Just(u64::MAX)];
    prop_oneof![
        5 => (0_u8..3, ticks, any::<u32>(), budget).prop_map(|(kind, t, s, b)| Step::Settle(kind, t, s, b)),
        3 => edit().prop_map(Step::Edit),
        1 => Just(Step::KeepMoves),
        1 => goal().prop_map(Step::Restart),
        4 => Just(Step::Restore),
        2 => Just(Step::Clone),
    ]
}

fn settle(field: &mut CostField, tables: &MovementTables, step: &Step) -> Option<Settled> {
    let &Step::Settle(kind, ticks, state, budget) = step else { return None };
    let target = match kind {
        0 => SettleTarget::All,
        1 => SettleTarget::Within(ticks),
        _ => SettleTarget::Pose(State(state % tables.space().n_states() as u32)),
    };
    Some(field.settle(tables, target, budget))
}

fn assert_equal(tables: &MovementTables, field: &CostField, other: &CostField, moves_kept: bool) {
    assert_eq!((field.radius(), field.is_complete()), (other.radius(), other.is_complete()));
    for state in (0..tables.space().n_states() as u32).map(State) {
        assert_eq!(field.cost(state), other.cost(state));
        assert_eq!(field.lower_bound(state), other.lower_bound(state));
        assert_eq!(field.next(tables, state), other.next(tables, state));
        let stepped = |field: &CostField| {
            let mut states = [state];
            field.step_all(&mut states);
            states
        };
        assert!(!moves_kept || stepped(field) == stepped(other));
    }
    assert!(field.settled().eq(other.settled()));
    assert_eq!(field.save(), other.save());
}

fn restored(field: &CostField, tables: &MovementTables) -> CostField {
    let saved = field.save();
    let restored = CostField::restore(&saved, tables).unwrap();
    assert_eq!(restored.save(), saved);
    restored
}

fn check(
    (mut grid, class): (Grid, MovementClass),
    (members, within): (Vec<GoalMember>, u32),
    from_start: bool,
    steps: &[Step],
) {
    let mut tables = MovementTables::compile(&grid, class);
    let goal = Goal { members: &members, within };
    let mut field = match from_start {
        true => CostField::from_start(&tables, &goal),
        false => CostField::to_goal(&tables, &goal),
    };
    let (mut other, mut cloned, mut spare) = (restored(&field, &tables), field.clone(), field.clone());
    let (mut scratch, mut moves_kept) = (RepairScratch::new(), false);
    for step in steps {
        match step {
            Step::Settle(..) => {
                let settled = settle(&mut field, &tables, step);
                assert_eq!(settle(&mut other, &tables, step), settled);
                assert_eq!(settle(&mut cloned, &tables, step), settled);
            }
            &Step::Edit(edit) => {
                let changed = apply(&mut grid, edit);
                tables.update(&grid, changed);
                let repaired = field.repair(&tables, changed, &mut scratch);
                assert_eq!(other.repair(&tables, changed, &mut scratch), repaired);
                assert_eq!(cloned.repair(&tables, changed, &mut scratch), repaired);
            }
            Step::KeepMoves => {
                [&mut field, &mut other, &mut cloned].into_iter().for_each(|field| field.keep_moves(&tables));
                moves_kept = true;
            }
            Step::Restart((members, within)) => {
                let goal = Goal { members, within: *within };
                [&mut field, &mut other, &mut cloned]
                    .into_iter()
                    .for_each(|field| field.restart(&tables, &goal));
            }
            Step::Restore => other = restored(&other, &tables),
            Step::Clone => {
                spare.clone_from(&cloned);
                std::mem::swap(&mut spare, &mut cloned);
            }
        }
        assert_equal(&tables, &field, &other, moves_kept);
        assert_equal(&tables, &field, &cloned, moves_kept);
    }
    for field in [&mut field, &mut other, &mut cloned] {
        field.settle(&tables, SettleTarget::All, u64::MAX);
    }
    let fresh = match from_start {
        true => CostField::from_start(&tables, &field.goal()),
        false => CostField::to_goal(&tables, &field.goal()),
    };
    let mut fresh = fresh;
    fresh.settle(&tables, SettleTarget::All, u64::MAX);
    assert_equal(&tables, &field, &other, moves_kept);
    assert_equal(&tables, &field, &cloned, moves_kept);
    for state in (0..tables.space().n_states() as u32).map(State) {
        assert_eq!(other.cost(state), fresh.cost(state));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(saved_cases(1000)))]

    #[test]
    fn a_field_goes_on_as_if_it_had_not_been_saved(
        world in world(),
        goal in goal(),
        from_start in any::<bool>(),
        steps in prop::collection::vec(step(), 1..20),
    ) {
        check(world, goal, from_start, &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(saved_cases(60)))]

    #[test]
    fn a_field_of_a_larger_map_goes_on(
        world in world_of(20..45),
        goal in goal(),
        from_start in any::<bool>(),
        steps in prop::collection::vec(step(), 1..12),
    ) {
        check(world, goal, from_start, &steps);
    }

    #[test]
    fn a_cache_goes_on_as_if_it_had_not_been_saved(
        (mut grid, class) in world(),
        goals in prop::collection::vec(goal(), 1..5),
        steps in prop::collection::vec((step(), 0_usize..5, 0_u32..2), 1..30),
        fit in 1_usize..4,
    ) {
        let mut tables = MovementTables::compile(&grid, class);
        let bytes_max = fit * tables::field_bytes(tables.space().n_states(), 1000);
        let mut fields = CostFieldCache::new(bytes_max);
        let (mut other, mut cloned, mut spare) = (fields.clone(), fields.clone(), fields.clone());
        let mut scratch = RepairScratch::new();
        for (tick, (step, number, class)) in steps.iter().enumerate() {
            let (members, within) = &goals[number % goals.len()];
            let goal = Goal { members, within: *within };
            match step {
                &Step::Edit(edit) => {
                    let changed = apply(&mut grid, edit);
                    tables.update(&grid, changed);
                    for fields in [&mut fields, &mut other, &mut cloned] {
                        (0..2).for_each(|class| fields.repair(class, &tables, changed, &mut scratch));
                    }
                }
                Step::Restore => {
                    let saved = other.save();
                    other = CostFieldCache::restore(&saved, bytes_max, |_| Some(&tables)).unwrap();
                    prop_assert_eq!(other.save(), saved);
                    let none = CostFieldCache::restore(&other.save(), bytes_max, |_| None);
                    prop_assert_eq!(none.is_err(), other.iter().count() > 0);
                }
                Step::Clone => {
                    spare.clone_from(&cloned);
                    std::mem::swap(&mut spare, &mut cloned);
                }
                _ => {
                    let mut settled = [&mut fields, &mut other, &mut cloned].map(|fields| {
                        let field = fields.obtain(*class, &tables, &goal, tick as u64);
                        field.map(|field| settle(field, &tables, step))
                    });
                    settled.sort_by_key(|settled| settled.is_none());
                    prop_assert!(settled.iter().all(|one| *one == settled[0]));
                }
            }
            prop_assert_eq!(fields.save(), other.save());
            prop_assert_eq!(fields.save(), cloned.save());
            let small = CostFieldCache::restore(&fields.save(), fields.bytes().max(1) - 1, |_| Some(&tables));
            prop_assert_eq!(small.is_err(), fields.bytes() > 0);
        }
    }
}

#[cfg(feature = "serde")]
mod forged {
    use super::*;
    use crate::common::forge;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(saved_cases(300)))]

        /// A forged field is refused, or settles to the right costs, with repairs and without.
        #[test]
        fn a_forged_field_is_refused_or_harmless(
            (mut grid, class) in world(),
            (members, within) in goal(),
            from_start in any::<bool>(),
            steps in prop::collection::vec(step(), 1..6),
            later in prop::collection::vec(step(), 1..6),
            forgeries in prop::collection::vec((any::<u32>(), any::<i64>()), 1..6),
        ) {
            let mut tables = MovementTables::compile(&grid, class);
            let goal = Goal { members: &members, within };
            let mut field = match from_start {
                true => CostField::from_start(&tables, &goal),
                false => CostField::to_goal(&tables, &goal),
            };
            let mut scratch = RepairScratch::new();
            for step in &steps {
                settle(&mut field, &tables, step);
                if let &Step::Edit(edit) = step {
                    let changed = apply(&mut grid, edit);
                    tables.update(&grid, changed);
                    field.repair(&tables, changed, &mut scratch);
                }
            }
            let saved = field.save();
            let json = serde_json::to_value(&saved).unwrap();
            prop_assert_eq!(&serde_json::from_value::<SavedField>(json.clone()).unwrap(), &saved);
            let bytes = bincode::serde::encode_to_vec(&saved, bincode::config::standard()).unwrap();
            let read = bincode::serde::decode_from_slice::<SavedField, _>(&bytes, bincode::config::standard());
            prop_assert_eq!(&read.unwrap().0, &saved);
            for (place, draw) in forgeries {
                let mut forged = json.clone();
                forge(&mut forged, place, draw);
                let Ok(forged) = serde_json::from_value::<SavedField>(forged) else { continue };
                let Ok(mut forged) = CostField::restore(&forged, &tables) else { continue };
                let (mut grid, mut tables) = (grid.clone(), tables.clone());
                for step in &later {
                    settle(&mut forged, &tables, step);
                    if let &Step::Edit(edit) = step {
                        let changed = apply(&mut grid, edit);
                        tables.update(&grid, changed);
                        forged.repair(&tables, changed, &mut scratch);
                    }
                    if matches!(step, Step::KeepMoves) {
                        forged.keep_moves(&tables);
                    }
                }
                forged.settle(&tables, SettleTarget::All, u64::MAX);
                let mut fresh = match forged.direction() {
                    Direction::FromStart => CostField::from_start(&tables, &forged.goal()),
                    Direction::ToGoal => CostField::to_goal(&tables, &forged.goal()),
                };
                fresh.settle(&tables, SettleTarget::All, u64::MAX);
                for state in (0..tables.space().n_states() as u32).map(State) {
                    prop_assert_eq!(forged.cost(state), fresh.cost(state));
                    prop_assert_eq!(forged.next(&tables, state), fresh.next(&tables, state));
                }
            }
        }
    }
}
