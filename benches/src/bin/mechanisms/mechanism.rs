//! The mechanisms of the cooperative rule, each with the tunables that leave it out.

use wheelbase_sim::{ReplanParams, TrafficParams, tune};

/// A mechanism of `docs/traffic.md`, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Mechanism {
    pub name: &'static str,
    /// Tunables and the values that leave it out.
    left_out_by: &'static [(&'static str, u32)],
}

impl Mechanism {
    /// The usual parameters without this mechanism.
    /// # Errors
    /// A tunable is unknown, or its value out of range: the list below is out of date.
    pub fn left_out(&self) -> Result<(TrafficParams, ReplanParams), String> {
        let (mut traffic, mut replan) = (TrafficParams::USUAL, ReplanParams::USUAL);
        for &(name, value) in self.left_out_by {
            tune(&mut traffic, &mut replan, name, value).map_err(|error| error.to_string())?;
        }
        Ok((traffic, replan))
    }

    /// The values, as `run --tune` takes them.
    pub fn tuned(&self) -> String {
        let tuned = self.left_out_by.iter().map(|(name, value)| format!("`{name}={value}`"));
        tuned.collect::<Vec<_>>().join(" ")
    }
}

const fn mechanism(name: &'static str, left_out_by: &'static [(&'static str, u32)]) -> Mechanism {
    Mechanism { name, left_out_by }
}

/// First those of the table in `docs/traffic.md`, then parts of them.
pub const MECHANISMS: [Mechanism; 33] = [
    mechanism("displacement, with LNS", &[("displace_after_steps", 1000)]),
    mechanism("LNS", &[("lns_expansions", 0)]),
    mechanism("claims, with pushing by priority", &[("push_after_steps", 1000)]),
    mechanism(
        "pushing",
        &[("push_idle_after_steps", 1000), ("push_after_steps", 1000), ("push_any_after_steps", 1000)],
    ),
    mechanism("way around resting agents", &[("around_after_steps", 1000)]),
    mechanism("corridors", &[("corridor_cells_max", 0)]),
    mechanism("admission", &[("look_ahead_moves", 0)]),
    mechanism("busy corridors", &[("corridor_busy", 1000), ("corridor_busy_wide", 1000)]),
    mechanism("keep-clear ground", &[("keep_clear_quarters", 0)]),
    mechanism("turning circles", &[("turning_circles", 0)]),
    mechanism("right of way", &[("right_of_way_ticks", 1_000_000)]),
    mechanism("directional flow", &[("contraflow_weight", 0)]),
    mechanism("congestion-aware replanning", &[("replan_penalty_ticks", 4_000_000)]),
    mechanism(
        "path followed though free for part of the horizon alone",
        &[("free_path_horizon_quarters", 4)],
    ),
    mechanism("SIPP: second and third interval", &[("search_intervals", 1)]),
    mechanism("SIPP: more nodes after waiting", &[("search_nodes_after_waiting", 240)]),
    mechanism("SIPP: longer horizon after waiting", &[("wait_horizon_factor", 0)]),
    mechanism("displacement: second try", &[("displace_steps_again", 1), ("lns_steps_again", 4)]),
    mechanism("pushing of idle agents", &[("push_idle_after_steps", 1000)]),
    mechanism("pushing against priority", &[("push_any_after_steps", 1000)]),
    mechanism("pushing: shorter stretches", &[("clear_moves_second", 32), ("clear_moves_last", 32)]),
    mechanism("pushing: chains of retreats", &[("pushed_max", 2)]),
    mechanism("backing out", &[("back_out_after_failures", 255)]),
    mechanism("after a retreat: staying there", &[("retreat_hold_steps", 0)]),
    mechanism("after a retreat: rest of an order", &[("yield_hold_ticks", 0)]),
    mechanism("after a retreat: way back to the path", &[("path_back_moves", 1)]),
    mechanism("after a retreat: giving it up", &[("give_up_after_steps", 1000)]),
    mechanism("corridors: tight ones", &[("corridor_bodies", 2)]),
    mechanism(
        "admission: turns by batches",
        &[("corridor_batch", 1000), ("corridor_batch_busy", 1000), ("corridor_turn_busy", 1000)],
    ),
    mechanism("admission: queue before the entrance", &[("queue_moves", 0), ("queue_moves_max", 0)]),
    mechanism("admission: holders that wait let others in", &[("holder_wait_steps", 1000)]),
    mechanism("busy corridors: clearing of entrances", &[("clear_entrances_ticks", 1_000_000)]),
    mechanism("directional flow: search off a free path", &[("against_steps_max", 1000)]),
];
