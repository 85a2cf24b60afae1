//! Hashes of everything that the next tick depends on.

use crate::orders::OrderKind;
use crate::world::World;
use wheelbase_grid::Fnv1a;
use wheelbase_traffic::hash::fold;

/// A hash function over the words of a state.
trait Sink {
    fn word(&mut self, word: u64);

    /// The words of one agent.
    fn words(&mut self, words: &[u64]) {
        words.iter().for_each(|&word| self.word(word));
    }

    /// The remaining moves of a path.
    fn moves(&mut self, moves: &[u8]);
}

/// 64-bit FNV-1a over words, a move each a word; any change of one word changes it.
struct Hasher(Fnv1a);

impl Sink for Hasher {
    fn word(&mut self, word: u64) {
        self.0.write(&word.to_le_bytes());
    }

    fn moves(&mut self, moves: &[u8]) {
        self.word(moves.len() as u64);
        moves.iter().for_each(|&primitive| self.word(u64::from(primitive)));
    }
}

/// A hash that is cheap enough for every tick: one multiplication a word, and eight moves a word. Changing one word
/// always changes it.
struct TickHasher(u64);

impl Sink for TickHasher {
    fn word(&mut self, word: u64) {
        self.0 = fold(self.0, word);
    }

    fn words(&mut self, words: &[u64]) {
        // A separate hash, so that the processor does not wait for those of earlier agents.
        let mut agent = Self(words.len() as u64);
        words.iter().for_each(|&word| agent.word(word));
        self.word(agent.0);
    }

    fn moves(&mut self, moves: &[u8]) {
        let mut path = Self(moves.len() as u64);
        let (eights, rest) = moves.as_chunks::<8>();
        eights.iter().for_each(|eight| path.word(u64::from_le_bytes(*eight)));
        rest.iter().for_each(|&primitive| path.word(u64::from(primitive)));
        self.word(path.0);
    }
}

impl World {
    /// Hash of the state, equal for any number of threads, in debug and release builds. Linear in agents, remaining
    /// moves and requests.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Hasher(Fnv1a::new());
        self.hash_into(&mut hash);
        hash.0.finish()
    }

    /// Hash of the same state by another function, several times as fast: recordings hold it for each tick. Equal for
    /// any number of threads, in debug and release builds.
    pub fn tick_hash(&self) -> u64 {
        let mut hash = TickHasher(Fnv1a::new().finish());
        self.hash_into(&mut hash);
        hash.0
    }

    fn hash_into(&self, hash: &mut impl Sink) {
        hash.word(u64::from(self.tick));
        hash.word(self.grid.revision());
        hash.word(self.events.next as u64);
        for pending in self.pending_edits.edits() {
            hash.word(u64::from(pending.number) << 32 | u64::from(pending.asked));
        }
        let agents = &self.agents;
        for row in 0..agents.len() {
            let (motion, wait_state) = (agents.motion[row], agents.wait_states[row]);
            let (orders, statistics) = (agents.orders(row), agents.statistics(row));
            let small = u64::from(motion.primitive) << 24
                | u64::from(motion.class.0) << 16
                | (motion.activity as u64) << 8
                | u64::from(wait_state.stranded) << 3
                | u64::from(motion.replan) << 2
                | u64::from(orders.reported) << 1
                | u64::from(orders.to_nearest);
            let [open, lists] = orders.words();
            hash.words(&[
                u64::from(agents.ids[row].0) << 32 | u64::from(motion.state.0),
                u64::from(motion.until) << 32 | small,
                wait_state.priority as u64,
                u64::from(wait_state.waits_since) << 32 | u64::from(wait_state.moved_at),
                u64::from(wait_state.ask_again_at) << 32
                    | u64::from(wait_state.look_failures) << 8
                    | u64::from(wait_state.failures),
                u64::from(wait_state.look_again_at),
                open,
                lists,
                u64::from(orders.since) << 32 | u64::from(statistics.finished_at),
                u64::from(orders.station) << 32 | u64::from(orders.given),
                agents.assigned[row].map_or(u64::MAX, |state| u64::from(state.0)),
            ]);
            if let Some(order) = self.orders.current(&orders)
                && let OrderKind::Task(slot) = &order.kind
            {
                let goal = slot.goal();
                let cell =
                    goal.map_or(u64::MAX, |goal| u64::from(goal.cell.x as u32) << 32 | goal.cell.y as u64);
                let heading =
                    goal.and_then(|goal| goal.heading).map_or(u64::MAX, |heading| u64::from(heading.0));
                hash.words(&[u64::from(slot.given()), cell, heading]);
            }
            hash.moves(self.paths.moves(agents.paths[row]));
        }
        self.requests.for_each_word(|word| hash.word(word));
        self.congestion.for_each_word(&mut |word| hash.word(word));
        self.group_goals.for_each_word(|word| hash.word(word));
        self.traffic.for_each_word(&mut |word| hash.word(word));
        let counts = &self.counts;
        for word in [
            counts.orders_done,
            counts.orders_unreachable,
            counts.moves,
            counts.wait_ticks,
            counts.expansions,
        ] {
            hash.word(word);
        }
    }
}
