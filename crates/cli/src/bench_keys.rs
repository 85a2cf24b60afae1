//! What `bench --format json` prints, for the help and the manual.

/// The keys of the JSON form.
pub const KEYS_HELP: &str = "\
Keys of --format json, of a .scen:
  bench, file, map, size, class   \"queries\", the files, [width, height] of the map, the class's name
  queries, answered               in the file; timed, all unless it was interrupted
  statuses                        answers by status
  lengths                         null for another class than octile, or an object:
    checked, differ               answers compared, and those whose length is not the published one
    decimals, tolerance           most decimals of a length in the file; the difference that is allowed
    first                         the first that differ: line, bucket, start, goal, published, ours, status
  cost, expansions                sums over the answers; cost in ticks
  guides                          answers by what guided the search; zero for nothing
  query_ms                        median, p95 and max of one query, on one thread
  ns_per_expansion                time of all queries on one thread by expansions
  threads, queries_per_s          all queries once more as a batch on so many threads; null if interrupted
  landmarks                       the queries once more with landmarks, null if interrupted before:
    number, prepare_s, memory_mib  of the landmarks, which the times do not include
    answered to ns_per_expansion  as above
  load_s, compile_s, components_s reading the files; compiling the movement tables; making their components
  peak_memory_mib                 null where the system does not say
  peers                           peers timed beside us: none
  calibration                     integer_ns, a step of an integer loop in cache; load_ns, a dependent load
                                  from 16 MiB; the least of five passes

Of a scenario:
  bench, file                     \"scenario\", the file
  the keys of run --format json   of this run
  expansions_per_s                expansions of all searches by wall_s
  load_s                          reading the scenario and building the world
  single_agent_bound              null where agents have no tasks, or other orders, or the scenario has events:
    tasks_done                    tasks of this run, of agents that are not confined
    bound_tasks_done              tasks that the same agents would do in as many ticks, each alone on the map
    permille                      the one in thousandths of the other
    confined_agents               agents that reach fewer than 256 poses and do a task every few ticks, and
    confined_tasks_done           the tasks they did: left out above
    wall_s                        time that it took to find out
  doors                           null where single_agent_bound is, or:
    gates                         lines across doors and other narrow places that were looked at
    busiest_permille              use of the busiest gate by the paths of single agents, in thousandths of
                                  its cells in all ticks
    wall_s                        time that it took to find out, without that of single_agent_bound
  memory                          loaded_mib, before the first tick, null where the system does not say; at the
                                  end agent_bytes, for each agent, fields, goals with a cost field, field_bytes, for
                                  each of them, and landmark_bytes, for all classes; without what a rule of
                                  traffic keeps for itself
  phase_shares                    events, orders, requests, traffic, moves and metrics (with what lies
                                  between ticks): shares of the time, 1 in all
  peers, calibration              as above";
