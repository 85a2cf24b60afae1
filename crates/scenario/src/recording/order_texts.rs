//! Texts of the orders that were given during a run, by number.

use crate::order_text::order_json;
use crate::varint;
use wheelbase_sim::{OrderList, OrderPool};

/// Most bytes of the texts of a frame.
const TEXT_BYTES_MAX: usize = 1 << 27;
/// Most texts of a frame.
const TEXTS_MAX: usize = 1 << 24;

/// Canonical texts of orders. The header holds the initial ones; later orders are announced in the tick that stores
/// them, with rising numbers. Key frames hold the texts of orders that agents have at that tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OrderTexts {
    /// Number of the next order that is announced.
    next: u32,
    /// Numbers, rising, and where the text of each ends.
    numbers: Vec<u32>,
    ends: Vec<u32>,
    text: String,
}

impl OrderTexts {
    /// None so far, behind the orders of a header.
    pub fn after(n_in_header: usize) -> Self {
        Self { next: n_in_header as u32, ..Self::default() }
    }

    /// The texts of all orders of a world that has stepped.
    /// # Errors
    /// There are too many of them.
    pub fn of_pool(orders: &OrderPool) -> Result<Self, String> {
        let mut texts = Self { next: orders.next_number(), ..Self::default() };
        for (first, list) in orders.lists() {
            for (number, order) in (first..).zip(list) {
                texts.add(number, &order_json(order).to_string())?;
            }
        }
        Ok(texts)
    }

    /// Number of the next order that is announced.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Adds the text of the next order.
    /// # Errors
    /// There are too many of them.
    pub fn announce(&mut self, text: &str) -> Result<(), String> {
        let number = self.next;
        // The highest number means that there is no order.
        self.next =
            number.checked_add(1).filter(|&next| next < u32::MAX).ok_or("more orders than numbers")?;
        self.add(number, text)
    }

    fn add(&mut self, number: u32, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Err(format!("order {number} without a text"));
        }
        if self.numbers.len() >= TEXTS_MAX || self.text.len() + text.len() > TEXT_BYTES_MAX {
            return Err(format!(
                "orders of more than {TEXT_BYTES_MAX} bytes, or more than {TEXTS_MAX} of them"
            ));
        }
        self.text.push_str(text);
        self.numbers.push(number);
        self.ends.push(self.text.len() as u32);
        Ok(())
    }

    /// The text of a number.
    pub fn get(&self, number: u32) -> Option<&str> {
        self.numbers.binary_search(&number).ok().map(|at| self.at(at))
    }

    fn at(&self, at: usize) -> &str {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[begin..self.ends[at] as usize]
    }

    /// Drops the texts of all orders outside some lists, in rising order. Linear in the texts.
    pub fn keep(&mut self, lists: impl Iterator<Item = OrderList>) {
        let mut lists = lists.peekable();
        let mut is_kept = |number: u32| {
            while lists.next_if(|list| list.first.saturating_add(list.count) <= number).is_some() {}
            lists.peek().is_some_and(|list| list.first <= number)
        };
        // Mostly all are kept, at no cost of memory.
        let Some(first) = self.numbers.iter().position(|&number| !is_kept(number)) else { return };
        let (mut at, rest) =
            (first, self.text.split_off(self.ends[..first].last().map_or(0, |&end| end as usize)));
        let mut begin = self.text.len();
        let offset = begin;
        for from in first..self.numbers.len() {
            let (number, end) = (self.numbers[from], self.ends[from] as usize);
            if from > first && is_kept(number) {
                self.text.push_str(&rest[begin - offset..end - offset]);
                (self.numbers[at], self.ends[at]) = (number, self.text.len() as u32);
                at += 1;
            }
            begin = end;
        }
        self.numbers.truncate(at);
        self.ends.truncate(at);
    }

    /// Whether all texts of a key frame are known, and equal.
    pub fn include(&self, key: &Self) -> bool {
        let is_known = |at: usize| self.get(key.numbers[at]) == Some(key.at(at));
        self.next == key.next && (0..key.numbers.len()).all(is_known)
    }

    /// Appends the texts as they stand in a key frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        varint::put(out, self.next.into());
        let mut previous = 0;
        for (at, &number) in self.numbers.iter().enumerate() {
            varint::put(out, (number - previous).into());
            previous = number;
            put_text(self.at(at), out);
        }
    }

    /// Reads the texts of a key frame, behind the orders of a header.
    /// # Errors
    /// The first impossible part.
    pub fn decode(mut bytes: &[u8], n_in_header: usize) -> Result<Self, String> {
        let read = |bytes: &mut &[u8]| varint::read(bytes).map_err(|error| error.to_string());
        let mut texts = Self::after(n_in_header);
        let next = u32::try_from(read(&mut bytes)?).unwrap_or(u32::MAX);
        if next < texts.next || next == u32::MAX {
            return Err("fewer orders than its header has, or too many".to_owned());
        }
        let mut least = u64::from(texts.next);
        let mut previous = 0;
        while !bytes.is_empty() {
            let number = read(&mut bytes)?.checked_add(previous).filter(|number| *number >= least);
            let number = number.filter(|&number| number < u64::from(next)).ok_or("orders out of order")?;
            texts.add(number as u32, take_text(&mut bytes)?)?;
            (previous, least) = (number, number + 1);
        }
        texts.next = next;
        Ok(texts)
    }
}

