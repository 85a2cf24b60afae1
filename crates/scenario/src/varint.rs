//! Variable-length integers (LEB128) of recordings and of the page that plays a run: seven bits a byte, least
//! significant first. The top bit is set in all bytes but the last. Signed numbers are zigzag-encoded, so that small
//! ones of either sign take one byte.
//!
//! The blocks around them are written by bincode, whose integers have another layout: see
//! [`codec`](wheelbase_sim::codec).

use std::fmt;

/// Appends a number.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a number of either sign.
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63) as u64);
}

/// Why bytes hold no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum VarintError {
    /// They end within the number.
    Truncated,
    /// The number takes more bytes than it needs. Refused, so that equal values have equal bytes.
    Overlong,
    /// The number has more than 64 bits.
    TooLarge,
}

impl fmt::Display for VarintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Truncated => "a number without its last byte",
            Self::Overlong => "a number in more bytes than it takes",
            Self::TooLarge => "a number of more than 64 bits",
        })
    }
}

impl std::error::Error for VarintError {}

/// Reads a number and moves `bytes` past it.
/// # Errors
/// [`VarintError`]; how far `bytes` has moved then is unspecified.
#[inline]
pub fn read(bytes: &mut &[u8]) -> Result<u64, VarintError> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first().ok_or(VarintError::Truncated)?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        number |= bits << shift;
        if number >> shift != bits {
            break;
        }
        if byte < 0x80 {
            return if byte == 0 && shift > 0 { Err(VarintError::Overlong) } else { Ok(number) };
        }
    }
    Err(VarintError::TooLarge)
}

/// Reads a number of either sign and moves `bytes` past it.
/// # Errors
/// As [`read`].
#[inline]
pub fn read_signed(bytes: &mut &[u8]) -> Result<i64, VarintError> {
    let number = read(bytes)?;
    Ok((number >> 1) as i64 ^ -((number & 1) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_written() {
        let edges = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), i64::MAX as u64, u64::MAX];
        let mut bytes = Vec::new();
        for number in edges {
            put(&mut bytes, number);
            put_signed(&mut bytes, number as i64);
            put_signed(&mut bytes, (number as i64).wrapping_neg());
        }
        let mut rest = &bytes[..];
        for number in edges {
            assert_eq!(read(&mut rest), Ok(number));
            assert_eq!(read_signed(&mut rest), Ok(number as i64));
            assert_eq!(read_signed(&mut rest), Ok((number as i64).wrapping_neg()));
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn other_bytes_are_refused() {
        for (bytes, error) in [
            (&[][..], VarintError::Truncated),
            (&[0x80], VarintError::Truncated),
            (&[0x81, 0x00], VarintError::Overlong),
            (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02], VarintError::TooLarge),
        ] {
            assert_eq!(read(&mut &bytes[..]), Err(error), "{bytes:x?}");
        }
    }
}
