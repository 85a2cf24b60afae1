//! A page of plots of a sweep: each measure over each parameter.

mod chart;

use crate::report::STYLE;
use crate::safe_text::markup;
use crate::template::filled;
use chart::{Axis, Line, Spread, number, svg};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use wheelbase_scenario::sweep::{Items, Manifest, Row, Status, Table, cell_text};

const PAGE: &str = include_str!("sweep.html");

/// Most lines of a plot. Where there are more, the parameters with most values are left out of them.
const LINES_MAX: usize = 8;
/// Most reasons of failures that are listed.
const REASONS_MAX: usize = 20;

/// The page of a table. It plots the median and quartiles of every numeric measure over every parameter with several
/// values. If no parameter has several values, it plots them over the seeds.
pub fn page(table: &Table, manifest: &Manifest) -> String {
    let items = table.items();
    let rows: Vec<Row> = table.rows().collect();
    let done: Vec<&Row> = rows.iter().filter(|row| row.status == Status::Done).collect();
    let parameters = parameters(items);
    let (mut panels, mut links, mut constant) = (String::new(), String::new(), String::new());
    for (number_of_measure, name) in items.sweep().measures.iter().enumerate() {
        let Some(values) = numbers(name, number_of_measure, &done) else { continue };
        let least = values.iter().map(|(_, value)| *value).fold(f64::INFINITY, f64::min);
        let most = values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
        if least == most {
            let _ = write!(constant, "<dt>{}</dt><dd>{}</dd>", markup(name), number(least));
            continue;
        }
        let _ = write!(links, "<a href=\"#{name}\">{name}</a> ");
        panels += &panel(items, &parameters, name, &values);
    }
    if !constant.is_empty() {
        constant = format!("<section><h2>The same in all runs</h2><dl>{constant}</dl></section>");
    }
    let names: Vec<&str> = items.sweep().scenarios.iter().map(|name| file_name(name)).collect();
    let heading = match &names[..] {
        [one] => format!("Sweep of {one}"),
        [one, two] => format!("Sweep of {one} and {two}"),
        [one, others @ ..] => format!("Sweep of {one} and {} more", others.len()),
        [] => "Sweep".to_owned(),
    };
    let parts = [
        ("{{title}}", markup(&heading)),
        ("{{style}}", STYLE.to_owned()),
        ("{{heading}}", markup(&heading)),
        ("{{facts}}", facts(table, manifest)),
        ("{{failed}}", failures(&rows, items)),
        ("{{links}}", links),
        ("{{panels}}", panels),
        ("{{constant}}", constant),
    ];
    filled(PAGE, &parts)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The runs, in figures.
fn facts(table: &Table, manifest: &Manifest) -> String {
    let sweep = table.items().sweep();
    let n_failed: usize =
        table.statuses().iter().filter(|(status, _)| **status != Status::Done).map(|(_, n)| n).sum();
    let mut runs = format!("{} of {}", table.n_rows(), table.items().n_items());
    if n_failed > 0 {
        runs += &format!(", {n_failed} of them failed");
    }
    let seeds = match (sweep.seeds.first(), sweep.seeds.last()) {
        (Some(first), Some(last)) if first != last => {
            format!("{} from {first} to {last}", sweep.seeds.len())
        }
        (Some(first), _) => first.to_string(),
        _ => String::new(),
    };
    let mut facts = vec![("Scenarios".to_owned(), sweep.scenarios.join(", "))];
    for (key, setting) in sweep.set.iter().enumerate() {
        let values = (0..setting.values.len()).map(|number| cell_text(table.items().value(key, number)));
        facts.push((setting.key.clone(), values.collect::<Vec<_>>().join(", ")));
    }
    facts.push(("Seeds".to_owned(), seeds));
    facts.push(("Runs".to_owned(), runs));
    facts.push(("Program".to_owned(), format!("wheelbase {}", manifest.version)));
    let mut out = facts.iter().fold(String::new(), |mut out, (name, value)| {
        let _ = write!(out, "<dt>{}</dt><dd>{}</dd>", markup(name), markup(value));
        out
    });
    let command: Vec<String> = manifest.command.iter().map(|argument| quoted(argument)).collect();
    let _ = write!(out, "<dt>Command</dt><dd><code>{}</code></dd>", markup(&command.join(" ")));
    out
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./=,:".contains(letter);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

/// The runs that failed, by reason, those with most runs first.
fn failures(rows: &[Row], items: &Items) -> String {
    let mut reasons: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.status != Status::Done) {
        reasons.entry((row.status.name(), &row.reason)).or_insert((0, row.item)).0 += 1;
    }
    if reasons.is_empty() {
        return String::new();
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (count, item))| (std::cmp::Reverse(*count), *item));
    let mut out = String::from(
        "<section><h2>Failed runs</h2><table class=\"failed\"><tr><th>runs</th><th>status</th><th>reason</th><th>such as</th></tr>",
    );
    for ((status, reason), (count, item)) in reasons.iter().take(REASONS_MAX) {
        let label = items.label(*item);
        let _ = write!(
            out,
            "<tr><td>{count}</td><td>{status}</td><td>{}</td><td>{}</td></tr>",
            markup(reason),
            markup(&label)
        );
    }
    let others = reasons.len().saturating_sub(REASONS_MAX);
    if others > 0 {
        let _ = write!(out, "<tr><td></td><td></td><td>and {others} other reasons</td><td></td></tr>");
    }
    out + "</table></section>"
}

