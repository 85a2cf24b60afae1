//! The envelope of binary files around the bytes that bincode writes.
//!
//! bincode alone accepts most flipped bits. So a file is a prefix and blocks. The prefix holds the kind of file, its
//! version and a hash of its layout, under a checksum. Each block has a head and deflated bytes, with a checksum each.
//! The head holds the number of bytes before and after inflation; both are bounded before memory is allocated. Its
//! separate checksum tells a truncated file from a damaged one.
//!
//! Valid checksums do not make a file harmless. A kilobyte of deflated bytes can become a megabyte, and each of these
//! bytes an empty string of 24 bytes. So a block is inflated while it is decoded, and the decoder, which is ours,
//! counts the memory of each element before it is made.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use serde::Serialize;
use serde::de::value::U64Deserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, SeqAccess, VariantAccess,
    Visitor,
};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};

/// Bytes of a file's prefix: magic word, version, layout, checksum.
pub const PREFIX_BYTES: usize = 8 + 3 * 4;
/// Bytes of the head of a block.
pub const HEAD_BYTES: usize = 1 + 7 * 4;
/// Most bytes of a block before deflation: enough for the layers of a map of 2^26 cells, and a scenario.
const PLAIN_BYTES_MAX: usize = 1 << 30;
/// Level of deflate. Higher levels took longer than the run itself and saved little.
const DEFLATE_LEVEL: i32 = 5;

/// Most that a count read from a file may be: sums that begin with it never overflow.
pub(crate) const COUNT_MAX: u64 = 1 << 60;

/// CRC-32, as in zlib and PNG: detects every change confined to 32 adjacent bits.
fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// First bytes of the file.
    pub magic: [u8; 8],
    /// Its name in messages.
    pub name: &'static str,
    /// Version written, and the only one read.
    pub version: u32,
    /// Versions of earlier releases with another layout of the prefix after the version.
    pub versions_before: &'static [u32],
    /// Describes every field, in order. Its checksum tells apart the files of two releases that write different layouts
    /// under one version.
    pub layout: &'static str,
}

impl FileKind {
    /// Says that a file has another version.
    pub fn of_version(&self, found: u32) -> String {
        let Self { name, version, .. } = self;
        let by = if found < *version { "an earlier" } else { "a later" };
        format!("is a {name} of version {found}, written by {by} release; this one reads version {version}")
    }

    /// Says that a file has another layout.
    pub fn of_layout(&self, found: u32) -> String {
        let Self { name, version, .. } = self;
        format!(
            "is a {name} of version {version} with an unknown layout ({found:08x}): another release wrote it"
        )
    }
}

/// The damage of a file or a block.
#[derive(Debug)]
pub enum Damage {
    /// The file ends too early: within a prefix or block, or where a block should begin.
    Cut,
    /// The first bytes belong to no file of this kind.
    Magic,
    /// The prefix does not match its checksum.
    Prefix,
    /// The version is another one.
    Version(u32),
    /// The version is right, the layout is another one.
    Layout(u32),
    /// The bytes do not match their checksum.
    Checksum,
    /// The checksums match, but the bytes do not decode.
    Meaning(String),
    /// The file cannot be read.
    Reading(io::Error),
}

impl Damage {
    /// The error for bytes that do not decode.
    pub fn meaning(why: impl fmt::Display) -> Self {
        Self::Meaning(why.to_string())
    }
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof { Self::Cut } else { Self::Reading(error) }
    }
}

/// Writes the prefix of a file.
pub fn write_prefix(kind: &FileKind, out: &mut impl Write) -> io::Result<()> {
    let mut prefix = Vec::with_capacity(PREFIX_BYTES);
    prefix.extend_from_slice(&kind.magic);
    prefix.extend_from_slice(&kind.version.to_le_bytes());
    prefix.extend_from_slice(&checksum(kind.layout.as_bytes()).to_le_bytes());
    let sum = checksum(&prefix);
    prefix.extend_from_slice(&sum.to_le_bytes());
    out.write_all(&prefix)
}

