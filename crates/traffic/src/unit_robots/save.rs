//! The state of the rule, part by part: all that a later tick depends on.
//!
//! Left out are scratch memory, what every tick computes before it reads it, and the reservations, which follow from
//! the operations.

use crate::rule_state::StateVisitor;
use crate::saved::pack;
use crate::unit_robots::guidance::{Guidance, NO_STEP};
use crate::unit_robots::state::UnitRobots;
use crate::unit_robots::unit_fields::{Field, NO_GOAL_CELL};

/// Shows the state of the rule.
pub(super) fn visit_unit_robots(rule: &UnitRobots, visitor: &mut dyn StateVisitor) {
    let UnitRobots { map, fields, guidance, random, team, newest, tick, epoch, .. } = rule;
    debug_assert_eq!(map.n_free(), fields.of_cell.len(), "a map without its fields");
    let counts = (team.len(), fields.of_cell.len());
    visitor.list("unit_robots", [(counts, (*tick, *epoch), *newest, [random.state(), fields.n_made])]);
    visitor.list("robot.cells", team.cells.iter().copied());
    visitor.list("robot.actions", team.actions.iter().copied());
    let lists = [&team.waits_since, &team.first_until, &team.bound_until, &team.visited_in];
    for (name, values) in LISTS.into_iter().zip(lists) {
        visitor.list(name, values.iter().copied());
    }
    visitor.list("robot.visits", team.visits.iter().copied());
    visit_guidance(guidance, visitor);
    visit_fields(&fields.fields, visitor);
}

/// Names of the parts of the lists of ticks and epochs.
pub(super) const LISTS: [&str; 4] =
    ["robot.waits_since", "robot.first_until", "robot.bound_until", "robot.visited_in"];

/// For each cell that differs from its first state: its number, steps at each heading, waiting, and the costs of the
/// four steps to it. The cost is 0 where there is no step.
fn visit_guidance(guidance: &Guidance, visitor: &mut dyn StateVisitor) {
    let Guidance { flow, waiting, steps_to } = guidance;
    let cost = |step: u32| if step == NO_STEP { 0 } else { step & Guidance::STEP_MAX };
    let cells =
        (0_u32..).zip(flow).zip(waiting).zip(steps_to).filter_map(|(((number, &flow), &waiting), steps)| {
            let costs = steps.map(cost);
            let is_new = flow == [0; 4] && waiting == 0 && costs.iter().all(|&cost| cost <= 1);
            (!is_new).then_some((number, flow, waiting, costs))
        });
    visitor.list("guidance", cells);
}

/// All fields in their order, for those without a goal are memory that is used again.
fn visit_fields(fields: &[Field], visitor: &mut dyn StateVisitor) {
    let is_wide = |field: &Field| field.goal != NO_GOAL_CELL && !field.costs.wide.is_empty();
    let saved = |field: &Field| (field.goal, field.used_at, field.whole, is_wide(field));
    visitor.list("fields", fields.iter().map(saved));
    let used = fields.iter().filter(|field| field.goal != NO_GOAL_CELL);
    let costs = used.flat_map(|field| {
        let halves = field.costs.wide.iter().flat_map(|&cost| [cost as u16, (cost >> 16) as u16]);
        let shorts: Vec<u16> = field.costs.narrow.iter().copied().chain(halves).collect();
        pack(&shorts).collect::<Vec<u64>>()
    });
    visitor.list("field.costs", costs);
}
