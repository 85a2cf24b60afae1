//! Reads a recording, a tick at a time.

use crate::recording::chunk::Chunk;
use crate::recording::command_code::decode_commands;
use crate::recording::error::RecordingError;
use crate::recording::format::{BLOCK_CHUNK, BLOCK_END, BLOCK_HEADER, CHUNK_BYTES, CHUNK_TICKS, KIND};
use crate::recording::header::{Header, MapLayers, SWEPT_CELLS_MAX};
use crate::recording::map_edits::apply_edits;
use crate::recording::observe::next_tick;
use crate::recording::order_texts::OrderTexts;
use crate::recording::record::{End, Event, TickRecord};
use crate::recording::recorded_agents::{KeyFrame, RecordedAgents};
use crate::recording::tick_code::{
    Decoder, EDITS_MAX, decode_edit_list, decode_events, decode_head, decode_moves, decode_rest,
    too_many_edits,
};
use serde::de::DeserializeOwned;
use std::fs::{self, File, FileType};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use wheelbase_grid::{Bytes, MemoryMax};
use wheelbase_sim::codec::{BlockHead, Damage, HEAD_BYTES, read_block, read_block_within, read_prefix};
use wheelbase_sim::{EditEffect, GivenCommand};

/// Most bytes of memory of the header: the layers of a map of 2^26 cells, and files of 2^29 bytes.
pub(super) const HEADER_MEMORY_MAX: usize = 1 << 30;
/// Most bytes of memory of a chunk: 2^20 agents take a tenth of it, and their ticks little more.
const CHUNK_MEMORY_MAX: usize = 1 << 29;
/// Most bytes of memory of the end: commands can stand in it.
const END_MEMORY_MAX: usize = 1 << 27;
/// Most bytes of memory of a scenario while it is parsed.
const PARSED_MEMORY_MAX: usize = 1 << 30;
/// Most bytes of memory of a parsed value: an inline table of one key.
const PARSED_VALUE_BYTES: usize = 512;
/// Bytes of memory of a cell that a move sweeps, in the tables of shapes of a class.
const SWEPT_CELL_BYTES: usize = 32;
/// Bytes of text always accepted per stored byte: texts by people deflate to a twentieth at best.
const TEXT_BYTES_PER_STORED: usize = 512;
/// Most bytes of all attached files: maps of 2^26 cells, and more.
const ATTACHED_MAX: usize = 1 << 27;
/// Most cells painted for [`Reader::map`], 16 more counted for each row: the largest map 500 times.
const PAINTED_MAX: u64 = 1 << 35;

/// The place of a chunk in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkInfo {
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

impl ChunkInfo {
    /// The first byte after it in the file.
    pub fn end(&self) -> u64 {
        self.offset + HEAD_BYTES as u64 + u64::from(self.head.stored_bytes)
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        let last = self.first_tick.saturating_add(self.n_ticks.saturating_sub(1));
        format!("chunk {} (ticks {} to {last}, at byte {})", self.number, self.first_tick, self.offset)
    }
}

/// The tick and the number of ticks in the head of the end block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EndHead {
    pub tick: u32,
    pub n_ticks: u32,
}

/// A recording being read. Opening it reads the header and the heads of its chunks; from then on one chunk at a time
/// is in memory.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    header: Header,
    chunks: Vec<ChunkInfo>,
    end: Option<End>,
    end_head: EndHead,
    /// The missing part, if the recording is cut off.
    truncation: Option<String>,
    /// Index of the chunk after the loaded one.
    next_chunk: usize,
    /// The loaded chunk.
    chunk: Chunk,
    /// Byte in the chunk at which the last tick read begins.
    tick_begin: usize,
    /// Byte in the chunk at which it ends.
    tick_end: usize,
    /// Ticks of the chunk not read yet.
    ticks_left: u32,
    frame: RecordedAgents,
    /// The map as of the last call of [`Reader::map`]; `None` while the map of the header is current. Edits are applied
    /// on demand: few callers need the map, and a kilobyte of edits can paint more cells than all ticks of a run.
    map: Option<MapLayers>,
    /// The edits since then.
    edits: Vec<EditEffect>,
    /// Edits of the loaded chunk up to the last tick read.
    n_edits: usize,
    /// Cells painted so far.
    painted: u64,
    /// Whether the run ended at the last tick read.
    ended: bool,
    /// Memory that chunks, and a world that is rebuilt, may take.
    memory_max: MemoryMax,
}

