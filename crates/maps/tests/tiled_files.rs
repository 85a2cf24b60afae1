//! Files as the Tiled editor and other programs write them. They have every form of layers and tilesets, infinite
//! maps, moved layers, and maps whose tiles say nothing.

#![cfg(feature = "tiled")]

use miniz_oxide::deflate::compress_to_vec_zlib;
use proptest::prelude::*;
use wheelbase_grid::{Cell, GridShape, Rect, Side, SideKind, SideTable, TerrainTable};
use wheelbase_maps::tiled::{TileKinds, TiledMap, need, parse};

/// An external tileset of 4 x 2 tiles, as the editor writes it.
const TSX: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<tileset version="1.10" tiledversion="1.11.2" name="ground" tilewidth="16" tileheight="16" tilecount="8" columns="4">
 <image source="ground.png" width="64" height="32"/>
 <tile id="0" type="ground"/>
 <tile id="1" type="trees">
  <properties>
   <property name="height" type="float" value="2.5"/>
  </properties>
 </tile>
 <tile id="2">
  <properties>
   <property name="terrain" value="road"/>
   <property name="speed" type="int" value="1500"/>
   <property name="sides" value="N"/>
  </properties>
 </tile>
 <tile id="5" type="cactus"/>
</tileset>
"#;

/// The same in JSON.
const TSJ: &str = r#"{ "columns":4,
 "image":"ground.png",
 "imageheight":32,
 "imagewidth":64,
 "margin":0,
 "name":"ground",
 "spacing":0,
 "tilecount":8,
 "tiledversion":"1.11.2",
 "tileheight":16,
 "tiles":[
        {
         "id":0,
         "type":"ground"
        },
        {
         "id":1,
         "type":"trees",
         "properties":[
                {
                 "name":"height",
                 "type":"float",
                 "value":2.5
                }]
        },
        {
         "id":2,
         "properties":[
                {
                 "name":"terrain",
                 "type":"string",
                 "value":"road"
                },
                {
                 "name":"speed",
                 "type":"int",
                 "value":1500
                },
                {
                 "name":"sides",
                 "type":"string",
                 "value":"N"
                }]
        },
        {
         "id":5,
         "type":"cactus"
        }],
 "tilewidth":16,
 "type":"tileset",
 "version":"1.10"
}"#;

const EXTERNAL: &str = r#" <tileset firstgid="1" source="ground.tsx"/>"#;

/// A map of `width` x `height` cells.
fn map_of((width, height): (u32, u32), infinite: bool, tilesets: &str, layers: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" tiledversion="1.11.2" orientation="orthogonal" renderorder="right-down" width="{width}" height="{height}" tilewidth="16" tileheight="16" infinite="{}" nextlayerid="9" nextobjectid="9">
{tilesets}
{layers}
</map>
"#,
        u8::from(infinite)
    )
}

/// The same with hexagons.
fn hexagonal(map: &str) -> String {
    let shape = "hexagonal\" staggeraxis=\"y\" staggerindex=\"odd\" hexsidelength=\"8\"";
    map.replace("orthogonal\"", shape).replace("ground.tsx", "hexagons.tsx")
}

/// A layer of 3 x 2 tiles.
fn layer(attributes: &str, data: &str) -> String {
    format!(" <layer id=\"1\" name=\"L1\" width=\"3\" height=\"2\"{attributes}>\n  {data}\n </layer>")
}

fn small(data: &str) -> String {
    map_of((3, 2), false, EXTERNAL, &layer("", data))
}

fn csv(tiles: &str) -> String {
    format!("<data encoding=\"csv\">\n{tiles}\n</data>")
}

fn read_with(map: &str, kinds: &[(&str, &str)]) -> Result<TiledMap, String> {
    let mut table = TileKinds::default();
    kinds.iter().for_each(|(key, kind)| table.insert(key, kind).unwrap());
    let tileset = |name: &str| match name {
        "ground.tsx" => Ok(TSX.as_bytes().to_vec()),
        "hexagons.tsx" => Ok(TSX.replace("value=\"N\"", "value=\"NE\"").into_bytes()),
        "ground.tsj" => Ok(TSJ.as_bytes().to_vec()),
        _ => Err("no such file".to_owned()),
    };
    let read = parse(map.as_bytes(), &TerrainTable::movingai(), SideTable::default(), &table, tileset);
    read.map_err(|error| error.to_string())
}

fn read(map: &str) -> TiledMap {
    read_with(map, &[]).unwrap()
}