/// Appends a text after its length.
pub(super) fn put_text(text: &str, out: &mut Vec<u8>) {
    varint::put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads a text that [`put_text`] has written.
/// # Errors
/// It is longer than the bytes, or no UTF-8.
pub(super) fn take_text<'a>(bytes: &mut &'a [u8]) -> Result<&'a str, String> {
    let length = varint::read(bytes).map_err(|error| error.to_string())?;
    let n_left = bytes.len();
    let length = usize::try_from(length).ok().filter(|&length| length <= n_left);
    let (text, rest) = bytes.split_at(length.ok_or("a text that is longer than the rest")?);
    *bytes = rest;
    std::str::from_utf8(text).map_err(|_| "a text that is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> OrderTexts {
        let mut texts = OrderTexts::after(3);
        for number in 3..9 {
            texts.announce(&format!("{{\"wait\":{number}}}")).unwrap();
        }
        texts
    }

    #[test]
    fn texts_are_found_kept_and_read_again() {
        let all = texts();
        assert_eq!((all.next(), all.get(2), all.get(3), all.get(9)), (9, None, Some("{\"wait\":3}"), None));
        let mut kept = all.clone();
        let list = |first, count| OrderList { first, count };
        kept.keep([list(0, 2), list(4, 2), list(8, 1)].into_iter());
        let found: Vec<u32> = (0..12).filter(|&number| kept.get(number).is_some()).collect();
        assert_eq!((found, kept.get(8)), (vec![4, 5, 8], Some("{\"wait\":8}")));
        let mut bytes = Vec::new();
        kept.encode(&mut bytes);
        let read = OrderTexts::decode(&bytes, 3).unwrap();
        assert!(read == kept && all.include(&read) && !read.include(&all));
        for length in 0..bytes.len() {
            let cut = OrderTexts::decode(&bytes[..length], 3);
            assert!(cut.is_err() || cut.is_ok_and(|cut| cut != kept), "{length}");
        }
    }

    #[test]
    fn impossible_texts_are_refused() {
        let refused = |bytes: &[u8]| OrderTexts::decode(bytes, 3).unwrap_err();
        assert!(refused(&[2]).contains("fewer orders"));
        assert!(refused(&[9, 2, 1, 65]).contains("out of order"));
        assert!(refused(&[9, 4, 1, 65, 0, 1, 65]).contains("out of order"));
        assert!(refused(&[9, 9, 1, 65]).contains("out of order"));
        assert!(refused(&[9, 4, 2, 65]).contains("longer"));
        assert!(refused(&[9, 4, 1, 0xff]).contains("UTF-8"));
        assert!(refused(&[9, 4, 0]).contains("without a text"));
        let mut last = OrderTexts { next: u32::MAX - 2, ..OrderTexts::default() };
        last.announce("a").unwrap();
        assert!(last.announce("a").is_err());
    }
}