impl Reader<BufReader<File>> {
    /// Opens a recording in a file.
    /// # Errors
    /// As [`Reader::open_file_within`].
    pub fn open_file(path: &Path) -> Result<Self, RecordingError> {
        Self::open_file_within(path, MemoryMax::NONE)
    }

    /// Opens a recording in a file. All that is read of it, and a world that is rebuilt of it, keeps to a memory limit.
    /// # Errors
    /// [`RecordingError`] if it cannot be read, is not a recording, or has a damaged start or end. Also if it is not
    /// a regular file, since a pipe cannot be read twice; [`RecordingError::TooLarge`] beyond the limit.
    pub fn open_file_within(path: &Path, memory_max: MemoryMax) -> Result<Self, RecordingError> {
        // Asked before opening: to open a pipe without a writer blocks.
        let found = fs::metadata(path).map_err(RecordingError::Reading)?.file_type();
        if !found.is_file() {
            return Err(RecordingError::NotAFile { found: file_type_name(found) });
        }
        Self::open_within(BufReader::new(File::open(path).map_err(RecordingError::Reading)?), memory_max)
    }
}

/// Refuses a header whose texts, once parsed, take more memory than a file of that size can justify.
fn check_texts(header: &Header, stored_bytes: usize, memory_max: usize) -> Result<(), RecordingError> {
    let by_size = stored_bytes.saturating_mul(TEXT_BYTES_PER_STORED);
    let is_value = |byte: &&u8| matches!(byte, b'=' | b',' | b'[' | b'{' | b'\n');
    let classes = header.classes.iter().map(|class| class.text.as_bytes());
    let n_values = |text: &[u8]| text.iter().filter(is_value).count();
    let n_values = n_values(header.scenario.as_bytes()) + classes.map(n_values).sum::<usize>();
    let values_max = PARSED_MEMORY_MAX.max(by_size).min(memory_max) / PARSED_VALUE_BYTES;
    let attached = header.attached.iter().map(|file| file.bytes.len()).sum::<usize>();
    let attached_max = ATTACHED_MAX.max(by_size);
    let what = if n_values > values_max {
        format!(
            "a scenario and classes of {n_values} values in {stored_bytes} bytes, expected at most {values_max}"
        )
    } else if attached > attached_max {
        format!("attached files of {attached} bytes in {stored_bytes}, expected at most {attached_max}")
    } else {
        return Ok(());
    };
    Err(RecordingError::TooLarge { what })
}

fn saturated(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Reads a block that, with its stored bytes, takes at most this much memory. Gives its value and the memory of it. The
/// error is `None` if a limit below that of the format is not enough.
fn read_within<T: DeserializeOwned>(
    head: &BlockHead,
    most: usize,
    input: &mut impl Read,
) -> (Result<T, Option<Damage>>, usize) {
    let most_of_format = if head.kind == BLOCK_HEADER { HEADER_MEMORY_MAX } else { CHUNK_MEMORY_MAX };
    let of_value = if most < most_of_format { most.saturating_sub(head.stored_bytes as usize) } else { most };
    let mut left = of_value;
    let read = read_block_within(head, &mut left, input);
    let is_limit = left == 0 && most < most_of_format;
    (read.map_err(|damage| (!is_limit).then_some(damage)), of_value - left)
}

fn too_large(part: &str, most: usize) -> RecordingError {
    let what = format!("{part} takes more than {} of memory, the limit", Bytes(most as u64));
    RecordingError::TooLarge { what }
}

/// Names a file type other than that of regular files.
fn file_type_name(found: FileType) -> &'static str {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&found) {
        return "a pipe";
    }
    if found.is_dir() { "a folder" } else { "a device" }
}

impl<R: Read + Seek> Reader<R> {
    /// Opens a recording. A file that is cut off is read up to its last whole chunk; [`Reader::truncation`] then says
    /// so.
    /// # Errors
    /// [`RecordingError`] if it cannot be read, is not a recording, or its start, the head of a chunk or its end is
    /// damaged.
    pub fn open(input: R) -> Result<Self, RecordingError> {
        Self::open_within(input, MemoryMax::NONE)
    }

