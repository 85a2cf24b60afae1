//! Orders.

use super::agents::{cells_of_map, heading_list};
use super::complaints::Complaints;
use crate::agents::ClassId;
use crate::orders::{Order, OrderKind, Trip};
use crate::scenario;
use crate::world::Simulation;
use wheelbase_grid::CellXY;
use wheelbase_planner::{Fallback, Goal, GoalMember, heading_from_name};

pub(super) fn build_orders(
    sim: &Simulation,
    class: ClassId,
    typed: &[scenario::Order],
    errors: &mut Complaints<'_>,
) -> Vec<Order> {
    let space = sim.classes[class.0 as usize].tables.space();
    let mut orders = Vec::with_capacity(typed.len());
    for order in typed {
        let kind = match &order.kind {
            scenario::OrderKind::Wait { ticks } => OrderKind::Wait(*ticks),
            scenario::OrderKind::Goto { goals, reach } => {
                let trip = build_trip(space.headings(), order, goals, reach, errors);
                check_on_map(sim, order, &trip, &trip.members, errors);
                OrderKind::Goto(trip)
            }
            scenario::OrderKind::Patrol { stops, reach } => {
                let trip = build_trip(space.headings(), order, stops, reach, errors);
                for station in &trip.members {
                    check_on_map(sim, order, &trip, std::slice::from_ref(station), errors);
                }
                OrderKind::Patrol(trip)
            }
        };
        orders.push(Order { kind, as_written: order.as_written.clone() });
    }
    orders
}

fn build_trip(
    headings: u8,
    order: &scenario::Order,
    poses: &[scenario::WrittenPose],
    reach: &scenario::Reach,
    errors: &mut Complaints<'_>,
) -> Trip {
    let mut members = Vec::with_capacity(poses.len());
    for pose in poses {
        let heading = match pose.heading.as_deref() {
            None | Some("any") => None,
            Some(name) => {
                let heading = heading_from_name(headings, name);
                if heading.is_none() {
                    let known = heading_list(headings);
                    let message = format!("expected heading any, {known}, found {name:?}");
                    errors.add(pose.line, &order.key, message);
                }
                heading
            }
        };
        members.push(GoalMember { cell: CellXY::new(pose.x, pose.y), heading });
    }
    let fallback = match reach.fallback {
        scenario::Fallback::Fail => Fallback::Fail,
        scenario::Fallback::Nearest => Fallback::Nearest,
    };
    Trip { members, within: u32::from(reach.within), fallback, if_unreachable: reach.if_unreachable }
}

/// A goal of which no member is on the map can never be reached, whatever is edited.
fn check_on_map(
    sim: &Simulation,
    order: &scenario::Order,
    trip: &Trip,
    members: &[GoalMember],
    errors: &mut Complaints<'_>,
) {
    let size = sim.grid.size();
    let goal = Goal { members, within: trip.within };
    let reach = u64::from(trip.within).pow(2);
    let inside = |cell: CellXY| {
        CellXY::new(cell.x.clamp(0, size.width() as i32 - 1), cell.y.clamp(0, size.height() as i32 - 1))
    };
    let on_map = goal.members.iter().any(|member| member.cell.distance_squared(inside(member.cell)) <= reach);
    if !on_map && trip.fallback == Fallback::Fail {
        let cell = members.first().map_or(CellXY::new(0, 0), |member| member.cell);
        let message = format!("goal {cell} is off the map of {size}; expected {}", cells_of_map(size));
        errors.add(order.line, &order.key, message);
    }
}
