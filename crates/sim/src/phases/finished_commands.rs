//! What commands leave to do once they are carried out.

use crate::agents::Agents;
use crate::tick_buffers::TickBuffers;
use crate::world::World;
use wheelbase_traffic::RowSet;
use wheelbase_traffic::motion::AgentId;

/// The work that commands leave, done once for all of them. Drops the requests that are over, and sets the priorities
/// of the others. Closes up the rows of removed agents, which stay in place until then.
pub(super) fn finish_commands(world: &mut World) {
    let World { requests, agents, tick_buffers, .. } = world;
    let TickBuffers { requests_over, reprioritised, agents: named, .. } = tick_buffers;
    // Most commands name few agents, and requests may be many: each is looked up among the few.
    if take_agents(requests_over, agents, named) {
        requests.forget_where(|agent| named.binary_search(&agent).is_ok());
    }
    if take_agents(reprioritised, agents, named) {
        requests.set_priorities(|agent| {
            named.binary_search(&agent).ok()?;
            Some(agents.wait_states[agents.row(agent)?].priority)
        });
    }
    agents.close_up();
}

/// Empties a set of rows into their agents, which are in order of id as rows are. Returns whether there are any.
fn take_agents(rows: &mut RowSet, agents: &Agents, named: &mut Vec<AgentId>) -> bool {
    named.clear();
    named.extend(rows.iter().map(|row| agents.ids[row]));
    rows.clear();
    !named.is_empty()
}