    /// As [`Reader::open`], within a memory limit as [`Reader::open_file_within`].
    /// # Errors
    /// As there, and [`RecordingError::TooLarge`] beyond the limit.
    pub fn open_within(mut input: R, memory_max: MemoryMax) -> Result<Self, RecordingError> {
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
        let limit = memory_max.built.map_or(usize::MAX, saturated);
        let most = HEADER_MEMORY_MAX.min(limit);
        let (header, used) = read_within::<Header>(&head, most, &mut input);
        let mut header = header.map_err(|damage| match damage {
            Some(damage) => of_start(damage),
            None => too_large("the start", most),
        })?;
        let limit = limit.saturating_sub(used);
        if let Some(mistake) = header.mistake() {
            return Err(of_start(Damage::Meaning(mistake)));
        }
        check_texts(&header, head.stored_bytes as usize, limit)?;
        let swept_cells_max = SWEPT_CELLS_MAX.min((limit / SWEPT_CELL_BYTES) as u64);
        header.make_classes(swept_cells_max).map_err(|why| of_start(Damage::Meaning(why)))?;
        let mut reader = Self {
            input,
            chunks: Vec::new(),
            end: None,
            end_head: EndHead::default(),
            truncation: None,
            next_chunk: 0,
            chunk: Chunk::default(),
            tick_begin: 0,
            tick_end: 0,
            ticks_left: 0,
            frame: RecordedAgents::before(&header),
            header,
            map: None,
            edits: Vec::new(),
            n_edits: 0,
            painted: 0,
            ended: false,
            memory_max: memory_max.less(used as u64),
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
        let mut tick = self.header.first_tick();
        loop {
            let offset = self.input.stream_position().map_err(RecordingError::Reading)?;
            let number = self.chunks.len() as u32 + 1;
            let part = || format!("chunk {number} (from tick {tick}, at byte {offset})");
            let head = match BlockHead::read(&mut self.input) {
                Ok(head) => head,
                Err(Damage::Cut) => break self.note_truncation(len - offset),
                Err(damage) => return Err(RecordingError::of(damage, part)),
            };
            if head.number != number {
                let why = format!("its number is {}", head.number);
                return Err(RecordingError::of(Damage::Meaning(why), part));
            }
            let end = offset + HEAD_BYTES as u64 + u64::from(head.stored_bytes);
            if end > len {
                break self.note_truncation(len - offset);
            }
            if head.kind == BLOCK_END {
                let end_part = || "the end".to_owned();
                let most = END_MEMORY_MAX.min(self.memory_max.built.map_or(usize::MAX, saturated));
                let read = read_block(&head, most, &mut self.input);
                self.end = Some(read.map_err(|damage| RecordingError::of(damage, end_part))?);
                self.end_head = EndHead { tick: head.first_tick, n_ticks: head.n_ticks };
                if end < len {
                    let why = format!("{} bytes after it", len - end);
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
            self.chunks.push(ChunkInfo { number, offset, first_tick, n_ticks, head });
            tick = next;
            self.input.seek(SeekFrom::Start(end)).map_err(RecordingError::Reading)?;
        }
        Ok(())
    }

    /// Notes that the file is cut off `bytes` after the last whole chunk.
    fn note_truncation(&mut self, bytes: u64) {
        let last = match self.chunks.last() {
            Some(last) => format!("chunk {}, tick {}", last.number, last.first_tick + last.n_ticks - 1),
            None => "the header".to_owned(),
        };
        self.truncation = Some(match bytes {
            0 => format!("cut off after {last}, the last that is whole"),
            bytes => format!("cut off: the last {bytes} bytes are no whole chunk; whole up to {last}"),
        });
    }

    /// The start of the recording.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Memory that a world that is rebuilt may take.
    pub(super) fn memory_max(&self) -> MemoryMax {
        self.memory_max
    }

    /// Sets what chunks, and a world that is rebuilt, may take.
    pub(super) fn set_memory_max(&mut self, memory_max: MemoryMax) {
        self.memory_max = memory_max;
    }

    /// The whole chunks.
    pub fn chunks(&self) -> &[ChunkInfo] {
        &self.chunks
    }

    /// The first tick recorded: 0, or that of the snapshot of a resumed run.
    pub fn first_tick(&self) -> u32 {
        self.header.first_tick()
    }

    /// Ticks recorded in whole chunks, from [`Reader::first_tick`] on.
    pub fn n_ticks(&self) -> u32 {
        let end = self.chunks.last().map_or(0, |last| last.first_tick + last.n_ticks);
        end.saturating_sub(self.first_tick())
    }

    /// The end of the run; `None` if the recording is cut off.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Ticks that were run, from [`Reader::first_tick`] on. A run that came to its end has one more record: what
    /// happened after its last tick.
    pub fn ticks_run(&self) -> u32 {
        self.end.as_ref().map_or(self.n_ticks(), |end| end.tick.saturating_sub(self.first_tick()))
    }

    /// The missing part, if the recording is cut off.
    pub fn truncation(&self) -> Option<&str> {
        self.truncation.as_deref()
    }

    /// Whether the run ended at the last tick read.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The agents after the last tick read.
    pub fn agents(&self) -> &RecordedAgents {
        &self.frame
    }

    /// The canonical text of an order that an agent has or is given at the last tick read; `None` for other orders.
    pub fn order_text(&self, number: u32) -> Option<&str> {
        self.frame.order_text(number, &self.header)
    }

    /// The commands that the host gave after the last tick of the run.
    /// # Errors
    /// [`RecordingError::Damaged`] if they do not decode.
    pub fn commands_after_end(&self) -> Result<Vec<GivenCommand>, RecordingError> {
        let mut commands = Vec::new();
        let mut bytes = self.end.as_ref().map_or(&[][..], |end| &end.commands);
        if !bytes.is_empty() {
            let read = decode_commands(&mut bytes, &mut commands).and_then(|()| {
                // Without commands there are no bytes.
                let is_whole = bytes.is_empty() && !commands.is_empty();
                if is_whole { Ok(()) } else { Err("bytes that are no commands".to_owned()) }
            });
            read.map_err(|why| RecordingError::Damaged { part: "the end".to_owned(), why })?;
        }
        Ok(commands)
    }

    /// The map after the last tick read. Linear in the cells of the edits since the last call.
    /// # Errors
    /// [`RecordingError::TooLarge`] if all edits together paint more than 2^35 cells.
    pub fn map(&mut self) -> Result<&MapLayers, RecordingError> {
        if self.edits.is_empty() {
            return Ok(self.map.as_ref().unwrap_or(&self.header.map));
        }
        let map = self.map.get_or_insert_with(|| self.header.map.clone());
        apply_edits(&self.edits, map, &mut self.painted, PAINTED_MAX)
            .map_err(|what| RecordingError::TooLarge { what })?;
        self.edits.clear();
        Ok(map)
    }

    /// Checks that the end agrees with the last tick of the recording, which must have been read.
    /// # Errors
    /// [`RecordingError::Damaged`] with the first contradiction.
    pub fn check_end(&self) -> Result<(), RecordingError> {
        let Some(end) = &self.end else { return Ok(()) };
        self.commands_after_end()?;
        let tick = if self.chunks.is_empty() { self.first_tick() } else { self.frame.tick };
        let expected = EndHead { tick: end.tick, n_ticks: 0 };
        let why = if self.end_head != expected || end.tick != tick {
            format!("it belongs to tick {}, expected {tick}", end.tick)
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

    pub(super) fn end_head(&self) -> EndHead {
        self.end_head
    }

    /// Where the last tick read begins and ends in the bytes of its chunk.
    #[cfg(test)]
    pub(super) fn tick_span(&self) -> (usize, usize) {
        (self.tick_begin, self.tick_end)
    }

    /// The bytes of the last tick read.
    pub(super) fn tick_bytes(&self) -> &[u8] {
        &self.chunk.ticks[self.tick_begin..self.tick_end]
    }

    /// The bytes of the order texts in the key frame of the loaded chunk.
    pub(super) fn key_orders(&self) -> &[u8] {
        &self.chunk.orders
    }

    /// The bytes of the edits in the key frame of the loaded chunk.
    pub(super) fn key_edits(&self) -> &[u8] {
        &self.chunk.edits
    }

    /// Loads the next chunk if all ticks of the current one are read, and says whether it did; `None` after the last.
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

    /// Reads the next tick into `record`, whose memory is kept; `false` after the last.
    /// # Errors
    /// [`RecordingError`] that names the chunk if it is damaged.
    pub fn next_tick(&mut self, record: &mut TickRecord) -> Result<bool, RecordingError> {
        record.clear();
        if self.begin_chunk()?.is_none() {
            return Ok(false);
        }
        let info = self.chunks[self.next_chunk - 1];
        let damaged = |why: String| RecordingError::of(Damage::Meaning(why), || info.name());
        if self.ended {
            return Err(damaged("ticks after the end of the run".to_owned()));
        }
        if self.tick_end >= CHUNK_BYTES {
            return Err(damaged(format!("{} bytes before its last tick, expected fewer", self.tick_end)));
        }
        let Self { chunk, header, frame, .. } = self;
        let mut decoder = Decoder { bytes: &chunk.ticks[self.tick_end..] };
        let bytes_before = decoder.bytes.len();
        record.tick = frame.tick;
        let mut read = || -> Result<bool, String> {
            let ended = decode_head(&mut decoder, header, frame, record)?;
            decode_events(&mut decoder, header, frame, record)?;
            decode_moves(&mut decoder, header, frame, record)?;
            decode_rest(&mut decoder, header, frame, record)?;
            Ok(ended)
        };
        self.ended = read().map_err(|why| damaged(format!("tick {}: {why}", record.tick)))?;
        self.tick_begin = self.tick_end;
        self.tick_end += bytes_before - decoder.bytes.len();
        self.ticks_left -= 1;
        frame.tick = next_tick(record.tick, self.ended);
        for event in &record.events {
            if let Event::Edit(edit) = event {
                self.n_edits += 1;
                self.edits.push(edit.effect);
            }
        }
        if self.n_edits > EDITS_MAX {
            return Err(damaged(format!("tick {}: {}", record.tick, too_many_edits())));
        }
        if self.ticks_left == 0 && self.tick_end < chunk.ticks.len() {
            return Err(damaged("bytes after its last tick".to_owned()));
        }
        Ok(true)
    }

    /// Goes to the last key frame at or before a tick. Gives its tick, which is the next one read.
    /// # Errors
    /// [`RecordingError`] that names the chunk if it is damaged.
    pub fn seek(&mut self, tick: u32) -> Result<u32, RecordingError> {
        let index = self.chunks.partition_point(|chunk| chunk.first_tick <= tick).saturating_sub(1);
        self.ended = false;
        if self.chunks.is_empty() {
            return Ok(self.first_tick());
        }
        self.load(index, false)?;
        Ok(self.frame.tick)
    }

    /// Loads a chunk and takes its key frame as the frame. With `follows`, the two must be equal.
    fn load(&mut self, index: usize, follows: bool) -> Result<(), RecordingError> {
        let info = self.chunks[index];
        let damaged = |damage| RecordingError::of(damage, || info.name());
        let bytes_at = info.offset + HEAD_BYTES as u64;
        self.input.seek(SeekFrom::Start(bytes_at)).map_err(RecordingError::Reading)?;
        // Freed first: two chunks together would take twice the memory.
        self.chunk = Chunk::default();
        // The agents made of its key frame take as much again.
        let most =
            CHUNK_MEMORY_MAX.min(self.memory_max.built.map_or(usize::MAX, |bytes| saturated(bytes / 2)));
        let (chunk, _) = read_within::<Chunk>(&info.head, most, &mut self.input);
        let mut chunk = chunk.map_err(|damage| match damage {
            Some(damage) => damaged(damage),
            None => too_large(&info.name(), most),
        })?;
        let meaning = |why: String| damaged(Damage::Meaning(why));
        let texts = OrderTexts::decode(&chunk.orders, self.header.orders.len()).map_err(meaning)?;
        let key =
            RecordedAgents::from_key(&chunk.key, texts, info.first_tick, &self.header).map_err(meaning)?;
        let edits = decode_edit_list(&chunk.edits, &self.header).map_err(meaning)?;
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
            if !self.frame.texts.include(&key.texts) {
                return Err(meaning("its key frame has other orders than the tick before".to_owned()));
            }
        }
        if !follows || self.map.is_none() {
            // The edits in force stand for all earlier ones.
            self.map = None;
            self.edits = edits.into_iter().map(|edit| edit.effect).collect();
        } else if self.edits.len() >= EDITS_MAX {
            self.map()?;
        }
        self.n_edits = 0;
        // Freed: it takes as much memory as the frame.
        chunk.key = KeyFrame::default();
        self.frame = key;
        self.chunk = chunk;
        self.next_chunk = index + 1;
        (self.tick_begin, self.tick_end) = (0, 0);
        self.ticks_left = info.n_ticks;
        Ok(())
    }
}
