/* wheelbase.h: planning and simulation of units that cover several cells. Made by cbindgen; do not edit:
 * WHEELBASE_BLESS=1 cargo test -p wheelbase-header
 *
 * Handles (uint64_t) stand for objects of the library; 0 is none. A handle that is forged, destroyed or of another kind
 * gets a status and harms nothing. Every function returns a status (WB_OK, ...) unless its comment says otherwise; the words of
 * a failure are in wb_last_error. Where a function fails, what it was to change is as before.
 *
 * Threads: no call waits for another. Calls that only read an object may run at once; a call that changes it runs alone, and
 * any other meanwhile gets WB_BUSY and may be repeated. Panics are caught: WB_PANIC, then WB_BROKEN of what was being
 * changed.
 *
 * Structures whose first field is `size` are set to 0 and `size` to sizeof, or by their init function, before a call. In
 * arrays of them all have the size of the first. Texts are UTF-8 with their number of bytes, and need no zero byte.
 * Pointers may be null where that is said, and with a count or capacity of 0.
 *
 * Buffers: `count` gets the number of values that there are. If `capacity` is less, nothing is written into the buffer and
 * the status is WB_BUFFER: make room and call again. Memory that is borrowed (const T **) belongs to the library.
 *
 * Units: time and costs in ticks, lengths in cells, speeds in permille, work in expansions. x grows to the east, y to the
 * south, headings counterclockwise. */

#ifndef WHEELBASE_H
#define WHEELBASE_H

#include <stddef.h>
#include <stdint.h>

/**
 * The call did what it was asked for.
 */
#define WB_OK 0

/**
 * A pointer is null where a value is needed, or not aligned.
 */
#define WB_POINTER 1

/**
 * The number is no handle: 0, or never given out.
 */
#define WB_NO_HANDLE 2

/**
 * The object of this handle has been destroyed.
 */
#define WB_DESTROYED 3

/**
 * The handle is of another kind than the call takes.
 */
#define WB_WRONG_KIND 4

/**
 * Another thread is in a call that excludes this one. Nothing was done; the call may be repeated.
 */
#define WB_BUSY 5

/**
 * A call panicked while it changed this object. It can only be destroyed.
 */
#define WB_BROKEN 6

/**
 * The `size` of a structure is none that this version of the library knows.
 */
#define WB_SIZE 7

/**
 * The buffer is too small: the count says how much is needed. Nothing was written into the buffer.
 */
#define WB_BUFFER 8

/**
 * An argument is out of its range; the message names it.
 */
#define WB_ARGUMENT 9

/**
 * A text or file is wrong; the message gives file, line and column.
 */
#define WB_TEXT 10

/**
 * A limit is exceeded: memory, or the number of objects.
 */
#define WB_LIMIT 11

/**
 * What was asked for does not exist, such as an agent that has been removed.
 */
#define WB_NOT_FOUND 12

/**
 * A call panicked, which is a fault of the library, and changed nothing.
 */
#define WB_PANIC 13

/**
 * The heading of a goal that may be reached with any heading.
 */
#define WB_ANY_HEADING UINT32_MAX

/**
 * No number: no agent, no limit, no ticket, where a comment says so.
 */
#define WB_NONE UINT32_MAX

/**
 * Ticks of what is never reached.
 */
#define WB_NEVER UINT32_MAX

/**
 * If the goal cannot be reached, there is no path.
 */
#define WB_FALLBACK_FAIL 0

/**
 * If the goal cannot be reached, the path leads to the nearest pose that can be reached.
 */
#define WB_FALLBACK_NEAREST 1

/**
 * Square cells. Sides: 0 east, 1 north, 2 west, 3 south.
 */
#define WB_SHAPE_SQUARE 0

/**
 * Hexagonal cells with a corner to the north; odd rows are shifted half a cell to the east. Sides: 0 east, 1
 * northeast, 2 northwest, 3 west, 4 southwest, 5 southeast.
 */
#define WB_SHAPE_HEX 1

/**
 * A change that sets the terrain kind of the cells of `area` to `value`; cells off the map are ignored.
 */
#define WB_CHANGE_TERRAIN 0

/**
 * A change that sets the height of the cells of `area` to `value`, -32768 to 32767; cells off the map are ignored.
 */
#define WB_CHANGE_ELEVATION 1

/**
 * A change that sets the sides of the cell (`area.x`, `area.y`), which is on the map, to `side_kinds`.
 */
#define WB_CHANGE_SIDES 2

/**
 * A change that rotates the cell (`area.x`, `area.y`), which is on the map, with its sides by `value` steps
 * counterclockwise: quarter turns of a square, sixths of a turn of a hexagon.
 */
#define WB_CHANGE_ROTATE 3

/**
 * In `side_kinds`: this side stays as it is.
 */
#define WB_KEEP UINT32_MAX

/**
 * The side kind that never limits a move. Further kinds are those of the map's file.
 */
#define WB_SIDE_OPEN 0

/**
 * The side kind that no move crosses.
 */
#define WB_SIDE_WALL 1

/**
 * A path to the goal was found; with `WB_FALLBACK_NEAREST`, or to the nearest pose.
 */
#define WB_PLAN_FOUND 0

/**
 * The anchor of the start is off the map.
 */
#define WB_PLAN_START_OFF_MAP 1

/**
 * No member of the goal has its anchor on the map.
 */
#define WB_PLAN_GOAL_OFF_MAP 2

/**
 * The start is not a legal pose.
 */
#define WB_PLAN_START_BLOCKED 3

/**
 * No member of the goal is a legal pose.
 */
#define WB_PLAN_GOAL_BLOCKED 4

/**
 * There is no path.
 */
#define WB_PLAN_UNREACHABLE 5

/**
 * The limit of expansions was reached first.
 */
#define WB_PLAN_LIMIT_REACHED 6

/**
 * The path would take more than 2^32 - 2 ticks.
 */
#define WB_PLAN_COST_OVERFLOW 7

/**
 * The map has a path, but agents on hold, or resting agents of other teams, block it: of `wb_world_plan` alone.
 */
#define WB_PLAN_OBSTRUCTED 8

/**
 * There is no path.
 */
#define WB_REACHED_NOTHING 0

/**
 * The path ends at a member of the goal.
 */
#define WB_REACHED_GOAL 1

/**
 * The path ends at the pose nearest to the goal.
 */
#define WB_REACHED_NEAREST 2

/**
 * The path ends at the best pose expanded before the limit.
 */
#define WB_REACHED_PARTIAL 3

/**
 * The default heuristic: the norm that estimates most for the class. As a guide in an answer: never.
 */
#define WB_HEURISTIC_DEFAULT 0

/**
 * No heuristic: Dijkstra's algorithm.
 */
#define WB_HEURISTIC_ZERO 1

/**
 * Manhattan norm; square maps only.
 */
#define WB_HEURISTIC_MANHATTAN 2

/**
 * Chebyshev norm; square maps only.
 */
#define WB_HEURISTIC_CHEBYSHEV 3

/**
 * Octile norm; square maps only.
 */
#define WB_HEURISTIC_OCTILE 4

/**
 * Euclidean norm.
 */
#define WB_HEURISTIC_EUCLID 5

/**
 * Hexagonal norm; hexagonal maps only.
 */
#define WB_HEURISTIC_HEXAGONAL 6

/**
 * Greedy: a path, fast, and not the cheapest one.
 */
#define WB_HEURISTIC_GREEDY 7

/**
 * As a guide in an answer: landmarks.
 */
#define WB_GUIDE_LANDMARKS 100

/**
 * As a guide in an answer: a field of costs to the goal.
 */
#define WB_GUIDE_FIELD 101

/**
 * As a guide in an answer: costs learned by earlier searches.
 */
#define WB_GUIDE_LEARNED 102

/**
 * As a guide in an answer: a bound that the host gives.
 */
#define WB_GUIDE_CUSTOM 103

/**
 * The version of this interface: the major number in the upper 16 bits, the minor in the lower. Programs run with any
 * library of the same major number and the same or a higher minor.
 */
#define WB_ABI_VERSION (1 << 16)

/**
 * A move touches the footprints at its ends, and at each equal step between them.
 */
#define WB_SWEEP_ENDS 0

/**
 * A move touches every cell whose interior the moving body touches; square maps only.
 */
#define WB_SWEEP_FULL 1

/**
 * The default: `WB_SWEEP_FULL` on square maps, `WB_SWEEP_ENDS` on hexagonal maps.
 */
#define WB_SWEEP_USUAL 2

/**
 * A primitive of any heading.
 */
#define WB_WHEN_ANY 0

/**
 * With 8 headings: a primitive that starts facing E, N, W or S.
 */
#define WB_WHEN_STRAIGHT 1

/**
 * With 8 headings: a primitive that starts facing NE, NW, SW or SE; its cells are given in map axes (east, south)
 * while facing NE.
 */
#define WB_WHEN_DIAGONAL 2

/**
 * One cell leads to the other.
 */
#define WB_CONNECTED_YES 1

/**
 * No way leads from one cell to the other.
 */
#define WB_CONNECTED_NO 0

/**
 * Only a search can tell: there are one-way moves, or `wb_tables_make_components` has not been called.
 */
#define WB_CONNECTED_UNKNOWN 2

/**
 * In `wb_tables_update`: a pose or a move is not as it was.
 */
#define WB_UPDATE_CHANGED 1

/**
 * In `wb_tables_update`: a pose or a move has become legal, or a move cheaper.
 */
#define WB_UPDATE_EASED 2

/**
 * In `moves` of `wb_plan_batch`: the last pose of a path, after which there is no move.
 */
#define WB_NO_MOVE UINT8_MAX

/**
 * `primitive` of an agent at rest.
 */
#define WB_AT_REST 255

/**
 * `order_kind` of an agent without an order.
 */
#define WB_NO_ORDER 255

/**
 * `ticket` of an event that no command asked for.
 */
#define WB_NO_TICKET UINT64_MAX

/**
 * Bit of `flags`: an edit has made its pose or its move illegal, and no later edit has undone that.
 */
#define WB_FLAG_STRANDED 1

/**
 * Bit of `flags`: it holds its position and is never pushed.
 */
#define WB_FLAG_ON_HOLD 2

/**
 * Bit of `flags`: its path leads to the pose nearest to a goal that it cannot reach.
 */
#define WB_FLAG_TO_NEAREST 4

/**
 * Bit of `flags`: its path is a leg of a route over the abstract graph, and does not lead to its goal.
 */
#define WB_FLAG_ON_LEG 8

/**
 * It has no order left.
 */
#define WB_ACTIVITY_IDLE 0

/**
 * It rests for an order to wait, or near the agent that it follows.
 */
#define WB_ACTIVITY_DWELLING 1

/**
 * Its path request has no answer yet.
 */
#define WB_ACTIVITY_AWAITING_PATH 2

/**
 * It has a path.
 */
#define WB_ACTIVITY_FOLLOWING 3

/**
 * It lets another agent pass; then it asks for a path again.
 */
#define WB_ACTIVITY_YIELDING 4

/**
 * It has reached its goal; the order is done at the next tick.
 */
#define WB_ACTIVITY_ARRIVED 5

/**
 * Its goal cannot be reached. An edit may change that.
 */
#define WB_ACTIVITY_UNREACHABLE 6

/**
 * It rests, and nobody may push it.
 */
#define WB_ACTIVITY_HOLDING 7

/**
 * An agent was placed. `a`: its class.
 */
#define WB_EVENT_SPAWNED 0

/**
 * An agent was removed.
 */
#define WB_EVENT_REMOVED 1

/**
 * A command, or its part about the agent, was not carried out. `a`: the reason, `WB_REFUSED_...`.
 */
#define WB_EVENT_REFUSED 2

/**
 * An order was given. `a`: its number, `b`: its kind, `WB_ORDER_...`.
 */
#define WB_EVENT_ORDERED 3

/**
 * An order is done. `a`: its number, `b`: its kind.
 */
#define WB_EVENT_ORDER_DONE 4

/**
 * The goal of an order cannot be reached; noted once for each order. `a`: its number, `b`: its kind, `c`: the reason,
 * `WB_FAILURE_...`.
 */
#define WB_EVENT_ORDER_FAILED 5

/**
 * A task was given. `a`, `b`: column and row of its goal, the bits of an `int32_t` each; `c`: the heading asked for,
 * `WB_ANY_HEADING` for any.
 */
#define WB_EVENT_TASK_GIVEN 6

/**
 * A task is done. `a`, `b`: column and row of the agent's anchor.
 */
#define WB_EVENT_TASK_DONE 7

/**
 * An agent has another path: the answer to a request, or made by the rule of traffic. `a`: its number of moves.
 */
#define WB_EVENT_PATH_FOUND 8

/**
 * An agent has waited for 8 ticks. `a`: the agent in the way of its next move.
 */
#define WB_EVENT_BLOCKED 9

/**
 * An edit took effect. `a`: the tick at which it was asked for.
 */
#define WB_EVENT_EDIT_DONE 10

/**
 * An edit waits until it disturbs no agent; noted once. `a`: the number of agents that it would disturb.
 */
#define WB_EVENT_EDIT_WAITS 11

/**
 * An agent has another priority. `a`: the priority, the bits of an `int32_t`.
 */
#define WB_EVENT_PRIORITY_SET 12

/**
 * An agent has another team. `a`: the team.
 */
#define WB_EVENT_TEAM_SET 13

/**
 * An agent has another speed factor. `a`: the factor in permille.
 */
#define WB_EVENT_SPEED_FACTOR_SET 14

/**
 * An agent has another class. `a`: the class.
 */
#define WB_EVENT_CLASS_SET 15

/**
 * The tasks of an agent were replaced by others.
 */
#define WB_EVENT_TASKS_REPLACED 16

/**
 * A waiting edit was withdrawn. `a`, `b`: low and high half of the ticket of its command. The event has the ticket of
 * the command that withdrew it.
 */
#define WB_EVENT_EDIT_CANCELLED 17

/**
 * A later edit has replaced parts of a waiting edit. `a`, `b`: low and high half of the ticket of the earlier edit,
 * `c`: the changes left of it, 0 if it waits no longer. The event has the ticket of the later edit.
 */
#define WB_EVENT_EDIT_REPLACED 18

/**
 * An agent has left the map and has no row. `a`: the agent that it entered, `WB_NONE` if none was named.
 */
#define WB_EVENT_ENTERED 19

/**
 * An agent has come back to the map. `a`: its class.
 */
#define WB_EVENT_LEFT 20

/**
 * No agent has this id any more, or yet; or there is no such leader to follow or container to enter.
 */
#define WB_REFUSED_UNKNOWN_AGENT 0

/**
 * There is no class of this number.
 */
#define WB_REFUSED_UNKNOWN_CLASS 1

/**
 * The pose is not a legal one of the class.
 */
#define WB_REFUSED_ILLEGAL_POSE 2

/**
 * Another agent holds a cell of the pose, or is about to, or an edit waits for it.
 */
#define WB_REFUSED_POSE_HELD 3

/**
 * The goal of an order is off the map.
 */
#define WB_REFUSED_GOAL_OFF_MAP 4

