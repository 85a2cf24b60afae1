//! Events of a tick: rows for games, and a log for runs that keep one.

use crate::commands::{RefusalReason, Ticket};
use crate::counts::Counts;
use crate::log::{Log, TraceEvent};
use crate::rows::event_details::{DetailsList, EventDetails};
use crate::rows::event_row::{EventKind, EventRow};
use wheelbase_traffic::clone_fields;
use wheelbase_traffic::motion::AgentId;

/// The events of the last tick, and the log.
#[derive(Debug, Default)]
pub(crate) struct Events {
    /// What happened at the last tick.
    pub rows: Vec<EventRow>,
    /// Details of these events, by index.
    pub details: DetailsList,
    /// What happened since the log was last cleared, if the run keeps one.
    pub log: Option<Log>,
    /// The command that is being carried out: the cause of all events noted meanwhile.
    pub cause: Option<Ticket>,
    /// Agents whose orders of their placement a command of the tick has replaced.
    replaced: Vec<ReplacedOrders>,
}

/// An agent whose orders of its placement a command of the same tick has replaced, with the events told until then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ReplacedOrders {
    agent: AgentId,
    /// Number of rows of events.
    rows: usize,
    /// Number of events in the log.
    logged: usize,
}

clone_fields!(Events { rows, details, cause, replaced } fresh { log } then drop_log);

impl Events {
    /// A copy has no log.
    fn drop_log(&mut self, _from: &Self) {
        self.log = None;
    }

    /// Forgets the events of the last tick. The log keeps its events.
    pub fn begin_tick(&mut self) {
        self.rows.clear();
        self.details.clear();
        if let Some(log) = &mut self.log {
            log.begin_tick();
        }
    }

    /// Notes an event of a tick in the rows and in the log: the only writer of events that both hold.
    pub fn note(&mut self, tick: u32, event: TraceEvent, details: EventDetails<'_>) {
        let details = event.add_to(details, self.cause);
        if let Some(row) = EventRow::of(tick, &event) {
            self.note_row(row, details);
        }
        if let Some(log) = &mut self.log {
            log.details.push(log.events.len(), details);
            log.events.push(event);
        }
    }

    /// Notes an event that is not in the log.
    pub fn note_row(&mut self, row: EventRow, details: EventDetails<'_>) {
        self.details.push(self.rows.len(), details);
        self.rows.push(row);
    }

    /// Notes and counts that the command of a ticket, or its part about an agent, is not carried out.
    pub fn refuse(
        &mut self,
        counts: &mut Counts,
        (tick, ticket): (u32, Ticket),
        agent: Option<AgentId>,
        reason: RefusalReason,
        details: EventDetails<'_>,
    ) {
        counts.commands_refused += 1;
        self.note(tick, TraceEvent::Refused { ticket, agent, reason }, details);
    }

    /// Notes that a command replaces the orders with which an agent was placed at this tick.
    pub fn note_replaced(&mut self, agent: AgentId) {
        let logged = self.log.as_ref().map_or(0, |log| log.events.len());
        self.replaced.push(ReplacedOrders { agent, rows: self.rows.len(), logged });
    }

    /// Leaves out the orders that a command of the tick of placement has replaced. A trace takes all orders of a tick
    /// for one list. So it cannot tell the orders of a placement from orders given at the same tick.
    pub fn leave_out_replaced(&mut self) {
        let Self { rows, details, log, replaced, .. } = self;
        if replaced.is_empty() {
            return;
        }
        replaced.sort_unstable();
        let found = |agent| replaced.binary_search_by_key(&agent, |of| of.agent).ok().map(|at| replaced[at]);
        let is_kept = |at: usize, row: &EventRow| {
            row.kind() != Some(EventKind::Ordered) || found(AgentId(row.agent)).is_none_or(|of| at >= of.rows)
        };
        details.retain(rows.len(), |at| is_kept(at, &rows[at]));
        let mut next = 0..;
        rows.retain(|row| next.next().is_none_or(|at| is_kept(at, row)));
        if let Some(Log { events, details, .. }) = log {
            let is_kept = |at: usize, event: &TraceEvent| {
                let TraceEvent::Order { agent, .. } = *event else { return true };
                found(agent).is_none_or(|of| at >= of.logged)
            };
            details.retain(events.len(), |at| is_kept(at, &events[at]));
            let mut next = 0..;
            events.retain(|event| next.next().is_none_or(|at| is_kept(at, event)));
        }
        replaced.clear();
    }
}
