//! The envelope of binary files: what stands around the bytes that bincode writes.
//!
//! bincode alone accepts most flipped bits. So a file is a prefix and blocks: the prefix names the kind of
//! file, its version and a hash of its layout, under a checksum; each block has a head and deflated bytes,
//! each under a checksum of its own. A block's head says how many bytes follow and how many they become;
//! both are bounded before memory is taken. With a checksum for the head alone a file that was cut can be
//! told from one that was changed.
//!
//! Right checksums do not make a file harmless: a kilobyte of deflate becomes a megabyte, and of that each byte
//! an empty string of 24. So a block is inflated as it is decoded, and the decoder, which is ours, counts what
//! each element takes in memory before it is made.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use wheelbase_grid::Fnv1a;

/// Bytes of a file's prefix: magic word, version, layout, checksum.
pub const PREFIX_BYTES: usize = 8 + 4 + 8 + 8;
/// Bytes of a block's head.
pub const HEAD_BYTES: usize = 1 + 5 * 4 + 8 + 8;
/// Most bytes of a block before it is deflated: the layers of a map of 2^26 cells, and a scenario.
const PLAIN_BYTES_MAX: usize = 1 << 30;
/// Level of deflate: higher ones took longer than the simulation and saved little.
const DEFLATE_LEVEL: i32 = 5;

/// 64-bit FNV-1a: each step is a bijection of the sum so far, so one changed byte always changes it.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Fnv1a::new();
    hash.write(bytes);
    hash.finish()
}

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// First bytes of the file.
    pub magic: [u8; 8],
    /// What messages call it.
    pub name: &'static str,
    /// Version that is written, and the only one that is read.
    pub version: u32,
    /// Describes every field in its order; two releases that write different layouts under one version tell
    /// each other's files by its hash.
    pub layout: &'static str,
}

/// What is wrong with a file or a block.
#[derive(Debug)]
pub enum Damage {
    /// The file ends here: in the midst of a prefix or block, or where a block was to begin.
    Cut,
    /// The first bytes are not those of the kind.
    Magic,
    /// The prefix does not match its checksum.
    Prefix,
    /// Another version, whole as far as it can be told.
    Version(u32),
    /// The version is right, the layout is not.
    Layout(u64),
    /// The bytes do not match their checksum.
    Checksum,
    /// The checksums hold and the bytes still mean nothing.
    Meaning(String),
    /// It cannot be read.
    Reading(io::Error),
}

