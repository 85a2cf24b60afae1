//! What the bytes of a recording begin with, and how it is cut into blocks.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use wheelbase_sim::codec::FileKind;

/// The kind of file that a recording is. Whoever changes the layout of what is written changes the version
/// and the description.
pub(super) const KIND: FileKind = FileKind {
    magic: *b"WB-REC\r\n",
    name: "recording",
    version: 3,
    layout: "Header: file scenario attached name seed ticks expansions_per_tick tries_per_tick collision shape \
             terrain_kinds terrain_colours side_kinds map map_revision objects classes orders order_kinds; Chunk: key edits ticks; key: ids classes \
             x y headings primitives since left orders waits n_runs runs counters; tick: flags events moves \
             late waits current drops counters hash; End: tick interrupted state_hash outcome",
};

/// Kinds of blocks.
pub(super) const BLOCK_HEADER: u8 = 1;
pub(super) const BLOCK_CHUNK: u8 = 2;
pub(super) const BLOCK_END: u8 = 3;

/// Ticks of a chunk at most.
pub(super) const CHUNK_TICKS: u32 = 128;
/// Bytes of ticks behind which a chunk is written out.
pub(super) const CHUNK_BYTES: usize = 1 << 20;

/// Whether a file begins as a recording does. Nothing is read of a pipe, for that would be lost.
pub fn is_recording(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let mut magic = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    read.is_ok() && magic == KIND.magic
}
