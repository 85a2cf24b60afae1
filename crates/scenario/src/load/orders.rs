//! Builds orders.

use super::areas::{area_rect, cells_text, heading_list};
use crate::scenario;
use crate::scenario::Diagnostics;
use std::collections::BTreeMap;
use wheelbase_grid::CellXY;
use wheelbase_planner::model::{heading_from_name, heading_name};
use wheelbase_planner::search::Fallback;
use wheelbase_planner::{Goal, GoalMember};
use wheelbase_sim::{ClassId, LackedGoal, Order, OrderKind, OrderList, Trip, World};

/// Numbers of headings by which a name is looked up.
const HEADINGS_OF_CLASSES: [u8; 2] = [8, 6];

/// Numbers of the orders to a group, by the key path of each. The lists that several classes get of one order share its
/// number.
#[derive(Default)]
pub(super) struct GroupNumbers(BTreeMap<String, u32>);

impl GroupNumbers {
    fn number(&mut self, key: &str) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(key.to_owned()).or_insert(next)
    }
}

/// Adds the orders of an agent of a class to the pool.
pub(super) fn add_orders(
    world: &mut World,
    class: ClassId,
    typed: &[scenario::Order],
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> OrderList {
    let headings = world.tables()[class.0 as usize].space().headings();
    let orders: Vec<Order> =
        typed.iter().map(|order| build_order(world, headings, order, groups, errors)).collect();
    add_to_pool(world, &orders, typed, errors)
}

/// Adds orders for agents of all classes to the pool, once for each number of headings. Gives the list of each class.
pub(super) fn add_orders_for_all(
    world: &mut World,
    typed: &[scenario::Order],
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Vec<OrderList> {
    let of_class: Vec<u8> = world.tables().iter().map(|tables| tables.space().headings()).collect();
    let mut all = of_class.clone();
    all.sort_unstable();
    all.dedup();
    let lists = add_orders_read_by(world, &all, typed, groups, errors);
    let list_of = |headings| all.binary_search(headings).map_or(OrderList::default(), |at| lists[at]);
    of_class.iter().map(list_of).collect()
}

/// Adds orders to the pool once for each of the given numbers of headings, and gives a list for each. A goal whose
/// heading only some of them have is dropped for the others; a heading that none has is a mistake.
pub(super) fn add_orders_read_by(
    world: &mut World,
    headings: &[u8],
    typed: &[scenario::Order],
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Vec<OrderList> {
    let mut lists = vec![Vec::new(); headings.len()];
    for order in typed {
        let mut diagnostics = Vec::new();
        for (list, &headings) in lists.iter_mut().zip(headings) {
            let mut found = errors.of_same_file();
            list.push(build_order(world, headings, order, groups, &mut found));
            diagnostics.push(found.take());
        }
        if diagnostics.iter().all(|found| !found.is_empty()) {
            errors.extend(diagnostics.pop().unwrap_or_default());
        }
    }
    lists.iter().map(|list| add_to_pool(world, list, typed, errors)).collect()
}

fn add_to_pool(
    world: &mut World,
    orders: &[Order],
    typed: &[scenario::Order],
    errors: &mut Diagnostics<'_>,
) -> OrderList {
    world.add_orders(orders).unwrap_or_else(|error| {
        let (line, key) = typed.first().map_or((0, ""), |order| (order.line, order.key.as_str()));
        errors.add(line, key, error.to_string());
        OrderList::default()
    })
}

fn build_order(
    world: &World,
    headings: u8,
    order: &scenario::Order,
    groups: &mut GroupNumbers,
    errors: &mut Diagnostics<'_>,
) -> Order {
    let kind = match &order.kind {
        scenario::OrderKind::Wait { ticks } => OrderKind::Wait(*ticks),
        scenario::OrderKind::Goto { goals, options } => {
            let trip = build_trip(headings, order, goals, options, errors);
            check_on_map(world, order, &trip, &trip.members, errors);
            OrderKind::Goto(trip)
        }
        scenario::OrderKind::GotoArea { area, options } => {
            let trip = build_trip(headings, order, &[], options, errors);
            let rect = area_rect(area);
            let size = world.grid().size();
            if rect.intersection(size.rect()).is_empty() && trip.fallback == Fallback::Fail {
                let message =
                    format!("no cell of the area is on the map of {size}; expected {}", cells_text(size));
                errors.add(area.line, &format!("{}.goto_area", order.key), message);
            }
            OrderKind::GotoArea(rect, trip)
        }
        scenario::OrderKind::GotoGroup { goal, options } => {
            let trip = build_trip(headings, order, std::slice::from_ref(goal), options, errors);
            check_on_map(world, order, &trip, &trip.members, errors);
            OrderKind::GotoGroup(groups.number(&order.key), trip)
        }
        scenario::OrderKind::Patrol { stops, options } => {
            let trip = build_trip(headings, order, stops, options, errors);
            for stop in &trip.members {
                check_on_map(world, order, &trip, std::slice::from_ref(stop), errors);
            }
            OrderKind::Patrol(trip)
        }
    };
    let lacked = match &order.kind {
        scenario::OrderKind::Goto { goals, .. } => lacked_goals(headings, goals),
        scenario::OrderKind::GotoGroup { goal, .. } => lacked_goals(headings, std::slice::from_ref(goal)),
        scenario::OrderKind::Patrol { stops, .. } => lacked_goals(headings, stops),
        scenario::OrderKind::GotoArea { .. } | scenario::OrderKind::Wait { .. } => Box::default(),
    };
    Order { kind, headings, lacked }
}

/// The goals with a heading that classes of `headings` headings lack and others have.
fn lacked_goals(headings: u8, poses: &[scenario::TypedPose]) -> Box<[LackedGoal]> {
    let lacked = |(number, pose): (usize, &scenario::TypedPose)| {
        let name = pose.heading.as_deref().filter(|&name| name != "any")?;
        if heading_from_name(headings, name).is_some() {
            return None;
        }
        let known = |of: u8| Some(heading_name(of, heading_from_name(of, name)?));
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
    for pose in poses {
        let heading = match pose.heading.as_deref() {
            None | Some("any") => None,
            Some(name) => {
                let heading = heading_from_name(headings, name);
                if heading.is_none() {
                    let known = heading_list(headings);
                    let message = format!("expected heading any, {known}, found {name:?}");
                    errors.add(pose.line, &order.key, message);
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
    Trip { members, within: u32::from(options.within), fallback, if_unreachable: options.if_unreachable }
}

/// Reports a goal without a member on the map: no edit makes it reachable.
fn check_on_map(
    world: &World,
    order: &scenario::Order,
    trip: &Trip,
    members: &[GoalMember],
    errors: &mut Diagnostics<'_>,
) {
    let size = world.grid().size();
    let goal = Goal { members, within: trip.within };
    let shape = world.grid().shape();
    let beyond = |cell: CellXY| shape.measure_to(cell, size.rect());
    // Without members the class lacks its heading.
    let on_map = members.is_empty()
        || goal.members.iter().any(|member| beyond(member.cell) <= shape.measure_of(trip.within));
    if !on_map && trip.fallback == Fallback::Fail {
        let cell = members.first().map_or(CellXY::new(0, 0), |member| member.cell);
        let message = format!("goal {cell} is off the map of {size}; expected {}", cells_text(size));
        errors.add(order.line, &order.key, message);
    }
}