impl Damage {
    /// What was read means nothing, and why.
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

/// Reads the prefix of a file and checks that it is of the kind.
pub fn read_prefix(kind: &FileKind, input: &mut impl Read) -> Result<(), Damage> {
    let mut prefix = Vec::with_capacity(PREFIX_BYTES);
    input.take(PREFIX_BYTES as u64).read_to_end(&mut prefix)?;
    // Also of a file that is shorter.
    if prefix.iter().zip(kind.magic).any(|(&found, expected)| found != expected) {
        return Err(Damage::Magic);
    }
    if prefix.len() < PREFIX_BYTES {
        return Err(Damage::Cut);
    }
    let mut fields = Fields(&prefix[kind.magic.len()..]);
    let (version, layout, sum) = (fields.u32(), fields.u64(), fields.u64());
    if sum != checksum(&prefix[..PREFIX_BYTES - 8]) {
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

/// What stands before the bytes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// What the block is; the file decides.
    pub kind: u8,
    /// Number of the block in the file.
    pub number: u32,
    /// First tick that it is about.
    pub first_tick: u32,
    /// Number of ticks.
    pub n_ticks: u32,
    /// Bytes that follow.
    pub stored_bytes: u32,
    /// Bytes that they become.
    pub plain_bytes: u32,
    /// Checksum of the bytes that follow.
    pub sum: u64,
}

impl BlockHead {
    fn bytes(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[0] = self.kind;
        let words = [self.number, self.first_tick, self.n_ticks, self.stored_bytes, self.plain_bytes];
        for (place, word) in bytes[1..21].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes[21..29].copy_from_slice(&self.sum.to_le_bytes());
        let sum = checksum(&bytes[..29]);
        bytes[29..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads a head, or `None` where the file ends before it.
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
            sum: fields.u64(),
        };
        if fields.u64() != checksum(&bytes[..HEAD_BYTES - 8]) {
            return Err(Damage::Checksum);
        }
        Ok(head)
    }
}

/// Little-endian numbers out of bytes that are long enough.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (head, rest) = self.0.split_at(N);
        self.0 = rest;
        let mut bytes = [0; N];
        bytes.copy_from_slice(head);
        bytes
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

/// Writes blocks. Keeps its memory from one to the next.
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
    /// Without buffers yet.
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
    /// Those of the writer, and of values larger than a block may be.
    pub fn write(
        &mut self,
        kind: u8,
        (first_tick, n_ticks): (u32, u32),
        value: &impl Serialize,
        out: &mut impl Write,
    ) -> io::Result<()> {
        self.plain.clear();
        let encoded =
            bincode::serde::encode_into_std_write(value, &mut self.plain, bincode::config::standard());
        encoded.map_err(io::Error::other)?;
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

/// Reads the bytes of a block whose head was read, and what they mean. What that takes in memory, buffers of
/// the decoder and spare room of arrays aside, is at most `memory_max` bytes.
pub fn read_block<T: DeserializeOwned>(
    head: &BlockHead,
    memory_max: usize,
    input: &mut impl Read,
) -> Result<T, Damage> {
    let mut stored = Vec::new();
    // Grows with what is there, whatever the head claims.
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
        inflating: Inflating::new(&stored),
        plain: Vec::new(),
        at: 0,
        left: plain_bytes,
        memory_left: memory_max,
        memory_max,
    };
    let value = T::deserialize(&mut decoder).map_err(|Mistake(why)| Damage::Meaning(why))?;
    match decoder.left {
        0 => decoder.end().map_err(|Mistake(why)| Damage::Meaning(why))?,
        behind => return Err(Damage::Meaning(format!("{behind} bytes behind its end"))),
    }
    Ok(value)
}

/// Bytes of the largest number.
const NUMBER_BYTES: usize = 8;

/// Bytes that are inflated at a time.
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

    /// Puts the next piece in place of the one before; none behind the last.
    fn next(&mut self, piece: &mut Vec<u8>) -> Result<(), Mistake> {
        piece.resize(INFLATED_BYTES, 0);
        let mut length = 0;
        while length == 0 && !self.ended {
            let result = inflate(&mut self.state, self.stored, piece, MZFlush::None);
            self.stored = &self.stored[result.bytes_consumed..];
            length = result.bytes_written;
            match result.status {
                Ok(MZStatus::StreamEnd) => self.ended = true,
                Ok(_) if result.bytes_consumed + length > 0 => {}
                // It wants more bytes than there are.
                Ok(_) | Err(MZError::Buf) => {
                    return Err(Mistake("its bytes do not inflate to an end".into()));
                }
                Err(_) => return Err(Mistake("its bytes do not inflate".into())),
            }
        }
        piece.truncate(length);
        Ok(())
    }
}

/// Reads what bincode writes by its standard configuration, less what our types do not have: numbers of
/// 7 bits and more in as few bytes as they take, texts and lists behind their length. Numbers in more bytes
/// than they take are refused, so that what is equal has equal bytes.
struct Decoder<'a> {
    inflating: Inflating<'a>,
    /// The piece that is being read, and how much of it was.
    plain: Vec<u8>,
    at: usize,
    /// Bytes of the block that are not read.
    left: usize,
    memory_left: usize,
    memory_max: usize,
}

/// What is wrong with the bytes of a block.
#[derive(Debug)]
struct Mistake(String);

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Mistake {}

impl serde::de::Error for Mistake {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

impl Decoder<'_> {
    /// What is there of the next bytes, at most so many and at least one.
    fn next(&mut self, bytes_max: usize) -> Result<&[u8], Mistake> {
        if self.left == 0 {
            return Err(Mistake("it ends within a value".into()));
        }
        if self.at == self.plain.len() {
            self.at = 0;
            self.inflating.next(&mut self.plain)?;
            if self.plain.is_empty() {
                return Err(Mistake(format!("{} bytes less than expected", self.left)));
            }
        }
        let n = bytes_max.min(self.left).min(self.plain.len() - self.at);
        let from = self.at;
        self.at += n;
        self.left -= n;
        Ok(&self.plain[from..from + n])
    }

    #[inline]
    fn byte(&mut self) -> Result<u8, Mistake> {
        if let Some(&byte) = self.plain.get(self.at).filter(|_| self.left > 0) {
            self.at += 1;
            self.left -= 1;
            return Ok(byte);
        }
        Ok(self.next(1)?[0])
    }

    /// A number without sign.
    #[inline]
    fn number(&mut self) -> Result<u64, Mistake> {
        match self.byte()? {
            small @ 0..=250 => Ok(small.into()),
            marker => self.long_number(marker),
        }
    }

    fn long_number(&mut self, marker: u8) -> Result<u64, Mistake> {
        let (n_bytes, least) = match marker {
            251 => (2, 251),
            252 => (4, 1 << 16),
            253 => (8, 1 << 32),
            _ => return Err(Mistake("a number of more than 64 bits".into())),
        };
        let mut number = 0;
        for byte in 0..n_bytes {
            number |= u64::from(self.byte()?) << (8 * byte);
        }
        if number < least {
            return Err(Mistake(format!("the number {number} in more bytes than it takes")));
        }
        Ok(number)
    }

