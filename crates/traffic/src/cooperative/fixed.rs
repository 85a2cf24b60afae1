//! Numbers of the rule that no run changes. Times in `_steps` are multiples of the agent's fastest step.

/// An agent replans when its plan ends within this many quarters of the horizon. Lower: it stops between plans;
/// higher: more searches.
pub(crate) const DUE_HORIZON_QUARTERS: u32 = 2;
/// An agent follows its path without a search if the path is free for this many quarters of the horizon. Lower: it runs
/// into agents that a search would have avoided; higher: it searches although it could go on.
pub(crate) const FREE_PATH_HORIZON_QUARTERS: u32 = 1;
/// Pause, in half steps, before an agent with a new plan looks for a better one. Lower: more searches (one per tick
/// brought no better plans; without figures); higher: it keeps to a plan that others have made bad.
pub(crate) const REPLAN_HALF_STEPS: u32 = 1;
/// Pause, in quarter steps, before an agent without a plan searches again; doubled with each failure in a row. Lower:
/// searches without success; higher: gaps between others are missed.
pub(crate) const RETRY_QUARTER_STEPS: u32 = 1;
/// How often the pause after a search without a plan is doubled. Lower: searches without success in jams; higher: an
/// agent stays behind when a jam dissolves.
pub(crate) const RETRY_DOUBLINGS_MAX: u32 = 3;
/// Steps of waiting after which an agent has waited long and gets `search_nodes_after_waiting`. Lower: jams cost more
/// time; higher: they last.
pub(crate) const WAITED_LONG_STEPS: u32 = 2;
/// How much farther a search looks ahead, in times of the ticks that the agent has waited. 0: a detour is worth no more
/// for having waited; higher: agents take long detours early.
pub(crate) const WAIT_HORIZON_FACTOR: u32 = 2;
/// Moves of a path from which the cost-to-go around an agent is computed. Lower: poses near the path, but far along it,
/// look expensive; higher: costs nothing beyond the window.
pub(crate) const GUIDE_PATH_MOVES: u32 = 64;
/// Moves at most from the end of a plan back to the path; beyond that the agent asks for a new path. Lower: more path
/// requests.
pub(crate) const PATH_BACK_MOVES: u32 = 256;
/// Half side of the window of the cost-to-go around an agent, in cells, without its body. Lower: obstacles larger than
/// the window cannot be passed; higher: time and memory grow with its area.
pub(crate) const WINDOW_RADIUS: u32 = 14;
/// Lengths of the body that are added to that half side. Lower: long bodies have no room to turn in the window; higher:
/// time and memory grow.
pub(crate) const WINDOW_RADIUS_BODIES: u32 = 2;
/// A window is used again while the agent is within one part in this many of the half side from its centre. Lower:
/// agents come near the border of the window; higher: more windows are computed.
pub(crate) const WINDOW_REUSE_PARTS: u32 = 3;
/// Time, in steps, after which it is tested again whether an agent can make way. Lower: tests cost more; higher: a
/// roadblock that is free again is still avoided.
pub(crate) const ROADBLOCK_TEST_STEPS: u32 = 64;
/// Moves of its path along which an agent looks for the agent that blocks it. Lower: it does not see the agent that its
/// plan stops before; higher: it pushes agents that would be gone in time.
pub(crate) const BLOCKER_MOVES: u32 = 3;
/// Waiting time, in steps, after which a pushed agent gives up a retreat that it cannot reach. Lower: retreats are
/// given up that would have been reached; higher: it stands on the way there.
pub(crate) const GIVE_UP_AFTER_STEPS: u32 = 8;
/// Steps at most for which a pushed agent stays at its retreat to let the pusher pass. Without it, of 24 lorries in a
/// lane in which two can pass 2 came through. A bridge of 5 cells did a sixth fewer tasks in 20,000 ticks.
pub(crate) const RETREAT_HOLD_STEPS: u32 = 48;
/// Moves of the pusher's path that an agent at its retreat keeps clear of.
pub(crate) const PASSING_MOVES: u32 = 32;
/// Moves of its path that an agent at its retreat compares with the moves of the pusher.
pub(crate) const RETURN_MOVES: u32 = 8;
/// Moves of the pusher's path that retreats keep clear of, tried one after the other. Long at first, so that one
/// agent backs out of a corridor. Short at last, as in a full ring where all must move on a little.
pub(crate) const CLEAR_MOVES: [usize; 3] = [32, 8, 2];
/// Poses that the searches for all retreats of one push may expand together. Lower: chains of pushed agents are short;
/// higher: jams cost more time.
pub(crate) const RETREAT_POSES_OF_STRETCH: u32 = 4000;
/// Pushes in a row without a retreat after which the pause before the next is no longer doubled.
pub(crate) const PUSH_FAILURES_MAX: u8 = 4;
/// Pushes in a row without a retreat after which the pusher backs out itself. The pusher may shut the other agent in.
/// After 4 a convoy that meets another took a tenth longer.
pub(crate) const BACK_OUT_AFTER_FAILURES: u8 = 2;
/// Ticks between two looks at the agents on edits that wait.
pub(crate) const CLEAR_EDITS_TICKS: u32 = 5;
/// Pause, in steps, before an agent without a retreat from there is tried again.
pub(crate) const CLEAR_AGAIN_STEPS: u32 = 10;
/// Steps that the agent itself must gain by priority inheritance. Lower: plans change for nothing; higher: fewer
/// attempts succeed.
pub(crate) const INHERITANCE_GAIN_STEPS: u32 = 1;
/// Extra cost of a move for which others must yield, in half steps. Lower: others yield to an agent that could pass
/// around them as fast; higher: it takes detours.
pub(crate) const YIELD_COST_HALF_STEPS: u32 = 1;
/// Steps in which an agent of lower priority is assumed to clear a cell, at the first try. Lower: it cannot, and the
/// try fails; higher: the agent waits for cells that are free sooner.
pub(crate) const INHERITANCE_STEPS: u32 = 1;
/// The same at the second try.
pub(crate) const INHERITANCE_STEPS_AGAIN: u32 = 4;
/// How often the pause of one step after a failed priority inheritance is doubled. Lower: attempts without success;
/// higher: chances are missed.
pub(crate) const INHERITANCE_RETRY_DOUBLINGS_MAX: u32 = 4;
/// Half steps that all plans together must gain by it. Lower: plans change for nothing; higher: fewer attempts succeed.
pub(crate) const LNS_GAIN_HALF_STEPS: u32 = 1;
/// Cost, in steps, of moving an idle agent in that sum. Lower: idle agents are moved for small gains; higher: they stay
/// in the way.
pub(crate) const LNS_IDLE_STEPS: u32 = 1;
/// Steps in which an agent of any priority is assumed to clear a cell, at the first try. Lower and higher as
/// [`INHERITANCE_STEPS`].
pub(crate) const LNS_STEPS: u32 = 4;
/// The same at the second try.
pub(crate) const LNS_STEPS_AGAIN: u32 = 12;
/// How often the pause of one step after a failed neighbourhood search is doubled. Lower: attempts without success;
/// higher: chances are missed.
pub(crate) const LNS_RETRY_DOUBLINGS_MAX: u32 = 1;
/// Cells of the longer side of a corridor at most. Lower and higher as for `corridor_cells_max`.
pub(crate) const CORRIDOR_SIDE_MAX: u32 = 48;
/// How far ahead an agent plans that has no-stopping ground before it, in steps. Lower: crossings do not fit; higher:
/// searches cost more. Between 32 and 64 no difference was seen.
pub(crate) const CROSSING_STEPS: u32 = 48;
/// Nodes that its search may expand. Lower: crossings are not found (300: 5 % fewer tasks); higher: they cost more time
/// (2000: no more tasks).
pub(crate) const CROSSING_NODES: u32 = 1000;
/// Agents that approach or enter a corridor from one end before agents of higher priority at the other end have their
/// turn. Lower: turns change often; higher: agents that come out find no room: at a gate between two crowds, half as
/// many passed with 8.
pub(crate) const CORRIDOR_BATCH: u32 = 4;
/// Agents that approach a busy corridor from one end. Lower: the corridor is empty between them; higher: agents that
/// come out find no room.
pub(crate) const CORRIDOR_BATCH_BUSY: u32 = 8;
/// Moves before a corridor at which the first agent without admission stops. Lower: agents that come out find no room;
/// higher: entering takes longer.
pub(crate) const QUEUE_MOVES: u32 = 4;
/// Moves farther back for each agent before it in the queue. Lower: queues block the ground before the entrance;
/// higher: they block what lies behind.
pub(crate) const QUEUE_MOVES_EACH: u32 = 2;
/// Moves farther back at most. Lower: long queues crowd; higher: they reach far across the map.
pub(crate) const QUEUE_MOVES_MAX: u32 = 72;
/// Moves before a corridor within which an agent is admitted. Lower: it stops before entering; higher: the corridor
/// waits for agents that are far away.
pub(crate) const ADMIT_MOVES: u32 = 8;
/// Moves before a corridor within which agents at the other end count when turns change. Lower: agents near the
/// entrance are passed over; higher: the corridor waits for agents that are far away.
pub(crate) const TURN_MOVES: u32 = 16;
/// Moves of a path that are searched for corridors. Lower: agents notice corridors late, and crowd before them; higher:
/// each turn costs more.
pub(crate) const LOOK_AHEAD_MOVES: u32 = 96;
/// Ticks for which an agent counts as waiting for a corridor after its last request. Lower: waiting agents are
/// forgotten between requests; higher: agents count that have gone elsewhere.
pub(crate) const REQUEST_TICKS: u32 = 64;
/// Length of the ground before the entrance of a busy corridor, in lengths of the agent's body. Lower: agents that come
/// out find no room; higher: idle agents are moved for nothing.
pub(crate) const ENTRANCE_BODIES: u32 = 4;
/// Waiting time, in steps, after which an agent in a corridor no longer keeps others out. Lower: agents meet head on;
/// higher: an agent inside and one outside wait longer for each other.
pub(crate) const HOLDER_WAIT_STEPS: u32 = 8;
