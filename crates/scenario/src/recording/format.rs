//! The file format of recordings: its magic word, its kinds of blocks, the limits of a chunk.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use wheelbase_sim::codec::FileKind;

/// The kind of file. A change of the layout changes version and description.
pub(super) const KIND: FileKind = FileKind {
    magic: *b"WB-REC\r\n",
    name: "recording",
    version: 7,
    versions_before: &[1, 2, 3, 4],
    layout: "Header: file scenario attached host snapshot name seed ticks expansions_per_tick search_slots \
             poses_per_agent tries_per_tick tunables collision shape terrain_kinds terrain_colours side_kinds map map_revision objects classes \
             orders order_kinds; host: name rule needs_paths host_answers_paths components landmarks eased friends \
             agents orders scheduled; snapshot: tick agents rule_is_outside needs_paths bytes; class: name text with sweep; Chunk: key orders edits ticks; key: ids classes x y headings \
             primitives since left orders waits n_runs runs counters; tick: flags commands decisions orders events (enter leave) \
             moves late waits current drops counters hash; edit: on_agents deadline asked part effect; command: \
             spawn_group of orders and speed_factor, edit of on_agents and deadline; End: tick interrupted \
             state_hash outcome commands",
};

/// Kind of the block that holds the header.
pub(super) const BLOCK_HEADER: u8 = 1;
/// Kind of the blocks that hold chunks.
pub(super) const BLOCK_CHUNK: u8 = 2;
/// Kind of the block that holds the end.
pub(super) const BLOCK_END: u8 = 3;

/// Most ticks of a chunk.
pub(super) const CHUNK_TICKS: u32 = 128;
/// Bytes of ticks after which a chunk is full.
pub(super) const CHUNK_BYTES: usize = 1 << 20;

/// Whether a file begins like a recording. Does not read from a pipe: the bytes would be lost to later readers.
pub fn is_recording(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == KIND.magic
}

/// Version of the format of recordings.
pub const RECORDING_VERSION: u32 = KIND.version;