/// Reads the prefix of a file and checks that it belongs to the kind.
pub fn read_prefix(kind: &FileKind, input: &mut impl Read) -> Result<(), Damage> {
    let mut prefix = Vec::with_capacity(PREFIX_BYTES);
    input.take(PREFIX_BYTES as u64).read_to_end(&mut prefix)?;
    // Checked first, for a file that is too short as well.
    if prefix.iter().zip(kind.magic).any(|(&found, expected)| found != expected) {
        return Err(Damage::Magic);
    }
    if prefix.len() < PREFIX_BYTES {
        return Err(Damage::Cut);
    }
    let mut fields = Fields(&prefix[kind.magic.len()..]);
    let (version, layout, sum) = (fields.u32(), fields.u32(), fields.u32());
    if kind.versions_before.contains(&version) {
        return Err(Damage::Version(version));
    }
    if sum != checksum(&prefix[..PREFIX_BYTES - 4]) {
        return Err(Damage::Prefix);
    }
    if version != kind.version {
        return Err(Damage::Version(version));
    }
    if layout != checksum(kind.layout.as_bytes()) {
        return Err(Damage::Layout(layout));
    }
    Ok(())
}

/// Appends the bytes of a value to `out`, equal on all machines. [`decode`] reads them.
/// # Errors
/// Errors of the value's own serialisation.
pub fn encode(value: &impl Serialize, out: &mut Vec<u8>) -> io::Result<()> {
    bincode::serde::encode_into_std_write(value, out, bincode::config::standard())
        .map(|_| ())
        .map_err(io::Error::other)
}

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// Kind of the block, defined by the kind of file.
    pub kind: u8,
    /// Number of the block in the file.
    pub number: u32,
    /// First tick that it covers.
    pub first_tick: u32,
    /// Number of ticks.
    pub n_ticks: u32,
    /// Number of deflated bytes.
    pub stored_bytes: u32,
    /// Number of bytes after inflation.
    pub plain_bytes: u32,
    /// Checksum of the deflated bytes.
    pub sum: u32,
}

impl BlockHead {
    fn bytes(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[0] = self.kind;
        let Self { kind: _, number, first_tick, n_ticks, stored_bytes, plain_bytes, sum } = *self;
        let words = [number, first_tick, n_ticks, stored_bytes, plain_bytes, sum];
        for (place, word) in bytes[1..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let sum = checksum(&bytes[..HEAD_BYTES - 4]);
        bytes[HEAD_BYTES - 4..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads a head.
    /// # Errors
    /// [`Damage::Cut`] where the file ends, [`Damage::Checksum`], [`Damage::Reading`].
    pub fn read(input: &mut impl Read) -> Result<Self, Damage> {
        let mut bytes = [0; HEAD_BYTES];
        input.read_exact(&mut bytes)?;
        let mut fields = Fields(&bytes[1..]);
        let head = Self {
            kind: bytes[0],
            number: fields.u32(),
            first_tick: fields.u32(),
            n_ticks: fields.u32(),
            stored_bytes: fields.u32(),
            plain_bytes: fields.u32(),
            sum: fields.u32(),
        };
        if fields.u32() != checksum(&bytes[..HEAD_BYTES - 4]) {
            return Err(Damage::Checksum);
        }
        Ok(head)
    }
}

/// Takes little-endian numbers from the front of bytes that are long enough.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn u32(&mut self) -> u32 {
        let (head, rest) = self.0.split_at(4);
        self.0 = rest;
        let mut bytes = [0; 4];
        bytes.copy_from_slice(head);
        u32::from_le_bytes(bytes)
    }
}

/// Writes blocks. Reuses its memory from block to block.
pub struct BlockWriter {
    plain: Vec<u8>,
    stored: Vec<u8>,
    deflate: Box<CompressorOxide>,
    next: u32,
}

impl fmt::Debug for BlockWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockWriter").field("next", &self.next).finish_non_exhaustive()
    }
}

impl Default for BlockWriter {
    /// A writer with empty buffers, before block 0.
    fn default() -> Self {
        Self {
            plain: Vec::new(),
            stored: Vec::new(),
            deflate: Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(DEFLATE_LEVEL, 0, 0))),
            next: 0,
        }
    }
}

