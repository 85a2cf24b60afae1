//! Places that are given again.

use serde::{Deserialize, Serialize};

/// Values in places that are given again, the one freed last first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Places<T> {
    values: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Self {
        Self { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Places<T> {
    /// Puts a value in a free place, or in a new one.
    pub fn add(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.values[place as usize] = value;
                place
            }
            None => {
                self.values.push(value);
                (self.values.len() - 1) as u32
            }
        }
    }

    /// Gives out a free place, its last value changed by `renew` in its memory, or a new place with a `new` value.
    pub fn reuse_or_add(&mut self, renew: impl FnOnce(&mut T), new: impl FnOnce() -> T) -> u32 {
        match self.free.pop() {
            Some(place) => {
                renew(&mut self.values[place as usize]);
                place
            }
            None => self.add(new()),
        }
    }

    /// The value in a place, free or not.
    pub fn get(&self, place: u32) -> Option<&T> {
        self.values.get(place as usize)
    }

    /// The value in a place, to change.
    pub fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.values.get_mut(place as usize)
    }

    /// Frees a place. Its value stays there, for its memory, until the place is given again.
    pub fn free(&mut self, place: u32) {
        self.free.push(place);
    }

    /// Whether a place is free. Linear in the free ones.
    pub fn is_free(&self, place: u32) -> bool {
        self.free.contains(&place)
    }

    /// Whether no place is free twice, and each free place is there. Linear in the places.
    pub fn are_sound(&self) -> bool {
        are_distinct(&self.free, self.values.len())
    }

    /// The values in places that are not free, in order.
    pub fn used(&self) -> impl Iterator<Item = (u32, &T)> {
        let mut free = self.free.clone();
        free.sort_unstable();
        let values = (0_u32..).zip(&self.values);
        values.filter(move |(place, _)| free.binary_search(place).is_err())
    }

    /// The same places, with other values.
    pub fn map<'a, U>(&'a self, value: impl FnMut(&'a T) -> U) -> Places<U> {
        Places { values: self.values.iter().map(value).collect(), free: self.free.clone() }
    }

    /// Number of places that are not free.
    pub fn in_use(&self) -> usize {
        self.values.len() - self.free.len()
    }

    /// The values of all places in order, free or not.
    pub fn values(&self) -> &[T] {
        &self.values
    }
}

/// Whether numbers are distinct and below `n`. Linear in both.
pub(crate) fn are_distinct(numbers: &[u32], n: usize) -> bool {
    let mut is_seen = vec![false; n];
    numbers.iter().all(|&number| {
        let seen = is_seen.get_mut(number as usize);
        seen.is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_freed_last_is_given_first() {
        let mut places = Places::default();
        assert_eq!([7, 8, 9].map(|value| places.add(value)), [0, 1, 2]);
        places.free(0);
        places.free(2);
        assert_eq!((places.in_use(), places.is_free(0), places.is_free(1)), (1, true, false));
        assert_eq!(places.reuse_or_add(|value| *value += 10, || 0), 2);
        assert_eq!([places.add(5), places.reuse_or_add(|_| (), || 6)], [0, 3]);
        assert_eq!((places.values(), places.in_use()), (&[5, 8, 19, 6][..], 4));
    }
}
