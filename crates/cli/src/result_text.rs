//! The result of a run as text for people: the subject of the request first, then failures with reasons, then counts.
//! What there is nothing to say about is left out; the JSON form has every key.

use crate::failed_orders::{FailedOrders, agent_text};
use crate::output::{counted, percent, row};
use std::io::{self, Write};
use wheelbase_sim::{
    CONFINED_BELOW_POSES, EditPendingFor, HeldAgent, LongestResult, OrdersLeftBy, RunResult,
    STUCK_AFTER_TICKS, WaitForCycle,
};
use wheelbase_view::safe_text;

/// Most wait-for cycles, and most agents of each.
const CYCLES_SHOWN: usize = 4;
const CYCLE_AGENTS_SHOWN: usize = 8;
/// Most edits that wait, and most agents of each.
const EDITS_SHOWN: usize = 4;
const EDIT_AGENTS_SHOWN: usize = 4;
/// Most rules that keep agents with orders left.
const RULES_SHOWN: usize = 6;
/// Waits and times without progress, in ticks, from which on the longest of each class is shown.
const WAIT_SHOWN: u32 = 64;
const NO_PROGRESS_SHOWN: u32 = 256;

/// Writes a result, and the orders that failed first.
pub fn write_text(out: &mut impl Write, result: &RunResult, failed: &FailedOrders) -> io::Result<()> {
    let RunResult { scenario, ticks, agents, moves, threads, .. } = result;
    let (ticks, moves) = (counted(*ticks, "tick"), counted(*moves, "move"));
    writeln!(out, "{}, {ticks}: {}", safe_text::line(scenario), asked_and_done(result))?;
    row(out, "agents", format!("{agents}, {moves}, {}", counted(*threads, "thread")))?;
    write_orders(out, result, failed)?;
    write_edits(out, result)?;
    let mut line = |name: &str, value: String| row(out, name, value);
    if result.tasks_done > 0 {
        line(
            "tasks done",
            format!("{}, longest {}", result.tasks_done, counted(result.longest_task_ticks, "tick")),
        )?;
    }
    if result.confined_agents > 0 {
        let (agents, tasks) = (result.confined_agents, result.confined_tasks_done);
        let counts = format!("{}, {}", counted(agents, "agent"), counted(tasks, "task"));
        line("  confined", format!("{counts}: they reach fewer than {CONFINED_BELOW_POSES} poses"))?;
    }
    let counts = [
        ("agents removed", result.removed, "by events and edits"),
        ("agents not placed", result.not_placed, "events found no room for them"),
        ("agents stuck", result.stuck_agents, &format!("no move ended for {STUCK_AFTER_TICKS} ticks")),
    ];
    for (name, count, about) in counts.into_iter().filter(|&(_, count, _)| count > 0) {
        line(name, format!("{count}: {about}"))?;
    }
    for cycle in result.wait_for_cycles.iter().take(CYCLES_SHOWN) {
        line("  wait-for cycle", cycle_text(cycle))?;
    }
    if result.no_progress_agents > 0 {
        let count = result.no_progress_agents;
        line("no trip finished", format!("{count} of {}: still on their first", counted(*agents, "agent")))?;
    }
    if let Some(collisions) = result.collisions {
        line("collisions", collisions.to_string())?;
    }
    write_times(out, result)
}

/// Writes the share of their time for which trips carried the agents, and the agents without progress.
pub fn write_carried(out: &mut impl Write, result: &RunResult) -> io::Result<()> {
    let (Some(carried), Some(progress)) = (result.carried_permille, result.progress_permille) else {
        return Ok(());
    };
    let (stuck, longest) = (result.stuck_agents, counted(result.longest_wait_ticks, "tick"));
    let (carried, progress) = (percent(carried), percent(progress));
    row(out, "carried", format!("{carried}, progress {progress}, {stuck} stuck, longest wait {longest}"))
}

/// The edits that wait, and for whom.
fn write_edits(out: &mut impl Write, result: &RunResult) -> io::Result<()> {
    if result.edits_pending > 0 {
        row(out, "edits pending", format!("{}: they wait for agents in their areas", result.edits_pending))?;
    }
    for edit in result.edits_pending_for.iter().take(EDITS_SHOWN) {
        let EditPendingFor { asked, agents, held } = edit;
        let named = held.iter().take(EDIT_AGENTS_SHOWN).map(|of| {
            let HeldAgent { agent, name, class, at: [x, y], reason } = of;
            format!("{} at ({x}, {y}): {}", agent_text(class, *agent, name.as_deref()), reason.text)
        });
        let named = named.collect::<Vec<_>>().join("; ");
        row(out, "  edit", format!("of tick {asked}, for {}: {named}", counted(*agents, "agent")))?;
    }
    Ok(())
}

/// What the scenario asks for, and how much of it is done.
fn asked_and_done(result: &RunResult) -> String {
    let RunResult { orders_done, orders_unreachable, orders_left, tasks_done, trips, .. } = *result;
    let all = orders_done + orders_unreachable + orders_left;
    let mut parts = Vec::new();
    if all > 1 && all == orders_done {
        parts.push(format!("all {all} orders done"));
    } else if all > 0 {
        parts.push(format!("{orders_done} of {} done", counted(all, "order")));
    }
    let others = [(orders_unreachable, "unreachable"), (orders_left, "left")];
    parts
        .extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    let apart = result.confined_tasks_done;
    if tasks_done > apart {
        parts.push(format!("{} done", counted(tasks_done - apart, "task")));
    }
    if apart > 0 {
        let by = counted(result.confined_agents, "confined agent");
        parts.push(format!("{} done by {by}", counted(apart, "task")));
    }
    if parts.is_empty() {
        // Patrols, and tasks of which none is done.
        parts.push(format!("{} finished", counted(trips, "trip")));
    }
    parts.join(", ")
}

