//! Numbers the teams of a scenario.

use crate::scenario::{Diagnostics, EventAction, Group, Located, Message, Scenario};
use std::collections::BTreeMap;
use wheelbase_sim::{Friends, Team};

/// The teams by name, and which are friends. Team 0 has no name: agents without a team belong to it.
pub(super) struct Teams<'s> {
    numbers: BTreeMap<&'s str, Team>,
    /// Which of them are friends.
    pub(super) friends: Friends,
}

impl<'s> Teams<'s> {
    /// Numbers the teams from 1 in the order in which the file first names them, and makes friends.
    pub(super) fn of(typed: &'s Scenario, errors: &mut Diagnostics<'_>) -> Self {
        let mut teams = Self { numbers: BTreeMap::new(), friends: Friends::default() };
        let mut is_full = false;
        for (name, key) in named_teams(typed) {
            let number = teams.numbers.len() + 1;
            if teams.numbers.contains_key(name.value.as_str()) {
                continue;
            }
            if number < Team::COUNT {
                teams.numbers.insert(&name.value, Team(number as u8));
            } else if !std::mem::replace(&mut is_full, true) {
                // Once: later teams would repeat it.
                let message = format!(
                    "expected at most {} teams, one of which has the agents without a team; found \"{}\" beyond them",
                    Team::COUNT,
                    name.value
                );
                errors.add(name.line, &format!("{key}.team"), message);
            }
        }
        if !is_full {
            teams.befriend(typed, errors);
        }
        teams
    }

    fn befriend(&mut self, typed: &Scenario, errors: &mut Diagnostics<'_>) {
        for pair in &typed.friends {
            let teams = pair.names.iter().enumerate().map(|(at, name)| {
                let team = self.numbers.get(name.as_str()).copied();
                if team.is_none() {
                    let known = self.numbers.keys().copied();
                    let mut message = Message::unknown_name("no agent is of team", name, known);
                    if self.numbers.is_empty() {
                        message = message.with_help(format!("give agents their team: team = \"{name}\""));
                    }
                    errors.add(pair.line, &format!("{}[{at}]", pair.key), message);
                }
                team
            });
            let [Some(one), Some(other)] = teams.collect::<Vec<_>>()[..] else { continue };
            if one == other {
                let message = format!("expected two teams, found \"{}\" twice", pair.names[0]);
                errors.add(pair.line, &pair.key, message);
            }
            self.friends.befriend(one, other);
        }
    }

    /// The team of a name; team 0 without one.
    pub(super) fn number(&self, name: Option<&Located<String>>) -> Team {
        let number = name.and_then(|name| self.numbers.get(name.value.as_str()));
        number.copied().unwrap_or_default()
    }
}

/// The teams of agents, in the order of the file, with the key path of what names them.
fn named_teams(typed: &Scenario) -> Vec<(&Located<String>, &str)> {
    fn of_group(group: &Group) -> Option<(&Located<String>, &str)> {
        Some((group.team.as_ref()?, group.key.as_str()))
    }
    let agents = typed.agents.iter().filter_map(|agent| Some((agent.team.as_ref()?, agent.key.as_str())));
    let events = typed.events.iter().filter_map(|event| match &event.action {
        EventAction::AddAgents(group) => of_group(group),
        _ => None,
    });
    let mut named: Vec<_> = agents.chain(typed.groups.iter().filter_map(of_group)).chain(events).collect();
    // Stable: within a line agents come first, then groups, then events.
    named.sort_by_key(|(name, _)| name.line);
    named
}
