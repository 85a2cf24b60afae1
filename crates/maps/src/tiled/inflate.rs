//! Decompresses the bytes of a layer piece by piece: zlib, gzip and Zstandard.

use crate::decoder_panic::catch_decoder_panic;
use crate::text_lines::excerpt;
use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};
use ruzstd::decoding::StreamingDecoder;
use std::io::Read;

/// Bytes that are decompressed at a time; a multiple of the size of a tile.
const PIECE_BYTES: usize = 1 << 15;
/// First bytes of gzip data with deflate, the only method there is.
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];
/// The window that any Zstandard decoder has (RFC 8878), and the largest that this one has.
const ZSTD_WINDOW_BYTES: [u64; 2] = [8 << 20, 128 << 20];

/// How the bytes of a layer are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    /// Not at all.
    None,
    /// Deflate, with the head of zlib or of gzip.
    Deflate,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// By its name in a file.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "" => Self::None,
            "zlib" | "gzip" => Self::Deflate,
            "zstd" => Self::Zstd,
            _ => return None,
        })
    }

    /// Decompresses `bytes`, of which about `bytes_expected` come out. `take` returns whether it wants more; `bad`
    /// makes an error of a message.
    pub fn decompress<E>(
        self,
        bytes: &[u8],
        bytes_expected: usize,
        take: &mut impl FnMut(&[u8]) -> Result<bool, E>,
        bad: impl Fn(&str) -> E,
    ) -> Result<(), E> {
        match self {
            Self::None => take(bytes).map(drop),
            Self::Deflate if bytes.starts_with(&GZIP_MAGIC) => {
                let deflated = after_gzip_head(bytes).ok_or_else(|| bad("its gzip head ends too early"))?;
                inflate_to(deflated, DataFormat::Raw, take, bad)
            }
            Self::Deflate => inflate_to(bytes, DataFormat::Zlib, take, bad),
            Self::Zstd => unpack_zstd(bytes, bytes_expected as u64, take, bad),
        }
    }
}

/// The bytes after the head of gzip data (RFC 1952).
fn after_gzip_head(bytes: &[u8]) -> Option<&[u8]> {
    let flags = *bytes.get(3)?;
    let mut rest = bytes.get(10..)?;
    if flags & 4 != 0 {
        let n_extra = u16::from_le_bytes([*rest.first()?, *rest.get(1)?]);
        rest = rest.get(2 + usize::from(n_extra)..)?;
    }
    // A name and a comment.
    for _ in 0..(flags & 8).count_ones() + (flags & 16).count_ones() {
        let end = rest.iter().position(|&byte| byte == 0)?;
        rest = &rest[end + 1..];
    }
    if flags & 2 != 0 { rest.get(2..) } else { Some(rest) }
}

fn inflate_to<E>(
    mut bytes: &[u8],
    format: DataFormat,
    take: &mut impl FnMut(&[u8]) -> Result<bool, E>,
    bad: impl Fn(&str) -> E,
) -> Result<(), E> {
    let mut state = InflateState::new_boxed(format);
    let mut piece = vec![0; PIECE_BYTES];
    let mut n_filled = 0;
    loop {
        let step = catch_decoder_panic(|| inflate(&mut state, bytes, &mut piece[n_filled..], MZFlush::None));
        let step = step.map_err(|panic| bad(&panic.to_string()))?;
        bytes = &bytes[step.bytes_consumed.min(bytes.len())..];
        n_filled += step.bytes_written;
        let ends = match step.status {
            Ok(status) => status == MZStatus::StreamEnd,
            Err(MZError::Buf) => return Err(bad("its deflated bytes end too early")),
            Err(_) => return Err(bad("its bytes do not inflate")),
        };
        if ends || n_filled == piece.len() {
            if !take(&piece[..n_filled])? || ends {
                return Ok(());
            }
            n_filled = 0;
        } else if step.bytes_consumed == 0 && step.bytes_written == 0 {
            return Err(bad("its deflated bytes end too early"));
        }
    }
}

fn unpack_zstd<E>(
    bytes: &[u8],
    bytes_expected: u64,
    take: &mut impl FnMut(&[u8]) -> Result<bool, E>,
    bad: impl Fn(&str) -> E,
) -> Result<(), E> {
    let [least, most] = ZSTD_WINDOW_BYTES;
    // The decoder takes memory for the window that the data ask for.
    let window_max = bytes_expected.clamp(least, most);
    let wrong = |error: &dyn std::error::Error| bad(&excerpt(&format!("zstd: {error}")));
    let frame = catch_decoder_panic(|| StreamingDecoder::new_with_max_window_size(bytes, window_max));
    let mut frame = frame.map_err(|panic| bad(&panic.to_string()))?.map_err(|error| wrong(&error))?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let mut n_filled = 0;
        while n_filled < piece.len() {
            let read = catch_decoder_panic(|| frame.read(&mut piece[n_filled..]));
            match read.map_err(|panic| bad(&panic.to_string()))?.map_err(|error| wrong(&error))? {
                0 => break,
                n => n_filled += n,
            }
        }
        if !take(&piece[..n_filled])? || n_filled < piece.len() {
            return Ok(());
        }
    }
}
