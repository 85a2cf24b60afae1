//! Maps of the Tiled editor. Maps written here are read as intended. Mistakes are reported with their line, and
//! damage is an error, not a panic.

#![cfg(feature = "tiled")]

use miniz_oxide::deflate::compress_to_vec_zlib;
use proptest::prelude::*;
use wheelbase_grid::{
    Cell, GridShape, Rect, Side, SideEntry, SideKind, SideTable, TerrainEntry, TerrainTable,
};
use wheelbase_maps::tiled::{TileKinds, TiledMap, parse};

const TILES: &str = r#"<tileset version="1.10" name="roads" tilewidth="16" tileheight="16" tilecount="6" columns="3">
 <image source="roads.png" width="48" height="32"/>
 <tile id="0"><properties><property name="terrain" value="ground"/></properties></tile>
 <tile id="1"><properties><property name="terrain" value="road"/><property name="speed" type="int" value="1500"/><property name="sides" value="N S"/></properties></tile>
 <tile id="2"><properties><property name="terrain" value="road"/><property name="sides" value="N,W=hedge"/></properties></tile>
 <tile id="3"><properties><property name="sides" value="E=hedge"/></properties></tile>
 <tile id="4"/>
</tileset>"#;

fn sides() -> SideTable {
    SideTable::new(vec![SideEntry { name: "hedge".to_owned(), speed: 300 }]).unwrap()
}

fn read(map: &str) -> Result<TiledMap, String> {
    let tileset = |name: &str| match name {
        "roads.tsx" => Ok(TILES.as_bytes().to_vec()),
        _ => Err("cannot be read: no such file".to_owned()),
    };
    parse(map.as_bytes(), &TerrainTable::movingai(), sides(), &TileKinds::default(), tileset)
        .map_err(|error| error.to_string())
}

/// A map of 3 by 2 cells with the tileset from a file.
fn map(data: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" renderorder="right-down" width="3" height="2" tilewidth="16" tileheight="16" infinite="0">
 <tileset firstgid="1" source="roads.tsx"/>
 <layer id="1" name="ground" width="3" height="2">
  {data}
 </layer>
</map>"#
    )
}

fn csv(tiles: &str) -> String {
    map(&format!("<data encoding=\"csv\">\n{tiles}\n</data>"))
}

fn error(map: &str) -> String {
    read(map).map(|_| ()).unwrap_err()
}

#[test]
fn tiles_are_terrain_and_sides() {
    let TiledMap { grid, objects, .. } = read(&csv("1,2,3,\n0,2147483651,3")).unwrap();
    assert!(objects.is_empty());
    let table = grid.terrain_table();
    let names: Vec<&str> = grid.terrain().iter().map(|&kind| table[kind].name.as_str()).collect();
    assert_eq!(names, ["ground", "road", "road", "out", "road", "road"]);
    assert_eq!(table[table.kind_of_name("road").unwrap()].speed, 1500);
    let side = |cell, side| sides()[grid.side_of(Cell(cell), side)].name.clone();
    assert_eq!([side(1, Side::North), side(1, Side::East)], ["wall", "open"]);
    assert_eq!([side(2, Side::North), side(2, Side::West)], ["wall", "hedge"]);
    // Flipped from east to west.
    assert_eq!([side(4, Side::North), side(4, Side::East), side(4, Side::West)], ["wall", "hedge", "open"]);
}

#[test]
fn kinds_of_the_caller_take_precedence() {
    let road = TerrainEntry {
        name: "road".to_owned(),
        glyphs: "=".to_owned(),
        speed: 700,
        colour: None,
        sides: Default::default(),
    };
    let table = TerrainTable::with_standard(vec![road]).unwrap();
    let read = parse(csv("1,2,3,1,1,1").as_bytes(), &table, sides(), &TileKinds::default(), |_| {
        Ok(TILES.as_bytes().to_vec())
    })
    .unwrap();
    assert_eq!(read.grid.terrain_table().entries(), table.entries());
}