    fn signed(&mut self) -> Result<i64, Mistake> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn flag(&mut self, what: &str) -> Result<bool, Mistake> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Mistake(format!("{what} of {other}, expected 0 or 1"))),
        }
    }

    /// A count of elements, each of which takes a byte at least.
    fn count(&mut self) -> Result<usize, Mistake> {
        let count = self.number()?;
        let left = self.left;
        let fits = usize::try_from(count).ok().filter(|&count| count <= left);
        fits.ok_or_else(|| Mistake(format!("a list of {count} where {left} bytes are left")))
    }

    /// Counts memory that is about to be taken.
    #[inline]
    fn take_memory(&mut self, bytes: usize) -> Result<(), Mistake> {
        match self.memory_left.checked_sub(bytes) {
            Some(left) => self.memory_left = left,
            None => return Err(Mistake(format!("it takes more than {} bytes of memory", self.memory_max))),
        }
        Ok(())
    }

    fn bytes(&mut self) -> Result<Vec<u8>, Mistake> {
        let count = self.count()?;
        self.take_memory(count)?;
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let piece = self.next(count - bytes.len())?;
            bytes.extend_from_slice(piece);
        }
        Ok(bytes)
    }

    /// Nothing may stand behind the last value.
    fn end(&mut self) -> Result<(), Mistake> {
        if self.at == self.plain.len() {
            self.at = 0;
            self.inflating.next(&mut self.plain)?;
        }
        if self.at < self.plain.len() || !self.inflating.ended || !self.inflating.stored.is_empty() {
            return Err(Mistake("bytes behind its end".into()));
        }
        Ok(())
    }
}

/// The elements of a list, or of a tuple.
struct Elements<'a, 'b> {
    decoder: &'a mut Decoder<'b>,
    left: usize,
    /// Whether what they take in memory is counted: that of tuples is counted with what they are in.
    counted: bool,
}

impl<'de> SeqAccess<'de> for Elements<'_, '_> {
    type Error = Mistake;

    #[inline]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Mistake> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        if self.counted {
            // Lists of what is no number have spare room, are copied, and make more of what is in them.
            let size = size_of::<T::Value>();
            self.decoder.take_memory(if size > NUMBER_BYTES { 4 * size } else { size })?;
        }
        seed.deserialize(&mut *self.decoder).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// Numbers of a type that may be narrower than what was read.
macro_rules! numbers {
    ($($deserialize:ident $read:ident $type:ty => $visit:ident,)*) => {$(
        #[inline]
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            let number = self.$read()?;
            let narrow = <$type>::try_from(number);
            visitor.$visit(narrow.map_err(|_| {
                Mistake(format!("{number}, expected {} to {}", <$type>::MIN, <$type>::MAX))
            })?)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Decoder<'_> {
    type Error = Mistake;

    numbers! {
        deserialize_u8 byte u8 => visit_u8,
        deserialize_u16 number u16 => visit_u16,
        deserialize_u32 number u32 => visit_u32,
        deserialize_u64 number u64 => visit_u64,
        deserialize_i16 signed i16 => visit_i16,
        deserialize_i32 signed i32 => visit_i32,
        deserialize_i64 signed i64 => visit_i64,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_bool(self.flag("a truth value")?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let text = String::from_utf8(self.bytes()?);
        visitor.visit_string(text.map_err(|_| Mistake("a text that is not UTF-8".into()))?)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_string(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_byte_buf(self.bytes()?)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        self.deserialize_byte_buf(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        if self.flag("an option")? { visitor.visit_some(self) } else { visitor.visit_none() }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        let left = self.count()?;
        visitor.visit_seq(Elements { decoder: self, left, counted: true })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, left: usize, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_seq(Elements { decoder: self, left, counted: false })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Mistake> {
        Err(Mistake("a value of a kind that blocks do not hold".into()))
    }

    serde::forward_to_deserialize_any! {
        i8 i128 u128 f32 f64 char unit unit_struct newtype_struct tuple_struct map enum identifier ignored_any
    }
}

/// Bytes as they are, for `#[serde(deserialize_with)]`: read at once, not one by one.
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

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct All {
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

    /// The bytes of a block as they are before they are deflated.
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
        All {
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
        // A list of 2^32 elements, a text of as many bytes.
        for claimed in [&[253, 0, 0, 0, 0, 1, 0, 0, 0, 7, 7][..], &[252, 0, 0, 1, 0, 7, 7, 7]] {
            let file = of_plain(claimed, claimed.len() as u32);
            let told = [
                read::<Vec<u8>>(&file, 1 << 30).unwrap_err(),
                read::<Vec<Vec<u8>>>(&file, 1 << 30).unwrap_err(),
                read::<String>(&file, 1 << 30).unwrap_err(),
            ];
            assert!(told.iter().all(|why| why.contains("bytes are left")), "{told:?}");
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
        refused::<u8>(&[1, 1], 2, "1 bytes behind its end");
        refused::<u8>(&[1, 1], 1, "bytes behind its end");
        refused::<u16>(&[1], 0, "ends within a value");
        refused::<(u8, u8)>(&[1], 2, "1 bytes less than expected");
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
        assert_eq!(with(&[stored, &[0]].concat()), "bytes behind its end");
        assert_eq!(with(&[7; 40]), "its bytes do not inflate");
    }
}