impl BlockWriter {
    /// Writes the next block.
    /// # Errors
    /// Errors of the writer. Also if the value exceeds the size of a block.
    pub fn write(
        &mut self,
        kind: u8,
        (first_tick, n_ticks): (u32, u32),
        value: &impl Serialize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.plain.clear();
        encode(value, &mut self.plain)?;
        if self.plain.len() > PLAIN_BYTES_MAX {
            let n = self.plain.len();
            return Err(io::Error::other(format!(
                "a block of {n} bytes, expected at most {PLAIN_BYTES_MAX}"
            )));
        }
        self.stored.clear();
        self.deflate.reset();
        let stored = &mut self.stored;
        let (status, _) = compress_to_output(&mut self.deflate, &self.plain, TDEFLFlush::Finish, |bytes| {
            stored.extend_from_slice(bytes);
            true
        });
        if status != TDEFLStatus::Done {
            return Err(io::Error::other("a block could not be deflated"));
        }
        let head = BlockHead {
            kind,
            number: self.next,
            first_tick,
            n_ticks,
            stored_bytes: self.stored.len() as u32,
            plain_bytes: self.plain.len() as u32,
            sum: checksum(&self.stored),
        };
        self.next += 1;
        out.write_all(&head.bytes())?;
        out.write_all(&self.stored)
    }
}

/// Reads and decodes the bytes of a block, after its head. The decoded value takes at most `memory_max` bytes, not
/// counting buffers of the decoder and spare capacity of arrays.
pub fn read_block<T: DeserializeOwned>(
    head: &BlockHead,
    memory_max: usize,
    input: &mut impl Read,
) -> Result<T, Damage> {
    let mut memory_left = memory_max;
    read_block_within(head, &mut memory_left, input)
}

/// As [`read_block`]. Subtracts the memory of the value from `memory_left`, which is 0 after a value that takes more.
/// # Errors
/// As there.
pub fn read_block_within<T: DeserializeOwned>(
    head: &BlockHead,
    memory_left: &mut usize,
    input: &mut impl Read,
) -> Result<T, Damage> {
    let memory_max = std::mem::take(memory_left);
    let mut stored = Vec::new();
    // Grows with the bytes present, whatever the head claims.
    input.take(u64::from(head.stored_bytes)).read_to_end(&mut stored)?;
    if stored.len() < head.stored_bytes as usize {
        return Err(Damage::Cut);
    }
    if checksum(&stored) != head.sum {
        return Err(Damage::Checksum);
    }
    let plain_bytes = head.plain_bytes as usize;
    if plain_bytes > PLAIN_BYTES_MAX {
        return Err(Damage::Meaning(format!("{plain_bytes} bytes, expected at most {PLAIN_BYTES_MAX}")));
    }
    let mut decoder = Decoder {
        inflating: Some(Inflating::new(&stored)),
        plain: Vec::new(),
        at: 0,
        left: plain_bytes,
        memory_left: memory_max,
        memory_max,
    };
    let read = decoder.whole();
    *memory_left = decoder.memory_left;
    read.map_err(|DecodeError(why)| Damage::Meaning(why))
}

/// Decodes a value from bytes of [`encode`]. Its memory, counted as by [`read_block`], is subtracted from
/// `memory_left`.
/// # Errors
/// The bytes are no such value, or it takes too much memory.
pub fn decode<T: DeserializeOwned>(bytes: &[u8], memory_left: &mut usize) -> Result<T, String> {
    let mut decoder = Decoder {
        inflating: None,
        plain: bytes.to_vec(),
        at: 0,
        left: bytes.len(),
        memory_left: *memory_left,
        memory_max: *memory_left,
    };
    let value = decoder.whole().map_err(|DecodeError(why)| why)?;
    *memory_left = decoder.memory_left;
    Ok(value)
}

/// Bytes of the widest number.
const NUMBER_BYTES: usize = 8;

/// Bytes inflated at a time.
const INFLATED_BYTES: usize = 1 << 16;

/// Deflated bytes, inflated piece by piece.
struct Inflating<'a> {
    stored: &'a [u8],
    state: Box<InflateState>,
    ended: bool,
}