fn error(map: &str) -> String {
    read_with(map, &[]).map(|_| ()).unwrap_err()
}

/// The first letter of each kind, row by row.
fn rows(map: &TiledMap) -> Vec<String> {
    let grid = &map.grid;
    let letter = |kind| grid.terrain_table()[kind].name.chars().next().unwrap();
    let rows = grid.terrain().chunks(grid.size().width() as usize);
    rows.map(|row| row.iter().map(|&kind| letter(kind)).collect()).collect()
}

#[test]
fn every_form_of_a_layer_is_read() {
    let tiles: Vec<u8> = [1_u32, 2, 3, 0, 1, 2].iter().flat_map(|tile| tile.to_le_bytes()).collect();
    let zlib = compress_to_vec_zlib(&tiles, 6);
    let base64 = |compression: &str, text: &str| {
        format!("<data encoding=\"base64\"{compression}>\n   {text}\n  </data>")
    };
    for data in [
        csv("1,2,3,\n0,1,2"),
        "<data>\n<tile gid=\"1\"/><tile gid=\"2\"/><tile gid=\"3\"/>\n<tile/><tile gid=\"1\"/><tile gid=\"2\"/></data>".to_owned(),
        base64("", &to_base64(&tiles)),
        base64(" compression=\"zlib\"", &to_base64(&zlib)),
        // From gzip, without and with the name of a file; Tiled, too, tells gzip from zlib by the first bytes.
        base64(" compression=\"gzip\"", "H4sIAAAAAAACA2NkYGBgAmJmBghghPIBbKVBpxgAAAA="),
        base64(" compression=\"zlib\"", "H4sICNVBCWsAA3QuYmluAGNkYGBgAmJmBghghPIBbKVBpxgAAAA="),
        // From zstd: of a known size, and streamed at level 19 with a checksum.
        base64(" compression=\"zstd\"", "KLUv/SAYwQAAAQAAAAIAAAADAAAAAAAAAAEAAAACAAAA"),
        base64(" compression=\"zstd\"", "KLUv/QRoZQAAggECgjIQx/vneAEAEzeAQw=="),
    ] {
        let map = read(&small(&data));
        assert_eq!(rows(&map), ["gtr", "ogt"], "{data}");
        assert_eq!(map.grid.side_of(Cell(2), Side::North), SideKind::WALL);
    }
    let zstd = |text: &str| error(&small(&base64(" compression=\"zstd\"", text)));
    let cut = "line 5: the tiles cannot be read: zstd: ";
    assert!(zstd("KLUv/SAYwQAAAQAAAAIAAAAD").starts_with(cut), "{}", zstd("KLUv/SAYwQAAAQAAAAIAAAAD"));
    // A window of 3.75 TiB.
    assert!(zstd("KLUv/QD/AQAA").starts_with(cut), "{}", zstd("KLUv/QD/AQAA"));
    let gzip = error(&small(&base64(" compression=\"gzip\"", "H4sICNVBCWsA")));
    assert_eq!(gzip, "line 5: the tiles cannot be read: its gzip head ends too early");
}

/// Bytes that stand for more than a layer are not unpacked to their end, which is missing here.
#[test]
fn layers_that_unpack_to_too_much_are_refused() {
    let block_of_128_kib = [2, 0, 0x10, 0];
    let mut bytes = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
    (0..64).for_each(|_| bytes.extend(block_of_128_kib));
    let data = format!("<data encoding=\"base64\" compression=\"zstd\">{}</data>", to_base64(&bytes));
    assert_eq!(error(&small(&data)), "line 5: there are more than 6 tiles here, expected one per cell");
}

