//! Compares the header of a recording with that of a second run.

use crate::recording::difference::{Compared, Difference, list_difference, value_difference};
use crate::recording::header::Header;

/// The first part in which two headers differ.
pub(super) fn header_difference(headers: Compared<&Header>) -> Option<Difference> {
    if headers.recorded == headers.found {
        return None;
    }
    let text = |field: &str, text: &dyn Fn(&Header) -> String| headers.map(text).differ_shortened(0, field);
    text("size of the map", &|header| format!("{} x {}", header.map.width, header.map.height))
        .or_else(|| text("name", &|header| header.name.clone()))
        .or_else(|| text("search slots", &|header| header.search_slots.to_string()))
        .or_else(|| list_difference("tunable", headers.map(|header| &header.tunables[..])))
        .or_else(|| text("collision", &|header| header.collision.clone()))
        .or_else(|| text("shape", &|header| header.shape.clone()))
        .or_else(|| layer_difference(headers))
        .or_else(|| list_difference("terrain kind", headers.map(|header| &header.terrain_kinds[..])))
        .or_else(|| {
            let colours = headers.map(|header| &header.terrain_colours[..]);
            list_difference("colour of terrain kind", colours)
        })
        .or_else(|| list_difference("side kind", headers.map(|header| &header.side_kinds[..])))
        .or_else(|| text("revision of the map", &|header| header.map_revision.to_string()))
        .or_else(|| list_difference("object", headers.map(|header| &header.objects[..])))
        .or_else(|| list_difference("class", headers.map(|header| &header.classes[..])))
        .or_else(|| list_difference("order", headers.map(|header| &header.orders[..])))
        .or_else(|| list_difference("kind of order", headers.map(|header| &header.order_kinds[..])))
        .or_else(|| {
            let names = |header: &Header| -> Vec<String> {
                header.attached.iter().map(|file| file.name.clone()).collect()
            };
            let Compared { recorded, found } = headers.map(names);
            list_difference("attached file", Compared { recorded: &recorded[..], found: &found })
        })
        .or_else(|| {
            let values = headers.map(|header| serde_json::to_value(&header.host).unwrap_or_default());
            let Compared { recorded, found } = &values;
            value_difference(0, "setup: ", Compared { recorded: Some(recorded), found: Some(found) })
        })
        .or_else(|| {
            let n_bytes =
                |header: &Header| header.attached.iter().map(|file| file.bytes.len()).sum::<usize>();
            // Of equal sizes too: the headers differ, and all that has a name is equal.
            Some(headers.map(|header| format!("{} bytes", n_bytes(header))).difference(0, "header"))
        })
}

/// The first cell in which the layers of two maps of one size differ.
fn layer_difference(headers: Compared<&Header>) -> Option<Difference> {
    let (recorded, found) = (&headers.recorded.map, &headers.found.map);
    let cell = |layer: &str, differs: &dyn Fn(usize) -> bool, text: &dyn Fn(&Header, usize) -> String| {
        let index = (0..recorded.terrain.len()).find(|&index| differs(index))?;
        let width = recorded.width as usize;
        let field = format!("{layer} of cell ({}, {})", index % width, index / width);
        headers.map(|header| text(header, index)).differ_shortened(0, &field)
    };
    let kind = |header: &Header, index: usize| {
        let number = header.map.terrain[index];
        let known = header.terrain_kinds.get(usize::from(number));
        known.map_or_else(|| number.to_string(), |kind| kind.name.clone())
    };
    let sides = |header: &Header, index: usize| {
        format!("{:06x}", header.map.sides.get(index).copied().unwrap_or_default())
    };
    let height = |header: &Header, index: usize| header.map.height_of(index).to_string();
    cell("terrain", &|index| recorded.terrain[index] != found.terrain[index], &kind)
        .or_else(|| cell("sides", &|index| recorded.sides.get(index) != found.sides.get(index), &sides))
        .or_else(|| {
            cell("height", &|index| recorded.elevation.get(index) != found.elevation.get(index), &height)
        })
}