#[test]
fn layers_are_stacked() {
    let fences =
        r#"<layer name="fences" width="3" height="2"><data encoding="csv">4,4,0,0,0,1</data></layer>"#;
    let trees = r#"<layer name="birds" width="3" height="2"><properties><property name="decoration" type="bool" value="true"/></properties><data encoding="csv">5,5,5,5,5,5</data></layer>"#;
    let group = format!("<group name=\"above\">{fences}</group>{trees}</map>");
    let grid = read(&csv("1,1073741827,3,2,2,2").replace("</map>", &group)).unwrap().grid;
    let side = |cell, side| sides()[grid.side_of(Cell(cell), side)].name.clone();
    assert_eq!([side(0, Side::East), side(0, Side::North)], ["hedge", "open"]);
    // The tile below is flipped from north to south; the fence above adds to it.
    assert_eq!([side(1, Side::East), side(1, Side::South), side(1, Side::West)], ["hedge", "wall", "hedge"]);
    // A tile with terrain also covers the sides below.
    assert_eq!(side(5, Side::North), "open");
}

#[test]
fn objects_are_cells_and_properties() {
    let group = r#"<objectgroup id="2" name="units">
  <object id="1" name="lorry" class="truck" x="24" y="8"><properties><property name="heading" value="E"/><property name="goal" type="object" value="4"/></properties><point/></object>
  <object id="2" type="goal" gid="1" x="0" y="32" width="16" height="16"/>
  <object id="3" x="1" y="1"><text>no class</text></object>
  <object id="4" class="goal" x="15" y="-1" width="34" height="33"/>
 </objectgroup></map>"#;
    let objects = read(&csv("1,1,1,1,1,1").replace("</map>", group)).unwrap().objects;
    let areas: Vec<_> = objects.iter().map(|object| (object.id, object.area)).collect();
    assert_eq!(areas, [(1, Rect::new(1, 0, 1, 1)), (2, Rect::new(0, 1, 1, 1)), (4, Rect::new(1, 0, 2, 2))]);
    assert_eq!(
        (objects[0].name.as_str(), objects[0].class.as_str(), objects[0].line),
        ("lorry", "truck", 10)
    );
    let goal = &objects[0].properties[1];
    assert_eq!((goal.name.as_str(), goal.value.as_str(), goal.is_object), ("goal", "4", true));
    assert_eq!(objects[1].class, "goal");
}

#[test]
fn odd_rows_of_hexagons_are_shifted() {
    let hex = |from: &str, to: &str| {
        csv("1,1,1,1,1,1")
            .replace("orthogonal\"", "hexagonal\" staggeraxis=\"y\" staggerindex=\"odd\" hexsidelength=\"8\"")
            .replace(from, to)
            .replace("roads.tsx\"/>", "x\"/>")
            .replace("<tileset firstgid=\"1\" source=\"x\"/>", "<tileset firstgid=\"1\" name=\"t\"><tile id=\"0\"><properties><property name=\"terrain\" value=\"ground\"/><property name=\"sides\" value=\"NE\"/></properties></tile></tileset>")
    };
    // Turned clockwise by 60 and by 120 degrees and by both.
    let TiledMap { grid, .. } = read(&hex("1,1,1,1", "1,536870913,268435457,805306369")).unwrap();
    assert_eq!(grid.shape(), GridShape::Hex);
    for (cell, side) in
        [Side::NorthEast, Side::East, Side::SouthEast, Side::SouthWest].into_iter().enumerate()
    {
        assert_eq!(grid.side_of(Cell(cell as u32), side), SideKind::WALL, "{cell}");
    }
    assert_eq!(
        error(&hex("staggerindex=\"odd\"", "staggerindex=\"even\"")),
        "line 2: not supported: hexagonal maps with staggerindex \"even\"; use staggeraxis \"y\" and staggerindex \"odd\""
    );
    assert!(error(&hex("staggeraxis=\"y\"", "staggeraxis=\"x\"")).contains("with staggeraxis \"x\""));
}