#[test]
fn tilesets_in_json_say_the_same() {
    let (of_xml, json) = (small(&csv("1,2,3,\n0,1,2147483651")), EXTERNAL.replace("tsx", "tsj"));
    let of_json = of_xml.replace(EXTERNAL, &json);
    assert_eq!(rows(&read(&of_json)), ["gtr", "ogr"]);
    assert_eq!(read(&of_json).grid.side_of(Cell(5), Side::North), SideKind::WALL);
    let wrong = |from: &str, to: &str| {
        let tiles = TSJ.replacen(from, to, 1);
        assert_ne!(tiles, TSJ);
        let map = parse(
            of_json.as_bytes(),
            &TerrainTable::movingai(),
            SideTable::default(),
            &TileKinds::default(),
            |_| Ok(tiles.clone().into_bytes()),
        );
        map.unwrap_err().to_string()
    };
    for (from, to, expected) in [
        ("1500", "-1", "line 34: \"speed\" is \"-1\", expected a whole number from 0 to 65535"),
        (
            "\"N\"",
            "\"NE\"",
            "line 39: \"sides\" is \"NE\", expected sides out of E, N, W, S, such as \"E W=wall\"",
        ),
        (
            "\"id\":5",
            "\"id\":\"x\"",
            "line 46: \"id\" is \"\\\"x\\\"\", expected a whole number from 0 to 268435456",
        ),
        ("\"id\":5", "\"it\":5", "line 45: element \"tile\" has no attribute \"id\""),
        ("\"tiles\":[", "\"tiles\":3,\"x\":[", "line 11: \"tiles\" is \"3\", expected a list"),
        ("\"tileset\"", "\"map\"", "line 1: found element \"map\", expected \"tileset\" as the outermost"),
        (
            "\"columns\":4,",
            "\"columns\":4",
            "line 2: not well-formed JSON: expected `,` or `}` at line 2 column 2",
        ),
    ] {
        assert_eq!(wrong(from, to), format!("tileset ground.tsj: {expected}"));
    }
}

/// Old versions of the editor, and other programs, leave the number of tiles out.
#[test]
fn without_a_number_of_tiles_the_picture_tells() {
    let embedded = |head: &str, image: &str| {
        let tileset = format!(
            r#" <tileset firstgid="1" name="t" tilewidth="16" tileheight="16"{head}>
  {image}
  <tile id="0"><properties><property name="terrain" value="ground"/></properties></tile>
 </tileset>"#
        );
        error(&map_of((3, 2), false, &tileset, &layer("", &csv("1,1,1,\n1,1,9"))))
    };
    let says_nothing = "line 7: cell (2, 1): tile 8 of tileset \"t\" has neither a property \"terrain\" or \"sides\" nor a class; give it one, or the scenario a kind for it: [map.tiles] with \"t/8\" = \"ground\"";
    let there_is_none =
        |n: u32| format!("line 7: cell (2, 1): there is no tile 9; expected 1 to {n} of tileset \"t\"");
    let image =
        |width: u32, height: u32| format!("<image source=\"t.png\" width=\"{width}\" height=\"{height}\"/>");
    assert_eq!(embedded("", &image(64, 48)), says_nothing);
    assert_eq!(embedded("", &image(64, 47)), there_is_none(8));
    assert_eq!(embedded(" margin=\"1\" spacing=\"2\"", &image(53, 54)), says_nothing);
    assert_eq!(embedded(" margin=\"1\" spacing=\"2\"", &image(53, 52)), there_is_none(6));
    assert_eq!(embedded(" tilecount=\"2\"", &image(64, 48)), there_is_none(2));
    assert_eq!(embedded("", "<image source=\"t.png\"/>"), says_nothing);
    assert_eq!(embedded("", ""), says_nothing);
}

#[test]
fn a_doctype_without_declarations_is_read() {
    let map = small(&csv("1,2,3,\n0,1,2"));
    let with = |doctype: &str| map.replacen("<map ", &format!("{doctype}\n<map "), 1);
    let usual = "<!DOCTYPE map SYSTEM \"http://mapeditor.org/dtd/1.0/map.dtd\">";
    assert_eq!(rows(&read(&with(usual))), ["gtr", "ogt"]);
    let declares = "<!DOCTYPE map [<!ENTITY a \"1,1,1\">]>";
    let expected = "line 2: not supported: a DOCTYPE with declarations; use what the editor writes";
    assert_eq!(error(&with(declares)), expected);
    assert_eq!(error(&with("<!DOCTYPE map SYSTEM \"x>\" [ ]>")), expected);
}

/// A chunk of 16 x 16 tiles in Zstandard: 8 columns of tile 1, then 8 of tile 2.
const CHUNK_ZSTD: &str = "KLUv/QBYrQIANAIBAAAAAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAiAg4MeNNNewRpprWCPNNayR5hrWSHMNa6S5hjWiuYY10lzDGmmuYY001zDWiJlEBA==";

