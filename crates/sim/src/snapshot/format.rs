//! The blocks of a snapshot.

use crate::agents::saved::SavedAgents;
use crate::class_changes::ClassChange;
use crate::class_graph::SavedGraph;
use crate::class_landmarks::LandmarkRecipe;
use crate::codec::FileKind;
use crate::command_queue::SavedQueue;
use crate::congestion::SavedCongestion;
use crate::counts::Counts;
use crate::group_goals::GroupGoals;
use crate::obstructed::Obstructed;
use crate::order_pool::saved::SavedPool;
use crate::pending_edits::PendingEdit;
use crate::plain;
use crate::progress::LongestOfClass;
use crate::requests::saved::SavedRequests;
use crate::traffic_buffers::TrafficBuffers;
use crate::world::Settings;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use wheelbase_grid::{Change, Grid};
use wheelbase_planner::MovementClass;
use wheelbase_planner::tables::SavedTables;
use wheelbase_traffic::motion::AgentId;

/// The kind of file.
pub const SNAPSHOT: FileKind =
    FileKind { magic: *b"WB-SNP\r\n", name: "snapshot", version: 9, versions_before: &[], layout: LAYOUT };

/// Kinds of the blocks, which stand in this order.
pub(super) const BLOCKS: [(u8, &str); 5] =
    [(1, "world"), (2, "tables"), (3, "agents"), (4, "path requests"), (5, "traffic rule")];

const LAYOUT: &str = "\
1 world: tick settings(name seed collision ticks expansions search_slots poses_per_agent tries) tunables grid classes friends \
landmarks eased agents classes_of_setup; \
2 tables: of each class (layout times components landmarks (states threshold map tables owed) graph); \
3 agents: arrays by row with orders and trips, agents off the map, paths, busy rows, names, orders with tickets, commands, edits with agents, class changes, followers, obstructed, congestion, groups, buffers, \
counts, longest times by class; \
4 path requests: queue slots with legs, fields; \
5 traffic rule: name, lists by name";

/// What the world was made of, and its tick.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WorldBlock {
    pub tick: u32,
    pub settings: Settings,
    /// Tunables that differ from the usual ones, by name.
    pub tunables: Vec<(String, u32)>,
    pub grid: Grid,
    pub classes: Vec<MovementClass>,
    pub friends: [u32; 32],
    pub landmarks: Option<u32>,
    pub eased: Vec<Change>,
    pub n_agents: u32,
    /// Number of classes of its setup; the others have been added since.
    pub n_classes: u32,
}

/// Tables, landmarks and graph of each class.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TablesBlock(pub Vec<(SavedTables, Option<LandmarkRecipe>, SavedGraph)>);

/// The agents, their orders, and the counts.
#[derive(Serialize, Deserialize)]
pub(super) struct AgentsBlock<'a> {
    pub agents: SavedAgents<'a>,
    pub orders: SavedPool<'a>,
    pub commands: SavedQueue,
    pub pending_edits: Vec<PendingEdit>,
    pub class_changes: Vec<ClassChange>,
    #[serde(with = "plain::list")]
    pub followers: Vec<AgentId>,
    pub obstructed: Obstructed,
    pub congestion: SavedCongestion<'a>,
    pub group_goals: GroupGoals,
    pub buffers: Cow<'a, TrafficBuffers>,
    pub counts: Counts,
    pub longest: Vec<LongestOfClass>,
}

/// The requests.
pub(super) type RequestsBlock = SavedRequests;

/// The traffic rule: its name, and the parts of its state.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RuleBlock {
    pub name: String,
    pub parts: Vec<(String, Vec<u64>)>,
}