#[test]
fn mistakes_are_reported_with_their_line() {
    let whole = csv("1,1,1,\n1,1,1");
    for (from, to, expected) in [
        (
            "\"orthogonal\"",
            "\"isometric\"",
            "line 2: not supported: isometric maps (orientation \"isometric\"); use \"orthogonal\", or \"hexagonal\" with staggeraxis \"y\" and staggerindex \"odd\"",
        ),
        (
            "\"orthogonal\"",
            "\"staggered\"",
            "line 2: not supported: staggered isometric maps (orientation \"staggered\"); use \"orthogonal\", or \"hexagonal\" with staggeraxis \"y\" and staggerindex \"odd\"",
        ),
        (
            "width=\"3\" height=\"2\" tilewidth",
            "width=\"70000\" height=\"70000\" tilewidth",
            "line 2: a map of 70000 x 70000 cells; width and height must be at least 1 and their product at most 67108864",
        ),
        (
            "width=\"3\" height=\"2\">",
            "width=\"4\" height=\"2\">",
            "line 4: \"width\" is \"4\", expected 3, as for the map",
        ),
        ("roads.tsx", "none.tsx", "line 3: tileset none.tsx: cannot be read: no such file"),
        ("firstgid=\"1\"", "", "line 3: element \"tileset\" has no attribute \"firstgid\""),
        (
            "firstgid=\"1\"",
            "firstgid=\"0\"",
            "line 3: \"firstgid\" is \"0\", expected a whole number from 1 to 268435455",
        ),
        (
            "1,1,1,\n1",
            "1,1,1,\n9",
            "line 4: cell (0, 1): there is no tile 9; expected 1 to 6 of tileset \"roads\"",
        ),
        (
            "1,1,1,\n1",
            "1,1,1,\n268435457",
            "line 4: cell (0, 1): there is no tile 268435457; expected 1 to 6 of tileset \"roads\"",
        ),
        (
            "1,1,1,\n1",
            "1,1,5,\n1",
            "line 4: cell (2, 0): tile 4 of tileset \"roads\" has neither a property \"terrain\" or \"sides\" nor a class; give it one, or the scenario a kind for it: [map.tiles] with \"roads/4\" = \"ground\"",
        ),
        (
            "1,1,1,\n1",
            "1,1,1,\nx",
            "line 7: \"tile 3 of the layer\" is \"x\", expected a whole number from 0 to 4294967295",
        ),
        ("1,1,1,\n1", "1,1,1", "line 5: there are 5 tiles here, expected 6, one per cell"),
        ("1,1,1,\n1", "1,1,1,1,1", "line 5: there are more than 6 tiles here, expected one per cell"),
        (
            "encoding=\"csv\"",
            "encoding=\"base64\" compression=\"lz4\"",
            "line 5: not supported: compression \"lz4\"; use Tile Layer Format \"CSV\" or \"Base64\", uncompressed or with zlib, gzip or zstd",
        ),
        (
            "encoding=\"csv\"",
            "encoding=\"base64\"",
            "line 5: the tiles cannot be read: ',' is not a base64 digit",
        ),
        ("encoding=\"csv\"", "", "line 5: there are 0 tiles here, expected 6, one per cell"),
        (
            "<layer",
            "<imagelayer",
            "line 9: not well-formed XML: expected 'imagelayer' tag, not 'layer' at 9:2",
        ),
        ("<map", "<tileset", "line 10: not well-formed XML: expected 'tileset' tag, not 'map' at 10:1"),
    ] {
        let broken = whole.replacen(from, to, 1);
        assert_ne!(broken, whole, "{from}");
        assert_eq!(error(&broken), expected);
    }
    assert_eq!(error(TILES), "line 1: found element \"tileset\", expected \"map\" as the outermost");
    let in_tileset = |from: &str, to: &str| {
        let tiles = TILES.replace(from, to);
        let wrong = parse(
            csv("1,2,3,1,1,1").as_bytes(),
            &TerrainTable::movingai(),
            sides(),
            &TileKinds::default(),
            |_| Ok(tiles.clone().into_bytes()),
        );
        wrong.unwrap_err().to_string()
    };
    assert_eq!(
        in_tileset("\"N S\"", "\"N SE\""),
        "tileset roads.tsx: line 4: \"sides\" is \"N SE\", expected sides out of E, N, W, S, such as \"E W=wall\""
    );
    assert_eq!(
        in_tileset("hedge", "fence"),
        "tileset roads.tsx: line 5: \"sides\" is \"N,W=fence\", expected side kinds out of open, wall, hedge"
    );
    assert_eq!(
        in_tileset("\"1500\"", "\"-1\""),
        "tileset roads.tsx: line 4: \"speed\" is \"-1\", expected a whole number from 0 to 65535"
    );
    assert_eq!(
        in_tileset("<property name=\"speed\" type=\"int\" value=\"1500\"/>", ""),
        "tileset roads.tsx: line 4: terrain \"road\" has no speed; give the tile a property \"speed\", or the scenario a table [terrain.road]"
    );
    assert_eq!(
        in_tileset(
            "value=\"road\"/><property name=\"sides\"",
            "value=\"road\"/><property name=\"speed\" value=\"9\"/><property name=\"sides\""
        ),
        "tileset roads.tsx: line 5: terrain \"road\" has speed 9 here and 1500 at another tile; a kind has one speed"
    );
}