/**
 * A heading is not below the order's number of headings, or that number is not 1, 4, 6 or 8.
 */
#define WB_REFUSED_WRONG_HEADING 5

/**
 * An order names no goal, or several for a group; orders come after tasks; or an agent is to follow itself.
 */
#define WB_REFUSED_WRONG_ORDER 6

/**
 * Tasks without a goal for some agent, or with a goal off the map.
 */
#define WB_REFUSED_WRONG_TASKS 7

/**
 * A list is too long: at most 4,096 orders and 65,536 goals a command, 65,536 changes an edit, 1,048,576 agents.
 */
#define WB_REFUSED_TOO_LONG 8

/**
 * An edit names an unknown kind of terrain or side, or a cell off the map.
 */
#define WB_REFUSED_WRONG_EDIT 9

/**
 * The team is not below 32.
 */
#define WB_REFUSED_UNKNOWN_TEAM 10

/**
 * A speed factor of 0.
 */
#define WB_REFUSED_WRONG_SPEED_FACTOR 11

/**
 * The most agents are present, or no ids are left.
 */
#define WB_REFUSED_TOO_MANY_AGENTS 12

/**
 * There is no room for an agent that comes back, or for all agents of a group. The placed agents have events with the
 * same ticket.
 */
#define WB_REFUSED_NO_ROOM 13

/**
 * The agent waits for no path from the host.
 */
#define WB_REFUSED_NO_REQUEST 14

/**
 * A path has an illegal move, or does not lead to the goal.
 */
#define WB_REFUSED_WRONG_PATH 15

/**
 * A primitive that the agent's class does not have.
 */
#define WB_REFUSED_WRONG_PRIMITIVE 16

/**
 * No edit with this ticket waits.
 */
#define WB_REFUSED_NO_SUCH_EDIT 17

/**
 * The agent is off the map.
 */
#define WB_REFUSED_OFF_MAP 18

/**
 * The agent is on the map, where only an agent off the map can come back.
 */
#define WB_REFUSED_ON_MAP 19

/**
 * Go to a member of the goal, the cheapest.
 */
#define WB_ORDER_GOTO 0

/**
 * Go to the cheapest pose with its anchor in an area that no other agent stands on or is assigned.
 */
#define WB_ORDER_GOTO_AREA 1

/**
 * Visit the goals in turn, without end.
 */
#define WB_ORDER_PATROL 2

/**
 * Stand for a number of ticks.
 */
#define WB_ORDER_WAIT 3

/**
 * Do one task after another, without end. The last of a list.
 */
#define WB_ORDER_TASKS 4

/**
 * Go to a pose around the goal; poses are assigned to all agents of the command together.
 */
#define WB_ORDER_GOTO_GROUP 5

/**
 * Drop all orders behind this one and rest; others may push the agent.
 */
#define WB_ORDER_STOP 6

/**
 * Rest without end. Nobody pushes the agent, and searches take it for an obstacle.
 */
#define WB_ORDER_HOLD 7

/**
 * Keep within a number of cells of an agent, until that is gone.
 */
#define WB_ORDER_FOLLOW 8

/**
 * Stand in place for a number of ticks. Nobody pushes the agent, and searches take it for an obstacle.
 */
#define WB_ORDER_WAIT_IN_PLACE 9

/**
 * Do a number of orders before it in its list once more, without end.
 */
#define WB_ORDER_REPEAT 10

/**
 * Go to a pose around the goal in formation: the agents of the command keep their layout and the pace of the slowest.
 * They face the heading of the goal, if their class has it.
 */
#define WB_ORDER_GOTO_FORMATION 11

/**
 * No member of the goal is on the map.
 */
#define WB_FAILURE_GOAL_OFF_MAP 0

/**
 * The class has none of the headings that the order names.
 */
#define WB_FAILURE_NO_SUCH_HEADING 1

/**
 * No pose of the goal is legal.
 */
#define WB_FAILURE_GOAL_BLOCKED 2

/**
 * No sequence of moves leads from the agent to the goal.
 */
#define WB_FAILURE_UNREACHABLE 3

/**
 * Agents on hold, or resting agents of other teams, are in the way.
 */
#define WB_FAILURE_OBSTRUCTED 4

/**
 * All poses in the area, or near the group's goal, are taken.
 */
#define WB_FAILURE_NO_ROOM 5

/**
 * The path would take more than 2^32 - 2 ticks.
 */
#define WB_FAILURE_COST_OVERFLOW 6

/**
 * There is more to do.
 */
#define WB_RUNNING 0

/**
 * The last tick is reached, or nothing is left to do. A world without a last tick never ends.
 */
#define WB_ENDED 1

/**
 * An order that cannot be carried out is reported, and the next one begins.
 */
#define WB_UNREACHABLE_DROP 0

/**
 * An order that cannot be carried out is reported once, kept, and tried again after a change that could help.
 */
#define WB_UNREACHABLE_WAIT 1

/**
 * Agents of a group for which there is no room are counted and reported.
 */
#define WB_NO_ROOM_DROP 0

/**
 * The command is tried again every eight ticks until all agents of the group are placed.
 */
#define WB_NO_ROOM_WAIT 1

/**
 * Random legal cells of `area`.
 */
#define WB_TASKS_RANDOM 0

/**
 * A list of goals for each agent, repeated.
 */
#define WB_TASKS_LIST 1

/**
 * One list of cells for all: of `team` agents, agent k gets the k-th cell, the (team + k)-th and so on.
 */
#define WB_TASKS_ROUND_ROBIN 2

/**
 * Bodies never overlap, also while they move: all cells that a move sweeps are held.
 */
#define WB_COLLISION_SWEPT 0

/**
 * Bodies never overlap at whole moves: a move holds its start and its end.
 */
#define WB_COLLISION_DISCRETE 1

/**
 * The usual rule of traffic, for any classes.
 */
#define WB_RULE_COOPERATIVE 0

/**
 * A rule for one class of one cell whose moves take a tick each, under `WB_COLLISION_DISCRETE`.
 */
#define WB_RULE_UNIT_ROBOTS 1

/**
 * No rule: the host names each move by `wb_command_decisions`.
 */
#define WB_RULE_COMMANDED 2

/**
 * The planner finds the paths, within the budget of expansions.
 */
#define WB_PATHS_PLANNER 0

/**
 * The host finds the paths: `wb_world_path_requests`, `wb_command_path_answer`.
 */
#define WB_PATHS_HOST 1

/**
 * The edit waits until it disturbs no agent.
 */
#define WB_ON_AGENTS_WAIT 0

/**
 * Agents that the edit disturbs stay where they are until a later edit frees them.
 */
#define WB_ON_AGENTS_STRAND 1

/**
 * Agents that the edit disturbs are removed.
 */
#define WB_ON_AGENTS_REMOVE 2

/**
 * The edit waits until it disturbs no agent, or until its deadline; then as `WB_ON_AGENTS_STRAND`.
 */
#define WB_ON_AGENTS_WAIT_STRAND 3

/**
 * The edit waits until it disturbs no agent, or until its deadline; then as `WB_ON_AGENTS_REMOVE`.
 */
#define WB_ON_AGENTS_WAIT_REMOVE 4

/**
 * Nothing is left for it to do.
 */
#define WB_WAIT_NOTHING_TO_DO 0

/**
 * It is in mid-move.
 */
#define WB_WAIT_MOVES 1

/**
 * It rests as its order says: for a `wait`, or near the agent that it follows.
 */
#define WB_WAIT_DWELLING 2

/**
 * It is on hold.
 */
#define WB_WAIT_HOLD 3

/**
 * Its path request has no answer yet, or it asks for a path at the next tick.
 */
#define WB_WAIT_PATH 4

/**
 * It has let another agent pass.
 */
#define WB_WAIT_YIELDING 5

/**
 * Another agent, `holder`, is in the way of its next move, at the cell `at`.
 */
#define WB_WAIT_AGENT 6

/**
 * An edit waits for cells of its next moves.
 */
#define WB_WAIT_EDIT 7

/**
 * Its goal cannot be reached for now.
 */
#define WB_WAIT_UNREACHABLE 8

/**
 * An edit has made its pose illegal.
 */
#define WB_WAIT_STRANDED 9

/**
 * A rule of traffic from outside holds it back.
 */
#define WB_WAIT_OUTSIDE_RULE 10

/**
 * Agents that come from another side have their turn to enter a corridor.
 */
#define WB_WAIT_CORRIDOR_TURN 11

/**
 * An agent is in the corridor, or admitted to it, that this one can neither pass nor follow.
 */
#define WB_WAIT_CORRIDOR_HELD 12

/**
 * A whole batch that goes the agent's way comes first, for others want to come the other way.
 */
#define WB_WAIT_CORRIDOR_QUEUE 13

/**
 * The next moves lead into a busy corridor, for which the agent has not asked.
 */
#define WB_WAIT_CORRIDOR_BUSY 14

/**
 * No plan leads over the no-stopping ground of a busy corridor and off it again.
 */
#define WB_WAIT_KEEP_CLEAR 15

/**
 * The next moves lead to poses that leave it, or an agent there, no room to turn.
 */
#define WB_WAIT_NO_ROOM_TO_TURN 16

/**
 * An agent of higher priority has a soft reservation on a cell of the next moves.
 */
#define WB_WAIT_CLAIM 17

/**
 * Another agent has reserved a cell of the next moves for its own: it goes first.
 */
#define WB_WAIT_RESERVED 18

/**
 * Another agent rests on a cell of the next moves.
 */
#define WB_WAIT_RESTING 19

/**
 * It was pushed aside, and stays until its pusher has passed.
 */
#define WB_WAIT_MAKES_WAY 21

/**
 * The next move is planned.
 */
#define WB_WAIT_PLANNED 22

/**
 * Nothing is in the way any more; it looks for a plan again after a pause.
 */
#define WB_WAIT_PAUSE 23

/**
 * No plan among the reservations of the others was found.
 */
#define WB_WAIT_NO_PLAN 24

/**
 * The way is free, but its searches have used up the poses that it may expand.
 */
#define WB_WAIT_BUDGET 25

/**
 * On a map too full for all, the robot pursues no goal for a while.
 */
#define WB_WAIT_CROWD 26

/**
 * The robot is bound to a push.
 */
#define WB_WAIT_PUSHED 27

/**
 * The robot is slower than the rule allows, or stands where the rule has no moves for it.
 */
#define WB_WAIT_STOPPED 28

/**
 * No operation of the robot that is free brings it nearer.
 */
#define WB_WAIT_NO_OPERATION 29

/**
 * The host, which names the moves, has named none.
 */
#define WB_WAIT_HOST 30

/**
 * Another agent is in the way that cannot make way, and no way around it is known.
 */
#define WB_WAIT_ROADBLOCK 31

/**
 * A terrain kind of a map.
 */
typedef struct wb_terrain {
    /**
     * `sizeof(wb_terrain)`.
     */
    uint32_t size;
    /**
     * Speed in permille: 1000 normal, 400 slow, 0 impassable; at most 65535.
     */
    uint32_t speed;
    /**
     * Name; movement classes set their own speeds by it.
     */
    const char *name;
    /**
     * Bytes of the name.
     */
    size_t name_length;
    /**
     * The characters that stand for the kind in rows.
     */
    const char *characters;
    /**
     * Bytes of the characters.
     */
    size_t characters_length;
} wb_terrain;

/**
 * What is to be known of a map.
 */
typedef struct wb_map_info {
    /**
     * `sizeof(wb_map_info)`, set by the caller.
     */
    uint32_t size;
    /**
     * Columns.
     */
    uint32_t width;
    /**
     * Rows.
     */
    uint32_t height;
    /**
     * `WB_SHAPE_SQUARE` or `WB_SHAPE_HEX`.
     */
    uint32_t shape;
    /**
     * Edits so far that changed something.
     */
    uint64_t revision;
    /**
     * Number of terrain kinds, numbered from 0.
     */
    uint32_t terrain_kinds;
    /**
     * Number of side kinds, numbered from 0: `WB_SIDE_OPEN`, `WB_SIDE_WALL`, those of the map's file.
     */
    uint32_t side_kinds;
    /**
     * 1 if a cell has or had a height other than 0, else 0.
     */
    uint32_t has_elevation;
    /**
     * 0.
     */
    uint32_t reserved;
} wb_map_info;

/**
 * A rectangle of cells. Empty if `width` or `height` is 0.
 */
typedef struct wb_rect {
    /**
     * Column of the northwest cell.
     */
    int32_t x;
    /**
     * Row of the northwest cell.
     */
    int32_t y;
    /**
     * Columns.
     */
    uint32_t width;
    /**
     * Rows.
     */
    uint32_t height;
} wb_rect;

/**
 * A change of a map.
 */
typedef struct wb_change {
    /**
     * `WB_CHANGE_TERRAIN`, `WB_CHANGE_ELEVATION`, `WB_CHANGE_SIDES` or `WB_CHANGE_ROTATE`.
     */
    uint32_t kind;
    /**
     * The cells; of the last two kinds only `x` and `y` are read.
     */
    struct wb_rect area;
    /**
     * Terrain kind, height or steps; not read for `WB_CHANGE_SIDES`.
     */
    int32_t value;
    /**
     * Read for `WB_CHANGE_SIDES` only: kinds by number of the side (see `WB_SHAPE_SQUARE`), or `WB_KEEP`. Square cells
     * ignore the last two.
     */
    uint32_t side_kinds[6];
} wb_change;

/**
 * A cell: column and row. x grows to the east, y to the south; (0, 0) is the northwest cell. May lie off the map.
 */
typedef struct wb_cell {
    /**
     * Column.
     */
    int32_t x;
    /**
     * Row.
     */
    int32_t y;
} wb_cell;

/**
 * A motion primitive: a move in the agent's own frame.
 */
typedef struct wb_primitive {
    /**
     * `sizeof(wb_primitive)`.
     */
    uint32_t size;
    /**
     * Displacement forward, in cells, -255 to 255. With one heading: to the east.
     */
    int32_t forward;
    /**
     * Displacement to the right, in cells, -255 to 255. With one heading: to the south, on hexagonal maps to the
     * southeast.
     */
    int32_t right;
    /**
     * Heading steps, positive to the left (counterclockwise).
     */
    int32_t turn;
    /**
     * Base time in ticks at speed 1000, 1 to 65535.
     */
    uint32_t time;
    /**
     * `WB_WHEN_ANY`; with 8 headings a primitive that moves is `WB_WHEN_STRAIGHT` or `WB_WHEN_DIAGONAL`.
     */
    uint32_t when;
    /**
     * 1 if `swept` is given, even with no cell; else 0. Where it is not given and a rule is `WB_SWEEP_FULL`, a
     * primitive that moves and turns touches every cell that the body can touch at any angle of the turn and any point
     * of the way.
     */
    uint32_t lists_swept;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Name, no other primitive of the class has it.
     */
    const char *name;
    /**
     * Bytes of the name.
     */
    size_t name_length;
    /**
     * Further swept cells: x is forward, y is right of the anchor at the start.
     */
    const struct wb_cell *swept;
    /**
     * Number of swept cells.
     */
    size_t n_swept;
} wb_primitive;