/// Something that differs between the runs, besides the seed.
struct Parameter {
    name: String,
    labels: Vec<String>,
    /// The number of a run's value among the labels.
    of: Box<dyn Fn(usize) -> usize>,
}

/// The parameters with several values: the keys, then the scenario.
fn parameters(items: &Items) -> Vec<Parameter> {
    let sweep = items.sweep();
    let n_seeds = sweep.seeds.len();
    let mut stride = n_seeds;
    let mut parameters = Vec::new();
    for (key, setting) in sweep.set.iter().enumerate().rev() {
        let (n, below) = (setting.values.len(), stride);
        let labels = (0..n).map(|number| cell_text(items.value(key, number)).into_owned()).collect();
        parameters.push(Parameter {
            name: setting.key.clone(),
            labels,
            of: Box::new(move |item| item / below % n),
        });
        stride *= n;
    }
    parameters.reverse();
    let labels = sweep.scenarios.iter().map(|name| file_name(name).to_owned()).collect();
    parameters.push(Parameter {
        name: "scenario".to_owned(),
        labels,
        of: Box::new(move |item| item / stride),
    });
    parameters.retain(|parameter| parameter.labels.len() > 1);
    if parameters.is_empty() {
        let labels = sweep.seeds.iter().map(u64::to_string).collect();
        parameters.push(Parameter {
            name: "seed".to_owned(),
            labels,
            of: Box::new(move |item| item % n_seeds),
        });
    }
    parameters
}

/// The items and values of a measure; `None` if it is no number. Runs without a value are left out.
fn numbers(name: &str, at: usize, rows: &[&Row]) -> Option<Vec<(usize, f64)>> {
    // Its digits may happen to form a number.
    if name == "state_hash" {
        return None;
    }
    let with_value = rows.iter().filter(|row| !row.measures[at].is_null());
    let values: Option<Vec<(usize, f64)>> =
        with_value.map(|row| row.measures[at].as_f64().map(|value| (row.item, value))).collect();
    values.filter(|values| !values.is_empty())
}

/// The panel of a measure: a plot for each parameter.
fn panel(items: &Items, parameters: &[Parameter], name: &str, values: &[(usize, f64)]) -> String {
    let mut out = format!("<section id=\"{name}\"><h2>{name}</h2>");
    let over_seeds = parameters.iter().any(|parameter| parameter.name == "seed");
    let n_seeds = items.sweep().seeds.len();
    let _ = write!(out, "<p>{}", about(name));
    let _ = match (over_seeds, n_seeds) {
        (true, _) | (_, 1) => write!(out, "</p>"),
        (_, n_seeds) => write!(out, " Median over {n_seeds} seeds, and quartiles.</p>"),
    };
    out.push_str("<div class=\"plots\">");
    for (number, parameter) in parameters.iter().enumerate() {
        let others = lines_by(parameters, number);
        let lines = lines(parameter, &others, values);
        let axis = Axis { name: parameter.name.clone(), labels: parameter.labels.clone() };
        out.push_str("<div>");
        out.push_str(&svg(name, &axis, &lines));
        let left_out = |other: &&Parameter| {
            other.name != parameter.name && !others.iter().any(|of| of.name == other.name)
        };
        let pooled: Vec<&str> = parameters.iter().filter(left_out).map(|other| other.name.as_str()).collect();
        if !pooled.is_empty() {
            let _ = write!(out, "<p>All values of {} together.</p>", markup(&pooled.join(" and ")));
        }
        // The name of a single parameter is said once.
        let name = match &others[..] {
            [other] => {
                let _ = write!(out, "<span class=\"key\">{}:</span>", markup(&other.name));
                format!("{} = ", other.name)
            }
            _ => String::new(),
        };
        for (colour, line) in lines.iter().enumerate().filter(|(_, line)| !line.name.is_empty()) {
            let _ = write!(
                out,
                "<span class=\"key\"><i style=\"background:var(--c{})\"></i>{}</span>",
                colour,
                markup(line.name.strip_prefix(&name).unwrap_or(&line.name))
            );
        }
        out.push_str("</div>");
    }
    out + "</div></section>\n"
}