/// The parser compares each attribute of an element with all before it: that would take minutes.
#[test]
fn attributes_200_000_in_an_element() {
    let attributes: String = (0..200_000).map(|number| format!(" a{number}='='")).collect();
    let bomb = csv("1,1,1,1,1,1").replace("<layer", &format!("<!-- <a> --><e{attributes}/><layer"));
    let expected =
        "line 4: not supported: more than 128 attributes in an element; use what the editor writes";
    assert_eq!(error(&bomb), expected);
    let some: String = (0..120).map(|number| format!(" a{number}=\"'\"")).collect();
    read(&csv("1,1,1,1,1,1").replace("<layer", &format!("<e{some}/><layer"))).unwrap();
}

#[test]
fn namespaces_are_limited() {
    let nested = |n: usize| {
        let open: String = (0..n).map(|number| format!("<e\nxmlns:a{number} = 'x'>")).collect();
        csv("1,1,1,1,1,1").replace("<layer", &format!("{open}{}<layer", "</e>".repeat(n)))
    };
    read(&nested(16)).unwrap();
    assert!(error(&nested(17)).contains("more than 16 declarations of namespaces"));
}

#[test]
fn a_tileset_named_2000_times_is_read_once() {
    let named: String =
        (0..2000).map(|at| format!("<tileset firstgid=\"{}\" source=\"roads.tsx\"/>", 8 + at * 6)).collect();
    let map = csv("1,10,12002,1,1,1").replace("<layer", &format!("{named}<layer"));
    let mut n_read = 0;
    let read = parse(map.as_bytes(), &TerrainTable::movingai(), sides(), &TileKinds::default(), |_| {
        n_read += 1;
        Ok(TILES.as_bytes().to_vec())
    });
    let grid = read.unwrap().grid;
    assert_eq!(n_read, 1);
    let names: Vec<&str> =
        grid.terrain().iter().map(|&kind| grid.terrain_table()[kind].name.as_str()).collect();
    assert_eq!(names, ["ground", "road", "ground", "ground", "ground", "ground"]);
    let many = error(&map.replace("1,10,12002", "1,10,99999"));
    assert!(many.ends_with("44 to 49 of tileset \"roads\" or of one of 1993 more"), "{many}");
}

#[test]
fn layers_of_the_largest_map_are_limited() {
    let layer = r#"<layer name="more"><data encoding="base64"></data></layer>"#;
    let large = csv("1,1,1,1,1,1")
        .replace("width=\"3\" height=\"2\"", "width=\"8192\" height=\"8192\"")
        .replace("</map>", &format!("{}</map>", layer.repeat(4)));
    let expected =
        "line 9: not supported: more than 268435456 tiles in all layers together; use fewer layers";
    assert_eq!(error(&large), expected);
}

/// Inflated in pieces of 32 KiB.
#[test]
fn a_deflated_layer_of_many_pieces() {
    let numbers: Vec<u32> = (0..200 * 150_u32).map(|at| at.wrapping_mul(at) % 7 % 4).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let layer = |bytes: &[u8]| {
        let deflated = base64(&compress_to_vec_zlib(bytes, 6));
        map(&format!("<data encoding=\"base64\" compression=\"zlib\">{deflated}</data>"))
            .replace("width=\"3\" height=\"2\"", "width=\"200\" height=\"150\"")
    };
    let grid = read(&layer(&bytes)).unwrap().grid;
    for (&kind, &number) in grid.terrain().iter().zip(&numbers) {
        let expected = ["out", "ground", "road", "road"][number as usize];
        assert_eq!(grid.terrain_table()[kind].name, expected);
    }
    assert!(
        error(&layer(&bytes[..119_999]))
            .ends_with("there are 29999 tiles here, expected 30000, one per cell")
    );
    assert!(
        error(&layer(&[&bytes[..], &[1]].concat()))
            .ends_with("there are more than 30000 tiles here, expected one per cell")
    );
    let text = layer(&bytes);
    let end = text.find("</data>").unwrap();
    let cut = [&text[..end - 400], &text[end..]].concat();
    assert!(error(&cut).ends_with("the tiles cannot be read: its deflated bytes end too early"));
}