#[test]
fn infinite_maps_are_the_rectangle_around_their_chunks() {
    let tiles = |tile: u32| vec![tile.to_string(); 256].join(",");
    let low = format!(
        r#" <layer id="1" name="low" width="32" height="16">
  <data encoding="csv">
   <chunk x="-16" y="-32" width="16" height="16">
{}
</chunk>
   <chunk x="0" y="-16" width="16" height="16">
{}
</chunk>
  </data>
 </layer>"#,
        tiles(1),
        tiles(3)
    );
    let high = format!(
        r#" <layer id="2" name="high" width="32" height="16">
  <data encoding="base64" compression="zstd">
   <chunk x="-16" y="-16" width="16" height="16">
   {CHUNK_ZSTD}
  </chunk>
  </data>
 </layer>
 <layer id="3" name="empty" width="32" height="16">
  <data encoding="csv">
</data>
 </layer>"#
    );
    let objects = r#" <objectgroup id="4" name="units">
  <object id="1" name="a" type="truck" x="-256" y="-512"><point/></object>
  <object id="2" name="b" type="truck" x="8" y="-1"><point/></object>
 </objectgroup>"#;
    let text = map_of((30, 20), true, EXTERNAL, &format!("{low}\n{high}\n{objects}"));
    let map = read(&text);
    let expected: Vec<String> = (0..32)
        .map(|y| match y {
            0..16 => format!("{}{}", "g".repeat(16), "o".repeat(16)),
            _ => format!("{}{}{}", "g".repeat(8), "t".repeat(8), "r".repeat(16)),
        })
        .collect();
    assert_eq!(rows(&map), expected);
    let areas: Vec<Rect> = map.objects.iter().map(|object| object.area).collect();
    assert_eq!(areas, [Rect::new(0, 0, 1, 1), Rect::new(16, 31, 1, 1)]);
    // The memory that is stated counts the rectangle, not the width and height of the editor's first view.
    let fixed = need(text.replace("infinite=\"1\"", "infinite=\"0\"").as_bytes()).built;
    assert_eq!(need(text.as_bytes()).built - fixed, 16 * (32 * 32 - 30 * 20));

    let one = |chunk: &str| {
        let chunk = format!("<data encoding=\"csv\"><chunk {chunk}</chunk></data>");
        map_of((30, 20), true, EXTERNAL, &layer("", &chunk))
    };
    assert_eq!(rows(&read(&one("x=\"7\" y=\"-2\" width=\"2\" height=\"2\">1,2,0,3"))), ["gt", "or"]);
    for (chunk, expected) in [
        (
            "x=\"0\" y=\"0\" width=\"2\" height=\"2\">1,2,3",
            "line 5: there are 3 tiles here, expected 4, one per cell",
        ),
        ("x=\"0\" width=\"2\" height=\"2\">1,2,3", "line 5: element \"chunk\" has no attribute \"y\""),
        (
            "x=\"0\" y=\"-99999999\" width=\"2\" height=\"2\">1,2,3,1",
            "line 5: \"y\" is \"-99999999\", expected a whole number from -67108864 to 67108864",
        ),
        (
            "x=\"0\" y=\"0\" width=\"67108864\" height=\"67108864\">1,2,3,1",
            "line 4: not supported: more than 268435456 tiles in all layers together; use fewer layers",
        ),
        (
            "x=\"-67108864\" y=\"0\" width=\"1\" height=\"1\">1</chunk><chunk x=\"67108864\" y=\"0\" width=\"1\" height=\"1\">1",
            "line 2: a map of 134217729 x 1 cells; width and height must be at least 1 and their product at most 67108864",
        ),
    ] {
        assert_eq!(error(&one(chunk)), expected);
    }
    // Other programs write infinite maps without chunks.
    for data in [
        &csv("1,2,3,\n0,1,2"),
        "<data><tile gid=\"1\"/><tile gid=\"2\"/><tile gid=\"3\"/><tile/><tile gid=\"1\"/><tile gid=\"2\"/></data>",
    ] {
        assert_eq!(rows(&read(&map_of((30, 20), true, EXTERNAL, &layer("", data)))), ["gtr", "ogt"]);
    }
    let empty = map_of((30, 20), true, EXTERNAL, &layer("", "<data encoding=\"csv\">\n</data>"));
    assert_eq!(error(&empty), "line 2: the map is infinite and has no tile, expected at least one");
}

