//! Reads a recording, a tick at a time.

use crate::codec::{BlockHead, Damage, HEAD_BYTES, read_block, read_prefix};
use crate::recording::error::RecordingError;
use crate::recording::header::{Header, MapLayers};
use crate::recording::observe::{ENDED, next_tick};
use crate::recording::record::{End, Event, TickRecord};
use crate::recording::recorded_agents::RecordedAgents;
use crate::recording::tick_code::{Take, take_edit_list, take_events, take_moves, take_rest};
use crate::recording::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, Chunk, KIND};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Where a chunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkPlace {
    /// Its number, from 1.
    pub number: u32,
    /// Its first byte in the file.
    pub offset: u64,
    /// Its first tick.
    pub first_tick: u32,
    /// Number of its ticks, at least 1.
    pub n_ticks: u32,
    head: BlockHead,
}

impl ChunkPlace {
    /// The first byte behind it in the file.
    pub fn end(&self) -> u64 {
        self.offset + HEAD_BYTES as u64 + u64::from(self.head.stored_bytes)
    }

    /// Name in messages.
    pub fn name(&self) -> String {
        let last = self.first_tick.saturating_add(self.n_ticks.saturating_sub(1));
        format!("chunk {} (ticks {} to {last}, at byte {})", self.number, self.first_tick, self.offset)
    }
}

/// A recording being read. Opening one reads its header and the heads of its chunks; then a chunk is in
/// memory at a time.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    header: Header,
    chunks: Vec<ChunkPlace>,
    end: Option<End>,
    cut: Option<String>,
    /// Number of chunks read so far, and the last of them.
    next_chunk: usize,
    chunk: Chunk,
    /// Bytes and ticks read of it.
    at: usize,
    ticks_left: u32,
    frame: RecordedAgents,
    map: MapLayers,
    ended: bool,
}