/**
 * The speed of a class on a terrain kind or over a side kind, in place of the map's.
 */
typedef struct wb_speed {
    /**
     * Name of the kind; a map that lacks the kind ignores it.
     */
    const char *name;
    /**
     * Bytes of the name.
     */
    size_t name_length;
    /**
     * Permille: 1000 normal, 0 impassable; at most 65535.
     */
    uint32_t speed;
    /**
     * 0.
     */
    uint32_t reserved;
} wb_speed;

/**
 * What a movement class is. Begin with `wb_class_spec_init`.
 */
typedef struct wb_class_spec {
    /**
     * `sizeof(wb_class_spec)`.
     */
    uint32_t size;
    /**
     * Shape of the maps it moves on: `WB_SHAPE_SQUARE` or `WB_SHAPE_HEX`.
     */
    uint32_t shape;
    /**
     * 1 (no facing), 4 or 8; on hexagonal maps 1 or 6.
     */
    uint32_t headings;
    /**
     * Which cells a displacement touches: `WB_SWEEP_USUAL`, `WB_SWEEP_ENDS` or `WB_SWEEP_FULL`.
     */
    uint32_t sweep_moves;
    /**
     * Which cells a turn touches: `WB_SWEEP_USUAL`, `WB_SWEEP_ENDS` or `WB_SWEEP_FULL`.
     */
    uint32_t sweep_turns;
    /**
     * The point about which it turns, in half cells forward of the anchor's centre.
     */
    int32_t pivot_forward;
    /**
     * The same, in half cells to the right. Both even or both odd.
     */
    int32_t pivot_right;
    /**
     * Climbing: permille of the base time for each unit of rise.
     */
    uint32_t climb_up;
    /**
     * Permille of the base time for each unit of fall; may be negative.
     */
    int32_t climb_down;
    /**
     * Most rise of a move in units; `WB_NONE` for no limit.
     */
    uint32_t max_up;
    /**
     * Most fall of a move in units; `WB_NONE` for no limit.
     */
    uint32_t max_down;
    /**
     * Largest difference of the heights under the footprint; `WB_NONE` for no limit.
     */
    uint32_t max_tilt;
    /**
     * Name.
     */
    const char *name;
    /**
     * Bytes of the name.
     */
    size_t name_length;
    /**
     * The cells it covers while facing east: x is forward (east), y is right (south) of the anchor. None: the anchor
     * alone.
     */
    const struct wb_cell *footprint;
    /**
     * Number of cells, at most 1024.
     */
    size_t n_footprint;
    /**
     * With 8 headings: the cells it covers while facing NE, in map axes (east, south). None: the cells that the turned
     * body covers at least half.
     */
    const struct wb_cell *diagonal;
    /**
     * Number of diagonal cells.
     */
    size_t n_diagonal;
    /**
     * Its motion primitives.
     */
    const struct wb_primitive *primitives;
    /**
     * Number of primitives, at most 16; 0 of a building.
     */
    size_t n_primitives;
    /**
     * Its own speeds on terrain kinds.
     */
    const struct wb_speed *speeds;
    /**
     * Number of speeds.
     */
    size_t n_speeds;
    /**
     * Its own speeds over side kinds.
     */
    const struct wb_speed *side_speeds;
    /**
     * Number of speeds over sides.
     */
    size_t n_side_speeds;
} wb_class_spec;

/**
 * What is to be known of a class.
 */
typedef struct wb_class_info {
    /**
     * `sizeof(wb_class_info)`, set by the caller.
     */
    uint32_t size;
    /**
     * `WB_SHAPE_SQUARE` or `WB_SHAPE_HEX`.
     */
    uint32_t shape;
    /**
     * Number of headings.
     */
    uint32_t headings;
    /**
     * Cells of its footprint while facing east.
     */
    uint32_t footprint_cells;
    /**
     * Number of primitives, numbered from 0.
     */
    uint32_t primitives;
    /**
     * Columns of its footprint while facing east.
     */
    uint32_t width;
    /**
     * Rows of its footprint while facing east.
     */
    uint32_t height;
    /**
     * 0.
     */
    uint32_t reserved;
} wb_class_info;

/**
 * A pose: the cell of the anchor, and the heading counted counterclockwise from east. With 4 headings: 0 E, 1 N, 2 W,
 * 3 S; with 8: E, NE, N, NW, W, SW, S, SE; with the 6 of hexagonal maps: E, NE, NW, W, SW, SE; with 1: 0.
 */
typedef struct wb_pose {
    /**
     * Column of the anchor.
     */
    int32_t x;
    /**
     * Row of the anchor.
     */
    int32_t y;
    /**
     * Heading; in goals also `WB_ANY_HEADING`.
     */
    uint32_t heading;
} wb_pose;

/**
 * A pose and when it is reached.
 */
typedef struct wb_path_pose {
    /**
     * The pose.
     */
    struct wb_pose pose;
    /**
     * Ticks from the start of the path.
     */
    uint32_t arrival;
} wb_path_pose;

/**
 * A member of a goal: a pose, or a cell with `WB_ANY_HEADING`.
 */
typedef struct wb_pose wb_goal;

/**
 * What is asked of the planner. Begin with `wb_request_init`.
 */
typedef struct wb_request {
    /**
     * `sizeof(wb_request)`.
     */
    uint32_t size;
    /**
     * Radius of the goal in cells: any anchor this near to a member is one too.
     */
    uint32_t within;
    /**
     * Pose of the agent.
     */
    struct wb_pose start;
    /**
     * `WB_HEURISTIC_DEFAULT` ...; guides the search, and changes no cost unless it is greedy.
     */
    uint32_t heuristic;
    /**
     * The cost is at most this many thousandths of the cheapest: 1000 is exact; at least 1000.
     */
    uint32_t weight_permille;
    /**
     * `WB_FALLBACK_FAIL` or `WB_FALLBACK_NEAREST`.
     */
    uint32_t fallback;
    /**
     * 1: a search that hits the limit gives the path to its best pose; else 0.
     */
    uint32_t partial;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Most expansions; 0 for no limit.
     */
    uint64_t expansions_max;
    /**
     * No move sweeps a cell outside it; empty for no window.
     */
    struct wb_rect window;
    /**
     * The members of the goal.
     */
    const wb_goal *goals;
    /**
     * Number of members, at least 1.
     */
    size_t n_goals;
    /**
     * Cells that no move may sweep, such as resting agents: a bit for each cell, each row begun with a new word; the
     * bit of (x, y) is `obstacles[y * ((width + 63) / 64) + x / 64] >> (x % 64) & 1`. Null for none.
     */
    const uint64_t *obstacles;
    /**
     * Number of words: `(width + 63) / 64 * height`; 0 for none.
     */
    size_t n_obstacles;
} wb_request;

/**
 * What came of a request.
 */
typedef struct wb_answer {
    /**
     * `sizeof(wb_answer)`, set by the caller.
     */
    uint32_t size;
    /**
     * `WB_PLAN_FOUND` ...
     */
    uint32_t result;
    /**
     * Where the path ends: `WB_REACHED_GOAL` ...; `WB_REACHED_NOTHING` without a path.
     */
    uint32_t reached;
    /**
     * Ticks that the path takes; 0 without one.
     */
    uint32_t cost;
    /**
     * Poses that the search expanded.
     */
    uint64_t expansions;
    /**
     * The last pose of the path; all zeros without one.
     */
    struct wb_pose end;
    /**
     * Moves of the path.
     */
    uint32_t moves;
    /**
     * What guided the search: `WB_HEURISTIC_ZERO` ... or `WB_GUIDE_LANDMARKS` ...
     */
    uint32_t guide;
    /**
     * 0.
     */
    uint32_t reserved;
} wb_answer;

/**
 * A file in memory.
 */
typedef struct wb_file {
    /**
     * Its path as the scenario writes it.
     */
    const char *name;
    /**
     * Bytes of `name`.
     */
    size_t name_length;
    /**
     * Its content.
     */
    const uint8_t *bytes;
    /**
     * Bytes of the content.
     */
    size_t length;
} wb_file;

/**
 * An agent after a tick.
 *
 * The move fields (`from_x` to `turn`, `begin_tick`, `end_tick`) hold the present move, and at rest the last one. So
 * after the step that leads to tick t they say where the agent was at any time from t - 1 to t. At time u its part of
 * the move is (u - `begin_tick`) / (`end_tick` - `begin_tick`), at most 1. Of an agent that has not moved since it was
 * placed, both poses are its pose and both ticks the tick at which it was placed.
 */
typedef struct wb_agent_row {
    /**
     * Its id, for life; never used again.
     */
    uint32_t id;
    /**
     * Number of its class.
     */
    uint8_t class_;
    /**
     * Its team.
     */
    uint8_t team;
    /**
     * `WB_ACTIVITY_...`
     */
    uint8_t activity;
    /**
     * Number of the primitive of the move in progress; `WB_AT_REST` at rest.
     */
    uint8_t primitive;
    /**
     * Column of the anchor where the move began.
     */
    int32_t from_x;
    /**
     * Row of cells of the anchor where the move began.
     */
    int32_t from_y;
    /**
     * Column of the anchor where the move ends; at rest, of the anchor.
     */
    int32_t to_x;
    /**
     * Row of cells of the anchor where the move ends; at rest, of the anchor.
     */
    int32_t to_y;
    /**
     * Heading at which the move began.
     */
    uint8_t from_heading;
    /**
     * Heading at which the move ends; at rest, the heading.
     */
    uint8_t to_heading;
    /**
     * Heading steps of the move, counterclockwise positive. With 8 headings a turn by 1 and one by -7 have the same
     * ends.
     */
    int8_t turn;
    /**
     * Kind of the current order, `WB_ORDER_...`; `WB_NO_ORDER` without one.
     */
    uint8_t order_kind;
    /**
     * Tick at which the move began.
     */
    uint32_t begin_tick;
    /**
     * Tick at which the move ends; at rest, since which the agent rests.
     */
    uint32_t end_tick;
    /**
     * Tick since which it could have moved on but has not; `WB_NEVER` while it does not wait.
     */
    uint32_t waits_since;
    /**
     * Number of the current order, as in events; `WB_NONE` without one.
     */
    uint32_t order;
    /**
     * Bits: `WB_FLAG_...`. The others are 0 for now.
     */
    uint32_t flags;
} wb_agent_row;

/**
 * One thing that happened at the last tick.
 */
typedef struct wb_event_row {
    /**
     * The tick.
     */
    uint32_t tick;
    /**
     * `WB_EVENT_...`, which says what `a`, `b` and `c` are.
     */
    uint32_t kind;
    /**
     * Id of the agent; `WB_NONE` if it is about none.
     */
    uint32_t agent;
    /**
     * See `kind`; 0 without a meaning.
     */
    uint32_t a;
    /**
     * As `a`.
     */
    uint32_t b;
    /**
     * As `a`.
     */
    uint32_t c;
    /**
     * Ticket of the command that asked for it, of refusals, placements, and edits; `WB_NO_TICKET` without one.
     */
    uint64_t ticket;
} wb_event_row;

/**
 * Details of an event. A field that does not apply is `WB_NONE`, `WB_NO_TICKET`, or 0 where its comment says so.
 *
 * `ticket`: all events that a command is the cause of, orders done and failed among them. `reached`: an order done.
 * `blocker`: refused because the pose is held, an order that is obstructed, an agent that is blocked. `class`, `team`
 * and `pose`: placed, removed (the last values), refused (the values of the command), another class or team. `area`
 * and `agents`: edits.
 */
typedef struct wb_event_details {
    /**
     * `sizeof(wb_event_details)`, set by the caller.
     */
    uint32_t size;
    /**
     * Where an order has ended: `WB_REACHED_GOAL` ...; `WB_REACHED_NOTHING` of other events.
     */
    uint32_t reached;
    /**
     * Ticket of the command that is the cause; of an order, the command that gave it.
     */
    uint64_t ticket;
    /**
     * The agent in the way.
     */
    uint32_t blocker;
    /**
     * Number of the class.
     */
    uint32_t class_;
    /**
     * The team.
     */
    uint32_t team;
    /**
     * How many of `agents` there are.
     */
    uint32_t n_agents;
    /**
     * The pose; all zeros but for the heading `WB_NONE` without one.
     */
    struct wb_pose pose;
    /**
     * Rectangle around the cells of an edit, on the map; all zeros without one.
     */
    struct wb_rect area;
    /**
     * Agents for which an edit waits or waited at first, in order of id, at most 8; the others are 0.
     */
    uint32_t agents[8];
    /**
     * 0.
     */
    uint32_t reserved;
} wb_event_details;

/**
 * What a run counts as it goes.
 */
typedef struct wb_counts {
    /**
     * `sizeof(wb_counts)`, set by the caller.
     */
    uint32_t size;
    /**
     * Agents in mid-move at the last tick, once its moves had begun.
     */
    uint32_t moving;
    /**
     * Agents at rest at the last tick with a path to follow, or waiting for a path.
     */
    uint32_t waiting;
    /**
     * Longest time from giving a task to its end, in ticks, over the tasks done.
     */
    uint32_t longest_task_ticks;
    /**
     * Longest time from start to end of a trip, in ticks, over all trips finished.
     */
    uint32_t longest_trip_ticks;
    /**
     * Longest wait of one agent with a path, or for one, in ticks.
     */
    uint32_t longest_wait_ticks;
    /**
     * Longest time from a path request to its answer, in ticks.
     */
    uint32_t longest_request_ticks;
    /**
     * Edits that wait until they disturb no agent.
     */
    uint32_t edits_pending;
    /**
     * Agents ever placed.
     */
    uint64_t placed;
    /**
     * Agents removed since.
     */
    uint64_t removed;
    /**
     * Agents that events could not place for lack of room.
     */
    uint64_t not_placed;
    /**
     * Commands, or their parts about an agent, that were not carried out.
     */
    uint64_t commands_refused;
    /**
     * Orders done.
     */
    uint64_t orders_done;
    /**
     * Orders dropped because their goal cannot be reached.
     */
    uint64_t orders_unreachable;
    /**
     * Of these, the orders of each reason, by `WB_FAILURE_...`; the others are 0 for now.
     */
    uint64_t unreachable_by[16];
    /**
     * Tasks done.
     */
    uint64_t tasks_done;
    /**
     * Moves begun.
     */
    uint64_t moves;
    /**
     * Starts that the traffic rule asked for and that were refused.
     */
    uint64_t moves_refused;
    /**
     * Of these, the moves that would have overlapped another.
     */
    uint64_t moves_overlapping;
    /**
     * Ticks from giving an order or a task to its end, summed over those done.
     */
    uint64_t flowtime;
    /**
     * Trips finished whose single-agent bound is known.
     */
    uint64_t trips;
    /**
     * Ticks from start to end, summed over these trips.
     */
    uint64_t trip_ticks;
    /**
     * Single-agent bounds in ticks, summed over these trips.
     */
    uint64_t bound_ticks;
    /**
     * Sum of `waiting` over the ticks.
     */
    uint64_t wait_ticks;
    /**
     * Path requests made.
     */
    uint64_t path_requests;
    /**
     * Expansions of all searches.
     */
    uint64_t expansions;
    /**
     * Pairs of agents in violation, summed over ticks; `UINT64_MAX` unless invariants are checked.
     */
    uint64_t collisions;
} wb_counts;

