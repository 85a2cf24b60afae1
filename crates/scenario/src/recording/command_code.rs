//! The bytes of commands in a recording.

use crate::varint;
use wheelbase_sim::codec::{decode, encode};
use wheelbase_sim::{Command, GivenCommand, Ticket, World};

/// Most bytes of the commands of a tick: decisions for 2^20 agents several times.
const BYTES_MAX: usize = 1 << 26;
/// Most bytes of memory of the commands of a tick.
const MEMORY_MAX: usize = 1 << 28;
/// Commands of up to this many bytes always fit in that memory. Lists of orders, the most demanding, take a few hundred
/// bytes of memory per byte.
const BYTES_SURELY_READ: usize = 1 << 18;

/// Appends the commands given before a tick. `bytes` is scratch.
/// # Errors
/// They are too large to be read again.
pub(super) fn encode_commands(
    commands: &[GivenCommand],
    bytes: &mut Vec<u8>,
    out: &mut Vec<u8>,
) -> Result<(), String> {
    let begin = out.len();
    varint::put(out, commands.len() as u64);
    for GivenCommand { ticket, tick, command } in commands {
        varint::put(out, ticket.0);
        varint::put(out, tick.map_or(0, |tick| u64::from(tick) + 1));
        bytes.clear();
        encode(command, bytes).map_err(|error| error.to_string())?;
        varint::put(out, bytes.len() as u64);
        out.extend_from_slice(bytes);
    }
    let n_bytes = out.len() - begin;
    if n_bytes > BYTES_MAX {
        return Err(format!("commands of {n_bytes} bytes, expected at most {BYTES_MAX}"));
    }
    if n_bytes > BYTES_SURELY_READ {
        decode_commands(&mut &out[begin..], &mut Vec::new())?;
    }
    Ok(())
}

/// Appends the commands given since the last tick, for the end of a recording: nothing if there are none.
/// # Errors
/// As [`encode_commands`].
pub(super) fn commands_to_end(world: &World, out: &mut Vec<u8>) -> Result<(), String> {
    let given = world.commands_given();
    if given.is_empty() { Ok(()) } else { encode_commands(given, &mut Vec::new(), out) }
}

/// Reads the commands given before a tick and appends them.
/// # Errors
/// The bytes are no commands, or the commands are too large.
pub(super) fn decode_commands(bytes: &mut &[u8], commands: &mut Vec<GivenCommand>) -> Result<(), String> {
    let number = |bytes: &mut &[u8]| varint::read(bytes).map_err(|error| error.to_string());
    let count = number(bytes)?;
    // At least a ticket, a tick, a length and a byte each.
    if count > (bytes.len() / 4) as u64 {
        return Err(format!("{count} commands where {} bytes are left", bytes.len()));
    }
    let mut memory_left = MEMORY_MAX;
    let mut least = 0;
    for _ in 0..count {
        let took = memory_left.checked_sub(4 * size_of::<GivenCommand>());
        memory_left = took.ok_or("commands that take too much memory")?;
        let ticket = number(bytes)?;
        if ticket < least {
            return Err("commands out of the order of their tickets".to_owned());
        }
        least = ticket.checked_add(1).ok_or("a ticket beyond all numbers")?;
        let tick = match number(bytes)? {
            0 => None,
            later => Some(u32::try_from(later - 1).map_err(|_| "a command for a tick beyond all runs")?),
        };
        let length = number(bytes)?;
        let n_left = bytes.len();
        let length = usize::try_from(length).ok().filter(|&length| length <= n_left.min(BYTES_MAX));
        let (own, rest) = bytes.split_at(length.ok_or("a command that is longer than the rest")?);
        *bytes = rest;
        let command: Command =
            decode(own, &mut memory_left).map_err(|why| format!("command {ticket}: {why}"))?;
        commands.push(GivenCommand { ticket: Ticket(ticket), tick, command });
    }
    Ok(())
}