/// The orders that are not done: the unreachable ones, and who has some left, by what keeps them.
fn write_orders(out: &mut impl Write, result: &RunResult, failed: &FailedOrders) -> io::Result<()> {
    if result.orders_unreachable > 0 {
        row(
            out,
            "orders unreachable",
            format!("{}: {}", result.orders_unreachable, result.unreachable_reasons),
        )?;
        for failed in &failed.first {
            let (x, y) = failed.at;
            let text = format!("{} at ({x}, {y}), {}: {}", failed.agent, failed.kind, failed.reason);
            row(out, &format!("  tick {}", failed.tick), text)?;
        }
        let listed = failed.first.len() as u64;
        if result.orders_unreachable > listed {
            row(out, "", format!("and {} more", result.orders_unreachable - listed))?;
        }
    }
    if result.orders_left == 0 {
        return Ok(());
    }
    let agents: u64 = result.orders_left_by.iter().map(|by| by.agents).sum();
    row(out, "orders left", format!("{}, of {}", result.orders_left, counted(agents, "agent")))?;
    for OrdersLeftBy { rule, agents, example } in result.orders_left_by.iter().take(RULES_SHOWN) {
        let [x, y] = example.at;
        let agent = agent_text(&example.class, example.agent, example.name.as_deref());
        let text = format!("{agents}, as {agent} at ({x}, {y}): {}", example.reason.text);
        row(out, &format!("  {rule}"), text)?;
    }
    let others = result.orders_left_by.iter().skip(RULES_SHOWN);
    if others.len() > 0 {
        let agents: u64 = others.clone().map(|by| by.agents).sum();
        row(out, "", format!("and {agents} for {}", counted(others.len(), "other reason")))?;
    }
    Ok(())
}

/// Times: of trips, of waiting, of searches, of the program.
fn write_times(out: &mut impl Write, result: &RunResult) -> io::Result<()> {
    let mut line = |name: &str, value: String| row(out, name, value);
    line("flowtime", counted(result.flowtime, "tick"))?;
    if let Some(permille) = result.detour_permille {
        let detour = format!("{}.{:03} times", permille / 1000, permille % 1000);
        let RunResult { trips, longest_trip_ticks, .. } = result;
        line(
            "detour",
            format!(
                "{detour} the single-agent bound, {}, longest {}",
                counted(*trips, "trip"),
                counted(*longest_trip_ticks, "tick")
            ),
        )?;
    }
    if result.agents > 1 {
        write_carried(out, result)?;
    }
    let mut line = |name: &str, value: String| row(out, name, value);
    line(
        "waiting",
        format!("{}, longest {}", counted(result.wait_ticks, "agent-tick"), result.longest_wait_ticks),
    )?;
    for class in &result.classes {
        let longest = [
            ("  longest wait", &class.longest_wait, WAIT_SHOWN),
            ("  no progress", &class.longest_without_progress, NO_PROGRESS_SHOWN),
        ];
        for (name, longest, from) in longest {
            if let Some(longest) = longest.as_ref().filter(|longest| longest.ticks >= from) {
                line(name, longest_text(&class.class, longest))?;
            }
        }
    }
    line(
        "path requests",
        format!(
            "{}, {}, longest {}",
            result.path_requests,
            counted(result.expansions, "expansion"),
            counted(result.longest_request_ticks, "tick")
        ),
    )?;
    if result.routes_abstract > 0 {
        line(
            "legs of routes",
            format!(
                "{}, and {} to goals, waited {} for the next",
                result.routes_abstract,
                counted(result.routes_exact, "path"),
                counted(result.leg_wait_ticks, "tick")
            ),
        )?;
    }
    let tick_ms = result.tick_ms;
    line("time", format!("{:.3} s, {:.0} ticks per second", result.wall_s, result.ticks_per_s))?;
    line("tick", format!("p50 {:.3} ms, p99 {:.3} ms, max {:.3} ms", tick_ms.p50, tick_ms.p99, tick_ms.max))?;
    line("state hash", result.state_hash.clone())
}

/// A wait-for cycle as text: each agent with the agent it waits for, and where.
fn cycle_text(cycle: &WaitForCycle) -> String {
    let WaitForCycle { agents, at, ring, waiting, reason } = cycle;
    let mut text = String::new();
    for (number, [x, y]) in at.iter().enumerate().take(CYCLE_AGENTS_SHOWN) {
        let other = agents.get(number + 1).or(agents.first().filter(|_| *ring));
        let other = other.map_or_else(|| "another".to_owned(), |agent| agent.to_string());
        let verb = if number == 0 { "waits for" } else { "for" };
        text += &format!("{} {verb} {other} at ({x}, {y}), ", agents[number]);
    }
    if at.len() > CYCLE_AGENTS_SHOWN {
        text += "and so on, ";
    }
    match (agents.last(), reason) {
        (Some(last), Some(reason)) => text += &format!("{last}: {}", reason.text),
        _ => text += "in a ring",
    }
    format!("{text}; {} stuck in or behind it", counted(*waiting, "agent"))
}

/// A longest time as text: of which class and agent, where, when, and why if it has not ended.
fn longest_text(class: &str, longest: &LongestResult) -> String {
    let LongestResult { ticks, agent, at: [x, y], tick, reason } = longest;
    let class = safe_text::line(class);
    let text = format!("{class} {}: agent {agent} at ({x}, {y}), up to tick {tick}", counted(*ticks, "tick"));
    match reason {
        Some(reason) => format!("{text}; {}", reason.text),
        None => text,
    }
}