/// The parameters that tell the lines of a plot over another one apart.
fn lines_by(parameters: &[Parameter], axis: usize) -> Vec<&Parameter> {
    let mut others: Vec<&Parameter> =
        parameters.iter().enumerate().filter(|(number, _)| *number != axis).map(|(_, other)| other).collect();
    let n_lines = |others: &[&Parameter]| others.iter().map(|other| other.labels.len()).product::<usize>();
    while n_lines(&others) > LINES_MAX {
        let most = (0..others.len()).max_by_key(|&at| others[at].labels.len());
        others.remove(most.unwrap_or(0));
    }
    others
}

fn lines(axis: &Parameter, others: &[&Parameter], values: &[(usize, f64)]) -> Vec<Line> {
    let n_lines: usize = others.iter().map(|other| other.labels.len()).product();
    let mut found = vec![vec![Vec::new(); axis.labels.len()]; n_lines];
    for &(item, value) in values {
        let line = others.iter().fold(0, |line, other| line * other.labels.len() + (other.of)(item));
        found[line][(axis.of)(item)].push(value);
    }
    let name = |line: usize| {
        let (mut rest, mut parts) = (line, Vec::new());
        for other in others.iter().rev() {
            parts.push(format!("{} = {}", other.name, other.labels[rest % other.labels.len()]));
            rest /= other.labels.len();
        }
        parts.reverse();
        parts.join(", ")
    };
    let lines = found.into_iter().enumerate();
    lines
        .map(|(number, values)| Line {
            name: name(number),
            spreads: values.into_iter().map(Spread::of).collect(),
        })
        .collect()
}

