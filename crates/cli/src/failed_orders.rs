//! The first orders that a run gave up because their goals could not be reached: whose, where and why.

use wheelbase_sim::{EventRow, OrderKind, UnreachableReason, World};
use wheelbase_view::safe_text;

/// Most failed orders that are listed.
const LISTED_MAX: usize = 5;

/// An order that failed.
pub struct FailedOrder {
    pub tick: u32,
    /// Class, number and name of the agent.
    pub agent: String,
    /// Its cell at the time.
    pub at: (i32, i32),
    /// Name of the kind of order.
    pub kind: &'static str,
    pub reason: UnreachableReason,
}

/// The first failed orders of a run. Those before the tick from which a run was resumed are not known.
#[derive(Default)]
pub struct FailedOrders {
    pub first: Vec<FailedOrder>,
}

impl FailedOrders {
    /// Notes what the last tick of a world gave up.
    pub fn note(&mut self, world: &World) {
        if self.first.len() < LISTED_MAX {
            let left = LISTED_MAX - self.first.len();
            self.first.extend(world.events().iter().filter_map(|event| failed(world, event)).take(left));
        }
    }
}

/// The failed order of an event, if it is about one. Events are read after the tick: an agent that it has removed has
/// no cell any more, but is not asked about either.
fn failed(world: &World, event: &EventRow) -> Option<FailedOrder> {
    let (reason, id) = (event.failure()?, event.agent()?);
    let row = world.agent(id)?;
    let class = &world.classes()[row.class as usize].name;
    let arrays = world.agent_arrays();
    let name = arrays.row(id).and_then(|row| arrays.name(row));
    let cell = row.pose().cell;
    Some(FailedOrder {
        tick: event.tick,
        agent: agent_text(class, id.0, name.as_deref()),
        at: (cell.x, cell.y),
        kind: OrderKind::NAMES.get(event.b as usize).copied().unwrap_or("order"),
        reason,
    })
}

/// An agent by class, number and name.
pub fn agent_text(class: &str, id: u32, name: Option<&str>) -> String {
    let class = safe_text::line(class);
    match name {
        Some(name) => format!("{class} {id} \"{}\"", safe_text::line(name)),
        None => format!("{class} {id}"),
    }
}
