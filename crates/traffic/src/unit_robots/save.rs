//! The state of the rule, part by part: all that a later tick depends on.
//!
//! Left out are scratch memory, what every tick computes before it reads it, and the reservations, which follow from
//! the operations.

use crate::rule_state::StateVisitor;
use crate::unit_robots::guidance::{Guidance, NO_STEP, STEP_BITS};
use crate::unit_robots::state::UnitRobots;
use crate::unit_robots::team::Team;
use crate::unit_robots::unit_fields::{Field, NO_GOAL_CELL, UnitFields};

/// Costs of a field in one word: of two bytes each, and of four.
pub(super) const COSTS_OF_WORD: [usize; 2] = [4, 2];

/// Shows the state of the rule.
pub(super) fn visit_unit_robots(rule: &UnitRobots, visitor: &mut dyn StateVisitor) {
    let UnitRobots { map, fields, guidance, random, team, newest, tick, epoch, .. } = rule;
    let newest = newest.map_or(0, |id| u64::from(id.0) + 1);
    let (n_free, n_made) = (fields.of_cell.len() as u64, fields.n_made);
    debug_assert_eq!(map.n_free(), fields.of_cell.len(), "a map without its fields");
    let counts =
        [team.len() as u64, n_free, u64::from(*tick), u64::from(*epoch), random.state(), newest, n_made];
    visitor.part("unit_robots", &mut counts.into_iter());
    visit_team(team, visitor);
    visit_guidance(guidance, visitor);
    visit_fields(fields, visitor);
}

fn visit_team(team: &Team, visitor: &mut dyn StateVisitor) {
    visitor.part("robot.cells", &mut team.cells.iter().flatten().map(|&cell| cell.into()));
    visitor.part("robot.actions", &mut team.actions.iter().flatten().map(|&action| action.into()));
    let lists = [
        ("robot.waits_since", &team.waits_since),
        ("robot.first_until", &team.first_until),
        ("robot.bound_until", &team.bound_until),
        ("robot.visited_in", &team.visited_in),
    ];
    for (name, values) in lists {
        visitor.part(name, &mut values.iter().map(|&value| value.into()));
    }
    visitor.part("robot.visits", &mut team.visits.iter().map(|&visits| visits.into()));
}

/// Of each cell that is not as at first: its number, steps at each heading, waiting, and the costs of the four steps
/// that lead to it, each in [`STEP_BITS`] bits, 0 where there is none.
fn visit_guidance(guidance: &Guidance, visitor: &mut dyn StateVisitor) {
    let Guidance { flow, waiting, steps_to } = guidance;
    let cost = |&step: &u32| if step == NO_STEP { 0 } else { step & Guidance::STEP_MAX };
    let cells =
        (0_u64..).zip(flow).zip(waiting).zip(steps_to).filter_map(|(((number, flow), &waiting), steps)| {
            let is_new = *flow == [0; 4] && waiting == 0 && steps.iter().all(|step| cost(step) <= 1);
            let costs = steps.iter().rev().fold(0, |costs, step| costs << STEP_BITS | cost(step));
            let [east, north, west, south] = flow.map(u64::from);
            (!is_new).then_some([number, east, north, west, south, waiting.into(), costs.into()])
        });
    visitor.part("guidance", &mut cells.flatten());
}

/// All fields in their order, for those without a goal are memory that is used again.
fn visit_fields(fields: &UnitFields, visitor: &mut dyn StateVisitor) {
    let fields = &fields.fields;
    visitor.part("field.goal", &mut fields.iter().map(|field| field.goal.into()));
    visitor.part("field.used_at", &mut fields.iter().map(|field| field.used_at.into()));
    visitor.part("field.whole", &mut fields.iter().map(|field| field.whole.into()));
    let is_wide = |field: &Field| field.goal != NO_GOAL_CELL && !field.costs.wide.is_empty();
    visitor.part("field.is_wide", &mut fields.iter().map(|field| is_wide(field).into()));
    let costs = fields.iter().filter(|field| field.goal != NO_GOAL_CELL).flat_map(|field| {
        let narrow = field
            .costs
            .narrow
            .chunks(COSTS_OF_WORD[0])
            .map(|costs| costs.iter().rev().fold(0, |word, &cost| word << 16 | u64::from(cost)));
        let wide = field
            .costs
            .wide
            .chunks(COSTS_OF_WORD[1])
            .map(|costs| costs.iter().rev().fold(0, |word, &cost| word << 32 | u64::from(cost)));
        narrow.chain(wide)
    });
    visitor.part("field.costs", &mut { costs });
}