#[test]
fn rows_of_infinite_hexagonal_maps_stay_odd() {
    let hex = |y: i32| {
        let chunk = format!(
            "<data encoding=\"csv\"><chunk x=\"-2\" y=\"{y}\" width=\"1\" height=\"2\">1,2</chunk></data>"
        );
        hexagonal(&map_of((9, 9), true, EXTERNAL, &layer("", &chunk)))
    };
    assert_eq!(read(&hex(-4)).grid.shape(), GridShape::Hex);
    assert_eq!(rows(&read(&hex(-4))), ["g", "t"]);
    assert_eq!(rows(&read(&hex(-3))), ["o", "g", "t"]);
    assert_eq!(rows(&read(&hex(3))), ["o", "g", "t"]);
}

#[test]
fn layers_are_where_the_editor_draws_them() {
    let tiles = csv("1,2,3,\n2,2,2");
    let moved = |attributes: &str| rows(&read(&map_of((3, 2), false, EXTERNAL, &layer(attributes, &tiles))));
    assert_eq!(moved(" offsetx=\"16\""), ["ogt", "ott"]);
    assert_eq!(moved(" offsetx=\"-32\" offsety=\"16\""), ["ooo", "roo"]);
    assert_eq!(moved(" offsetx=\"0\" offsety=\"-0\""), ["gtr", "ttt"]);
    let grouped = |of_group: &str, of_layer: &str| {
        let group = format!(" <group name=\"g\"{of_group}>\n{}\n </group>", layer(of_layer, &tiles));
        let objects = format!(
            " <group{of_group}><objectgroup{of_layer}><object id=\"1\" class=\"truck\" x=\"8\" y=\"8\"/></objectgroup></group>"
        );
        map_of((3, 2), false, EXTERNAL, &format!("{group}\n{objects}"))
    };
    let map = read(&grouped(" offsetx=\"8\" offsety=\"16\"", " offsetx=\"8\""));
    assert_eq!(rows(&map), ["ooo", "ogt"]);
    assert_eq!(map.objects[0].area, Rect::new(1, 1, 1, 1));
    assert_eq!(
        error(&grouped("", " offsetx=\"4.5\"")),
        "line 5: not supported: a layer moved by 4.5 x 0 pixels over cells of 16 x 16; use offsets of whole cells, or for decoration the property \"decoration\""
    );
    // Groups, too, can be decoration.
    let decoration = "<properties><property name=\"decoration\" type=\"bool\" value=\"true\"/></properties>";
    let birds = format!(" <group offsetx=\"4.5\">{decoration}{}</group>", layer("", &csv("9,9,9,9,9,9")));
    let map = map_of((3, 2), false, EXTERNAL, &format!("{}\n{birds}", layer("", &tiles)));
    assert_eq!(rows(&read(&map)), ["gtr", "ttt"]);
    // Odd rows of hexagons cannot come to lie on even ones.
    let hex = |offset: u32| {
        hexagonal(&map_of((3, 2), false, EXTERNAL, &layer(&format!(" offsety=\"{offset}\""), &tiles)))
    };
    assert_eq!(rows(&read(&hex(24))), ["ooo", "ooo"]);
    assert!(error(&hex(12)).contains("and of an even number of rows"), "{}", error(&hex(12)));
}

#[test]
fn classes_and_layers_say_what_tiles_are() {
    // Class is called type in most versions; both name the kind, if there is such a kind.
    let tiles = small(&csv("1,2,6,\n1,1,1"));
    assert_eq!(
        error(&tiles),
        "line 4: cell (2, 0): tile 5 of tileset \"ground\" is of class \"cactus\", which is no terrain kind; give it one, or the scenario a kind for it: [map.tiles] with \"cactus\" = \"ground\""
    );
    assert_eq!(
        error(&small(&csv("1,4,5,\n6,7,4"))),
        "line 4: cell (1, 0): tile 3 of tileset \"ground\" has neither a property \"terrain\" or \"sides\" nor a class; 3 other tiles are like that; give it one, or the scenario a kind for it: [map.tiles] with \"ground/3\" = \"ground\""
    );
    let says = |properties: &[(&str, &str)], tiles: &str| {
        let property =
            |(name, value): &(&str, &str)| format!("<property name=\"{name}\" value=\"{value}\"/>");
        let properties: String = properties.iter().map(property).collect();
        small(&format!("<properties>{properties}</properties>\n{}", csv(tiles)))
    };
    // What a tile says of itself counts first.
    let dunes = says(&[("terrain", "dunes"), ("speed", "300"), ("sides", "W")], "4,2,3,\n4,4,6");
    let map = read(&dunes);
    assert_eq!(rows(&map), ["dtr", "ddd"]);
    assert_eq!(map.grid.side_of(Cell(0), Side::West), SideKind::WALL);
    assert_eq!(map.grid.side_of(Cell(1), Side::West), SideKind::OPEN);
    let kinds = map.grid.terrain_table();
    assert_eq!(kinds[kinds.kind_of_name("dunes").unwrap()].speed, 300);
    assert_eq!(
        error(&says(&[("terrain", "dunes")], "4,4,4,4,4,4")),
        "line 5: terrain \"dunes\" has no speed; give the tile a property \"speed\", or the scenario a table [terrain.dunes]"
    );
    // A layer of sides alone adds them.
    let fences = layer(
        "",
        "<properties><property name=\"sides\" value=\"S\"/></properties><data encoding=\"csv\">4,0,0,0,0,0</data>",
    );
    let map =
        read(&map_of((3, 2), false, EXTERNAL, &format!("{}\n{fences}", layer("", &csv("2,2,2,2,2,2")))));
    assert_eq!(rows(&map), ["ttt", "ttt"]);
    assert_eq!(map.grid.side_of(Cell(0), Side::South), SideKind::WALL);
}

