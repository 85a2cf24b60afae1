//! Reads a recording, a tick at a time.

use crate::recording::chunk::Chunk;
use crate::recording::error::RecordingError;
use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, CHUNK_BYTES, CHUNK_TICKS, KIND};
use crate::recording::header::{Header, MapLayers};
use crate::recording::observe::next_tick;
use crate::recording::record::{End, Event, RecordedSet, TickRecord};
use crate::recording::recorded_agents::{KeyFrame, RecordedAgents};
use crate::recording::tick_code::{Take, take_edit_list, take_events, take_moves, take_rest, too_many_edits};
use crate::scenario::EVENTS_MAX;
use std::fs::{self, File, FileType};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use wheelbase_sim::codec::{BlockHead, Damage, HEAD_BYTES, read_block, read_prefix};

/// Most bytes of memory that the header takes: the layers of a map of 2^26 cells, and files of 2^29 bytes.
const HEADER_MEMORY_MAX: usize = 1 << 30;
/// Most bytes of memory that a chunk takes: 2^20 agents take a tenth of it, and their ticks little more.
const CHUNK_MEMORY_MAX: usize = 1 << 29;
/// Most bytes of memory that the end takes.
const END_MEMORY_MAX: usize = 1 << 20;
/// Most bytes of memory that a scenario takes while it is read, and what a value of it takes at most: an inline table
/// of a key. Texts by people deflate to a twentieth at best, and so many times the deflated bytes are always let be.
const PARSED_MEMORY_MAX: usize = 1 << 30;
const PARSED_VALUE_BYTES: usize = 512;
const TEXT_BYTES_A_STORED: usize = 512;
/// Most bytes of all attached files: maps of 2^26 cells, and more.
const ATTACHED_MAX: usize = 1 << 27;
/// Most cells that edits are painted on for [`Reader::map`], rows of them counted as 16 more each: the largest map
/// 500 times.
const PAINTED_MAX: u64 = 1 << 35;

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
    /// Tick and number of ticks in the head of the end.
    end_ticks: (u32, u32),
    cut: Option<String>,
    /// Number of chunks read so far, and the last of them.
    next_chunk: usize,
    chunk: Chunk,
    /// Bytes read of it, up to the last tick and with it, and ticks that are left.
    tick_at: usize,
    at: usize,
    ticks_left: u32,
    frame: RecordedAgents,
    /// The map as it was when it was last asked for, if that is not the header's, and the edits since then. Few
    /// ask, and edits of a kilobyte can paint as many cells as all ticks of a run.
    map: Option<MapLayers>,
    edits: Vec<RecordedSet>,
    /// Edits up to the last tick read, and cells painted so far.
    n_edits: usize,
    painted: u64,
    ended: bool,
}

impl Reader<BufReader<File>> {
    /// Opens a recording in a file.
    /// # Errors
    /// [`RecordingError`] if it cannot be read, is none, or its start or its end is damaged, or if it is no regular
    /// file: of a pipe nothing can be read twice.
    pub fn open_file(path: &Path) -> Result<Self, RecordingError> {
        // Before it is opened: a pipe without a writer would keep us waiting.
        let found = fs::metadata(path).map_err(RecordingError::Reading)?.file_type();
        if !found.is_file() {
            return Err(RecordingError::NoFile { found: name_of(found) });
        }
        Self::open(BufReader::new(File::open(path).map_err(RecordingError::Reading)?))
    }
}

/// Whether what is made of the texts in a header takes more memory than is to be expected of a file of that size.
fn check_texts(header: &Header, stored_bytes: usize) -> Result<(), RecordingError> {
    let by_size = stored_bytes.saturating_mul(TEXT_BYTES_A_STORED);
    let is_value = |byte: &&u8| matches!(byte, b'=' | b',' | b'[' | b'{' | b'\n');
    let n_values = header.scenario.as_bytes().iter().filter(is_value).count();
    let values_max = (PARSED_MEMORY_MAX.max(by_size)) / PARSED_VALUE_BYTES;
    let attached = header.attached.iter().map(|file| file.bytes.len()).sum::<usize>();
    let attached_max = ATTACHED_MAX.max(by_size);
    let what = if n_values > values_max {
        format!("a scenario of {n_values} values in {stored_bytes} bytes, expected at most {values_max}")
    } else if attached > attached_max {
        format!("attached files of {attached} bytes in {stored_bytes}, expected at most {attached_max}")
    } else {
        return Ok(());
    };
    Err(RecordingError::TooLarge { what })
}

