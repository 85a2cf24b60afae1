//! Builds orders.

use super::areas::{area_rect, cells_text, heading_list, nearest_heading_of, off_map};
use crate::scenario;
use crate::scenario::{Diagnostics, Located, Message};
use std::collections::{BTreeMap, BTreeSet};
use wheelbase_grid::{CellXY, GridShape};
use wheelbase_planner::GoalMember;
use wheelbase_planner::model::heading_from_name;
use wheelbase_planner::search::Fallback;
use wheelbase_sim::{AgentId, ClassId, LackedGoal, Order, OrderKind, Setup, Trip};

/// Numbers of headings by which a name is looked up.
const HEADINGS_OF_CLASSES: [u8; 3] = [8, 6, 1];

/// Agents by name.
pub(super) type AgentNames<'s> = BTreeMap<&'s str, AgentId>;

/// The orders of an agent of a class. `names` contains all agents.
pub(super) fn orders_of_class(
    setup: &Setup,
    names: &AgentNames<'_>,
    class: ClassId,
    typed: &[scenario::Order],
    errors: &mut Diagnostics<'_>,
) -> Vec<Order> {
    let headings = setup.tables[class.0 as usize].space().headings();
    typed.iter().map(|order| build_order(setup, names, headings, order, errors)).collect()
}

/// Orders for agents of classes with any of the given numbers of headings. A goal whose heading only some of them have
/// is no goal for the others; a heading that none has is a mistake.
pub(super) fn orders_for_headings(
    setup: &Setup,
    names: &AgentNames<'_>,
    headings: &[u8],
    typed: &[scenario::Order],
    errors: &mut Diagnostics<'_>,
) -> Vec<Order> {
    // All names of a shape of cells but "-".
    let most = if setup.grid.shape() == GridShape::Hex { 6 } else { 8 };
    let build = |order: &scenario::Order| {
        let mut diagnostics = Vec::new();
        for &headings in headings {
            let mut found = errors.of_same_file();
            build_order(setup, names, headings, order, &mut found);
            diagnostics.push(found.take());
        }
        if diagnostics.iter().all(|found| !found.is_empty()) {
            errors.extend(diagnostics.pop().unwrap_or_default());
        }
        let mut ignored = errors.of_same_file();
        build_order(setup, names, most, order, &mut ignored)
    };
    typed.iter().map(build).collect()
}

/// Reports orders of agents to follow themselves. `followers` are the names of the agents that get the orders.
pub(super) fn check_followers<'n>(
    typed: &[scenario::Order],
    followers: impl Iterator<Item = &'n str>,
    errors: &mut Diagnostics<'_>,
) {
    let follows = |order: &scenario::Order| matches!(order.kind, scenario::OrderKind::Follow { .. });
    if !typed.iter().any(follows) {
        return;
    }
    let followers: BTreeSet<&str> = followers.collect();
    for order in typed {
        if let scenario::OrderKind::Follow { leader, .. } = &order.kind
            && followers.contains(leader.value.as_str())
        {
            let message =
                Message::wrong(format!("agent \"{}\" cannot follow itself", leader.value), "another agent");
            errors.add(leader.line, &format!("{}.follow", order.key), message);
        }
    }
}

fn build_order(
    setup: &Setup,
    names: &AgentNames<'_>,
    headings: u8,
    order: &scenario::Order,
    errors: &mut Diagnostics<'_>,
) -> Order {
    let kind = match &order.kind {
        scenario::OrderKind::Stop => OrderKind::Stop,
        scenario::OrderKind::Hold => OrderKind::Hold,
        scenario::OrderKind::Follow { leader, within } => {
            let known = agent_named(leader, names, &format!("{}.follow", order.key), errors);
            OrderKind::Follow { leader: known.unwrap_or(AgentId::NOBODY), within: u32::from(*within) }
        }
        scenario::OrderKind::Wait { ticks } => OrderKind::Wait(*ticks),
        scenario::OrderKind::WaitInPlace { ticks } => OrderKind::WaitInPlace(*ticks),
        scenario::OrderKind::Goto { goals, options } => {
            let trip = build_trip(headings, order, goals, options, errors);
            check_on_map(setup, order, &trip, &trip.members, errors);
            OrderKind::Goto(trip)
        }
        scenario::OrderKind::GotoArea { area, options } => {
            let trip = build_trip(headings, order, &[], options, errors);
            let rect = area_rect(area);
            if let Some(message) = off_map(rect, setup.grid.size())
                && trip.fallback == Fallback::Fail
            {
                errors.add(area.line, &format!("{}.goto_area", order.key), message);
            }
            OrderKind::GotoArea(rect, trip)
        }
        scenario::OrderKind::GotoGroup { goal, options, formation } => {
            let trip = build_trip(headings, order, std::slice::from_ref(goal), options, errors);
            let trip = Trip { formation: *formation, ..trip };
            check_on_map(setup, order, &trip, &trip.members, errors);
            OrderKind::GotoGroup(0, trip)
        }
        scenario::OrderKind::Repeat { orders } => OrderKind::Repeat(*orders),
        scenario::OrderKind::Patrol { stops, options, dwell } => {
            let trip = Trip { dwell: *dwell, ..build_trip(headings, order, stops, options, errors) };
            for stop in &trip.members {
                check_on_map(setup, order, &trip, std::slice::from_ref(stop), errors);
            }
            OrderKind::Patrol(trip)
        }
    };
    let lacked = match &order.kind {
        scenario::OrderKind::Goto { goals, .. } => lacked_goals(headings, goals),
        scenario::OrderKind::GotoGroup { goal, formation: false, .. } => {
            lacked_goals(headings, std::slice::from_ref(goal))
        }
        scenario::OrderKind::Patrol { stops, .. } => lacked_goals(headings, stops),
        scenario::OrderKind::GotoArea { .. }
        | scenario::OrderKind::GotoGroup { .. }
        | scenario::OrderKind::Wait { .. }
        | scenario::OrderKind::WaitInPlace { .. }
        | scenario::OrderKind::Repeat { .. }
        | scenario::OrderKind::Stop
        | scenario::OrderKind::Hold
        | scenario::OrderKind::Follow { .. } => Box::default(),
    };
    Order { kind, headings, lacked }
}