/**
 * Memory in use for agents and goals. Not counted: the map, movement tables, occupancy and searches, which grow with
 * the map, and the memory of the traffic rule.
 */
typedef struct wb_memory {
    /**
     * `sizeof(wb_memory)`, set by the caller.
     */
    uint32_t size;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Agents present.
     */
    uint64_t agents;
    /**
     * Bytes of their rows, orders, tasks, and remaining paths.
     */
    uint64_t agent_bytes;
    /**
     * Goals with a cost field.
     */
    uint64_t fields;
    /**
     * Bytes of their fields.
     */
    uint64_t field_bytes;
    /**
     * Bytes of the landmarks of all classes.
     */
    uint64_t landmark_bytes;
} wb_memory;

/**
 * The goals of one agent in a list of tasks.
 */
typedef struct wb_task_list {
    /**
     * Index of its first goal.
     */
    uint32_t first;
    /**
     * Number of its goals, at least 1.
     */
    uint32_t count;
} wb_task_list;

/**
 * A source of tasks: goals that agents are given one after another, without end. What is not of its kind is ignored.
 */
typedef struct wb_task_source {
    /**
     * `sizeof(wb_task_source)`, set by the caller.
     */
    uint32_t size;
    /**
     * `WB_TASKS_RANDOM`, `WB_TASKS_LIST` or `WB_TASKS_ROUND_ROBIN`.
     */
    uint32_t kind;
    /**
     * Of random tasks: the area, within the map.
     */
    struct wb_rect area;
    /**
     * Of a list: the number of headings in which the goals count, 1, 4, 6 or 8; 0 for 1.
     */
    uint32_t headings;
    /**
     * Of round robin: the number of agents.
     */
    uint32_t team;
    /**
     * Of a list: the goals of all agents, one list after another.
     */
    const wb_goal *goals;
    /**
     * Number of `goals`.
     */
    size_t n_goals;
    /**
     * Of a list: the part of each agent. The k-th of the agents of a command, in order of id, gets the k-th.
     */
    const struct wb_task_list *lists;
    /**
     * Number of `lists`.
     */
    size_t n_lists;
    /**
     * Of round robin: the cells.
     */
    const struct wb_cell *cells;
    /**
     * Number of `cells`.
     */
    size_t n_cells;
} wb_task_source;

/**
 * An order. What is not of its kind is ignored: a structure of zeros but for `size`, `kind` and what the kind names is
 * an order.
 */
typedef struct wb_order {
    /**
     * `sizeof(wb_order)`, set by the caller. In an array all have the size of the first.
     */
    uint32_t size;
    /**
     * `WB_ORDER_...`
     */
    uint32_t kind;
    /**
     * Number of headings in which the headings of `goals` count: 4, 6 or 8, as its agents' class has; 1, or 0 for 1,
     * if no goal names a heading. Agents of other classes take the headings of the same names.
     */
    uint32_t headings;
    /**
     * Radius around each goal in cells; of an order to follow, the distance in cells to keep within.
     */
    uint32_t within;
    /**
     * `WB_FALLBACK_FAIL` or `WB_FALLBACK_NEAREST`.
     */
    uint32_t fallback;
    /**
     * `WB_UNREACHABLE_DROP` or `WB_UNREACHABLE_WAIT`.
     */
    uint32_t if_unreachable;
    /**
     * Of an order to wait: ticks. Of a patrol: ticks to stand at each waypoint. Of an order to repeat: the number of
     * orders before it.
     */
    uint32_t ticks;
    /**
     * Of an order to follow: the id of the leader.
     */
    uint32_t leader;
    /**
     * Of tasks: the number of the random stream.
     */
    uint32_t stream;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Of an order to an area: the cells.
     */
    struct wb_rect area;
    /**
     * Members of the goal: the agent goes to the cheapest. Of an order for a group: one. Of a patrol: the waypoints in
     * turn.
     */
    const wb_goal *goals;
    /**
     * Number of `goals`.
     */
    size_t n_goals;
    /**
     * Of tasks: where they come from.
     */
    const struct wb_task_source *tasks;
} wb_order;

/**
 * Settings of a world. All that changes results has to be equal on all machines that step equal worlds: everything but
 * `threads`.
 */
typedef struct wb_settings {
    /**
     * `sizeof(wb_settings)`, set by the caller.
     */
    uint32_t size;
    /**
     * `WB_COLLISION_SWEPT` (usual) or `WB_COLLISION_DISCRETE`.
     */
    uint32_t collision;
    /**
     * Seed of all random numbers. Usually 0.
     */
    uint64_t seed;
    /**
     * Ticks to run at most; 0 (usual) for a world without a last tick, which idles when nothing is left to do.
     */
    uint32_t ticks;
    /**
     * Path searches in progress together, 1 to 1,024. Usually 16.
     */
    uint32_t search_slots;
    /**
     * Expansions for path searches per tick, 1 to 2^40. Usually 200,000.
     */
    uint64_t expansions_per_tick;
    /**
     * Traffic search budget: tries of `WB_RULE_UNIT_ROBOTS` per tick. Usually 20,000.
     */
    uint64_t tries_per_tick;
    /**
     * Threads, as for `wb_world_set_threads`. Usually 0.
     */
    uint32_t threads;
    /**
     * `WB_RULE_COOPERATIVE` (usual), `WB_RULE_UNIT_ROBOTS` or `WB_RULE_COMMANDED`.
     */
    uint32_t rule;
    /**
     * `WB_PATHS_PLANNER` (usual) or `WB_PATHS_HOST`.
     */
    uint32_t paths;
    /**
     * Landmarks of each class, 0 to 64, which make far searches cheap; a game of clicks on a large map asks for 4.
     * `WB_NONE` (usual): as many as pay off for agents with tasks all over the map, none in a game of clicks.
     */
    uint32_t landmarks;
    /**
     * Poses that each agent may expand per tick to plan its moves, at least 1; of `WB_RULE_COOPERATIVE`. Usually 16.
     */
    uint32_t poses_per_agent;
    /**
     * Name of the world.
     */
    const char *name;
    /**
     * Bytes of `name`.
     */
    size_t name_length;
} wb_settings;

/**
 * An agent to place.
 */
typedef struct wb_spawn {
    /**
     * `sizeof(wb_spawn)`, set by the caller.
     */
    uint32_t size;
    /**
     * Number of its class.
     */
    uint32_t class_;
    /**
     * Its pose: legal, on cells that nobody holds.
     */
    struct wb_pose pose;
    /**
     * Its priority; higher goes first. Usually 0.
     */
    int32_t priority;
    /**
     * Its team, 0 to 31.
     */
    uint32_t team;
    /**
     * Its speed factor in permille, 1 to 65,535; 0 for the usual 1,000.
     */
    uint32_t speed_factor;
    /**
     * Its index among the agents that share its tasks.
     */
    uint32_t number;
    /**
     * 0.
     */
    uint32_t reserved;
    /**
     * Its orders, done one after another.
     */
    const struct wb_order *orders;
    /**
     * Number of `orders`.
     */
    size_t n_orders;
} wb_spawn;

/**
 * Agents to place at random.
 */
typedef struct wb_spawn_group {
    /**
     * `sizeof(wb_spawn_group)`, set by the caller.
     */
    uint32_t size;
    /**
     * Number of their class.
     */
    uint32_t class_;
    /**
     * Their number.
     */
    uint32_t count;
    /**
     * Area of their anchors, clipped to the map.
     */
    struct wb_rect area;
    /**
     * Priority of each.
     */
    int32_t priority;
    /**
     * Team of each, 0 to 31.
     */
    uint32_t team;
    /**
     * Speed factor of each in permille, 1 to 65,535; 0 for the usual 1,000.
     */
    uint32_t speed_factor;
    /**
     * 1: in any legal pose; 0: in the largest set of poses that reach each other while it has room.
     */
    uint32_t anywhere;
    /**
     * `WB_NO_ROOM_DROP` or `WB_NO_ROOM_WAIT`.
     */
    uint32_t if_no_room;
    /**
     * Orders of each, stored once.
     */
    const struct wb_order *orders;
    /**
     * Number of `orders`.
     */
    size_t n_orders;
} wb_spawn_group;

/**
 * An agent and the pose that an order to a group would give it.
 */
typedef struct wb_group_pose {
    /**
     * Id of the agent.
     */
    uint32_t agent;
    /**
     * The pose; without room or a way, its heading is `WB_NONE`.
     */
    struct wb_pose pose;
} wb_group_pose;

/**
 * Why an agent is not moving on. What is not about it is `WB_NONE`, and cells are 0.
 */
typedef struct wb_wait_reason {
    /**
     * `sizeof(wb_wait_reason)`, set by the caller.
     */
    uint32_t size;
    /**
     * `WB_WAIT_...`
     */
    uint32_t rule;
    /**
     * The agent that holds what is needed.
     */
    uint32_t holder;
    /**
     * 1 if `at` says which cell is needed, else 0.
     */
    uint32_t has_at;
    /**
     * The cell that is needed.
     */
    struct wb_cell at;
    /**
     * Number of the corridor.
     */
    uint32_t corridor;
    /**
     * The side of the corridor whose turn it is, or on which the queue stands: 0 east, 1 north, 2 west, 3 south.
     */
    uint32_t side;
    /**
     * The first cell of the corridor, row by row.
     */
    struct wb_cell corridor_at;
    /**
     * Agents nearer to the corridor that go the same way.
     */
    uint32_t ahead;
    /**
     * 0.
     */
    uint32_t reserved;
} wb_wait_reason;

/**
 * A path for the host to find.
 */
typedef struct wb_path_request {
    /**
     * The agent.
     */
    uint32_t agent;
    /**
     * Number of its class.
     */
    uint32_t class_;
    /**
     * The pose in which the path begins.
     */
    struct wb_pose start;
    /**
     * Radius around each goal in cells.
     */
    uint32_t within;
    /**
     * Priority of the agent.
     */
    int32_t priority;
    /**
     * Index of the first member of its goal among all goals.
     */
    uint32_t first_goal;
    /**
     * Number of members of its goal.
     */
    uint32_t n_goals;
} wb_path_request;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the library that runs: compare its upper 16 bits with those of `WB_ABI_VERSION`.
 *
 * Threads: any.
 */
uint32_t wb_abi_version(void);

/**
 * The name of a status, in English, ending with a zero byte; null for a number that is no status.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_status_name(uint32_t status);

/**
 * The message of the last call that failed on this thread, UTF-8, without a zero byte at its end. It begins with the
 * name of the function, as `wb_map_new: `; then mistakes in files and texts begin with `file:line:column:`, a line for
 * each. A failure of this call leaves the message as it is.
 *
 * Threads: any; each has its own message.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_last_error(char *buffer, size_t capacity, size_t *count);

/**
 * Makes a map of `width` x `height` cells of one terrain kind, with open sides, of height 0.
 *
 * Its terrain kinds are those of MovingAI maps, in this order, with characters and speeds in thousandths: `ground`
 * (`.` `G`) 1000, `swamp` (`S`) 500, `water` (`W`), `trees` (`T`) and `out` (`@` `O`) 0. At most 2^26 cells; 1 byte
 * each.
 *
 * Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_ARGUMENT` for a size, shape or kind that does not
 * exist.
 *
 * Pointers: `map` may be written, or is null.
 */
uint32_t wb_map_new(uint32_t width, uint32_t height, uint32_t shape, uint32_t terrain, uint64_t *map);

/**
 * Makes a map of cells that the host has: `width * height` terrain kinds, row by row. `terrains` are the kinds,
 * numbered in their order from 0; the kinds of MovingAI maps (see `wb_map_new`) that are not among them follow. At
 * most 255 kinds.
 *
 * Threads: any. Lifetime: until `wb_map_destroy`; all is copied. Statuses: `WB_ARGUMENT` for a size or shape that does
 * not exist, a wrong number of cells, a cell of no kind, or two kinds with the same name or character.
 *
 * Pointers: `cells` has `n_cells` bytes; `terrains` has `n_terrains` structures with texts as long as they say, or is null with
 * 0; `map` may be written, or is null.
 */
uint32_t wb_map_from_cells(uint32_t width,
                           uint32_t height,
                           uint32_t shape,
                           const uint8_t *cells,
                           size_t n_cells,
                           const struct wb_terrain *terrains,
                           size_t n_terrains,
                           uint64_t *map);

/**
 * Makes a map of square cells of text: a line for each row, a character for each cell (see `wb_map_new`).
 *
 * Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_TEXT` with line and column of an unknown character or
 * of a row of another length; `WB_ARGUMENT` for text that is not UTF-8.
 *
 * Pointers: `rows` has `length` bytes; `map` may be written, or is null.
 */
uint32_t wb_map_from_rows(const char *rows, size_t length, uint64_t *map);

/**
 * Makes the map of a file that the host has read: of a map file, or of a scenario (`.toml`), which may have terrain
 * kinds, side kinds, walls and heights of its own. The ending of `name` says which: `.toml`, `.png`, `.tmx` (Tiled),
 * else MovingAI. The name is used in messages; no file is opened, so a file that names others cannot be read: use
 * `wb_map_open`.
 *
 * Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_TEXT` with file, line and column of each mistake.
 *
 * Pointers: `name` has `name_length` bytes, `bytes` has `length`; `map` may be written, or is null.
 */
uint32_t wb_map_parse(const char *name, size_t name_length, const uint8_t *bytes, size_t length, uint64_t *map);

/**
 * Reads a map file, or the map of a scenario (`.toml`), from the disk. As `wb_map_parse`, with the files that it
 * names.
 *
 * Threads: any. Lifetime: until `wb_map_destroy`. Statuses: `WB_TEXT` for a file that cannot be read, or with file,
 * line and column of each mistake.
 *
 * Pointers: `path` has `length` bytes; `map` may be written, or is null.
 */
uint32_t wb_map_open(const char *path, size_t length, uint64_t *map);

/**
 * A copy of a map, which is edited apart from it.
 *
 * Threads: any, beside other readers of the map. Lifetime: until `wb_map_destroy`.
 *
 * Pointers: `copy` may be written, or is null.
 */
uint32_t wb_map_clone(uint64_t map, uint64_t *copy);

/**
 * Destroys a map; 0 is none. Tables and worlds made of it keep what they need.
 *
 * Threads: any, while no other call uses the map (else `WB_BUSY`).
 */
uint32_t wb_map_destroy(uint64_t map);

/**
 * Writes what is to be known of a map: size, shape, revision, numbers of kinds.
 *
 * Threads: any, beside other readers of the map.
 *
 * Pointers: `info` may be written as far as its `size` says, or is null.
 */
uint32_t wb_map_describe(uint64_t map, struct wb_map_info *info);

/**
 * The terrain kinds of all cells, row by row: cell (x, y) has `cells[y * width + x]`.
 *
 * Threads: any, beside other readers of the map. Lifetime: `*cells` is the map's own memory, valid until the map is
 * edited or destroyed; nothing is copied.
 *
 * Pointers: `cells` and `count` may be written, or are null.
 */
