//! The orders of all agents as a snapshot holds them.

use super::{NONE, OrderPool, OrderState, StoredList};
use crate::orders::{Order, OrderKind};
use crate::places::Places;
use crate::tasks::{TaskSlot, TaskSource};
use crate::trip::Trip;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An order; tasks name their source, which many lists can share, by its index.
#[derive(Debug, Serialize, Deserialize)]
enum SavedOrder {
    Other(Order),
    Tasks { source: u32, stream: u32, headings: u8 },
}

/// A pool as a snapshot holds it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedPool<'a> {
    sources: Vec<TaskSource>,
    lists: Places<StoredList<Vec<SavedOrder>>>,
    /// Without its lists.
    pool: Cow<'a, OrderPool>,
}

impl<O> StoredList<O> {
    fn with_orders<P>(&self, orders: P) -> StoredList<P> {
        let Self { first, uses, ticket, .. } = *self;
        StoredList { orders, first, uses, ticket }
    }
}

impl OrderPool {
    /// All lists, tasks and trips.
    pub(crate) fn save(&self) -> SavedPool<'_> {
        let mut sources = Vec::new();
        let mut number_of: BTreeMap<*const TaskSource, u32> = BTreeMap::new();
        let mut saved = |order: &Order| match order.kind.tasks() {
            Some((source, stream)) => {
                let number = number_of.entry(Arc::as_ptr(source)).or_insert_with(|| {
                    sources.push(TaskSource::clone(source));
                    sources.len() as u32 - 1
                });
                SavedOrder::Tasks { source: *number, stream, headings: order.headings }
            }
            None => SavedOrder::Other(order.clone()),
        };
        let lists = self.lists.map(|list| list.with_orders(list.orders.iter().map(&mut saved).collect()));
        SavedPool { sources, lists, pool: Cow::Borrowed(self) }
    }

    /// A pool as it was saved.
    /// # Errors
    /// The first mistake in the pool itself, in words. [`OrderPool::check_state`] and [`OrderPool::check`] compare it
    /// with the agents.
    pub(crate) fn restore(saved: SavedPool<'_>) -> Result<Self, String> {
        let (lists, mut pool) = (saved.lists, saved.pool.into_owned());
        let sources: Vec<Arc<TaskSource>> = saved.sources.into_iter().map(Arc::new).collect();
        let are_sound = lists.are_sound() && pool.queued.are_sound() && pool.task_slots.are_sound();
        if !are_sound || !pool.follow_trips.are_sound() {
            return Err("a free place of the orders is listed twice, or is none".to_owned());
        }
        let mut unknown = None;
        let mut order_of = |order: &SavedOrder| match order {
            SavedOrder::Other(order) => order.clone(),
            &SavedOrder::Tasks { source, stream, headings } => {
                let known = sources.get(source as usize);
                if known.is_none() {
                    unknown = Some(source);
                }
                let kind = known.map_or(OrderKind::Stop, |known| OrderKind::Tasks(Arc::clone(known), stream));
                Order { headings, ..Order::new(kind) }
            }
        };
        pool.lists = lists.map(|list| list.with_orders(list.orders.iter().map(&mut order_of).collect()));
        if let Some(source) = unknown {
            return Err(format!("tasks of source {source}, of {}", sources.len()));
        }
        let Self { lists, by_number, next_number, .. } = &pool;
        let n_used = lists.used().count();
        let are_stored = lists.used().all(|(_, list)| {
            !list.orders.is_empty() && list.first.wrapping_add(list.orders.len() as u32) <= *next_number
        });
        let n_empty = lists.values().iter().filter(|list| list.orders.is_empty()).count();
        if !are_stored || n_empty != lists.values().len() - n_used {
            return Err("a list of orders is empty in use, or free and not empty".to_owned());
        }
        if !by_number.is_sorted_by(|(one, _), (other, _)| one < other) {
            return Err("lists of orders are not in order of their numbers".to_owned());
        }
        Ok(pool)
    }

    /// Whether an agent's references exist and belong to no other agent. `seen` holds the places of queued lists,
    /// tasks and trips of agents before it. Linear in its lists.
    /// # Errors
    /// The first mistake, in words.
    pub(crate) fn check_state(&self, state: &OrderState, seen: &mut SeenPlaces) -> Result<(), String> {
        if state.list != NONE {
            let list = self.lists.get(state.list).filter(|list| !list.orders.is_empty());
            let is_part = |list: &StoredList| {
                state.open.first >= list.first
                    && (state.open.first - list.first) as usize + state.open.count as usize
                        <= list.orders.len()
            };
            if state.open.count == 0 || !list.is_some_and(is_part) {
                return Err(format!("orders {:?} of a list that does not hold them", state.open));
            }
        } else if state.open.count > 0 || state.next != NONE {
            return Err("orders without a list".to_owned());
        }
        let (mut at, mut last) = (state.next, NONE);
        while at != NONE {
            let queued = self.queued.get(at).filter(|_| seen.queued.insert(at));
            let list = queued.and_then(|queued| Some((queued, self.lists.get(queued.list)?)));
            let Some((queued, list)) = list else { return Err(format!("queued list {at}")) };
            if queued.count as usize > list.orders.len() {
                return Err(format!("{} orders of a queued list of {}", queued.count, list.orders.len()));
            }
            (last, at) = (at, queued.next);
        }
        if state.last != last {
            return Err(format!("last queued list {}, expected {last}", state.last));
        }
        let has_tasks = state.tasks != NONE;
        let any_tasks = self.open(state).any(|order| order.kind.tasks().is_some());
        let slot = self.task_slots.get(state.tasks).filter(|_| has_tasks && seen.tasks.insert(state.tasks));
        if slot.is_some_and(TaskSlot::is_sound) != has_tasks || has_tasks != any_tasks {
            return Err(format!("tasks in place {}", state.tasks));
        }
        let trip = self.follow_trips.get(state.follow);
        if state.follow != NONE && trip.is_none_or(|_| !seen.follow.insert(state.follow)) {
            return Err(format!("trip {} behind a leader", state.follow));
        }
        Ok(())
    }

    /// Distinct lists that agents or queued lists refer to, each as its orders.
    pub(crate) fn all_orders(&self) -> impl Iterator<Item = &Arc<[Order]>> {
        self.lists.values().iter().map(|list| &list.orders).filter(|orders| !orders.is_empty())
    }

    /// Trips of an agent's own: to its task, and behind its leader.
    pub(crate) fn own_trips(&self, state: &OrderState) -> impl Iterator<Item = &Trip> {
        let to_task = self.task_slots.get(state.tasks).map(TaskSlot::trip);
        to_task.into_iter().chain(self.follow_trips.get(state.follow))
    }
}

/// Places of a pool that agents refer to, each for itself.
#[derive(Debug, Default)]
pub(crate) struct SeenPlaces {
    queued: BTreeSet<u32>,
    tasks: BTreeSet<u32>,
    follow: BTreeSet<u32>,
}
