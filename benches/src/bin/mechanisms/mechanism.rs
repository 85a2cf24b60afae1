//! The mechanisms of the cooperative rule and its tunables, each as a change of the usual parameters.

use wheelbase_sim::{ReplanParams, TrafficParams, tune};

/// Tunables with other values than the usual ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub name: String,
    /// Tunables and their values.
    tuned: Vec<(&'static str, u32)>,
}

impl Change {
    /// The parameters with the change.
    /// # Errors
    /// A tunable is unknown, or its value out of range: the list below is out of date.
    pub fn params(&self) -> Result<(TrafficParams, ReplanParams), String> {
        let (mut traffic, mut replan) = (TrafficParams::USUAL, ReplanParams::USUAL);
        for &(name, value) in &self.tuned {
            tune(&mut traffic, &mut replan, name, value).map_err(|error| error.to_string())?;
        }
        Ok((traffic, replan))
    }

    /// The values, as `run --tune` takes them.
    pub fn tuned(&self) -> String {
        let tuned = self.tuned.iter().map(|(name, value)| format!("`{name}={value}`"));
        tuned.collect::<Vec<_>>().join(" ")
    }

    /// Each mechanism left out in turn.
    pub fn mechanisms() -> Vec<Self> {
        let change = |&(name, tuned): &(&str, &[(&'static str, u32)])| Self {
            name: name.to_owned(),
            tuned: tuned.to_vec(),
        };
        MECHANISMS.iter().map(change).collect()
    }

    /// Each tunable of the cooperative rule at half of its usual value and at twice that, as far as its range goes.
    pub fn tunables() -> Vec<Self> {
        let tunables = TrafficParams::tunables().into_iter().filter(|it| !it.name.starts_with("robot_"));
        let changes = tunables.flat_map(|it| {
            let (low, high) = (*it.range.start(), *it.range.end());
            let values = [(it.usual / 2).max(low), it.usual.saturating_mul(2).clamp(1, high)];
            let others = values.into_iter().filter(move |&value| value != it.usual);
            others.map(move |value| Self { name: it.name.to_owned(), tuned: vec![(it.name, value)] })
        });
        changes.collect()
    }
}

const MECHANISMS: [(&str, &[(&str, u32)]); 16] = [
    ("priority inheritance, with LNS", &[("displace_after_steps", 1000)]),
    ("LNS", &[("lns_expansions", 0)]),
    (
        "pushing, with soft reservations",
        &[("push_idle_after_steps", 1000), ("push_after_steps", 1000), ("push_any_after_steps", 1000)],
    ),
    ("pushing of idle agents", &[("push_idle_after_steps", 1000)]),
    ("pushing by priority, with soft reservations", &[("push_after_steps", 1000)]),
    ("pushing against priority", &[("push_any_after_steps", 1000)]),
    ("ways around resting agents", &[("around_after_steps", 1000)]),
    ("roadblocks", &[("roadblock_poses", 0)]),
    ("corridors", &[("corridor_cells_max", 0)]),
    ("corridors at bottlenecks alone", &[("detour_cells", 0)]),
    ("corridors: tight ones", &[("corridor_bodies", 2)]),
    ("busy corridors", &[("corridor_busy", 1000), ("corridor_busy_wide", 1000)]),
    ("no-stopping ground", &[("keep_clear_quarters", 0)]),
    ("right of way", &[("right_of_way_ticks", 1_000_000)]),
    ("turnaround footprints", &[("turning_circles", 0)]),
    ("congestion-aware replanning", &[("replan_penalty_ticks", 4_000_000)]),
];