#[test]
fn a_table_says_what_tiles_are() {
    let tiles = small(&csv("1,2,3,\n4,5,6"));
    let with = |kinds: &[(&str, &str)]| read_with(&tiles, kinds).map(|map| rows(&map));
    // From the least to the most specific name.
    assert_eq!(with(&[("ground", "swamp")]).unwrap(), ["str", "sss"]);
    assert_eq!(with(&[("ground", "swamp"), ("L1", "water")]).unwrap(), ["str", "www"]);
    assert_eq!(with(&[("L1", "water"), ("cactus", "trees")]).unwrap(), ["gtr", "wwt"]);
    assert_eq!(
        with(&[("ground/3-5", "water"), ("ground/4", "trees"), ("road", "swamp")]).unwrap(),
        ["gts", "wtw"]
    );
    assert_eq!(with(&[("L1", "decoration")]).unwrap(), ["ooo", "ooo"]);
    assert_eq!(with(&[("ground/3-5", "decoration"), ("trees", "decoration")]).unwrap(), ["gor", "ooo"]);
    assert_eq!(
        with(&[("ground/3-5", "sand")]).unwrap_err(),
        "line 4: terrain \"sand\" has no speed; give the tile a property \"speed\", or the scenario a table [terrain.sand]"
    );
    let units =
        "<objectgroup name=\"units\"><object id=\"1\" class=\"npc\" x=\"8\" y=\"8\"/></objectgroup></map>";
    let tiles = tiles.replace("</map>", units);
    assert!(read_with(&tiles, &[("L1", "water"), ("units", "decoration")]).unwrap().objects.is_empty());
    let names = read_with(&tiles, &[("L1", "water")]).unwrap().names;
    assert_eq!(names.iter().collect::<Vec<_>>(), ["L1", "cactus", "ground", "road", "trees", "units"]);
}

/// Bytes as base64.
fn to_base64(bytes: &[u8]) -> String {
    super::tiled_maps::base64(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damage_is_an_error_or_another_map_but_no_panic(
        at in 0_usize..3000,
        put in prop::sample::select(vec!["0", "9", "-", "<", "{", "]", ",", "\"", "", "4294967295", "1e9", "AAAA", "é"]),
        cut in 0_usize..40,
        in_tileset: bool,
    ) {
        let layer = format!(
            "<layer name=\"L\" offsetx=\"16\" width=\"16\" height=\"16\"><data encoding=\"base64\" compression=\"zstd\"><chunk x=\"-16\" y=\"0\" width=\"16\" height=\"16\">{CHUNK_ZSTD}</chunk></data></layer>"
        );
        let map = map_of((30, 20), true, &EXTERNAL.replace("tsx", "tsj"), &layer);
        let damaged = |text: &str| {
            let at = at % text.len();
            let (before, behind) = (text.get(..at).unwrap_or(text), text.get((at + cut).min(text.len())..).unwrap_or(""));
            format!("{before}{put}{behind}")
        };
        let (map, tiles) = if in_tileset { (map, damaged(TSJ)) } else { (damaged(&map), TSJ.to_owned()) };
        let (terrain, kinds) = (TerrainTable::movingai(), TileKinds::default());
        let _ = parse(map.as_bytes(), &terrain, SideTable::default(), &kinds, |_| Ok(tiles.clone().into_bytes()));
        let _ = need(map.as_bytes());
    }
}