uint32_t wb_map_terrain(uint64_t map, const uint8_t **cells, size_t *count);

/**
 * The number of the terrain kind with a name.
 *
 * Threads: any, beside other readers of the map. Statuses: `WB_NOT_FOUND`.
 *
 * Pointers: `name` has `length` bytes; `kind` may be written, or is null.
 */
uint32_t wb_map_terrain_kind(uint64_t map, const char *name, size_t length, uint32_t *kind);

/**
 * The name of a terrain kind, UTF-8, without a zero byte at its end.
 *
 * Threads: any, beside other readers of the map. Statuses: `WB_NOT_FOUND`; `WB_BUFFER` with the bytes needed in
 * `count`.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written, or is null.
 */
uint32_t wb_map_terrain_name(uint64_t map, uint32_t kind, char *buffer, size_t capacity, size_t *count);

/**
 * Makes changes, in their order, as one edit. All are checked first: a wrong change is named by its number, and then
 * none is made. `changed` gets the rectangle that holds every cell that is not as it was, which `wb_tables_update`
 * takes; it is empty if nothing has changed. `changed` may be null.
 *
 * Threads: one, while no other call uses the map (else `WB_BUSY`). Cost: the cells of the changes' areas. Statuses:
 * `WB_ARGUMENT`.
 *
 * Pointers: `changes` has `count` values; `changed` may be written, or is null.
 */
uint32_t wb_map_edit(uint64_t map, const struct wb_change *changes, size_t count, struct wb_rect *changed);

/**
 * Sets a specification to the usual values: 4 headings on square maps, 1 cell, pivot at the anchor's centre,
 * `WB_SWEEP_USUAL`, no limits of climbing. Name and primitives are left to set.
 *
 * Threads: any.
 *
 * Pointers: `spec` may be written, or is null.
 */
uint32_t wb_class_spec_init(struct wb_class_spec *spec);

/**
 * Makes a movement class: what an agent covers, how it moves, how long that takes.
 *
 * Threads: any. Lifetime: until `wb_class_destroy`; all is copied. Statuses: `WB_ARGUMENT` says what is wrong and what
 * would be right; `WB_SIZE`.
 *
 * Pointers: `spec` and all that it points to can be read as far as its sizes and counts say, or `spec` is null; `class_` may be
 * written, or is null.
 */
uint32_t wb_class_new(const struct wb_class_spec *spec, uint64_t *class_);

/**
 * Makes the class of a text: of a class file (TOML, `[class.NAME]`), or, with the name `FILE#CLASS`, a class of a
 * scenario. The name is used in messages; no file is opened. Terrain kinds that the file defines belong to maps, see
 * `wb_map_parse`.
 *
 * Threads: any. Lifetime: until `wb_class_destroy`. Statuses: `WB_TEXT` with file, line and column of each mistake.
 *
 * Pointers: `name` has `name_length` bytes, `toml` has `length`; `class_` may be written, or is null.
 */
uint32_t wb_class_parse(const char *name, size_t name_length, const char *toml, size_t length, uint64_t *class_);

/**
 * A copy of a class.
 *
 * Threads: any. Lifetime: until `wb_class_destroy`.
 *
 * Pointers: `copy` may be written, or is null.
 */
uint32_t wb_class_clone(uint64_t class_, uint64_t *copy);

/**
 * Destroys a class; 0 is none. Tables and worlds made of it keep what they need.
 *
 * Threads: any, while no other call uses the class (else `WB_BUSY`).
 */
uint32_t wb_class_destroy(uint64_t class_);

/**
 * Writes what is to be known of a class.
 *
 * Threads: any.
 *
 * Pointers: `info` may be written as far as its `size` says, or is null.
 */
uint32_t wb_class_describe(uint64_t class_, struct wb_class_info *info);

/**
 * The name of a class, UTF-8, without a zero byte at its end.
 *
 * Threads: any. Statuses: `WB_BUFFER` with the bytes needed in `count`.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written, or is null.
 */
uint32_t wb_class_name(uint64_t class_, char *buffer, size_t capacity, size_t *count);

/**
 * The name of a primitive of a class, UTF-8, without a zero byte at its end.
 *
 * Threads: any. Statuses: `WB_NOT_FOUND`; `WB_BUFFER` with the bytes needed in `count`.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written, or is null.
 */
uint32_t wb_class_primitive_name(uint64_t class_, uint32_t primitive, char *buffer, size_t capacity, size_t *count);

/**
 * The cells that an agent of a class covers at a pose; they may lie off the map.
 *
 * Threads: any. Statuses: `WB_BUFFER` with the cells needed in `count`; `WB_ARGUMENT` for a heading that the class
 * lacks.
 *
 * Pointers: `pose` can be read, or is null; `cells` has room for `capacity` values, or is null with 0; `count` may be written,
 * or is null.
 */
uint32_t wb_class_cells(uint64_t class_,
                        const struct wb_pose *pose,
                        struct wb_cell *cells,
                        size_t capacity,
                        size_t *count);

/**
 * Compiles a class against a map. All searches of this class on this map use these tables, which take the place of
 * both.
 *
 * Threads: any, beside other readers of map and class. Cost: poses x primitives x swept cells; memory as
 * `wb_tables_need` says. Lifetime: until `wb_tables_destroy`. Statuses: `WB_ARGUMENT` for a class that is larger than
 * the map or for maps of another shape.
 *
 * Pointers: `tables` may be written, or is null.
 */
uint32_t wb_tables_new(uint64_t map, uint64_t class_, uint64_t *tables);

/**
 * An estimate of the memory that `wb_tables_new` takes: `kept` by the tables, and `peak` while it compiles, in bytes.
 *
 * Threads: any, beside other readers of map and class. Statuses: as `wb_tables_new`.
 *
 * Pointers: `kept` and `peak` may be written, or are null.
 */
uint32_t wb_tables_need(uint64_t map, uint64_t class_, uint64_t *kept, uint64_t *peak);

/**
 * A copy of tables. The two share their memory until one of them is updated.
 *
 * Threads: any, beside other readers of the tables. Lifetime: until `wb_tables_destroy`.
 *
 * Pointers: `copy` may be written, or is null.
 */
uint32_t wb_tables_clone(uint64_t tables, uint64_t *copy);

/**
 * Destroys tables; 0 is none. Searches, fields and frames of queues that are under way with them cannot go on.
 *
 * Threads: any, while no other call uses the tables (else `WB_BUSY`).
 */
uint32_t wb_tables_destroy(uint64_t tables);

/**
 * Follows an edit of the map: compiles again what the `changed` rectangle of `wb_map_edit` can touch, and keeps the
 * components right. Of several edits give the rectangle that holds all. `effect` gets `WB_UPDATE_CHANGED` and
 * `WB_UPDATE_EASED`, or 0; it may be null. Searches that are under way must be begun again, fields repaired
 * (`wb_field_repair`).
 *
 * Threads: one, while no other call uses the tables (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for a map of another
 * size, shape or other kinds.
 *
 * Pointers: `changed` can be read, or is null; `effect` may be written, or is null.
 */
uint32_t wb_tables_update(uint64_t tables, uint64_t map, const struct wb_rect *changed, uint32_t *effect);

/**
 * Makes the components of the poses: which are connected. Updates keep them. They answer `wb_tables_connected`, and
 * searches for goals out of reach end immediately; that pays for many requests.
 *
 * Threads: one, while no other call uses the tables (else `WB_BUSY`). Cost: about as much as compiling. Searches that
 * are under way must be begun again.
 */
uint32_t wb_tables_make_components(uint64_t tables);

/**
 * Whether a pose is on the map and legal: `*legal` gets 1 or 0.
 *
 * Threads: any, beside other readers of the tables. Statuses: `WB_ARGUMENT` for a heading that the class lacks.
 *
 * Pointers: `pose` can be read, or is null; `legal` may be written, or is null.
 */
uint32_t wb_tables_is_legal(uint64_t tables, const struct wb_pose *pose, uint8_t *legal);

/**
 * Whether some pose with its anchor in the cell `to` can be reached from some legal pose with its anchor in `from`:
 * `*answer` gets `WB_CONNECTED_YES`, `WB_CONNECTED_NO` or `WB_CONNECTED_UNKNOWN`. No search.
 *
 * Threads: any, beside other readers of the tables.
 *
 * Pointers: `from` and `to` can be read, or are null; `answer` may be written, or is null.
 */
uint32_t wb_tables_connected(uint64_t tables, const struct wb_cell *from, const struct wb_cell *to, uint32_t *answer);

/**
 * One move from a pose: `*ticks` gets its time, or 0 if it is illegal (`wb_explain_move` says why), and `*after` the
 * pose after it, or the pose itself. `after` may be null.
 *
 * Threads: any, beside other readers of the tables. Statuses: `WB_ARGUMENT` for a heading or a primitive that the
 * class lacks.
 *
 * Pointers: `pose` can be read, or is null; `after` and `ticks` may be written, or are null.
 */
uint32_t wb_tables_move(uint64_t tables,
                        const struct wb_pose *pose,
                        uint32_t primitive,
                        struct wb_pose *after,
                        uint32_t *ticks);

/**
 * Checks a list of moves from a pose, such as a path after an edit: `*n_legal` gets the number of leading moves that
 * are legal, `*end` the pose and the ticks after these. `end` may be null.
 *
 * Threads: any, beside other readers of the tables. Statuses: `WB_ARGUMENT` for a heading that the class lacks.
 *
 * Pointers: `start` can be read, or is null; `moves` has `count` bytes; `end` and `n_legal` may be written, or are null.
 */
uint32_t wb_tables_check_moves(uint64_t tables,
                               const struct wb_pose *start,
                               const uint8_t *moves,
                               size_t count,
                               struct wb_path_pose *end,
                               size_t *n_legal);

/**
 * Memory of tables in bytes, without the class.
 *
 * Threads: any, beside other readers of the tables.
 *
 * Pointers: `bytes` may be written, or is null.
 */
uint32_t wb_tables_memory(uint64_t tables, uint64_t *bytes);

/**
 * Says in words why a move from a pose is illegal, and where; without text (`*count` 0) if it is legal. UTF-8, without
 * a zero byte at its end.
 *
 * Threads: any, beside other readers of map and class. Statuses: `WB_BUFFER` with the bytes needed in `count`;
 * `WB_ARGUMENT` for a heading or a primitive that the class lacks.
 *
 * Pointers: `pose` can be read, or is null; `buffer` has room for `capacity` bytes, or is null with 0; `count` may be written,
 * or is null.
 */
uint32_t wb_explain_move(uint64_t map,
                         uint64_t class_,
                         const struct wb_pose *pose,
                         uint32_t primitive,
                         char *buffer,
                         size_t capacity,
                         size_t *count);

/**
 * Says in words why a pose is illegal, and where; without text (`*count` 0) if it is legal. UTF-8, without a zero byte
 * at its end.
 *
 * Threads: any, beside other readers of map and class. Statuses: `WB_BUFFER` with the bytes needed in `count`;
 * `WB_ARGUMENT` for a heading that the class lacks.
 *
 * Pointers: As for `wb_explain_move`.
 */
uint32_t wb_explain_pose(uint64_t map,
                         uint64_t class_,
                         const struct wb_pose *pose,
                         char *buffer,
                         size_t capacity,
                         size_t *count);

/**
 * Sets a request to the usual values: the cheapest path, default heuristic, no limits. Start and goals are left to
 * set.
 *
 * Threads: any.
 *
 * Pointers: `request` may be written, or is null.
 */
uint32_t wb_request_init(struct wb_request *request);

/**
 * The name of a result, such as `start_blocked`, ending with a zero byte; null for a number that is none.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_plan_result_name(uint32_t result);

/**
 * Makes the memory of searches. It grows to the largest map that it is used with, 8 to 16 bytes for each pose.
 *
 * Threads: any; one at a time uses it, so make one for each. Lifetime: until `wb_scratch_destroy`.
 *
 * Pointers: `scratch` may be written, or is null.
 */
uint32_t wb_scratch_new(uint64_t *scratch);

/**
 * Destroys the memory of searches; 0 is none. A search that is under way is dropped.
 *
 * Threads: any, while no other call uses it (else `WB_BUSY`).
 */
uint32_t wb_scratch_destroy(uint64_t scratch);

/**
 * Makes an empty path, to be written by searches. Its memory is used again.
 *
 * Threads: any; one at a time writes it. Lifetime: until `wb_path_destroy`.
 *
 * Pointers: `path` may be written, or is null.
 */
uint32_t wb_path_new(uint64_t *path);

/**
 * Destroys a path; 0 is none.
 *
 * Threads: any, while no other call uses the path (else `WB_BUSY`).
 */
uint32_t wb_path_destroy(uint64_t path);

/**
 * Plans a cheapest path. `path` gets its poses and moves, and is empty without one; 0 if only the answer is wanted.
 * That there is no path is an answer (`answer->result`), not a failure.
 *
 * Threads: any number together with the same tables, each with its own scratch and path. Cost: expansions; after the
 * first searches nothing is allocated. Statuses: `WB_ARGUMENT` for a request that makes no sense, `WB_SIZE`.
 *
 * Pointers: `request` and what it points to can be read as far as its sizes and counts say, or `request` is null; `answer` may
 * be written as far as its `size` says, or is null.
 */
uint32_t wb_plan(uint64_t tables,
                 const struct wb_request *request,
                 uint64_t scratch,
                 uint64_t path,
                 struct wb_answer *answer);

/**
 * Begins a search, to be advanced over several frames. `*done` gets 1 if it has ended already, else 0. The request is
 * copied. Drops a search that is under way in the same scratch.
 *
 * Threads, statuses: as `wb_plan`.
 *
 * Pointers: `request` as for `wb_plan`; `done` may be written, or is null.
 */
uint32_t wb_plan_begin(uint64_t tables, const struct wb_request *request, uint64_t scratch, uint8_t *done);

/**
 * Goes on with a search for at most `expansions`; `*done` gets 1 when it has ended, else 0. Slicing changes no answer.
 *
 * Threads: as `wb_plan`; another thread may go on. Statuses: `WB_ARGUMENT` if no search is under way, or the tables
 * have changed since: then begin again.
 *
 * Pointers: `done` may be written, or is null.
 */
uint32_t wb_plan_advance(uint64_t tables, uint64_t scratch, uint64_t expansions, uint8_t *done);

/**
 * Writes answer and path of a search. Before its end that is `WB_PLAN_LIMIT_REACHED`, with `partial` a path towards
 * the goal, and the search can still go on. `path` may be 0.
 *
 * Threads, statuses: as `wb_plan_advance`.
 *
 * Pointers: `answer` may be written as far as its `size` says, or is null.
 */
uint32_t wb_plan_finish(uint64_t tables, uint64_t scratch, uint64_t path, struct wb_answer *answer);

/**
 * Says in words why an answer has no path to its goal, and where; without text (`*count` 0) if it has. UTF-8, without
 * a zero byte at its end.
 *
 * Threads: any, beside other readers of map and tables. Statuses: `WB_BUFFER` with the bytes needed in `count`;
 * `WB_ARGUMENT` for another map than the tables are of, or a result that does not exist.
 *
 * Pointers: `request` as for `wb_plan`; `answer` can be read as far as its `size` says, or is null; `buffer` has room for
 * `capacity` bytes, or is null with 0; `count` may be written, or is null.
 */
