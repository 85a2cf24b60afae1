//! The paths of all agents in one array: of primitives, or in recordings of runs of equal moves.

/// The rest of an agent's path in the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathHandle {
    start: u32,
    length: u32,
}

impl PathHandle {
    /// No path.
    pub const EMPTY: Self = Self { start: 0, length: 0 };

    /// Entries left: moves, or runs of them.
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// Whether no move is left.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }
}

/// The moves of all paths, one byte each. The array is compacted when half of it is dead.
#[derive(Debug)]
pub struct PathPool<T = u8> {
    moves: Vec<T>,
    /// The target of the next compaction.
    spare: Vec<T>,
    live: usize,
}

/// Below this length the array is not compacted.
const COMPACT_FROM: usize = 1 << 16;

impl<T> Default for PathPool<T> {
    /// Memory up to the first compaction, so that small worlds never allocate.
    fn default() -> Self {
        let room = || Vec::with_capacity(COMPACT_FROM);
        Self { moves: room(), spare: room(), live: 0 }
    }
}

impl<T: Copy> Clone for PathPool<T> {
    /// A copy with as much memory, so that what allocates nothing in one allocates nothing in the other.
    fn clone(&self) -> Self {
        let room = || Vec::with_capacity(COMPACT_FROM.max(self.moves.capacity()));
        let mut copy = Self { moves: room(), spare: room(), live: 0 };
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        self.moves.clone_from(&source.moves);
        self.live = source.live;
    }
}

impl PathPool {
    /// Bytes in use, with the moves already made until the array is compacted.
    pub fn bytes(&self) -> usize {
        self.moves.len()
    }
}

impl<T: Copy> PathPool<T> {
    /// Entries of all paths together.
    pub fn live(&self) -> usize {
        self.live
    }

    /// Moves of a path, next first.
    pub fn moves(&self, path: PathHandle) -> &[T] {
        &self.moves[path.start as usize..][..path.len()]
    }

    /// The next move of a path.
    pub fn first_mut(&mut self, path: PathHandle) -> Option<&mut T> {
        self.moves[path.start as usize..][..path.len()].first_mut()
    }

    /// Replaces an agent's path. `paths` are the handles of all agents, for other paths may move within the pool.
    pub fn replace(&mut self, paths: &mut [PathHandle], row: usize, moves: &[T]) {
        self.drop_path(&mut paths[row]);
        if self.moves.len() + moves.len() > COMPACT_FROM.max(2 * (self.live + moves.len())) {
            self.compact(paths);
        }
        paths[row] = PathHandle { start: self.moves.len() as u32, length: moves.len() as u32 };
        self.moves.extend_from_slice(moves);
        self.live += moves.len();
    }

    /// Takes the next move off a path.
    pub fn advance(&mut self, path: &mut PathHandle) {
        path.start += 1;
        path.length -= 1;
        self.live -= 1;
    }

    /// Forgets a path.
    pub fn drop_path(&mut self, path: &mut PathHandle) {
        self.live -= path.len();
        *path = PathHandle::EMPTY;
    }

    fn compact(&mut self, paths: &mut [PathHandle]) {
        self.spare.clear();
        for path in paths {
            let start = self.spare.len() as u32;
            self.spare.extend_from_slice(&self.moves[path.start as usize..][..path.len()]);
            path.start = start;
        }
        std::mem::swap(&mut self.moves, &mut self.spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_compaction() {
        let mut pool = PathPool::default();
        let mut paths = vec![PathHandle::EMPTY; 3];
        pool.replace(&mut paths, 1, &[7, 8, 9]);
        pool.advance(&mut paths[1]);
        for round in 0..200_u8 {
            pool.replace(&mut paths, 0, &[round; 1000]);
            assert_eq!(pool.moves(paths[1]), [8, 9]);
            assert_eq!(pool.moves(paths[0]), [round; 1000]);
        }
        assert!(pool.moves.len() <= COMPACT_FROM);
        pool.drop_path(&mut paths[0]);
        assert!(pool.moves(paths[0]).is_empty() && pool.live == 2);
    }
}
