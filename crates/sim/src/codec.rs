//! The envelope of binary files: what stands around the bytes that bincode writes.
//!
//! bincode alone accepts most flipped bits. So a file is a prefix and blocks: the prefix names the kind of
//! file, its version and a hash of its layout, under a checksum; each block has a head and deflated bytes,
//! each under a checksum of its own. A block's head says how many bytes follow and how many they become;
//! both are bounded before memory is taken. With a checksum for the head alone a file that was cut can be
//! told from one that was changed.

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};

/// Bytes of a file's prefix: magic word, version, layout, checksum.
pub(crate) const PREFIX_BYTES: usize = 8 + 4 + 8 + 8;
/// Bytes of a block's head.
pub(crate) const HEAD_BYTES: usize = 1 + 5 * 4 + 8 + 8;
/// Most bytes of a block before it is deflated: the layers of a map of 2^26 cells, and a scenario.
const PLAIN_BYTES_MAX: usize = 1 << 30;
/// Level of deflate: higher ones took longer than the simulation and saved little.
const DEFLATE_LEVEL: i32 = 5;

/// 64-bit FNV-1a: each step is a bijection of the sum so far, so one changed byte always changes it.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    continue_checksum(0xcbf2_9ce4_8422_2325, bytes)
}

fn continue_checksum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileKind {
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
pub(crate) enum Damage {
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
    pub(crate) fn meaning(why: impl fmt::Display) -> Self {
        Self::Meaning(why.to_string())
    }
}

impl From<io::Error> for Damage {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof { Self::Cut } else { Self::Reading(error) }
    }
}

/// Writes the prefix of a file.
pub(crate) fn write_prefix(kind: &FileKind, out: &mut impl Write) -> io::Result<()> {
    let mut prefix = Vec::with_capacity(PREFIX_BYTES);
    prefix.extend_from_slice(&kind.magic);
    prefix.extend_from_slice(&kind.version.to_le_bytes());
    prefix.extend_from_slice(&checksum(kind.layout.as_bytes()).to_le_bytes());
    let sum = checksum(&prefix);
    prefix.extend_from_slice(&sum.to_le_bytes());
    out.write_all(&prefix)
}

/// Reads the prefix of a file and checks that it is of the kind.
pub(crate) fn read_prefix(kind: &FileKind, input: &mut impl Read) -> Result<(), Damage> {
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
pub(crate) struct BlockHead {
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
    pub(crate) fn read(input: &mut impl Read) -> Result<Self, Damage> {
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
pub(crate) struct BlockWriter {
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

impl BlockWriter {
    pub(crate) fn new() -> Self {
        Self {
            plain: Vec::new(),
            stored: Vec::new(),
            deflate: Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(DEFLATE_LEVEL, 0, 0))),
            next: 0,
        }
    }

    /// Writes the next block.
    /// # Errors
    /// Those of the writer, and of values larger than a block may be.
    pub(crate) fn write(
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

/// Reads the bytes of a block whose head was read, and what they mean.
pub(crate) fn read_block<T: DeserializeOwned>(head: &BlockHead, input: &mut impl Read) -> Result<T, Damage> {
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
    let plain = decompress_to_vec_with_limit(&stored, plain_bytes)
        .map_err(|error| Damage::Meaning(format!("its bytes do not inflate: {:?}", error.status)))?;
    if plain.len() != plain_bytes {
        return Err(Damage::Meaning(format!("{} bytes, expected {plain_bytes}", plain.len())));
    }
    let config = bincode::config::standard().with_limit::<PLAIN_BYTES_MAX>();
    let (value, used) = bincode::serde::decode_from_slice(&plain, config).map_err(Damage::meaning)?;
    if used != plain.len() {
        return Err(Damage::Meaning(format!("{} bytes behind its end", plain.len() - used)));
    }
    Ok(value)
}