uint32_t wb_plan_explain(uint64_t map,
                         uint64_t tables,
                         const struct wb_request *request,
                         const struct wb_answer *answer,
                         char *buffer,
                         size_t capacity,
                         size_t *count);

/**
 * Plans many requests together. `answers` gets one for each; `offsets`, of `count + 1` numbers, says where the path of
 * each is: its poses are `poses[offsets[n]]` to `poses[offsets[n + 1] - 1]`, and `moves` of the same place leads from
 * that pose to the next (`WB_NO_MOVE` from the last). `poses` and `moves` have room for `capacity` each; each may be
 * null. If the poses are more, `offsets[count]` says how many, answers and offsets are whole, and paths are written up
 * to the first for which there is no room.
 *
 * `threads`: 0 or 1 for the caller's alone; more are made by the library, and kept in the scratch for the next batch.
 * The answers are the same for any number. `scratch` may be 0: then memory and threads are made for this call.
 *
 * Threads: any number together with the same tables, each with its own scratch. Statuses: as `wb_plan`, naming the
 * number of the request, before any is planned; `WB_BUFFER`.
 *
 * Pointers: `requests` has `count` structures as for `wb_plan`; `answers` has room for `count` structures of the `size` that
 * stands in the first; `poses` and `moves` have room for `capacity`, or are null; `offsets` has room for `count + 1`.
 */
uint32_t wb_plan_batch(uint64_t tables,
                       const struct wb_request *requests,
                       size_t count,
                       uint32_t threads,
                       uint64_t scratch,
                       struct wb_answer *answers,
                       struct wb_path_pose *poses,
                       uint8_t *moves,
                       size_t capacity,
                       size_t *offsets);

/**
 * The poses of a path, the start first; none if it is empty.
 *
 * Threads: any, beside other readers of the path. Lifetime: `*poses` is the path's own memory, valid until it is
 * written or destroyed; nothing is copied.
 *
 * Pointers: `poses` and `count` may be written, or are null.
 */
uint32_t wb_path_poses(uint64_t path, const struct wb_path_pose **poses, size_t *count);

/**
 * The moves of a path, as numbers of primitives: the first leads from pose 0 to pose 1.
 *
 * Threads: any, beside other readers of the path. Lifetime: `*moves` is the path's own memory, valid until it is
 * written or destroyed; nothing is copied.
 *
 * Pointers: `moves` and `count` may be written, or are null.
 */
uint32_t wb_path_moves(uint64_t path, const uint8_t **moves, size_t *count);

/**
 * Makes the field of costs from all poses to a goal: one search answers for all agents that go there. Nothing is
 * searched before a question, or `wb_field_settle`. `within`: radius of the goal in cells.
 *
 * Threads: any, beside other readers of the tables. Lifetime: until `wb_field_destroy`; it works with these tables
 * alone. Memory: 4 to 8 bytes for each pose. Statuses: `WB_ARGUMENT` without a goal, or for a heading that the class
 * lacks.
 *
 * Pointers: `goals` has `n_goals` values; `field` may be written, or is null.
 */
uint32_t wb_field_to_goal(uint64_t tables, const wb_goal *goals, size_t n_goals, uint32_t within, uint64_t *field);

/**
 * Makes the field of costs from one pose to all others: what an agent can reach, and when.
 *
 * Threads, lifetime, memory, statuses: as `wb_field_to_goal`.
 *
 * Pointers: `start` can be read, or is null; `field` may be written, or is null.
 */
uint32_t wb_field_from_pose(uint64_t tables, const struct wb_pose *start, uint64_t *field);

/**
 * Destroys a field; 0 is none.
 *
 * Threads: any, while no other call uses the field (else `WB_BUSY`).
 */
uint32_t wb_field_destroy(uint64_t field);

/**
 * Searches on for at most `expansions`; `*complete` gets 1 when every pose that can be reached is settled, else 0. To
 * spread the work over frames, or to make the field complete, after which any number of threads can read it together.
 *
 * Threads: one, while no other call uses the field (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for other tables, or
 * tables that have changed since.
 *
 * Pointers: `complete` may be written, or is null.
 */
uint32_t wb_field_settle(uint64_t field, uint64_t tables, uint64_t expansions, uint8_t *complete);

/**
 * Follows an edit, after the tables have (`wb_tables_update`), with the same rectangle; of several edits give the
 * rectangle that holds all. Costs that stay are kept.
 *
 * Threads: one, while no other call uses the field (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for other tables.
 *
 * Pointers: `changed` can be read, or is null.
 */
uint32_t wb_field_repair(uint64_t field, uint64_t tables, const struct wb_rect *changed);

/**
 * The cost between a pose and the field's end in ticks: to the goal, or from the start. `WB_NEVER` if there is no way.
 *
 * Threads: any number together while the pose is settled or the field complete; else it searches on, as one, while no
 * other call uses the field (else `WB_BUSY`). Statuses: `WB_ARGUMENT` as `wb_field_settle`, or for a heading that the
 * class lacks.
 *
 * Pointers: `pose` can be read, or is null; `ticks` may be written, or is null.
 */
uint32_t wb_field_cost(uint64_t field, uint64_t tables, const struct wb_pose *pose, uint32_t *ticks);

/**
 * All poses of at most `ticks`, each with its cost as `arrival`, row by row: what an agent can reach in a turn.
 *
 * Threads: one, while no other call uses the field (else `WB_BUSY`). Cost: the poses of the answer. Statuses:
 * `WB_BUFFER` with the poses needed in `count`; `WB_ARGUMENT` as `wb_field_settle`.
 *
 * Pointers: `reached` has room for `capacity` values, or is null with 0; `count` may be written, or is null.
 */
uint32_t wb_field_within(uint64_t field,
                         uint64_t tables,
                         uint32_t ticks,
                         struct wb_path_pose *reached,
                         size_t capacity,
                         size_t *count);

/**
 * Writes a cheapest path between a pose and the field's end, in the direction of travel; `*found` gets 1, or 0 if
 * there is none, and then the path is empty.
 *
 * Threads: as `wb_field_cost`; the path is written by one. Statuses: as `wb_field_cost`.
 *
 * Pointers: `pose` can be read, or is null; `found` may be written, or is null.
 */
uint32_t wb_field_path(uint64_t field, uint64_t tables, const struct wb_pose *pose, uint64_t path, uint8_t *found);

/**
 * The next move of an agent at a pose towards the goal of the field: `*primitive` gets its number, and `*after` the
 * pose after it. At the goal, and where there is no way, `*primitive` is `WB_NONE`, and `*after` the pose itself. Of a
 * field from a pose it is the first move from there towards `pose`, and `*after` the pose after it. `after` may be
 * null.
 *
 * Threads: as `wb_field_cost`; a field from a pose is searched by one. Statuses: as `wb_field_cost`.
 *
 * Pointers: `pose` can be read, or is null; `primitive` and `after` may be written, or are null.
 */
uint32_t wb_field_next(uint64_t field,
                       uint64_t tables,
                       const struct wb_pose *pose,
                       uint32_t *primitive,
                       struct wb_pose *after);

/**
 * Makes an empty queue of path requests, for maps of a size and a number of classes. `slots` searches are under way at
 * once, at least one; each holds the memory of a search, and their number is part of the result.
 *
 * In each frame the queue spends a budget of expansions on the requests that come first by priority and age. The
 * answers depend on requests, tables and budgets, and on no thread.
 *
 * Threads: any. Lifetime: until `wb_queue_destroy`. Statuses: `WB_ARGUMENT` for a size that does not exist, more than
 * 256 classes or 1024 slots.
 *
 * Pointers: `queue` may be written, or is null.
 */
uint32_t wb_queue_new(uint32_t width, uint32_t height, uint32_t classes, uint32_t slots, uint64_t *queue);

/**
 * Destroys a queue with its requests; 0 is none.
 *
 * Threads: any, while no other call uses the queue (else `WB_BUSY`).
 */
uint32_t wb_queue_destroy(uint64_t queue);

/**
 * Queues a request for the class with a number, from 0; all is copied. Of two requests the one of higher `priority`
 * goes first; a unit weighs as much as a frame of waiting. `*ticket` gets a number by which its answer is known.
 *
 * Threads: one, while no other call uses the queue and no frame is under way (else `WB_BUSY`). Statuses:
 * `WB_ARGUMENT`.
 *
 * Pointers: `request` as for `wb_plan`; `ticket` may be written, or is null.
 */
uint32_t wb_queue_submit(uint64_t queue,
                         uint32_t class_,
                         const struct wb_request *request,
                         int32_t priority,
                         uint64_t *ticket);

/**
 * Drops a request; its answer will not come. A request of which the answer can be read already is dropped at the next
 * frame.
 *
 * Threads: one, while no other call uses the queue and no frame is under way (else `WB_BUSY`). Statuses:
 * `WB_NOT_FOUND`.
 */
uint32_t wb_queue_cancel(uint64_t queue, uint64_t ticket);

/**
 * The number of requests without an answer.
 *
 * Threads: one, while no other call uses the queue and no frame is under way (else `WB_BUSY`).
 *
 * Pointers: `count` may be written, or is null.
 */
uint32_t wb_queue_open(uint64_t queue, size_t *count);

/**
 * Begins a frame of a budget of expansions. `tables` are those of each class, in order of its number; the frame keeps
 * what it needs of them. Drops the answers of the last frame. `*jobs` gets the number of searches that `wb_queue_run`
 * can run together; 0 if there is nothing to do, and then the frame has ended.
 *
 * ```c
 * size_t jobs = 0, answers = 0;
 * wb_queue_begin(queue, tables, n_tables, 20000, &jobs);
 * while (jobs > 0) {
 *     for (size_t job = 0; job < jobs; job++) wb_queue_run(queue, job);   // on any threads
 *     wb_queue_end(queue, &jobs, &answers);                               // when all have run
 * }
 * ```
 *
 * Threads: one, while no other call uses the queue (else `WB_BUSY`). Statuses: `WB_ARGUMENT` for a wrong number of
 * tables, or tables of a map of another size.
 *
 * Pointers: `tables` has `n_tables` handles; `jobs` may be written, or is null.
 */
uint32_t wb_queue_begin(uint64_t queue, const uint64_t *tables, size_t n_tables, uint64_t budget, size_t *jobs);

/**
 * Runs a job of the present round: `job` is less than the `jobs` of `wb_queue_begin` or `wb_queue_end`, and each is
 * run once.
 *
 * Threads: any number together, with different jobs. Cost: its share of the budget. Statuses: `WB_ARGUMENT` for a job
 * that does not exist or has been run; `WB_BUSY` while another thread runs it.
 */
uint32_t wb_queue_run(uint64_t queue, size_t job);

/**
 * Ends a round, after all its jobs have been run. While something of the budget is left and searches need it, `*jobs`
 * gets the number of jobs of the next round, and `*answers` 0. Else the frame is over: `*jobs` gets 0, and `*answers`
 * the number of answers to be read by `wb_queue_answer`.
 *
 * Threads: one, while no other call uses the queue (else `WB_BUSY`). Statuses: `WB_ARGUMENT` if no frame is under way
 * or a job has not been run; `WB_BROKEN` if a job panicked.
 *
 * Pointers: `jobs` and `answers` may be written, or are null.
 */
uint32_t wb_queue_end(uint64_t queue, size_t *jobs, size_t *answers);

/**
 * A whole frame on the calling thread: `wb_queue_begin`, all jobs, `wb_queue_end`. `*answers` gets the number of
 * answers.
 *
 * Threads, statuses: as `wb_queue_begin`.
 *
 * Pointers: `tables` has `n_tables` handles; `answers` may be written, or is null.
 */
uint32_t wb_queue_advance(uint64_t queue, const uint64_t *tables, size_t n_tables, uint64_t budget, size_t *answers);

/**
 * An answer of the last frame, by its number from 0, in order of the tickets. `*poses` and `*moves` get the path:
 * `*count` poses, and a move from each but the last to the next; 0 without a path. `ticket`, `answer`, `poses`,
 * `moves` may be null.
 *
 * Threads: any number together. Lifetime: poses and moves are the queue's own memory, valid until the next frame
 * begins or the queue is destroyed. Statuses: `WB_NOT_FOUND` for a number that is no answer.
 *
 * Pointers: `ticket`, `poses`, `moves` and `count` may be written, or are null; `answer` may be written as far as its `size`
 * says, or is null.
 */
uint32_t wb_queue_answer(uint64_t queue,
                         size_t number,
                         uint64_t *ticket,
                         struct wb_answer *answer,
                         const struct wb_path_pose **poses,
                         const uint8_t **moves,
                         size_t *count);

/**
 * The name of an activity, such as "following", ending with a zero byte; null for a number that is none.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_activity_name(uint32_t activity);

/**
 * The name of a kind of event, such as "order_done", ending with a zero byte; null for a number that is none.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_event_kind_name(uint32_t kind);

/**
 * The name of a kind of order, such as "goto_group", ending with a zero byte; null for a number that is none.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_order_kind_name(uint32_t kind);

/**
 * The name of a reason for a refusal, such as "pose_held", ending with a zero byte; null for a number that is none.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_refusal_name(uint32_t refusal);

/**
 * The name of a reason why an order failed, such as "goal_blocked", ending with a zero byte; null for a number that is
 * none.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_failure_name(uint32_t failure);

/**
 * A world from a scenario (`.toml`) or a problem of the League of Robot Runners (`.json`) on the disk, and the files
 * that it names. It has not stepped. `threads`: as for `wb_world_set_threads`.
 *
 * Fails with `WB_TEXT` for mistakes in the files: the message has a line for each, with its place.
 *
 * Threads: any.
 *
 * Pointers: `path` has `length` bytes; `world` may be written.
 */
uint32_t wb_world_open(const char *path, size_t length, uint32_t threads, uint64_t *world);

/**
 * A world from the text of a scenario or problem in memory. `name` is in all messages, and its extension, `.toml` or
 * `.json`, tells the two apart. All files that the text names, such as its map, are among `files`.
 *
 * Fails with `WB_TEXT` for mistakes in the texts: the message has a line for each, with its place.
 *
 * Threads: any. Lifetime: everything is copied.
 *
 * Pointers: `name` has `name_length` bytes, `bytes` has `length`, `files` points to `n_files` files that are valid likewise;
 * `world` may be written.
 */
uint32_t wb_world_parse(const char *name,
                        size_t name_length,
                        const uint8_t *bytes,
                        size_t length,
                        const struct wb_file *files,
                        size_t n_files,
                        uint32_t threads,
                        uint64_t *world);

/**
 * A copy that steps exactly like the world. It shares map, tables and cost fields with it until one of the two changes
 * them.
 *
 * Threads: reads `world`.
 *
 * Pointers: `copy` may be written.
 */
uint32_t wb_world_clone(uint64_t world, uint64_t *copy);

