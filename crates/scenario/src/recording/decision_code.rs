//! The bytes of the decisions of a traffic rule from outside.

use crate::varint;
use wheelbase_traffic::{Decisions, Leads, Reroute, Start};

/// Appends the decisions of a tick.
pub(super) fn encode_decisions(decisions: &Decisions, out: &mut Vec<u8>) {
    let Decisions { starts, replan, unreachable, around, give_up, reroutes, reroute_moves } = decisions;
    let mut put = |number: u32| varint::put(out, number.into());
    put(starts.len() as u32);
    for start in starts {
        [start.row, start.primitive.into(), start.ticks].into_iter().for_each(&mut put);
    }
    for rows in [replan, unreachable, around, give_up] {
        put(rows.len() as u32);
        rows.iter().for_each(|&row| put(row));
    }
    put(reroutes.len() as u32);
    for reroute in reroutes {
        [reroute.row, reroute.first, reroute.count, reroute.leads as u32].into_iter().for_each(&mut put);
    }
    put(reroute_moves.len() as u32);
    out.extend_from_slice(reroute_moves);
}

/// Reads the decisions of a tick. Whether they can be carried out is checked by the world.
/// # Errors
/// The bytes are no decisions.
pub(super) fn decode_decisions(bytes: &mut &[u8], decisions: &mut Decisions) -> Result<(), String> {
    decisions.clear();
    for _ in 0..count(bytes, 3)? {
        let row = number(bytes)?;
        let primitive = u8::try_from(number(bytes)?).map_err(|_| "a primitive above 255")?;
        decisions.starts.push(Start { row, primitive, ticks: number(bytes)? });
    }
    let Decisions { replan, unreachable, around, give_up, .. } = decisions;
    for rows in [replan, unreachable, around, give_up] {
        for _ in 0..count(bytes, 1)? {
            rows.push(number(bytes)?);
        }
    }
    for _ in 0..count(bytes, 4)? {
        let (row, first, count) = (number(bytes)?, number(bytes)?, number(bytes)?);
        let leads = match number(bytes)? {
            0 => Leads::On,
            1 => Leads::Off,
            2 => Leads::Aside,
            other => return Err(format!("a path that leads to {other}")),
        };
        decisions.reroutes.push(Reroute { row, first, count, leads });
    }
    let n_moves = count(bytes, 1)?;
    let (moves, rest) = bytes.split_at(n_moves);
    decisions.reroute_moves.extend_from_slice(moves);
    *bytes = rest;
    Ok(())
}

fn number(bytes: &mut &[u8]) -> Result<u32, String> {
    let number = varint::read(bytes).map_err(|error| error.to_string())?;
    u32::try_from(number).map_err(|_| "a number of more than 32 bits".to_owned())
}

/// Length of a list whose entries take at least `entry_bytes` each.
fn count(bytes: &mut &[u8], entry_bytes: usize) -> Result<usize, String> {
    let count = number(bytes)? as usize;
    let fits = count <= bytes.len() / entry_bytes;
    if fits { Ok(count) } else { Err(format!("a list of {count} where {} bytes are left", bytes.len())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_read_as_written() {
        let decisions = Decisions {
            starts: vec![
                Start { row: 3, primitive: 255, ticks: u32::MAX },
                Start { row: 0, primitive: 0, ticks: 0 },
            ],
            replan: vec![1, u32::MAX],
            unreachable: vec![],
            around: vec![7, 7],
            give_up: vec![2],
            reroutes: vec![Reroute { row: 9, first: 1, count: 2, leads: Leads::Aside }],
            reroute_moves: vec![1, 2, 3, 200],
        };
        let (mut bytes, mut read) = (Vec::new(), Decisions::default());
        encode_decisions(&decisions, &mut bytes);
        let mut rest = &bytes[..];
        decode_decisions(&mut rest, &mut read).unwrap();
        assert!(read == decisions && rest.is_empty());
        for length in 0..bytes.len() {
            assert!(decode_decisions(&mut &bytes[..length], &mut read).is_err(), "{length}");
        }
    }
}