impl<'a> Inflating<'a> {
    fn new(stored: &'a [u8]) -> Self {
        Self { stored, state: InflateState::new_boxed(DataFormat::Raw), ended: false }
    }

    /// Replaces `piece` with the next one; empty after the last.
    fn next(&mut self, piece: &mut Vec<u8>) -> Result<(), DecodeError> {
        piece.resize(INFLATED_BYTES, 0);
        let mut length = 0;
        while length == 0 && !self.ended {
            let result = inflate(&mut self.state, self.stored, piece, MZFlush::None);
            self.stored = &self.stored[result.bytes_consumed..];
            length = result.bytes_written;
            match result.status {
                Ok(MZStatus::StreamEnd) => self.ended = true,
                Ok(_) if result.bytes_consumed + length > 0 => {}
                // The input ends before the deflated stream does.
                Ok(_) | Err(MZError::Buf) => {
                    return Err(DecodeError("its bytes do not inflate to an end".into()));
                }
                Err(_) => return Err(DecodeError("its bytes do not inflate".into())),
            }
        }
        piece.truncate(length);
        Ok(())
    }
}

/// Decodes bincode's standard configuration, restricted to our types. Numbers take as few bytes as they need. Strings
/// and lists follow their length, variants of enums their number. Numbers in more bytes than they need are rejected, so
/// that equal values have equal bytes.
struct Decoder<'a> {
    /// Source of further pieces; `None` if the current piece is all.
    inflating: Option<Inflating<'a>>,
    /// The current piece, and how much of it has been read.
    plain: Vec<u8>,
    at: usize,
    /// Bytes of the block still to be read.
    left: usize,
    memory_left: usize,
    memory_max: usize,
}

/// Why the bytes of a block do not decode.
#[derive(Debug)]
struct DecodeError(String);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}

impl serde::de::Error for DecodeError {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

impl Decoder<'_> {
    /// Decodes all bytes as one value; returns it with the memory left.
    fn whole<T: DeserializeOwned>(&mut self) -> Result<T, DecodeError> {
        let value = T::deserialize(&mut *self)?;
        match self.left {
            0 => self.end()?,
            left => return Err(DecodeError(format!("{left} bytes after its end"))),
        }
        Ok(value)
    }

    /// Inflates the next piece; empty after the last.
    fn next_piece(&mut self) -> Result<(), DecodeError> {
        self.at = 0;
        match &mut self.inflating {
            Some(inflating) => inflating.next(&mut self.plain),
            None => {
                self.plain.clear();
                Ok(())
            }
        }
    }