/**
 * Makes `world` a copy of `from`, in the memory that `world` has, as far as it goes: what a game does to roll back.
 * Both may be the same world. A recording of `world` ends.
 *
 * Threads: changes `world`, reads `from`. Lifetime: ends what was borrowed from `world`.
 */
uint32_t wb_world_copy_from(uint64_t world, uint64_t from);

/**
 * Destroys a world. 0 does nothing.
 *
 * Threads: changes `world`. Lifetime: ends what was borrowed from it.
 */
uint32_t wb_world_destroy(uint64_t world);

/**
 * Writes the whole world as bytes, for `wb_world_load`: a saved game, or the start of a player who joins late. The
 * bytes are kept until the world changes, so that the call that asks for their number and the call that gets them
 * make them once. Events are not in it.
 *
 * Threads: reads `world`; of two threads that save it together, one may get `WB_BUSY`.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_save(uint64_t world, uint8_t *buffer, size_t capacity, size_t *count);

/**
 * A world from the bytes of `wb_world_save`. It steps exactly like the world that was saved. Fails with `WB_TEXT` for
 * bytes that are damaged, whatever they are. `threads`: as for `wb_world_set_threads`.
 *
 * Threads: any.
 *
 * Pointers: `bytes` has `length` bytes; `world` may be written.
 */
uint32_t wb_world_load(const uint8_t *bytes, size_t length, uint32_t threads, uint64_t *world);

/**
 * Puts the world of `wb_world_save` in place of this one, which keeps its handle and its threads. If it fails, the
 * world is as it was. A recording of `world` ends.
 *
 * Threads: changes `world`. Lifetime: ends what was borrowed from it.
 *
 * Pointers: `bytes` has `length` bytes.
 */
uint32_t wb_world_restore(uint64_t world, const uint8_t *bytes, size_t length);

/**
 * Sets the threads that the world runs on: 0 or 1 for the calling thread, else as many of its own, at most 1,024.
 * Results are equal for all. In a browser there is only the calling thread.
 *
 * Threads: changes `world`.
 */
uint32_t wb_world_set_threads(uint64_t world, uint32_t threads);

/**
 * Sets the last tick of the run, counted from tick 0: no tick begins after it. 0 for a world without a last tick,
 * which idles when nothing is left to do.
 *
 * Threads: changes `world`.
 */
uint32_t wb_world_set_ticks(uint64_t world, uint32_t ticks);

/**
 * Checks after every tick from now on that no two agents overlap and no agent stands where it may not, and counts the
 * pairs that do in `collisions` of `wb_counts`. For tests: it takes time.
 *
 * Threads: changes `world`.
 */
uint32_t wb_world_check_invariants(uint64_t world);

/**
 * Runs one tick. Commands take effect at its beginning. `state`: `WB_RUNNING` or `WB_ENDED`.
 *
 * Fails with `WB_BROKEN` if the step panics, which is a fault of the library, as do all later calls but
 * `wb_world_destroy`.
 *
 * Threads: changes `world`. Lifetime: ends what was borrowed from it.
 *
 * Pointers: `state` may be written.
 */
uint32_t wb_world_step(uint64_t world, uint32_t *state);

/**
 * The tick that comes next: the number of ticks that have run.
 *
 * Threads: reads `world`.
 *
 * Pointers: `tick` may be written.
 */
uint32_t wb_world_tick(uint64_t world, uint32_t *tick);

/**
 * The hash of the state: equal worlds that get equal commands at equal ticks have equal hashes, on any machine. Linear
 * in the agents.
 *
 * Threads: reads `world`.
 *
 * Pointers: `hash` may be written.
 */
uint32_t wb_world_hash(uint64_t world, uint64_t *hash);

/**
 * The agents present, in order of id. Nothing is copied.
 *
 * Threads: reads `world`. Lifetime: the rows stay until the next `wb_world_step`, `wb_world_restore`,
 * `wb_world_copy_from` or `wb_world_destroy` of this world; commands leave them as they are. No thread may read them
 * while another is in one of these calls.
 *
 * Pointers: `rows` and `count` may be written.
 */
uint32_t wb_world_agents(uint64_t world, const struct wb_agent_row **rows, size_t *count);

/**
 * What happened at the last tick, in order; nothing before the first. Agents placed before the first tick have no
 * events.
 *
 * Threads and lifetime: as for `wb_world_agents`.
 *
 * Pointers: `rows` and `count` may be written.
 */
uint32_t wb_world_events(uint64_t world, const struct wb_event_row **rows, size_t *count);

/**
 * Details of an event of the last tick, by its index in the rows of `wb_world_events`. `WB_NOT_FOUND` if there are
 * fewer events.
 *
 * Threads: reads `world`. Lifetime: the details are a copy.
 *
 * Pointers: `details` points to a structure whose `size` is set.
 */
uint32_t wb_world_event_details(uint64_t world, size_t index, struct wb_event_details *details);

/**
 * The row of an agent. `WB_NOT_FOUND` if it is not present.
 *
 * Threads: reads `world`. Lifetime: the row is a copy.
 *
 * Pointers: `row` may be written.
 */
uint32_t wb_world_agent(uint64_t world, uint32_t agent, struct wb_agent_row *row);

/**
 * The counts of the run so far.
 *
 * Threads: reads `world`.
 *
 * Pointers: `counts` points to a structure whose `size` is set.
 */
uint32_t wb_world_counts(uint64_t world, struct wb_counts *counts);

/**
 * Memory of agents and goals after the last tick. Linear in orders and fields.
 *
 * Threads: reads `world`.
 *
 * Pointers: `memory` points to a structure whose `size` is set.
 */
uint32_t wb_world_memory(uint64_t world, struct wb_memory *memory);

/**
 * Whether no later tick can change anything: no command waits, and every agent rests without anything to do.
 *
 * Threads: reads `world`.
 *
 * Pointers: `nothing_left` may be written; it becomes 0 or 1.
 */
uint32_t wb_world_nothing_left(uint64_t world, uint8_t *nothing_left);

/**
 * Gives an agent a name, for results and for hosts to find it; it is saved, but no part of the state. A recording that
 * begins with a snapshot is to begin after it. `WB_NOT_FOUND` if the agent is not present.
 *
 * Threads: changes `world`. Lifetime: the name is copied.
 *
 * Pointers: `name` has `length` bytes.
 */
uint32_t wb_world_name_agent(uint64_t world, uint32_t agent, const char *name, size_t length);

/**
 * The name of an agent, where the scenario or `wb_world_name_agent` gives one; empty otherwise. `WB_NOT_FOUND` if the
 * agent is not present.
 *
 * Threads: reads `world`.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_agent_name(uint64_t world, uint32_t agent, char *buffer, size_t capacity, size_t *count);

/**
 * Makes `order` an order of a kind, with its `size` and the usual values of everything else.
 *
 * Threads: any.
 *
 * Pointers: `order` may be written.
 */
uint32_t wb_order_init(struct wb_order *order, uint32_t kind);

/**
 * Makes `settings` the usual ones, with their `size`.
 *
 * Threads: any.
 *
 * Pointers: `settings` may be written.
 */
uint32_t wb_settings_init(struct wb_settings *settings);

/**
 * A world in the making, on a map as it is now, without classes and agents. A setup can make any number of worlds.
 *
 * Threads: reads `map`. Lifetime: the setup shares the map's memory and does not follow later edits of it.
 *
 * Pointers: `settings` points to a structure whose `size` is set; `setup` may be written.
 */
uint32_t wb_setup_new(uint64_t map, const struct wb_settings *settings, uint64_t *setup);

/**
 * Destroys a setup. 0 does nothing. Worlds made of it stay.
 *
 * Threads: changes `setup`.
 */
uint32_t wb_setup_destroy(uint64_t setup);

/**
 * Adds a class, and gives its number: 0, 1, 2 ... in order. Tables compiled against the setup's map are shared; a
 * class is compiled here. Components are made where there are none. So worlds on one map are made fast if its tables
 * are made once, with components.
 *
 * Threads: changes `setup`, reads the other. Lifetime: the setup needs neither of the handles later.
 *
 * Pointers: `class_number` may be written.
 */
uint32_t wb_setup_class(uint64_t setup, uint64_t class_or_tables, uint32_t *class_number);

/**
 * Adds an agent, and gives its id: 0, 1, 2 ... in order. It has no event. Whether it can stand there is found when the
 * world is made.
 *
 * Threads: changes `setup`. Lifetime: everything is copied.
 *
 * Pointers: `spawn` and what it points to are valid; `agent` may be written.
 */
uint32_t wb_setup_agent(uint64_t setup, const struct wb_spawn *spawn, uint32_t *agent);

/**
 * Makes two teams friends, 0 to 31 each: friends yield to each other by priority and push each other out of the way.
 * Each team is its own friend; others are obstacles to each other where they rest.
 *
 * Threads: changes `setup`.
 */
uint32_t wb_setup_friends(uint64_t setup, uint32_t one, uint32_t other);

/**
 * Sets a parameter by its name, as `wheelbase run --tune NAME=VALUE`: for experiments. `docs/traffic.md` lists them;
 * the message on an unknown name does, too.
 *
 * Threads: changes `setup`.
 *
 * Pointers: `name` has `length` bytes.
 */
uint32_t wb_setup_tune(uint64_t setup, const char *name, size_t length, uint32_t value);

/**
 * Names changes that edits may make and undo while landmarks stay in use, such as the doors of a fortress. Any other
 * edit that makes a move easier switches the landmarks off until they are repaired; this affects the time of searches
 * alone.
 *
 * Threads: changes `setup`. Lifetime: everything is copied.
 *
 * Pointers: `changes` points to `n_changes` changes.
 */
uint32_t wb_setup_ease(uint64_t setup, const struct wb_change *changes, size_t n_changes);

/**
 * A world of a setup, before its first tick. `WB_ARGUMENT` with all mistakes of the setup, such as agents that
 * overlap. The setup stays as it is.
 *
 * Threads: reads `setup`.
 *
 * Pointers: `world` may be written.
 */
uint32_t wb_world_new(uint64_t setup, uint64_t *world);

/**
 * Places an agent. Its id is the number of agents placed before; the event `WB_EVENT_SPAWNED` has it, and the ticket.
 *
 * `tick` and `ticket`, here and in all commands: with `tick` 0 the command takes effect at the beginning of the next
 * step, after the commands given before it. With a later tick it takes effect then, before the commands given there
 * with 0; a tick that is past counts as 0. The number of the command is written to `ticket`, unless that is null: the
 * event of a refusal has it. The call itself fails only for arguments that mean nothing; what the world cannot do,
 * such as an order for an agent that is gone, it refuses at that tick by an event.
 *
 * Threads: changes `world`. Lifetime: everything is copied; rows stay borrowed.
 *
 * Pointers: `spawn` and what it points to are valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_spawn(uint64_t world, const struct wb_spawn *spawn, uint32_t tick, uint64_t *ticket);

/**
 * Places agents at random. Those for which there is no room are counted in `not_placed` and refused by one event.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `group` and what it points to are valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_spawn_group(uint64_t world, const struct wb_spawn_group *group, uint32_t tick, uint64_t *ticket);

/**
 * Removes agents.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` points to `n_agents` ids; `ticket` is null, or may be written.
 */
uint32_t wb_command_remove(uint64_t world, const uint32_t *agents, size_t n_agents, uint32_t tick, uint64_t *ticket);

/**
 * Removes the agents in an area: those whose pose, or the pose in which their current move began, has its anchor there
 * at that tick.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `area` is valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_remove_in(uint64_t world, const struct wb_rect *area, uint32_t tick, uint64_t *ticket);

/**
 * Takes agents off the map: into a garrison, a transport, a burrow. Each keeps its id and orders; it holds no cell,
 * blocks nobody and has no row. A move in progress ends without effect. `container` is the agent that they enter,
 * `WB_NONE` for none; it is only stored. Off the map only `wb_command_leave` and `wb_command_remove` reach them; other
 * commands to them are refused with `WB_REFUSED_OFF_MAP`.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` points to `n_agents` ids; `ticket` is null, or may be written.
 */
uint32_t wb_command_enter(uint64_t world,
                          const uint32_t *agents,
                          size_t n_agents,
                          uint32_t container,
                          uint32_t tick,
                          uint64_t *ticket);

/**
 * As `wb_command_enter`, for the agents in an area (see `wb_command_remove_in`).
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `area` is valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_enter_in(uint64_t world,
                             const struct wb_rect *area,
                             uint32_t container,
                             uint32_t tick,
                             uint64_t *ticket);

/**
 * Puts an agent that is off the map back, at rest in a pose. It begins its current order from there. With `or_nearest`
 * 1 the nearest pose will do that is legal and free: the least distance of the anchor first, then the heading of
 * `pose`. If `pose` is legal, poses are left out that cannot be reached from it.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `pose` is valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_leave(uint64_t world,
                          uint32_t agent,
                          const struct wb_pose *pose,
                          uint8_t or_nearest,
                          uint32_t tick,
                          uint64_t *ticket);

/**
 * Gives agents orders, done one after another, in place of their remaining orders, or with `append` 1 after them; no
 * orders leave them without any. Agents sent to a group goal by one command share the poses around it. Of several
 * commands to an agent at one tick only the first replaces, and the orders of the others come after it; orders that
 * begin with `WB_ORDER_STOP` always replace.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` points to `n_agents` ids, `orders` to `n_orders` orders, and what these point to is valid; `ticket` is
 * null, or may be written.
 */
uint32_t wb_command_order(uint64_t world,
                          const uint32_t *agents,
                          size_t n_agents,
                          const struct wb_order *orders,
                          size_t n_orders,
                          uint8_t append,
                          uint32_t tick,
                          uint64_t *ticket);

/**
 * As `wb_command_order`, for the agents in an area (see `wb_command_remove_in`).
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `area` is valid, `orders` points to `n_orders` orders, and what these point to is valid; `ticket` is null, or may be
 * written.
 */
uint32_t wb_command_order_in(uint64_t world,
                             const struct wb_rect *area,
                             const struct wb_order *orders,
                             size_t n_orders,
                             uint8_t append,
                             uint32_t tick,
                             uint64_t *ticket);

/**
 * Gives agents tasks, in place of their present tasks or after their orders. Random tasks are drawn from a stream of
 * the number `stream`.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` points to `n_agents` ids; `source` and what it points to are valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_tasks(uint64_t world,
                          const uint32_t *agents,
                          size_t n_agents,
                          const struct wb_task_source *source,
                          uint32_t stream,
                          uint32_t tick,
                          uint64_t *ticket);

/**
 * As `wb_command_tasks`, for the agents in an area (see `wb_command_remove_in`).
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `area` is valid; `source` and what it points to are valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_tasks_in(uint64_t world,
                             const struct wb_rect *area,
                             const struct wb_task_source *source,
                             uint32_t stream,
                             uint32_t tick,
                             uint64_t *ticket);

/**
 * Sets the priority of agents; higher goes first.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` points to `n_agents` ids; `ticket` is null, or may be written.
 */
uint32_t wb_command_priority(uint64_t world,
                             const uint32_t *agents,
                             size_t n_agents,
                             int32_t priority,
                             uint32_t tick,
                             uint64_t *ticket);