impl Reader<BufReader<File>> {
    /// Opens a recording in a file.
    /// # Errors
    /// [`RecordingError`] if it cannot be read, is none, or its start or its end is damaged.
    pub fn open_file(path: &Path) -> Result<Self, RecordingError> {
        Self::open(BufReader::new(File::open(path).map_err(RecordingError::Reading)?))
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Opens a recording. One that is cut off is read up to its last whole chunk; [`Reader::cut`] says so.
    /// # Errors
    /// [`RecordingError`] if it cannot be read, is none, or its start, the head of a chunk, or its end is
    /// damaged.
    pub fn open(mut input: R) -> Result<Self, RecordingError> {
        let start = || "the start".to_owned();
        let of_start = |damage| match damage {
            Damage::Cut => RecordingError::NoStart,
            damage => RecordingError::of(damage, start),
        };
        read_prefix(&KIND, &mut input).map_err(of_start)?;
        let head = BlockHead::read(&mut input).map_err(of_start)?;
        if head.kind != BLOCK_HEADER || head.number != 0 {
            return Err(of_start(Damage::meaning("is no header")));
        }
        let header: Header = read_block(&head, &mut input).map_err(of_start)?;
        if let Some(mistake) = header.mistake() {
            return Err(of_start(Damage::Meaning(mistake)));
        }
        let map = header.map.clone();
        let mut reader = Self {
            input,
            header,
            chunks: Vec::new(),
            end: None,
            cut: None,
            next_chunk: 0,
            chunk: Chunk::default(),
            at: 0,
            ticks_left: 0,
            frame: RecordedAgents::default(),
            map,
            ended: false,
        };
        reader.find_chunks()?;
        Ok(reader)
    }

    /// Reads the heads of all chunks, and the end.
    fn find_chunks(&mut self) -> Result<(), RecordingError> {
        let len = {
            let here = self.input.stream_position().map_err(RecordingError::Reading)?;
            let len = self.input.seek(SeekFrom::End(0)).map_err(RecordingError::Reading)?;
            self.input.seek(SeekFrom::Start(here)).map_err(RecordingError::Reading)?;
            len
        };
        let mut tick = 0_u32;
        loop {
            let offset = self.input.stream_position().map_err(RecordingError::Reading)?;
            let number = self.chunks.len() as u32 + 1;
            let part = || format!("chunk {number} (from tick {tick}, at byte {offset})");
            let head = match BlockHead::read(&mut self.input) {
                Ok(head) => head,
                Err(Damage::Cut) => break self.cut_here(len - offset),
                Err(damage) => return Err(RecordingError::of(damage, part)),
            };
            if head.number != number {
                let why = format!("its number is {}", head.number);
                return Err(RecordingError::of(Damage::Meaning(why), part));
            }
            let end = offset + HEAD_BYTES as u64 + u64::from(head.stored_bytes);
            if end > len {
                break self.cut_here(len - offset);
            }
            if head.kind == BLOCK_END {
                let end_part = || "the end".to_owned();
                let read = read_block(&head, &mut self.input);
                self.end = Some(read.map_err(|damage| RecordingError::of(damage, end_part))?);
                if end < len {
                    let why = format!("{} bytes behind it", len - end);
                    return Err(RecordingError::of(Damage::Meaning(why), end_part));
                }
                break;
            }
            let next = tick.checked_add(head.n_ticks).filter(|&next| next > tick);
            let (BLOCK_CHUNK, Some(next)) = (head.kind, next.filter(|_| head.first_tick == tick)) else {
                return Err(RecordingError::of(Damage::meaning("its head does not follow"), part));
            };
            let (first_tick, n_ticks) = (head.first_tick, head.n_ticks);
            self.chunks.push(ChunkPlace { number, offset, first_tick, n_ticks, head });
            tick = next;
            self.input.seek(SeekFrom::Start(end)).map_err(RecordingError::Reading)?;
        }
        Ok(())
    }

    fn cut_here(&mut self, bytes: u64) {
        let last = match self.chunks.last() {
            Some(last) => format!("chunk {}, tick {}", last.number, last.first_tick + last.n_ticks - 1),
            None => "the header".to_owned(),
        };
        self.cut = Some(match bytes {
            0 => format!("cut off behind {last}, the last that is whole"),
            bytes => format!("cut off: the last {bytes} bytes are no whole chunk; whole up to {last}"),
        });
    }

    /// The start of the recording.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The whole chunks.
    pub fn chunks(&self) -> &[ChunkPlace] {
        &self.chunks
    }

    /// Ticks recorded in whole chunks.
    pub fn n_ticks(&self) -> u32 {
        self.chunks.last().map_or(0, |last| last.first_tick + last.n_ticks)
    }

    /// How the run ended; `None` of one that is cut off.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Ticks that were run. The last record of a run that came to its end is of what stands behind its last
    /// tick, so that there is one more of them.
    pub fn ticks_run(&self) -> u32 {
        self.end.as_ref().map_or(self.n_ticks(), |end| end.tick)
    }

    /// What is missing of a recording that is cut off.
    pub fn cut(&self) -> Option<&str> {
        self.cut.as_deref()
    }

    /// Whether the run ended at the last tick read.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The agents behind the last tick read.
    pub fn agents(&self) -> &RecordedAgents {
        &self.frame
    }

    /// The map behind the last tick read.
    pub fn map(&self) -> &MapLayers {
        &self.map
    }

    /// Reads the next tick; `false` behind the last. `record` is filled anew, its memory is kept.
    /// # Errors
    /// [`RecordingError`] that names the chunk if it is damaged.
    pub fn next_tick(&mut self, record: &mut TickRecord) -> Result<bool, RecordingError> {
        record.clear();
        if self.ticks_left == 0 {
            if self.next_chunk == self.chunks.len() {
                return Ok(false);
            }
            self.load(self.next_chunk, self.next_chunk > 0)?;
        }
        let place = self.chunks[self.next_chunk - 1];
        let damaged = |why: String| RecordingError::of(Damage::Meaning(why), || place.name());
        if self.ended {
            return Err(damaged("ticks behind the end of the run".to_owned()));
        }
        let Self { chunk, header, frame, map, .. } = self;
        let mut bytes = Take(&chunk.ticks[self.at..]);
        let before = bytes.0.len();
        record.tick = frame.tick;
        let mut read = || -> Result<bool, String> {
            let ended = bytes.flags()? == ENDED;
            take_events(&mut bytes, header, frame, record)?;
            take_moves(&mut bytes, header, frame, record)?;
            take_rest(&mut bytes, header, frame, record)?;
            Ok(ended)
        };
        self.ended = read().map_err(|why| damaged(format!("tick {}: {why}", record.tick)))?;
        self.at += before - bytes.0.len();
        self.ticks_left -= 1;
        frame.tick = next_tick(record.tick, self.ended);
        for event in &record.events {
            if let Event::Edit(edit) = event {
                edit.set.apply(map);
            }
        }
        if self.ticks_left == 0 && self.at < chunk.ticks.len() {
            return Err(damaged("bytes behind its last tick".to_owned()));
        }
        Ok(true)
    }

    /// Goes to the key frame at or before a tick, the last one if the recording ends before it. The next
    /// tick read is that of the key frame, which is given.
    /// # Errors
    /// [`RecordingError`] that names the chunk if it is damaged.
    pub fn seek(&mut self, tick: u32) -> Result<u32, RecordingError> {
        let at = self.chunks.partition_point(|chunk| chunk.first_tick <= tick).saturating_sub(1);
        self.ended = false;
        if self.chunks.is_empty() {
            return Ok(0);
        }
        self.load(at, false)?;
        Ok(self.frame.tick)
    }

    /// Loads a chunk, and its key frame as the frame; one that follows the frame must be equal to it.
    fn load(&mut self, at: usize, follows: bool) -> Result<(), RecordingError> {
        let place = self.chunks[at];
        let damaged = |damage| RecordingError::of(damage, || place.name());
        let bytes_at = place.offset + HEAD_BYTES as u64;
        self.input.seek(SeekFrom::Start(bytes_at)).map_err(RecordingError::Reading)?;
        let chunk: Chunk = read_block(&place.head, &mut self.input).map_err(damaged)?;
        let meaning = |why: String| damaged(Damage::Meaning(why));
        let key = RecordedAgents::from_key(&chunk.key, place.first_tick, &self.header).map_err(meaning)?;
        let edits = take_edit_list(&chunk.edits, &self.header).map_err(meaning)?;
        if follows {
            let found = self.frame.difference(&key);
            if let Some((agent, what)) = found {
                let why =
                    format!("its key frame has another {what} of agent {} than the tick before", agent.0);
                return Err(meaning(why));
            }
        } else {
            self.map.clone_from(&self.header.map);
            edits.iter().for_each(|edit| edit.set.apply(&mut self.map));
        }
        self.frame = key;
        self.chunk = chunk;
        self.next_chunk = at + 1;
        self.at = 0;
        self.ticks_left = place.n_ticks;
        Ok(())
    }
}
