//! The setup of a world without a scenario.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use wheelbase_grid::Change;
use wheelbase_planner::Pose;
use wheelbase_sim::{AGENTS_MAX, ClassId, Command, Friends, Order, PathSource, Setup, Spawn, Team, World};
use wheelbase_traffic::OwnRule;

/// Name of any traffic rule from outside: the ticks hold its decisions.
const OUTSIDE: &str = "outside";

/// The parts of a setup without a place elsewhere in the header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostStart {
    /// Name in the settings; may be empty.
    pub name: String,
    /// The traffic rule: `cooperative`, `unit_robots`, `commanded`, or `outside` for any other. Our rules are rebuilt
    /// for the settings of the run.
    pub rule: String,
    /// Whether the rule follows planned paths.
    pub needs_paths: bool,
    /// Whether the host answers path requests.
    pub host_answers_paths: bool,
    /// Whether the tables have components, by class.
    pub components: Vec<bool>,
    /// Landmarks of each class that were asked for.
    pub landmarks: Option<u32>,
    /// Changes for which landmarks were made.
    pub eased: Vec<Change>,
    /// Pairs of teams that are friends.
    pub friends: Vec<[u8; 2]>,
    /// The agents in order of id.
    pub agents: Vec<HostAgent>,
    /// The lists of orders of the agents. Consecutive agents that shared a list share it here.
    pub orders: Vec<Vec<Order>>,
    /// Commands for later ticks.
    pub scheduled: Vec<(u32, Command)>,
}

/// An initial agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HostAgent {
    /// Number of its class.
    pub class: u8,
    /// Its pose.
    pub pose: Pose,
    /// Its priority.
    pub priority: i32,
    /// Its team.
    pub team: u8,
    /// Its speed factor in thousandths.
    pub speed_factor: u16,
    /// Number of its list in [`HostStart::orders`].
    pub orders: u32,
    /// Its index among the agents that share its tasks.
    pub number: u32,
}

impl HostStart {
    /// The setup of a world that has not stepped.
    pub(super) fn of(world: &World) -> Self {
        let (mut lists, mut last): (Vec<Vec<Order>>, Option<&Arc<[Order]>>) = (Vec::new(), None);
        let mut agents = Vec::with_capacity(world.setup_agents().len());
        for spawn in world.setup_agents() {
            if last.is_none_or(|last| !Arc::ptr_eq(last, &spawn.orders)) {
                lists.push(spawn.orders.to_vec());
                last = Some(&spawn.orders);
            }
            agents.push(HostAgent {
                class: spawn.class.0,
                pose: spawn.pose,
                priority: spawn.priority,
                team: spawn.team.0,
                speed_factor: spawn.speed_factor,
                orders: (lists.len() - 1) as u32,
                number: spawn.number,
            });
        }
        let teams = || 0..Team::COUNT as u8;
        let pairs = teams().flat_map(|one| (one + 1..Team::COUNT as u8).map(move |other| [one, other]));
        let are_friends = |[one, other]: &[u8; 2]| world.friends().are(Team(*one), Team(*other));
        let (landmarks, eased) = world.setup_landmarks();
        Self {
            name: world.settings().name.clone(),
            rule: world.own_rule().map_or(OUTSIDE, OwnRule::name).to_owned(),
            needs_paths: world.rule_needs_paths(),
            host_answers_paths: world.requests().source() == PathSource::Host,
            components: world.tables().iter().map(|tables| tables.components().are_known()).collect(),
            landmarks: landmarks.map(|number| u32::try_from(number).unwrap_or(u32::MAX)),
            eased: eased.to_vec(),
            friends: pairs.filter(are_friends).collect(),
            agents,
            orders: lists,
            scheduled: world.setup_commands().map(|(tick, command)| (tick, command.clone())).collect(),
        }
    }

    /// Changes of the map by its scheduled edits.
    pub(super) fn n_changes(&self) -> u64 {
        let of =
            |command: &Command| if let Command::Edit(edit) = command { edit.changes.len() as u64 } else { 0 };
        self.scheduled.iter().map(|(_, command)| of(command)).sum()
    }

    /// Whether the ticks hold the decisions of the traffic rule.
    pub fn rule_is_outside(&self) -> bool {
        self.rule == OUTSIDE
    }

    /// Whether a reader may refuse the agents and orders for their number.
    pub(super) fn may_be_too_large(&self) -> bool {
        self.agents.len() + self.orders.iter().map(Vec::len).sum::<usize>() > 1 << 17
    }

    /// Frees the parts not needed after they are written.
    pub(super) fn forget_agents(&mut self) {
        (self.agents, self.orders, self.scheduled) = (Vec::new(), Vec::new(), Vec::new());
    }

    /// Puts all of it into a setup that has map, classes and rule.
    /// # Errors
    /// Too many agents, or missing orders.
    pub(super) fn put_into(&self, setup: &mut Setup) -> Result<(), String> {
        if self.agents.len() > AGENTS_MAX {
            return Err(format!("{} agents, expected at most {AGENTS_MAX}", self.agents.len()));
        }
        let lists: Vec<Arc<[Order]>> = self.orders.iter().map(|list| Arc::from(&list[..])).collect();
        for (id, agent) in self.agents.iter().enumerate() {
            let orders = lists.get(agent.orders as usize);
            setup.agents.push(Spawn {
                priority: agent.priority,
                team: Team(agent.team),
                speed_factor: agent.speed_factor,
                orders: Arc::clone(orders.ok_or_else(|| format!("agent {id} has orders that are missing"))?),
                number: agent.number,
                ..Spawn::new(ClassId(agent.class), agent.pose)
            });
        }
        setup.friends = Friends::default();
        for &[one, other] in &self.friends {
            setup.friends.befriend(Team(one), Team(other));
        }
        setup.paths = if self.host_answers_paths { PathSource::Host } else { PathSource::Planner };
        setup.landmarks = self.landmarks.map(|number| number as usize);
        setup.eased.clone_from(&self.eased);
        setup.scheduled.clone_from(&self.scheduled);
        Ok(())
    }
}
