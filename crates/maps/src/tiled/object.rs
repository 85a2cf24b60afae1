//! Objects of a map: agents and goals, for example.

use super::error::TiledError;
use super::layer::{Frame, Part};
use super::pixel_grid::{PixelGrid, PixelRect};
use super::source::Source;
use roxmltree::Node;
use wheelbase_grid::Rect;

/// An object with a class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TiledObject {
    /// Line in the file, from 1.
    pub line: u32,
    /// Its number, unique on the map.
    pub id: u32,
    /// Name; may be empty.
    pub name: String,
    /// Class, called type in older files; not empty.
    pub class: String,
    /// The cells whose middles it covers, or else the cell that contains its middle; may lie off the map.
    pub area: Rect,
    /// Its properties, in the order of the file.
    pub properties: Vec<TiledProperty>,
}

/// A property of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TiledProperty {
    /// Name.
    pub name: String,
    /// Value, as text.
    pub value: String,
    /// Whether the value is the number of an object.
    pub is_object: bool,
}

/// Reads the objects of a group that have a class.
pub(super) fn read_group(
    source: &Source<'_>,
    Part { node, offset }: Part<'_>,
    (pixels, frame): (&PixelGrid, Frame),
    objects: &mut Vec<TiledObject>,
) -> Result<(), TiledError> {
    for node in node.children().filter(|node| node.has_tag_name("object")) {
        let Some(object) = read(source, node, offset, pixels)? else { continue };
        let on_map =
            |at: i32, origin: i64| (i64::from(at) - origin).clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        let (x, y) = (on_map(object.area.x, frame.origin.0), on_map(object.area.y, frame.origin.1));
        objects.push(TiledObject { area: Rect { x, y, ..object.area }, ..object });
    }
    Ok(())
}

/// Reads an object, or `None` if it has no class.
fn read(
    source: &Source<'_>,
    node: Node<'_, '_>,
    (dx, dy): (f64, f64),
    pixels: &PixelGrid,
) -> Result<Option<TiledObject>, TiledError> {
    let refuse = |what: &str, instead| Err(source.not_supported(node, what.to_owned(), instead));
    if node.attribute("template").is_some() {
        return refuse("objects from a template", "objects without a template (Detach in the editor)");
    }
    let class = node.attribute("class").or_else(|| node.attribute("type")).unwrap_or("");
    if class.is_empty() {
        return Ok(None);
    }
    let number = |name| source.number(node, name, PixelGrid::PIXELS_MAX);
    let (x, mut y) = (number("x")? + dx, number("y")? + dy);
    let (width, height) = (number("width")?, number("height")?);
    if node.attribute("gid").is_some() {
        // The position of a tile object is its south-western corner.
        y -= height;
    }
    if (width > 0.0 || height > 0.0) && number("rotation")? != 0.0 {
        return refuse("rotated objects", "rotation 0, and the property \"heading\" of an agent");
    }
    let properties = source.properties_of(node).map(|property| TiledProperty {
        name: property.name.to_owned(),
        value: property.value.to_owned(),
        is_object: property.type_name == "object",
    });
    Ok(Some(TiledObject {
        line: source.line(node),
        id: source.whole(node, "id", 0..=u32::MAX)?,
        name: node.attribute("name").unwrap_or("").to_owned(),
        class: class.to_owned(),
        area: pixels.cells(PixelRect { x, y, width: width.max(0.0), height: height.max(0.0) }),
        properties: properties.collect(),
    }))
}
