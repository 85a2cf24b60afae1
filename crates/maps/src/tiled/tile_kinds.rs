//! Terrain kinds of tiles by name, for maps whose tiles do not say theirs.

use std::collections::BTreeMap;

/// The kind of tiles that are not read.
const DECORATION: &str = "decoration";

/// Terrain kinds of tiles by name: the table `[map.tiles]` of a scenario.
///
/// A key is a name: the value of a property `terrain`, the class of a tile, the name of a layer or of a tileset. Or it
/// is the name of a tileset with the number of a tile in it, `"desert/29"`, or with a range of them, `"desert/8-15"`.
/// The value is a terrain kind, or `decoration` for tiles that are not read.
///
/// ```
/// use wheelbase_maps::tiled::TileKinds;
/// let mut kinds = TileKinds::default();
/// kinds.insert("desert", "sand")?;
/// kinds.insert("desert/8-15", "rock")?;
/// assert!(kinds.insert("desert/15-20", "road").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileKinds {
    by_name: BTreeMap<String, String>,
    by_tile: BTreeMap<String, NumberedKinds>,
}

/// Kinds of the tiles of a tileset by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct NumberedKinds {
    /// Of single tiles, which take precedence.
    single: BTreeMap<u32, String>,
    /// Of ranges that do not overlap, by their first number: the last number and the kind.
    ranges: BTreeMap<u32, (u32, String)>,
}

/// What a table says of a tile.
#[derive(Clone, Copy)]
pub(super) enum KindOfTile<'k> {
    /// It is of this terrain kind.
    Kind(&'k str),
    /// It is not read.
    Decoration,
}

impl TileKinds {
    /// Adds a key and its kind. A key that is there is replaced.
    /// # Errors
    /// The expected range, if a range of tiles is empty or overlaps another of its tileset.
    pub fn insert(&mut self, key: &str, kind: &str) -> Result<(), String> {
        let kind = kind.to_owned();
        let Some((tileset, first, last)) = split_key(key) else {
            self.by_name.insert(key.to_owned(), kind);
            return Ok(());
        };
        let numbered = self.by_tile.entry(tileset.to_owned()).or_default();
        if first == last {
            numbered.single.insert(first, kind);
            return Ok(());
        }
        if last < first {
            return Err(format!(
                "a range of tiles from the least number on, such as \"{tileset}/{last}-{first}\""
            ));
        }
        let before = numbered.ranges.range(..=last).next_back();
        if let Some((first, (last, _))) = before.filter(|(_, (end, _))| *end >= first) {
            return Err(format!("ranges that do not overlap; there is \"{tileset}/{first}-{last}\""));
        }
        numbered.ranges.insert(first, (last, kind));
        Ok(())
    }

    /// The name in a key: the key itself, or the tileset of numbered tiles.
    pub fn name_of(key: &str) -> &str {
        split_key(key).map_or(key, |(tileset, ..)| tileset)
    }

    /// Its entry for a name.
    pub(super) fn of_name(&self, name: &str) -> Option<KindOfTile<'_>> {
        self.by_name.get(name).map(|kind| KindOfTile::of(kind))
    }

    /// Whether a layer of this name is not read.
    pub(super) fn is_decoration(&self, layer: &str) -> bool {
        matches!(self.of_name(layer), Some(KindOfTile::Decoration))
    }

    /// Its entry for a tile by its number.
    pub(super) fn of_tile(&self, tileset: &str, tile: u32) -> Option<KindOfTile<'_>> {
        let numbered = self.by_tile.get(tileset)?;
        let in_range = || {
            let (_, (last, kind)) = numbered.ranges.range(..=tile).next_back()?;
            (tile <= *last).then_some(kind)
        };
        numbered.single.get(&tile).or_else(in_range).map(|kind| KindOfTile::of(kind))
    }
}

impl<'k> KindOfTile<'k> {
    fn of(kind: &'k str) -> Self {
        if kind == DECORATION { Self::Decoration } else { Self::Kind(kind) }
    }
}

/// Tileset, first and last number of a key of numbered tiles.
fn split_key(key: &str) -> Option<(&str, u32, u32)> {
    let (tileset, numbers) = key.rsplit_once('/')?;
    let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
    // `parse` would accept a plus sign.
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    Some((tileset, number(first)?, number(last)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_precedence_over_ranges() {
        let mut kinds = TileKinds::default();
        for (key, kind) in [("a", "sand"), ("a/2-9", "rock"), ("a/4", "road"), ("a/12-20", "decoration")] {
            kinds.insert(key, kind).unwrap();
        }
        let of = |tile| match kinds.of_tile("a", tile) {
            None => "",
            Some(KindOfTile::Kind(kind)) => kind,
            Some(KindOfTile::Decoration) => "-",
        };
        assert_eq!(
            [1, 2, 3, 4, 9, 10, 12, 20, 21].map(of),
            ["", "rock", "rock", "road", "rock", "", "-", "-", ""]
        );
        assert!(kinds.of_name("a").is_some() && kinds.of_name("a/4").is_none());
        for key in ["a/9-10", "a/0-2", "a/0-30", "a/5-6", "a/30-25", "a/20-22"] {
            assert!(kinds.insert(key, "x").is_err(), "{key}");
        }
        for key in ["a/10-11", "b/2-9"] {
            kinds.insert(key, "x").unwrap();
        }
        assert_eq!(
            ["a/4", "a/4-5", "a", "a/b", "a/+4"].map(TileKinds::name_of),
            ["a", "a", "a", "a/b", "a/+4"]
        );
    }
}
