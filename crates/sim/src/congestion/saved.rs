//! Congestion as a snapshot holds it.

use super::{Block, Congestion};
use crate::serde_ids;
use serde::{Deserialize, Serialize};

/// All counts of a congestion.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedCongestion {
    /// Ticks waited and agents entered, by width and block.
    blocks: Vec<(u32, u32)>,
    #[serde(with = "serde_ids::bytes")]
    planned: Vec<u8>,
    #[serde(with = "serde_ids::bytes")]
    planned_next: Vec<u8>,
    next: u64,
    /// Hashes of all counts by block, and of the planned flow.
    counted_so_far: [u64; 2],
}

impl Congestion {
    /// All counts.
    pub fn save(&self) -> SavedCongestion {
        let ([planned, planned_next], planned_so_far) = self.planned.parts();
        SavedCongestion {
            blocks: self.blocks.iter().map(|block| (block.waited_ticks, block.entered)).collect(),
            planned: planned.to_vec(),
            planned_next: planned_next.to_vec(),
            next: self.next as u64,
            counted_so_far: [self.counted_so_far, planned_so_far],
        }
    }

    /// Takes over the counts of a congestion of the same map and classes.
    /// # Errors
    /// The numbers of counts are others, in words.
    pub fn restore(&mut self, saved: &SavedCongestion) -> Result<(), String> {
        let SavedCongestion { blocks, planned, planned_next, next, counted_so_far } = saved;
        let [of_blocks, of_planned] = *counted_so_far;
        let (found, expected) = (blocks.len(), self.blocks.len());
        if found != expected {
            return Err(format!("{found} blocks of congestion, expected {expected}"));
        }
        if !self.planned.restore([planned, planned_next], of_planned) {
            return Err("the planned flow is of a map of another size".to_owned());
        }
        for (block, &(waited_ticks, entered)) in self.blocks.iter_mut().zip(blocks) {
            *block = Block { waited_ticks, entered };
        }
        self.next = usize::try_from(*next).map_err(|_| format!("next checked agent {next}"))?;
        self.counted_so_far = of_blocks;
        Ok(())
    }
}
