//! Tilesets in JSON: `.tsj` and `.json` files.

use super::error::{TiledError, TiledErrorKind};
use super::source::FileText;
use super::tileset::{Picture, TILES_MAX, Tile, TileProperty, Tileset, tile_of};
use crate::decoder_panic::catch_decoder_panic;
use crate::text_lines::shortened;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use wheelbase_grid::{GridShape, SideTable};

/// Most characters of a message of the parser that an error repeats.
const PARSER_CHARS_MAX: usize = 120;

/// An object: the text of each value by its key. Values stay text, since its place tells their line.
type Object<'t> = BTreeMap<String, &'t RawValue>;

/// Whether a text is JSON rather than XML.
pub(super) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

/// Reads a tileset for a map of the given shape and side kinds.
pub(super) fn read_json_tileset(
    text: &str,
    tileset: &str,
    kinds: (GridShape, &SideTable),
) -> Result<Tileset, TiledError> {
    let file = FileText::new(text, Some(tileset));
    let parsed = catch_decoder_panic(|| serde_json::from_str::<Object<'_>>(text));
    let parsed = parsed.map_err(|panic| file.error(0, TiledErrorKind::Json(panic.to_string())))?;
    let root = parsed.map_err(|wrong| {
        // Its line counts from 1; 0 means none.
        let line = u32::try_from(wrong.line()).unwrap_or(1).max(1);
        let kind = TiledErrorKind::Json(shortened(&wrong.to_string(), PARSER_CHARS_MAX));
        TiledError { line, ..file.error(0, kind) }
    })?;
    let reader = JsonReader { file: &file };
    if let Some(found) = reader.string(&root, "type")?.filter(|found| found != "tileset") {
        let kind = TiledErrorKind::Root { found: shortened(&found, 16), expected: "tileset" };
        return Err(file.error(0, kind));
    }
    let or_0 = |name| reader.whole(&root, name).map(Option::unwrap_or_default);
    let picture = Picture {
        size: [or_0("imagewidth")?, or_0("imageheight")?],
        tile: [or_0("tilewidth")?, or_0("tileheight")?],
        margin: or_0("margin")?,
        spacing: or_0("spacing")?,
    };
    let mut tiles = BTreeMap::new();
    for tile in reader.objects(&root, "tiles")? {
        let Some(id) = reader.whole(&tile.object, "id")? else {
            let kind = TiledErrorKind::Missing { element: "tile".to_owned(), attribute: "id" };
            return Err(file.error(tile.at, kind));
        };
        tiles.insert(id, reader.tile(&tile, kinds)?);
    }
    let name = reader.string(&root, "name")?.unwrap_or_default();
    Ok(Tileset::new(&name, reader.whole(&root, "tilecount")?, picture, tiles))
}

/// Reads values of a file.
struct JsonReader<'f, 't> {
    file: &'f FileText<'t>,
}

/// An object in a list.
struct ListedObject<'t> {
    object: Object<'t>,
    /// Byte of the file at which it begins.
    at: usize,
}

impl<'t> JsonReader<'_, 't> {
    /// The byte at which a value begins.
    fn at(&self, value: &RawValue) -> usize {
        // The value is a part of the text.
        value.get().as_ptr() as usize - self.file.text.as_ptr() as usize
    }

    fn bad(&self, key: &str, value: &RawValue, expected: &str) -> TiledError {
        self.file.bad_value(self.at(value), key, value.get(), expected.to_owned())
    }

    fn string(&self, object: &Object<'t>, key: &str) -> Result<Option<String>, TiledError> {
        let Some(value) = object.get(key) else { return Ok(None) };
        serde_json::from_str(value.get()).map(Some).map_err(|_| self.bad(key, value, "a string"))
    }

    fn whole(&self, object: &Object<'t>, key: &str) -> Result<Option<u32>, TiledError> {
        let Some(value) = object.get(key) else { return Ok(None) };
        let number = serde_json::from_str(value.get()).ok().filter(|number| *number <= TILES_MAX);
        let expected = || self.bad(key, value, &format!("a whole number from 0 to {TILES_MAX}"));
        number.map(Some).ok_or_else(expected)
    }

    /// The objects in a list; none if it is missing.
    fn objects(&self, object: &Object<'t>, key: &str) -> Result<Vec<ListedObject<'t>>, TiledError> {
        let Some(value) = object.get(key) else { return Ok(Vec::new()) };
        let list: Result<Vec<&'t RawValue>, _> = serde_json::from_str(value.get());
        let list = list.map_err(|_| self.bad(key, value, "a list"))?;
        let read = |item: &'t RawValue| match serde_json::from_str(item.get()) {
            Ok(object) => Ok(ListedObject { object, at: self.at(item) }),
            Err(_) => Err(self.bad(key, item, "a list of objects")),
        };
        list.into_iter().map(read).collect()
    }

    fn tile(&self, tile: &ListedObject<'t>, kinds: (GridShape, &SideTable)) -> Result<Tile, TiledError> {
        let class = match self.string(&tile.object, "class")? {
            None => self.string(&tile.object, "type")?,
            class => class,
        };
        let mut read = Vec::new();
        for ListedObject { object, at } in self.objects(&tile.object, "properties")? {
            let (Some(name), Some(value)) = (self.string(&object, "name")?, object.get("value")) else {
                continue;
            };
            // Numbers and truth values are written without quotes.
            let value = serde_json::from_str(value.get()).unwrap_or_else(|_| value.get().to_owned());
            read.push((name, value, at));
        }
        let properties = read.iter().map(|(name, value, at): &(String, String, usize)| TileProperty {
            name,
            value: Cow::Borrowed(value),
            at: *at,
        });
        tile_of(self.file, class.as_deref().map(|class| (class, tile.at)), properties, kinds)
    }
}