/// The agent of a name, or none and a report.
pub(super) fn agent_named(
    name: &Located<String>,
    names: &AgentNames<'_>,
    key: &str,
    errors: &mut Diagnostics<'_>,
) -> Option<AgentId> {
    let known = names.get(name.value.as_str()).copied();
    if known.is_none() {
        errors.add(name.line, key, Message::unknown_name("no agent", &name.value, names.keys().copied()));
    }
    known
}

/// The goals with a heading that classes of `headings` headings lack and others have.
fn lacked_goals(headings: u8, poses: &[scenario::TypedPose]) -> Box<[LackedGoal]> {
    let lacked = |(number, pose): (usize, &scenario::TypedPose)| {
        let name = pose.heading.as_deref().filter(|&name| name != "any")?;
        if heading_from_name(headings, name).is_some() {
            return None;
        }
        let known = |of: u8| Some((of, heading_from_name(of, name)?));
        let heading = HEADINGS_OF_CLASSES.into_iter().find_map(known)?;
        Some(LackedGoal { number: number as u32, cell: CellXY::new(pose.x, pose.y), heading })
    };
    poses.iter().enumerate().filter_map(lacked).collect()
}

fn build_trip(
    headings: u8,
    order: &scenario::Order,
    poses: &[scenario::TypedPose],
    options: &scenario::GoalOptions,
    errors: &mut Diagnostics<'_>,
) -> Trip {
    let mut members = Vec::with_capacity(poses.len());
    for (pose_idx, pose) in poses.iter().enumerate() {
        let heading = match pose.heading.as_deref() {
            None | Some("any") => None,
            Some(name) => {
                let heading = heading_from_name(headings, name);
                // In a formation, the heading is for the classes that have it.
                let is_for_others =
                    matches!(order.kind, scenario::OrderKind::GotoGroup { formation: true, .. })
                        && HEADINGS_OF_CLASSES.into_iter().any(|of| heading_from_name(of, name).is_some());
                if heading.is_none() && !is_for_others {
                    let expected = format!("heading any, {}", heading_list(headings));
                    let nearest = nearest_heading_of(headings, name);
                    let message = Message::unexpected(expected, format!("{name:?}")).with_nearest(nearest);
                    let item = if poses.len() > 1 { format!("[{pose_idx}]") } else { String::new() };
                    let path = format!(".{}{item}[2]", order.kind.key());
                    errors.add(pose.line, &order.key, message.of_value_below(path));
                    continue;
                }
                heading
            }
        };
        members.push(GoalMember { cell: CellXY::new(pose.x, pose.y), heading });
    }
    let fallback = match options.fallback {
        scenario::Fallback::Fail => Fallback::Fail,
        scenario::Fallback::Nearest => Fallback::Nearest,
    };
    let if_unreachable = options.if_unreachable;
    Trip { within: u32::from(options.within), fallback, if_unreachable, ..Trip::to(members) }
}

/// Reports a goal without a member on the map: no edit makes it reachable.
fn check_on_map(
    setup: &Setup,
    order: &scenario::Order,
    trip: &Trip,
    members: &[GoalMember],
    errors: &mut Diagnostics<'_>,
) {
    let size = setup.grid.size();
    let shape = setup.grid.shape();
    let is_near = |member: &GoalMember| shape.reaches(member.cell, trip.within, size.rect());
    // Without members the class lacks its heading.
    let on_map = members.is_empty() || members.iter().any(is_near);
    if !on_map && trip.fallback == Fallback::Fail {
        let cell = members.first().map_or(CellXY::new(0, 0), |member| member.cell);
        let message = format!("goal {cell} is off the map of {size}; expected {}", cells_text(size));
        let message = Message::from(message).of_value_below(format!(".{}", order.kind.key()));
        errors.add(order.line, &order.key, message);
    }
}