    /// The next bytes: at least one, at most `bytes_max`, as many as the current piece has.
    fn next(&mut self, bytes_max: usize) -> Result<&[u8], DecodeError> {
        if self.left == 0 {
            return Err(DecodeError("it ends within a value".into()));
        }
        if self.at == self.plain.len() {
            self.next_piece()?;
            if self.plain.is_empty() {
                return Err(DecodeError(format!("{} bytes less than expected", self.left)));
            }
        }
        let n = bytes_max.min(self.left).min(self.plain.len() - self.at);
        let from = self.at;
        self.at += n;
        self.left -= n;
        Ok(&self.plain[from..from + n])
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, DecodeError> {
        if let Some(&byte) = self.plain.get(self.at).filter(|_| self.left > 0) {
            self.at += 1;
            self.left -= 1;
            return Ok(byte);
        }
        Ok(self.next(1)?[0])
    }

    /// An unsigned number.
    #[inline]
    fn number(&mut self) -> Result<u64, DecodeError> {
        match self.byte()? {
            small @ 0..=250 => Ok(small.into()),
            marker => self.long_number(marker),
        }
    }

    fn long_number(&mut self, marker: u8) -> Result<u64, DecodeError> {
        let (n_bytes, least) = match marker {
            251 => (2, 251),
            252 => (4, 1 << 16),
            253 => (8, 1 << 32),
            _ => return Err(DecodeError("a number of more than 64 bits".into())),
        };
        let mut number = 0;
        for byte in 0..n_bytes {
            number |= u64::from(self.byte()?) << (8 * byte);
        }
        if number < least {
            return Err(DecodeError(format!("the number {number} in more bytes than it takes")));
        }
        Ok(number)
    }

    fn signed(&mut self) -> Result<i64, DecodeError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn flag(&mut self, what: &str) -> Result<bool, DecodeError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(DecodeError(format!("{what} of {other}, expected 0 or 1"))),
        }
    }

    /// The count of a list; each element takes at least a byte.
    fn count(&mut self) -> Result<usize, DecodeError> {
        let count = self.number()?;
        let left = self.left;
        let fits = usize::try_from(count).ok().filter(|&count| count <= left);
        fits.ok_or_else(|| DecodeError(format!("a list of {count} where {left} bytes are left")))
    }

    /// Counts memory that is about to be allocated.
    #[inline]
    fn take_memory(&mut self, bytes: usize) -> Result<(), DecodeError> {
        match self.memory_left.checked_sub(bytes) {
            Some(left) => self.memory_left = left,
            None => {
                self.memory_left = 0;
                return Err(DecodeError(format!("it takes more than {} bytes of memory", self.memory_max)));
            }
        }
        Ok(())
    }

    fn bytes(&mut self) -> Result<Vec<u8>, DecodeError> {
        let count = self.count()?;
        self.take_memory(count)?;
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let piece = self.next(count - bytes.len())?;
            bytes.extend_from_slice(piece);
        }
        Ok(bytes)
    }

    /// Checks that nothing follows the last value.
    fn end(&mut self) -> Result<(), DecodeError> {
        if self.at == self.plain.len() {
            self.next_piece()?;
        }
        let is_at_end = |inflating: &Inflating<'_>| inflating.ended && inflating.stored.is_empty();
        if self.at < self.plain.len() || !self.inflating.as_ref().is_none_or(is_at_end) {
            return Err(DecodeError("bytes after its end".into()));
        }
        Ok(())
    }
}

/// The elements of a list, or of a tuple.
struct Elements<'a, 'b> {
    decoder: &'a mut Decoder<'b>,
    left: usize,
    /// Whether to count the memory of the elements. The memory of a tuple is counted with the list that holds it.
    counted: bool,
}

impl<'de> SeqAccess<'de> for Elements<'_, '_> {
    type Error = DecodeError;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DecodeError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        if self.counted {
            // Lists of other than numbers have spare capacity, are copied, and become larger structures.
            let size = size_of::<T::Value>();
            self.decoder.take_memory(if size > NUMBER_BYTES { 4 * size } else { size })?;
        }
        seed.deserialize(&mut *self.decoder).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// A variant of an enum: its number, then its fields.
struct Variant<'a, 'b> {
    decoder: &'a mut Decoder<'b>,
    n_variants: usize,
}

impl<'de, 'a, 'b> EnumAccess<'de> for Variant<'a, 'b> {
    type Error = DecodeError;
    type Variant = &'a mut Decoder<'b>;

    fn variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<(T::Value, Self::Variant), DecodeError> {
        let number = self.decoder.number()?;
        if number >= self.n_variants as u64 {
            return Err(DecodeError(format!("variant {number}, expected one of {}", self.n_variants)));
        }
        let number: U64Deserializer<DecodeError> = number.into_deserializer();
        Ok((seed.deserialize(number)?, self.decoder))
    }
}

impl<'de> VariantAccess<'de> for &mut Decoder<'_> {
    type Error = DecodeError;

    fn unit_variant(self) -> Result<(), DecodeError> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DecodeError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(fields.len(), visitor)
    }
}