/// Where flips of a square move a side, by name, as described by the editor.
fn flipped_by_name(side: &str, flips: u32) -> &str {
    let [horizontal, vertical, diagonal] = [31, 30, 29].map(|bit| flips >> bit & 1 == 1);
    let mut side = side;
    if diagonal {
        side = match side {
            "E" => "S",
            "S" => "E",
            "N" => "W",
            _ => "N",
        };
    }
    if horizontal {
        side = match side {
            "E" => "W",
            "W" => "E",
            same => same,
        };
    }
    if vertical {
        side = match side {
            "N" => "S",
            "S" => "N",
            same => same,
        };
    }
    side
}

/// Bytes as base64, digit by digit.
pub fn base64(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u8> = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).collect();
    let digit = |six: &[u8]| {
        let value = (0..6).fold(0, |value, at| value << 1 | six.get(at).copied().unwrap_or(0));
        char::from(digits[usize::from(value)])
    };
    let mut text: String = bits.chunks(6).map(digit).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random tiles with random flips, in each encoding.
    #[test]
    fn maps_are_read_as_written(
        tiles in prop::collection::vec((1_u32..4, 0_u32..8), 6),
        encoding in 0..3,
    ) {
        let numbers: Vec<u32> = tiles.iter().map(|(tile, flips)| tile | flips << 29).collect();
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let text = match encoding {
            0 => csv(&numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",\n")),
            1 => map(&format!("<data encoding=\"base64\">\n {}\n</data>", base64(&bytes))),
            _ => map(&format!("<data encoding=\"base64\" compression=\"zlib\">{}</data>", base64(&compress_to_vec_zlib(&bytes, 6)))),
        };
        let grid = read(&text).unwrap().grid;
        for (cell, &(tile, flips)) in tiles.iter().enumerate() {
            let kind = grid.terrain()[cell];
            prop_assert_eq!(&grid.terrain_table()[kind].name, ["ground", "road", "road"][tile as usize - 1]);
            let written: &[(&str, &str)] = [&[][..], &[("N", "wall"), ("S", "wall")], &[("N", "wall"), ("W", "hedge")]][tile as usize - 1];
            let mut expected = [SideKind::OPEN; 4];
            for (side, kind) in written {
                let side = Side::from_name(flipped_by_name(side, flips << 29)).unwrap();
                expected[GridShape::Square.side_number(side).unwrap()] = sides().kind_of_name(kind).unwrap();
            }
            let found = Side::SQUARE.map(|side| grid.side_of(Cell(cell as u32), side));
            prop_assert_eq!(found, expected, "tile {} flips {:x}", tile, flips);
        }
    }

    #[test]
    fn damage_is_an_error_or_another_map_but_no_panic(
        at in 0_usize..2000,
        put in prop::sample::select(vec!["0", "9", "-", "<", ">", "/", "\"", "&", "", "4294967295", "1e9", "é"]),
        cut in 0_usize..40,
        in_tileset: bool,
    ) {
        let group = r#"<objectgroup><object id="1" name="a" class="truck" x="24" y="8" width="40"><properties><property name="goal" type="object" value="4"/></properties></object></objectgroup></map>"#;
        let whole = csv("1,2,3,\n536870915,1,2").replace("</map>", group);
        let damaged = |text: &str| {
            let at = at % text.len();
            let (before, behind) = (text.get(..at).unwrap_or(text), text.get((at + cut).min(text.len())..).unwrap_or(""));
            format!("{before}{put}{behind}")
        };
        let (map, tiles) = if in_tileset { (whole, damaged(TILES)) } else { (damaged(&whole), TILES.to_owned()) };
        let _ = parse(map.as_bytes(), &TerrainTable::movingai(), sides(), &TileKinds::default(), |_| Ok(tiles.clone().into_bytes()));
    }
}