/**
 * As `wb_command_priority`, for the agents in an area (see `wb_command_remove_in`).
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `area` is valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_priority_in(uint64_t world,
                                const struct wb_rect *area,
                                int32_t priority,
                                uint32_t tick,
                                uint64_t *ticket);

/**
 * Gives an agent another class at the end of its current move: deploys, upgrades. It keeps its orders; a heading that
 * the new class lacks becomes any heading. `pose` is the new pose, in headings of the new class; null keeps the cell
 * and the heading of the same name, or the first one (east).
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `pose` is null or valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_class(uint64_t world,
                          uint32_t agent,
                          uint32_t class_,
                          const struct wb_pose *pose,
                          uint32_t tick,
                          uint64_t *ticket);

/**
 * Sets the team of agents, 0 to 31.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` points to `n_agents` ids; `ticket` is null, or may be written.
 */
uint32_t wb_command_team(uint64_t world,
                         const uint32_t *agents,
                         size_t n_agents,
                         uint32_t team,
                         uint32_t tick,
                         uint64_t *ticket);

/**
 * As `wb_command_team`, for the agents in an area (see `wb_command_remove_in`).
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `area` is valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_team_in(uint64_t world, const struct wb_rect *area, uint32_t team, uint32_t tick, uint64_t *ticket);

/**
 * Sets the speed factor of agents, 1 to 65,535 permille; 1,000 is the usual speed. A move that begins takes
 * max(1, ceil(time * 1000 / factor)) ticks; paths are planned for 1,000.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` points to `n_agents` ids; `ticket` is null, or may be written.
 */
uint32_t wb_command_speed_factor(uint64_t world,
                                 const uint32_t *agents,
                                 size_t n_agents,
                                 uint32_t factor,
                                 uint32_t tick,
                                 uint64_t *ticket);

/**
 * As `wb_command_speed_factor`, for the agents in an area (see `wb_command_remove_in`).
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `area` is valid; `ticket` is null, or may be written.
 */
uint32_t wb_command_speed_factor_in(uint64_t world,
                                    const struct wb_rect *area,
                                    uint32_t factor,
                                    uint32_t tick,
                                    uint64_t *ticket);

/**
 * Changes the map; all changes are one edit. `on_agents`, one of `WB_ON_AGENTS_...`, says what happens to agents whose
 * pose or move would become illegal; `deadline` is the most ticks of waiting where that has a deadline, and is ignored
 * otherwise.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `changes` points to `n_changes` changes; `ticket` is null, or may be written.
 */
uint32_t wb_command_edit(uint64_t world,
                         const struct wb_change *changes,
                         size_t n_changes,
                         uint32_t on_agents,
                         uint32_t deadline,
                         uint32_t tick,
                         uint64_t *ticket);

/**
 * Withdraws an edit that still waits, by the ticket of its command. Any other ticket is refused with
 * `WB_REFUSED_NO_SUCH_EDIT`.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `ticket` is null, or may be written.
 */
uint32_t wb_command_cancel_edit(uint64_t world, uint64_t edit, uint32_t tick, uint64_t *ticket);

/**
 * Moves for agents to begin at the tick, by number among the primitives of the agent's class, for a world with the
 * rule `WB_RULE_COMMANDED`; other rules ignore them. The first of two moves of an agent counts.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `agents` and `primitives` point to `n_agents` numbers each; `ticket` is null, or may be written.
 */
uint32_t wb_command_decisions(uint64_t world,
                              const uint32_t *agents,
                              const uint8_t *primitives,
                              size_t n_agents,
                              uint32_t tick,
                              uint64_t *ticket);

/**
 * Answers the open path request of an agent, in a world with `WB_PATHS_HOST`: with the moves from its pose to its
 * goal, primitives by number, or with `found` 0 that there is no path. Moves are checked; a wrong path is refused, and
 * the request stays open.
 *
 * `tick`, `ticket`, threads and lifetime: as for `wb_command_spawn`.
 *
 * Pointers: `moves` points to `n_moves` numbers; `ticket` is null, or may be written.
 */
uint32_t wb_command_path_answer(uint64_t world,
                                uint32_t agent,
                                uint8_t found,
                                const uint8_t *moves,
                                size_t n_moves,
                                uint32_t tick,
                                uint64_t *ticket);

/**
 * The name of a rule that has an agent wait, such as "corridor_turn", ending with a zero byte; null for a number that
 * is none.
 *
 * Threads: any. Lifetime: for ever.
 */
const char *wb_wait_rule_name(uint32_t rule);

/**
 * The agent that holds a cell; `WB_NONE` if none does, or the cell is off the map.
 *
 * Threads: reads `world`.
 *
 * Pointers: `cell` is valid; `agent` may be written.
 */
uint32_t wb_world_agent_at(uint64_t world, const struct wb_cell *cell, uint32_t *agent);

/**
 * The agents that hold a cell of an area, or the end of whose move will, in order of id. Linear in the cells of a
 * small area, else in all agents.
 *
 * Threads: reads `world`.
 *
 * Pointers: `area` is valid; `agents` has room for `capacity` ids, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_agents_in(uint64_t world,
                            const struct wb_rect *area,
                            uint32_t *agents,
                            size_t capacity,
                            size_t *count);

/**
 * The agents off the map that have entered an agent, in order of id; with `container` `WB_NONE` all agents off the
 * map. Linear in the agents off the map.
 *
 * Threads: reads `world`.
 *
 * Pointers: `agents` has room for `capacity` ids, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_off_map(uint64_t world, uint32_t container, uint32_t *agents, size_t capacity, size_t *count);

/**
 * Whether an agent of a class could be placed in a pose now. `refusal`: `WB_NONE` if so, else
 * `WB_REFUSED_UNKNOWN_CLASS`, `WB_REFUSED_ILLEGAL_POSE` or `WB_REFUSED_POSE_HELD`. A command to place it can still be
 * refused if an earlier command takes the place.
 *
 * Threads: reads `world`.
 *
 * Pointers: `pose` is valid; `refusal` may be written.
 */
uint32_t wb_world_can_place(uint64_t world, uint32_t class_, const struct wb_pose *pose, uint32_t *refusal);

/**
 * The agents whose pose or move would become illegal if these changes were made together now, in order of id.
 *
 * Threads: reads `world`.
 *
 * Pointers: `changes` points to `n_changes` changes; `agents` has room for `capacity` ids, or is null with `capacity` 0; `count`
 * may be written.
 */
uint32_t wb_world_would_disturb(uint64_t world,
                                const struct wb_change *changes,
                                size_t n_changes,
                                uint32_t *agents,
                                size_t capacity,
                                size_t *count);

/**
 * Previews the poses that an order to a group, of the kind `WB_ORDER_GOTO_GROUP` or `WB_ORDER_GOTO_FORMATION`, would
 * give to some agents, in order of id. None for other orders. Costs a cost field for each class, as the order itself
 * does.
 *
 * Threads: reads `world`.
 *
 * Pointers: `agents` points to `n_agents` ids; `order` points to an order whose `size` is set, with pointers as its fields say;
 * `poses` has room for `capacity` poses, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_group_poses(uint64_t world,
                              const uint32_t *agents,
                              size_t n_agents,
                              const struct wb_order *order,
                              struct wb_group_pose *poses,
                              size_t capacity,
                              size_t *count);

/**
 * Previews the path of an agent to a goal, from where it rests, or will rest, around the agents that are obstacles to
 * its team. `within`: radius around each goal in cells; `path`: 0 where only the answer is wanted. `WB_NOT_FOUND` if
 * the agent is not present.
 *
 * Threads: reads `world`, changes `scratch` and `path`.
 *
 * Pointers: `goals` points to `n_goals` goals; `answer` points to a structure whose `size` is set.
 */
uint32_t wb_world_plan(uint64_t world,
                       uint32_t agent,
                       const wb_goal *goals,
                       size_t n_goals,
                       uint32_t within,
                       uint64_t scratch,
                       uint64_t path,
                       struct wb_answer *answer);

/**
 * Where an agent can get within some ticks from where it rests, or will rest, at the usual speed and alone on the map:
 * each pose with its distance in ticks. Linear in the poses within reach. `WB_NOT_FOUND` if the agent is not present.
 *
 * Threads: reads `world`.
 *
 * Pointers: `reached` has room for `capacity` poses, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_reach(uint64_t world,
                        uint32_t agent,
                        uint32_t ticks,
                        struct wb_path_pose *reached,
                        size_t capacity,
                        size_t *count);

/**
 * What is left of the path of an agent: from where it rests, or will rest, with arrivals in ticks from there at its
 * speed factor, if nothing holds it up. Without a path this is one pose. `WB_NOT_FOUND` if the agent is not present.
 *
 * Threads: reads `world`.
 *
 * Pointers: `poses` has room for `capacity` poses, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_path(uint64_t world, uint32_t agent, struct wb_path_pose *poses, size_t capacity, size_t *count);

/**
 * Why an agent is not moving on: by which rule, for which agent, at which cell or corridor; and the same in words,
 * UTF-8, without a zero byte at its end. `count` may be null where the words are not wanted. `WB_NOT_FOUND` if the
 * agent is not present.
 *
 * Threads: reads `world`.
 *
 * Pointers: `reason` points to a structure whose `size` is set; `buffer` has room for `capacity` bytes, or is null with
 * `capacity` 0; `count` is null, or may be written.
 */
uint32_t wb_world_reason_for_waiting(uint64_t world,
                                     uint32_t agent,
                                     struct wb_wait_reason *reason,
                                     char *buffer,
                                     size_t capacity,
                                     size_t *count);

/**
 * The paths for the host to find, in a world with `WB_PATHS_HOST`, in order of agent. A request is listed after each
 * step until `wb_command_path_answer` answers it. The members of all goals are in `goals`; each request names its
 * part. Both arrays follow the count protocol: where one is too small neither is written.
 *
 * Threads: reads `world`.
 *
 * Pointers: `requests` has room for `capacity` requests, `goals` for `goal_capacity` goals, or they are null with 0; `count` and
 * `n_goals` may be written.
 */
uint32_t wb_world_path_requests(uint64_t world,
                                struct wb_path_request *requests,
                                size_t capacity,
                                size_t *count,
                                wb_goal *goals,
                                size_t goal_capacity,
                                size_t *n_goals);

/**
 * The number of classes.
 *
 * Threads: reads `world`.
 *
 * Pointers: `count` may be written.
 */
uint32_t wb_world_classes(uint64_t world, uint32_t *count);

/**
 * The name of a class.
 *
 * Threads: reads `world`.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_class_name(uint64_t world, uint32_t class_, char *buffer, size_t capacity, size_t *count);

/**
 * The cells that an agent of a class covers in a pose; they may lie off the map.
 *
 * Threads: reads `world`.
 *
 * Pointers: `pose` is valid; `cells` has room for `capacity` cells, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_world_class_cells(uint64_t world,
                              uint32_t class_,
                              const struct wb_pose *pose,
                              struct wb_cell *cells,
                              size_t capacity,
                              size_t *count);

/**
 * A class as an object of its own: for its headings and primitives, and for other worlds.
 *
 * Threads: reads `world`. Lifetime: independent of the world.
 *
 * Pointers: `class_handle` may be written.
 */
uint32_t wb_world_class(uint64_t world, uint32_t class_, uint64_t *class_handle);

/**
 * Adds a class between two ticks, such as a unit that a game has just unlocked, and gives its number. It is compiled
 * against the map as it is. Equal worlds add equal classes between the same ticks. The class has no landmarks.
 * Corridors stay as the bodies of the setup have them, so declare the smallest and the largest body there. Snapshots
 * and copies have the class. A recording that began before refuses the next tick: begin another one.
 *
 * Fails with `WB_LIMIT` for a class beyond 256, and with `WB_ARGUMENT` for a class for maps of another shape, or under
 * `WB_RULE_UNIT_ROBOTS`, which drives one class. Then nothing has changed.
 *
 * Threads: changes `world`, reads `class_handle`. Lifetime: the world does not need the handle later.
 *
 * Pointers: `class_number` may be written.
 */
uint32_t wb_world_add_class(uint64_t world, uint64_t class_handle, uint32_t *class_number);

/**
 * Whether searches of a class use its landmarks: 1, or 0 if it has none, or if an edit has made a move easier and they
 * are not repaired yet.
 *
 * Threads: reads `world`.
 *
 * Pointers: `in_use` may be written.
 */
uint32_t wb_world_landmarks_in_use(uint64_t world, uint32_t class_, uint8_t *in_use);

/**
 * The tables of a class as an object of its own, as they are now: to plan with. They share the world's memory until an
 * edit changes one of the two, and do not follow the world.
 *
 * Threads: reads `world`. Lifetime: independent of the world.
 *
 * Pointers: `tables` may be written.
 */
uint32_t wb_world_tables(uint64_t world, uint32_t class_, uint64_t *tables);

/**
 * The map as an object of its own, as it is now. It shares the world's memory until an edit changes one of the two.
 *
 * Threads: reads `world`. Lifetime: independent of the world.
 *
 * Pointers: `map` may be written.
 */
uint32_t wb_world_map(uint64_t world, uint64_t *map);

/**
 * The terrain kinds of all cells, row by row. Nothing is copied.
 *
 * Threads: reads `world`. Lifetime: as for `wb_world_agents`.
 *
 * Pointers: `cells` and `count` may be written.
 */
uint32_t wb_world_terrain(uint64_t world, const uint8_t **cells, size_t *count);

/**
 * Begins to record a world, before the step of the first tick to record. A world that has not stepped, from
 * `wb_world_new`, `wb_world_open` or `wb_world_parse`, is recorded with its setup, any other with a snapshot: so the
 * file needs nothing else. Another recording of the world ends.
 *
 * Threads: changes `world`.
 *
 * Pointers: `recording` may be written.
 */
uint32_t wb_recording_begin(uint64_t world, uint64_t *recording);

/**
 * Records the last step of the world: called after each step, with the state that it gave. A step without this call,
 * `wb_world_restore` and `wb_world_copy_from` end the recording: then it can only be finished. A recording also ends
 * with its run: idle steps add nothing, and a step in which something happens is refused. `wb_world_set_ticks` with 0
 * makes a world that has no last tick.
 *
 * Threads: changes `recording` and `world`.
 */
uint32_t wb_recording_tick(uint64_t recording, uint64_t world, uint32_t state);

/**
 * Writes the recording as bytes, the content of a file for `wheelbase verify`. The first call ends it; further calls
 * give the same bytes. `world` is the world that was recorded, or 0 if it is not at hand any more: then, and if the
 * recording had ended before, or the world is broken, the bytes end as if the run had been killed, which `wheelbase
 * verify` says and accepts.
 *
 * Threads: changes `recording`, reads `world`.
 *
 * Pointers: `buffer` has room for `capacity` bytes, or is null with `capacity` 0; `count` may be written.
 */
uint32_t wb_recording_finish(uint64_t recording, uint64_t world, uint8_t *buffer, size_t capacity, size_t *count);

/**
 * Destroys a recording. 0 does nothing.
 *
 * Threads: changes `recording`.
 */
uint32_t wb_recording_destroy(uint64_t recording);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WHEELBASE_H */