/// Numbers of types narrower than the number read.
macro_rules! numbers {
    ($($deserialize:ident $read:ident $type:ty => $visit:ident,)*) => {$(
        #[inline]
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let number = self.$read()?;
            let narrow = <$type>::try_from(number);
            visitor.$visit(narrow.map_err(|_| {
                DecodeError(format!("{number}, expected {} to {}", <$type>::MIN, <$type>::MAX))
            })?)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Decoder<'_> {
    type Error = DecodeError;

    numbers! {
        deserialize_u8 byte u8 => visit_u8,
        deserialize_u16 number u16 => visit_u16,
        deserialize_u32 number u32 => visit_u32,
        deserialize_u64 number u64 => visit_u64,
        deserialize_i16 signed i16 => visit_i16,
        deserialize_i32 signed i32 => visit_i32,
        deserialize_i64 signed i64 => visit_i64,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_bool(self.flag("a truth value")?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let text = String::from_utf8(self.bytes()?);
        visitor.visit_string(text.map_err(|_| DecodeError("a text that is not UTF-8".into()))?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_byte_buf(self.bytes()?)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if self.flag("an option")? { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let left = self.count()?;
        visitor.visit_seq(Elements { decoder: self, left, counted: true })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, DecodeError> {
        visitor.visit_seq(Elements { decoder: self, left, counted: false })
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_enum(Variant { decoder: self, n_variants: variants.len() })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, DecodeError> {
        Err(DecodeError("a value of a kind that blocks do not hold".into()))
    }

    serde::forward_to_deserialize_any! {
        i8 i128 u128 f32 f64 char unit unit_struct map identifier ignored_any
    }
}

/// Bytes for `#[serde(deserialize_with)]`: read together, not one by one.
pub fn plain_bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    struct Bytes;
    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_byte_buf<E>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = elements.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes)
        }
    }
    from.deserialize_byte_buf(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::fmt::Debug;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Heading(u8);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Pair(i16, String);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Variants {
        Unit,
        Newtype(Heading),
        Tuple(u32, Option<Pair>),
        Struct { list: Vec<Variants>, shared: std::sync::Arc<[u16]> },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct All {
        variants: Vec<Variants>,
        numbers: Vec<(u8, u16, u32, u64, i16, i32)>,
        texts: Vec<String>,
        options: Vec<Option<[i32; 3]>>,
        truth: (bool, bool),
        #[serde(deserialize_with = "plain_bytes")]
        bytes: Vec<u8>,
        colours: Vec<[u8; 3]>,
    }

    fn block(value: &impl Serialize) -> Vec<u8> {
        let mut file = Vec::new();
        BlockWriter::default().write(1, (0, 0), value, &mut file).unwrap();
        file
    }

    fn read<T: DeserializeOwned>(file: &[u8], memory_max: usize) -> Result<T, String> {
        let mut input = file;
        let head = BlockHead::read(&mut input).unwrap();
        read_block(&head, memory_max, &mut input).map_err(|damage| match damage {
            Damage::Meaning(why) => why,
            other => panic!("{other:?}"),
        })
    }

    /// A block of uncompressed bytes, which may be invalid.
    fn of_plain(plain: &[u8], plain_bytes: u32) -> Vec<u8> {
        let stored = miniz_oxide::deflate::compress_to_vec(plain, 6);
        let head = BlockHead {
            kind: 1,
            number: 0,
            first_tick: 0,
            n_ticks: 0,
            stored_bytes: stored.len() as u32,
            plain_bytes,
            sum: checksum(&stored),
        };
        [&head.bytes()[..], &stored].concat()
    }

    fn all() -> All {
        let edges = [0, 1, 250, 251, 65_535, 65_536, u32::MAX.into(), 1 << 32, u64::MAX];
        let number = |n: u64| (n as u8, n as u16, n as u32, n, n as i16, (n as i32).wrapping_neg());
        let inner = vec![Variants::Newtype(Heading(7)), Variants::Unit];
        All {
            variants: vec![
                Variants::Unit,
                Variants::Tuple(70_000, Some(Pair(-3, "three".to_owned()))),
                Variants::Struct { list: inner, shared: [1, 250, 65_535].into() },
            ],
            numbers: edges.map(number).to_vec(),
            texts: vec![String::new(), "a".repeat(70_000), "\u{e4}\u{1f600}".to_owned()],
            options: vec![None, Some([i32::MIN, -1, i32::MAX]), None],
            truth: (true, false),
            bytes: (0..200_000_u32).map(|n| (n * 7 + (n >> 9)) as u8).collect(),
            colours: vec![[1, 2, 255]; 3],
        }
    }

    #[test]
    fn what_bincode_writes_is_read() {
        assert_eq!(read::<All>(&block(&all()), 1 << 20), Ok(all()));
        let (mut bytes, mut memory_left) = (Vec::new(), 1 << 20);
        encode(&all(), &mut bytes).unwrap();
        assert_eq!(decode::<All>(&bytes, &mut memory_left), Ok(all()));
        assert!(((1 << 20) - 500_000..(1 << 20) - 270_000).contains(&memory_left), "{memory_left}");
        for length in (0..bytes.len()).step_by(997) {
            assert!(decode::<All>(&bytes[..length], &mut memory_left).is_err(), "{length}");
        }
    }

    #[test]
    fn an_empty_text_takes_its_memory_before_it_is_made() {
        let texts = block(&vec![String::new(); 100_000]);
        assert!(texts.len() < 300);
        let size = 4 * 100_000 * size_of::<String>();
        assert_eq!(read::<Vec<String>>(&texts, size).unwrap().len(), 100_000);
        let refused = read::<Vec<String>>(&texts, size - 1).unwrap_err();
        assert_eq!(refused, format!("it takes more than {} bytes of memory", size - 1));
    }

    #[test]
    fn counts_are_held_against_the_bytes_that_are_left() {
        // A list of 2^32 elements, a string of as many bytes.
        for claimed in [&[253, 0, 0, 0, 0, 1, 0, 0, 0, 7, 7][..], &[252, 0, 0, 1, 0, 7, 7, 7]] {
            let file = of_plain(claimed, claimed.len() as u32);
            let errors = [
                read::<Vec<u8>>(&file, 1 << 30).unwrap_err(),
                read::<Vec<Vec<u8>>>(&file, 1 << 30).unwrap_err(),
                read::<String>(&file, 1 << 30).unwrap_err(),
            ];
            assert!(errors.iter().all(|why| why.contains("bytes are left")), "{errors:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_as_they_are_written_are_refused() {
        fn refused<T: DeserializeOwned + Debug>(plain: &[u8], plain_bytes: usize, expected: &str) {
            let why = read::<T>(&of_plain(plain, plain_bytes as u32), 1 << 20).unwrap_err();
            assert!(why.contains(expected), "{plain:?}: {why}");
        }
        refused::<u32>(&[251, 9, 0], 3, "in more bytes than it takes");
        refused::<u32>(&[253, 0, 0, 0, 0, 1, 0, 0, 0], 9, "expected 0 to 4294967295");
        refused::<u64>(&[254, 0], 2, "more than 64 bits");
        refused::<bool>(&[2], 1, "expected 0 or 1");
        refused::<Option<u8>>(&[2, 0], 2, "expected 0 or 1");
        refused::<String>(&[1, 0xff], 2, "not UTF-8");
        refused::<u8>(&[1, 1], 2, "1 bytes after its end");
        refused::<u8>(&[1, 1], 1, "bytes after its end");
        refused::<u16>(&[1], 0, "ends within a value");
        refused::<(u8, u8)>(&[1], 2, "1 bytes less than expected");
        refused::<Variants>(&[4], 1, "variant 4, expected one of 4");
        refused::<Variants>(&[3, 1], 2, "a list of 1 where 0 bytes are left");
        refused::<f32>(&[0; 4], 4, "of a kind that blocks do not hold");
    }

    #[test]
    fn deflated_bytes_that_are_cut_or_followed_by_others_are_refused() {
        let file = block(&all());
        let stored = &file[HEAD_BYTES..];
        let with = |stored: &[u8]| {
            let head = BlockHead::read(&mut &file[..]).unwrap();
            let head = BlockHead { stored_bytes: stored.len() as u32, sum: checksum(stored), ..head };
            read::<All>(&[&head.bytes()[..], stored].concat(), 1 << 20).unwrap_err()
        };
        assert_eq!(with(&stored[..stored.len() - 9]), "its bytes do not inflate to an end");
        assert_eq!(with(&[stored, &[0]].concat()), "bytes after its end");
        assert_eq!(with(&[7; 40]), "its bytes do not inflate");
    }
}
