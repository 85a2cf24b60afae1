//! The keys of `bench --format json`, for its help and manual page.

/// Describes the keys.
pub const KEYS_HELP: &str = "\
Keys of --format json, for a .scen file:
  bench, file, map, size, class   \"queries\", the files, [width, height] of the map, name of the class
  queries, answered               queries in the file; queries timed, fewer if interrupted
  statuses                        answers by status
  lengths                         null unless the class is octile, else an object:
    checked, differ               answers compared; answers whose length differs from the published one
    decimals, tolerance           most decimals of a length in the file; the difference allowed
    first                         the first differences: line, bucket, start, goal, published, ours, status
  cost, expansions                sums over the answers; cost in ticks
  guides                          answers by guide of the search; zero if there was none
  query_ms                        median, p95 and max of a query, on one thread
  ns_per_expansion                time of all queries on one thread, divided by their expansions
  threads, queries_per_s          all queries again, as a batch on this many threads; null if interrupted
  landmarks                       all queries again, with landmarks; null if interrupted before, else an object:
    number, prepare_s, memory_mib  of the landmarks; preparation is not part of the times below
    answered to ns_per_expansion  as above
  load_s, compile_s, components_s time to read the files, to compile the movement tables, to make components
  peak_memory_mib                 null where the system does not report it
  peers                           other planners timed in the same run: none
  calibration                     integer_ns, a step of an integer loop in cache; load_ns, a dependent load
                                  from 16 MiB; the least of five passes

For a scenario:
  bench, file                     \"scenario\", the file
  the keys of run --format json   of this run
  expansions_per_s                expansions of all searches per second of wall_s
  load_s                          time to read the scenario and build the world
  single_agent_bound              null without tasks, with other orders, or with events, else an object:
    tasks_done                    tasks done in this run by agents that are not confined
    bound_tasks_done              tasks the same agents would do in the same time, each alone on the map
    permille                      tasks_done in thousandths of bound_tasks_done
    confined_agents               agents that reach fewer than 256 poses and do a task every few ticks
    confined_tasks_done           their tasks, which the counts above leave out
    wall_s                        time to compute the bound
  gates                           null where single_agent_bound is null, else an object:
    number                        lines of cells across doors and other bottlenecks
    busiest_permille              use of the busiest gate if each agent were alone, in thousandths of its
                                  cells over all ticks
    wall_s                        time to compute the use, without the time of single_agent_bound
  memory                          loaded_mib, before the first tick, null where the system does not report it; at
                                  the end agent_bytes, per agent; fields, goals with a cost field; field_bytes, per
                                  such goal; landmark_bytes, of all classes; without the state of the traffic rule
  memory_growth_mib               peak_memory_mib less the peak at a third of the ticks: near 0 in a run whose
                                  memory does not grow with its length; null for a run that ends before
  phase_shares                    events, orders, requests, traffic, moves and metrics (including the time
                                  between ticks): shares of the time, 1 in total
  peers, calibration              as above";