/// What a measure is, for people.
fn about(name: &str) -> &'static str {
    match name {
        "ticks" => "Ticks that were run.",
        "agents" => "Agents ever placed.",
        "orders_done" => "Orders done.",
        "orders_unreachable" => "Orders dropped as unreachable.",
        "orders_left" => "Orders left at the end.",
        "tasks_done" => "Tasks done.",
        "confined_agents" => "Agents with tasks that reach fewer than 256 poses.",
        "confined_tasks_done" => "Tasks done by confined agents.",
        "longest_task_ticks" => "Ticks of the longest task.",
        "edits_pending" => "Edits that still wait at the end.",
        "removed" => "Agents removed by events and edits.",
        "not_placed" => "Agents for which events found no room.",
        "collisions" => "Pairs of agents in violation, summed over ticks.",
        "moves" => "Moves begun.",
        "flowtime" => "Ticks from given to done, summed over orders and tasks done.",
        "trips" => "Trips finished.",
        "trips_of_no_length" => "Trips of agents that stood at the goal when they began.",
        "trip_ticks" => "Ticks of all finished trips.",
        "bound_ticks" => "Ticks that these trips would take each agent alone.",
        "detour_permille" => "Ticks of finished trips, in thousandths of the ticks of each agent alone.",
        "progress_permille" => "Part of the ticks that lone agents would have needed, in thousandths.",
        "carried_permille" => {
            "Ticks that finished trips would take alone, in thousandths of the ticks of all agents."
        }
        "longest_trip_ticks" => "Ticks of the longest trip.",
        "wait_ticks" => "Ticks waited, summed over agents.",
        "longest_wait_ticks" => "Ticks of the longest wait.",
        "stuck_agents" => "Agents stuck at the end.",
        "no_progress_agents" => "Agents with somewhere to go that finished nothing in the whole run.",
        "path_requests" => "Path requests.",
        "routes_exact" => "Paths to their goals found.",
        "routes_abstract" => "Legs of routes found.",
        "leg_wait_ticks" => "Ticks at rest at the ends of legs.",
        "longest_request_ticks" => "Ticks of the longest path request.",
        "expansions" => "Expansions of all searches.",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use wheelbase_scenario::sweep::{Format, Host, Shard, Sweep};

    fn table(set: &[&str], scenarios: &[&str], seeds: u64) -> Table {
        let sweep = Sweep {
            scenarios: scenarios.iter().map(|name| (*name).to_owned()).collect(),
            set: set.iter().map(|text| text.parse().unwrap()).collect(),
            seeds: (0..seeds).collect(),
            measures: ["moves", "removed", "state_hash", "collisions"].map(str::to_owned).to_vec(),
            check_invariants: false,
            times: false,
        };
        let mut table = Table::new(Items::new(sweep).unwrap(), Format::Csv);
        for item in 0..table.items().n_items() {
            let failed = item == 1;
            let measures = [(item * item).into(), 3.into(), "0000000000000012".into(), Value::Null];
            let (status, reason) = if failed { (Status::NotLoaded, "<b>no</b>") } else { (Status::Done, "") };
            let measures = if failed { vec![Value::Null; 4] } else { measures.to_vec() };
            let row = Row { item, key: 7, status, reason: reason.to_owned(), measures, wall_s: None };
            table.add(&row).unwrap();
        }
        table
    }

    fn page_of(table: &Table) -> String {
        let host = Host { name: String::new(), system: String::new(), processor: String::new() };
        let manifest = Manifest {
            manifest: 1,
            version: "0.1.0".to_owned(),
            host,
            command: ["wheelbase", "sweep", "--set", "name='a b'"].map(str::to_owned).to_vec(),
            sweep: table.items().sweep().clone(),
            shard: Shard::WHOLE,
            items: table.items().n_items(),
            inputs: Vec::new(),
        };
        page(table, &manifest)
    }

    #[test]
    fn a_panel_has_a_plot_for_each_parameter() {
        let page =
            page_of(&table(&["ticks=10,20,40", "collision=swept,discrete"], &["x/a.toml", "b.toml"], 5));
        assert_eq!(page.matches("<section id=").count(), 1, "{page}");
        assert_eq!(page.matches("<svg").count(), 3);
        for text in [
            "Sweep of a.toml and b.toml",
            "Median over 5 seeds, and quartiles.",
            "60 of 60, 1 of them failed",
            "&lt;b&gt;no&lt;/b&gt;",
            "aria-label=\"moves over ticks\"",
            "collision = swept, scenario = a.toml",
            "<dt>removed</dt><dd>3</dd>",
            "'name='\\''a b'\\'''",
        ] {
            let text = if text.starts_with('\'') { markup(text) } else { text.to_owned() };
            assert!(page.contains(&text), "{text} in {page}");
        }
        // Nothing is loaded from elsewhere.
        assert!(!page.contains("http") && !page.contains("src="));
    }

    #[test]
    fn seeds_alone_are_the_axis_of_last_resort() {
        let page = page_of(&table(&[], &["a.toml"], 9));
        assert!(page.contains("aria-label=\"moves over seed\""), "{page}");
        assert_eq!(page.matches("<circle").count(), 8);
    }

    #[test]
    fn there_are_never_too_many_lines() {
        let page =
            page_of(&table(&["ticks=1,2,3,4,5", "search_slots=1,2,3,4"], &["a.toml", "b.toml", "c.toml"], 2));
        // Over ticks by 4 slots (12 lines with the scenarios), over slots and scenarios by the 3 or 4 others.
        let plots: Vec<&str> = page.split("<svg").skip(1).collect();
        assert_eq!(plots.len(), 3);
        assert!(plots.iter().any(|plot| plot.contains("All values of search_slots together.")));
        for plot in plots {
            let n_lines = plot.matches("class=\"key\"").count();
            assert!((1..=LINES_MAX).contains(&n_lines), "{n_lines}");
        }
    }

    #[test]
    fn every_measure_is_explained() {
        use wheelbase_scenario::{MEASURES, NESTED_MEASURES};
        for name in MEASURES {
            let is_number = name != "state_hash" && !NESTED_MEASURES.contains(&name);
            assert_eq!(about(name).is_empty(), !is_number, "{name}");
        }
    }
}