/// What something is that is no regular file.
fn name_of(found: FileType) -> &'static str {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&found) {
        return "a pipe";
    }
    if found.is_dir() { "a folder" } else { "a device" }
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
        if head.kind != BLOCK_HEADER || [head.number, head.first_tick, head.n_ticks] != [0; 3] {
            return Err(of_start(Damage::meaning("is no header")));
        }
        let header: Header = read_block(&head, HEADER_MEMORY_MAX, &mut input).map_err(of_start)?;
        if let Some(mistake) = header.mistake() {
            return Err(of_start(Damage::Meaning(mistake)));
        }
        check_texts(&header, head.stored_bytes as usize)?;
        let mut reader = Self {
            input,
            header,
            chunks: Vec::new(),
            end: None,
            end_ticks: (0, 0),
            cut: None,
            next_chunk: 0,
            chunk: Chunk::default(),
            tick_at: 0,
            at: 0,
            ticks_left: 0,
            frame: RecordedAgents::default(),
            map: None,
            edits: Vec::new(),
            n_edits: 0,
            painted: 0,
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
                let read = read_block(&head, END_MEMORY_MAX, &mut self.input);
                self.end = Some(read.map_err(|damage| RecordingError::of(damage, end_part))?);
                self.end_ticks = (head.first_tick, head.n_ticks);
                if end < len {
                    let why = format!("{} bytes behind it", len - end);
                    return Err(RecordingError::of(Damage::Meaning(why), end_part));
                }
                break;
            }
            let in_chunk = head.first_tick == tick && (1..=CHUNK_TICKS).contains(&head.n_ticks);
            let next = tick.checked_add(head.n_ticks).filter(|_| in_chunk);
            let (BLOCK_CHUNK, Some(next)) = (head.kind, next) else {
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

    /// The map behind the last tick read. Linear in the cells of the edits since it was last asked for.
    /// # Errors
    /// [`RecordingError::TooLarge`] if all edits together paint more than 2^35 cells.
    pub fn map(&mut self) -> Result<&MapLayers, RecordingError> {
        if self.edits.is_empty() {
            return Ok(self.map.as_ref().unwrap_or(&self.header.map));
        }
        let map = self.map.get_or_insert_with(|| self.header.map.clone());
        RecordedSet::apply_all(&self.edits, map, &mut self.painted, PAINTED_MAX)
            .map_err(|what| RecordingError::TooLarge { what })?;
        self.edits.clear();
        Ok(map)
    }

    /// What the end says beside the last tick read, which must be the last of all, that cannot be, if anything.
    /// # Errors
    /// [`RecordingError::Damaged`] says what.
    pub fn check_end(&self) -> Result<(), RecordingError> {
        let Some(end) = &self.end else { return Ok(()) };
        let tick = if self.chunks.is_empty() { 0 } else { self.frame.tick };
        let of_head = (end.tick, 0);
        let why = if self.end_ticks != of_head || end.tick != tick {
            format!("it is that of tick {}, expected {tick}", end.tick)
        } else if end.interrupted == self.ended {
            let text = |is: bool| if is { "is" } else { "is not" };
            format!("the run {} interrupted, and {} at its end", text(end.interrupted), text(self.ended))
        } else if !serde_json::from_str::<serde_json::Value>(&end.outcome).is_ok_and(|json| json.is_object())
        {
            "its outcome is no JSON object".to_owned()
        } else {
            return Ok(());
        };
        Err(RecordingError::Damaged { part: "the end".to_owned(), why })
    }

    /// Tick and number of ticks in the head of the end.
    pub(super) fn end_ticks(&self) -> (u32, u32) {
        self.end_ticks
    }

    /// The bytes of the last tick read.
    pub(super) fn tick_bytes(&self) -> &[u8] {
        &self.chunk.ticks[self.tick_at..self.at]
    }

    /// The edits in the key frame of the chunk being read, as they stand there.
    pub(super) fn key_edits(&self) -> &[u8] {
        &self.chunk.edits
    }

    /// Loads the chunk of the next tick if that is its first, and says so; `None` behind the last.
    pub(super) fn begin_chunk(&mut self) -> Result<Option<bool>, RecordingError> {
        if self.ticks_left > 0 {
            return Ok(Some(false));
        }
        if self.next_chunk == self.chunks.len() {
            return Ok(None);
        }
        self.load(self.next_chunk, self.next_chunk > 0)?;
        Ok(Some(true))
    }

    /// Reads the next tick; `false` behind the last. `record` is filled anew, its memory is kept.
    /// # Errors
    /// [`RecordingError`] that names the chunk if it is damaged.
    pub fn next_tick(&mut self, record: &mut TickRecord) -> Result<bool, RecordingError> {
        record.clear();
        if self.begin_chunk()?.is_none() {
            return Ok(false);
        }
        let place = self.chunks[self.next_chunk - 1];
        let damaged = |why: String| RecordingError::of(Damage::Meaning(why), || place.name());
        if self.ended {
            return Err(damaged("ticks behind the end of the run".to_owned()));
        }
        if self.at >= CHUNK_BYTES {
            return Err(damaged(format!("{} bytes before its last tick, expected fewer", self.at)));
        }
        let Self { chunk, header, frame, .. } = self;
        let mut bytes = Take(&chunk.ticks[self.at..]);
        let before = bytes.0.len();
        record.tick = frame.tick;
        let mut read = || -> Result<bool, String> {
            let ended = bytes.flags()?;
            take_events(&mut bytes, header, frame, record)?;
            take_moves(&mut bytes, header, frame, record)?;
            take_rest(&mut bytes, header, frame, record)?;
            Ok(ended)
        };
        self.ended = read().map_err(|why| damaged(format!("tick {}: {why}", record.tick)))?;
        self.tick_at = self.at;
        self.at += before - bytes.0.len();
        self.ticks_left -= 1;
        frame.tick = next_tick(record.tick, self.ended);
        for event in &record.events {
            if let Event::Edit(edit) = event {
                self.n_edits += 1;
                self.edits.push(edit.set);
            }
        }
        if self.n_edits > EVENTS_MAX {
            return Err(damaged(format!("tick {}: {}", record.tick, too_many_edits())));
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
        // Two chunks at once would be twice the memory.
        self.chunk = Chunk::default();
        let mut chunk: Chunk = read_block(&place.head, CHUNK_MEMORY_MAX, &mut self.input).map_err(damaged)?;
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
            if self.frame.counters != key.counters {
                return Err(meaning("its key frame has other counters than the tick before".to_owned()));
            }
        } else {
            self.map = None;
            self.n_edits = edits.len();
            self.edits = edits.into_iter().map(|edit| edit.set).collect();
        }
        // It is read and takes as much memory as the frame.
        chunk.key = KeyFrame::default();
        self.frame = key;
        self.chunk = chunk;
        self.next_chunk = at + 1;
        (self.tick_at, self.at) = (0, 0);
        self.ticks_left = place.n_ticks;
        Ok(())
    }
}
