//! Map files of other programs: pictures, and Tiled maps with agents.

#![cfg(all(feature = "png", feature = "tiled"))]

use crate::common::record_loaded;
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use wheelbase_grid::{Cell, Side, SideKind, TerrainKind};
use wheelbase_maps::TerrainColours;
use wheelbase_scenario::load::{
    AttachedFile, Files, LoadError, Overrides, build_world_of, load_world, load_world_and_text,
};
use wheelbase_scenario::order_text::order_json;
use wheelbase_scenario::recording::{Reader, rebuild, verify};
use wheelbase_scenario::scenario::{self, ScenarioError};
use wheelbase_sim::World;

/// An own folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn load(scenario: &Path) -> Result<World, String> {
    let shown = |error: LoadError| {
        let parent = scenario.parent().unwrap().display().to_string() + "/";
        let text = match error {
            // By their lines: mistakes of maps have no columns.
            LoadError::Scenario(errors) => {
                let line = |error| ScenarioError { span: None, ..error }.to_string();
                errors.into_vec().into_iter().map(line).collect::<Vec<_>>().join("\n")
            }
            other => other.to_string(),
        };
        text.replace(&parent, "")
    };
    load_world(scenario, Overrides::default()).map_err(shown)
}

/// A picture in greyscale or colours, encoded by hand.
fn picture(size: [u32; 2], depth: u8, colours: u8, rows: &[&[u8]]) -> Vec<u8> {
    let crc = |bytes: &[u8]| {
        let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        !bytes.iter().fold(u32::MAX, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
    };
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], data: &[u8]| {
        let whole = [&kind[..], data].concat();
        file.extend((data.len() as u32).to_be_bytes());
        file.extend(&whole);
        file.extend(crc(&whole).to_be_bytes());
    };
    let [width, height] = size.map(u32::to_be_bytes);
    chunk(b"IHDR", &[&width[..], &height, &[depth, colours, 0, 0, 0]].concat());
    let unfiltered: Vec<u8> = rows.iter().flat_map(|row| [&[0], *row].concat()).collect();
    chunk(b"IDAT", &compress_to_vec_zlib(&unfiltered, 6));
    chunk(b"IEND", b"");
    file
}

const CART: &str = "[class.cart]\nheadings = 4\nmoves = [{ name = \"forward\", by = [1, 0], time = 4 }, { name = \"left\", turn = 1, time = 4 }]\n";

#[test]
fn colours_and_heights_come_from_pictures() {
    let folder = folder("pictures");
    let (mud, sea) = ([1, 2, 3], [20, 48, 120]);
    let row: Vec<u8> = [mud, mud, sea].concat();
    std::fs::write(folder.join("map.png"), picture([3, 2], 8, 2, &[&row, &row])).unwrap();
    std::fs::write(
        folder.join("hill.png"),
        picture([3, 2], 16, 0, &[&[0, 0, 1, 0, 0, 5], &[0, 1, 0, 2, 0, 3]]),
    )
    .unwrap();
    let scenario = |map: &str| {
        let text = format!(
            "name = \"p\"\nticks = 9\n[map]\n{map}\nwalls = [[1, 0, 1, 2]]\n[terrain.mud]\nspeed = 500\ncolour = \"#010203\"\n{CART}[[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\n"
        );
        std::fs::write(folder.join("p.toml"), text).unwrap();
        load(&folder.join("p.toml"))
    };
    let world = scenario("file = \"map.png\"\nelevation = \"hill.png\"").unwrap();
    let grid = world.grid();
    let names: Vec<&str> =
        grid.terrain().iter().map(|&kind| grid.terrain_table()[kind].name.as_str()).collect();
    assert_eq!(names, ["mud", "mud", "water", "mud", "mud", "water"]);
    assert_eq!(grid.elevation().unwrap(), [0, 256, 5, 1, 2, 3]);
    assert_eq!(grid.side_of(Cell(0), Side::East), SideKind::WALL);
    assert_eq!(TerrainColours::of(grid.terrain_table()).colour(TerrainKind(0)), mud);
    for (map, expected) in [
        (
            "file = \"map.png\"\nelevation = \"map.png\"",
            "map.png: is a picture in colours of 8 bits; expected heights in greyscale of 8 or 16 bits",
        ),
        (
            "rows = [\"..\"]\nelevation = \"hill.png\"",
            "p.toml:5: map.elevation: hill.png is a picture of 3 x 2 pixels, expected 2 x 1, one per cell",
        ),
        (
            "file = \"map.png\"\nelevation = \"no.png\"",
            "p.toml:5: map.elevation: no.png: cannot be read: No such file or directory (os error 2)",
        ),
        (
            "file = \"hill.png\"",
            "hill.png: pixel (0, 0) is #000000, which no terrain has; expected #010203 (mud), #587844 (ground), #645430 (swamp), #143078 (water), #104018 (trees), #1e1e1e (out)",
        ),
        ("rows = [\"..\"]\nelevation = \"\"", "p.toml:5: map.elevation: expected a path, found \"\""),
    ] {
        assert_eq!(scenario(map).map(|_| ()).unwrap_err(), expected);
    }
    // The recording contains the contents of the files.
    scenario("file = \"map.png\"\nelevation = \"hill.png\"").unwrap();
    assert_recorded(&folder.join("p.toml"), &["map.png", "hill.png"]);
}

/// Records a run, removes the files, and runs the recording again.
fn assert_recorded(scenario: &Path, files: &[&str]) {
    let (mut loaded, text) = load_world_and_text(scenario, Overrides::default()).unwrap();
    let file = record_loaded(&mut loaded, "gone.toml", &text);
    let world = loaded.world;
    for file in files {
        std::fs::remove_file(scenario.with_file_name(file)).unwrap();
    }
    let mut reader = Reader::open(Cursor::new(file)).unwrap();
    let again = rebuild(reader.header()).unwrap().world;
    assert_eq!(again.grid().elevation(), world.grid().elevation());
    let [then, now] = [&again, &world].map(|world| TerrainColours::of(world.grid().terrain_table()));
    assert_eq!(then, now);
    assert_eq!(verify(&mut reader, |_| true).unwrap().difference, None);
}

/// A pipe would block until its other end opens, and a device may never end.
#[cfg(unix)]
#[test]
fn scenarios_can_name_only_regular_files() {
    let folder = folder("irregular");
    for (pipe, link, ending) in
        [("pipe.map", "zero.map", "map"), ("pipe.png", "zero.png", "png"), ("pipe.tmx", "zero.tmx", "tmx")]
    {
        for old in [pipe, link] {
            let _ = std::fs::remove_file(folder.join(old));
        }
        assert!(std::process::Command::new("mkfifo").arg(folder.join(pipe)).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", folder.join(link)).unwrap();
        let read = |keys: &str| {
            let text = format!("name = \"p\"\nticks = 9\n[map]\n{keys}\n{CART}");
            std::fs::write(folder.join("p.toml"), text).unwrap();
            load(&folder.join("p.toml")).map(|_| ()).unwrap_err()
        };
        for name in [pipe, link] {
            let expected = format!("{name}: is not a regular file; pipes and devices are not read");
            assert_eq!(
                read(&format!("file = {name:?}")),
                format!("p.toml:4: map.file: {expected}"),
                "{ending}"
            );
            let heights = format!("rows = [\"..\"]\nelevation = {name:?}");
            assert_eq!(read(&heights), format!("p.toml:5: map.elevation: {expected}"));
        }
    }
    std::fs::write(folder.join("t.tmx"), MAP.replace("t.tsx", "pipe.tmx")).unwrap();
    let text = format!("name = \"p\"\nticks = 9\n[map]\nfile = \"t.tmx\"\n{CART}");
    std::fs::write(folder.join("p.toml"), text).unwrap();
    let expected = "t.tmx:2: tileset pipe.tmx: is not a regular file; pipes and devices are not read";
    assert_eq!(load(&folder.join("p.toml")).map(|_| ()).unwrap_err(), expected);
    let tasks = format!(
        "name = \"p\"\nticks = 9\n[map]\nrows = [\"..\"]\n{CART}[[groups]]\nclass = \"cart\"\ncount = 1\narea = [0, 0, 2, 1]\ntasks = {{ file = \"pipe.map\" }}\n"
    );
    std::fs::write(folder.join("p.toml"), tasks).unwrap();
    let expected =
        "p.toml:12: groups[0].tasks.file: pipe.map: is not a regular file; pipes and devices are not read";
    assert_eq!(load(&folder.join("p.toml")).map(|_| ()).unwrap_err(), expected);
}

/// A scenario may name any file as map or table: errors must show no line of it.
#[test]
fn no_text_of_another_file_is_quoted() {
    let folder = folder("quoted");
    let secret = "s3cret";
    let line = format!("root:$6${secret}:19000:0:99999:7:::\nkey {secret}\n{secret}, {secret}\n");
    std::fs::write(folder.join("shadow"), &line).unwrap();
    std::fs::write(folder.join("shadow.tmx"), &line).unwrap();
    std::fs::write(folder.join("shadow.png"), &line).unwrap();
    std::fs::write(folder.join("empty.map"), "type octile\nheight 1\nwidth 2\nmap\n..\n").unwrap();
    let group = "[[groups]]\nclass = \"cart\"\ncount = 1\narea = [0, 0, 2, 1]\n";
    let rows = "rows = [\"..\"]\n";
    for (file, text) in [
        ("p.toml", format!("name = \"p\"\nticks = 9\n[map]\nfile = \"shadow\"\n{CART}")),
        ("p.toml", format!("name = \"p\"\nticks = 9\n[map]\nfile = \"shadow.tmx\"\n{CART}")),
        ("p.toml", format!("name = \"p\"\nticks = 9\n[map]\nfile = \"shadow.png\"\n{CART}")),
        ("p.toml", format!("name = \"p\"\nticks = 9\n[map]\n{rows}elevation = \"shadow.png\"\n{CART}")),
        (
            "p.toml",
            format!("name = \"p\"\nticks = 9\n[map]\n{rows}{CART}{group}tasks = {{ file = \"shadow\" }}\n"),
        ),
        ("p.json", problem("shadow", "shadow", "shadow")),
        ("p.json", problem("empty.map", "shadow", "shadow")),
    ] {
        std::fs::write(folder.join(file), text).unwrap();
        let overrides = Overrides { ticks: Some(9), ..Overrides::default() };
        let error = load_world(&folder.join(file), overrides).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("shadow") && !error.contains(secret), "{error}");
    }
}

fn problem(map: &str, agents: &str, tasks: &str) -> String {
    format!(
        "{{\"mapFile\": {map:?}, \"agentFile\": {agents:?}, \"taskFile\": {tasks:?}, \"teamSize\": 1, \"taskAssignmentStrategy\": \"roundrobin\"}}"
    )
}

const MAP: &str = r#"<map orientation="orthogonal" width="4" height="2" tilewidth="10" tileheight="10">
<tileset firstgid="1" source="t.tsx"/>
<layer width="4" height="2"><data encoding="csv">1,1,1,1,1,1,1,1</data></layer>
<objectgroup>
<object id="1" name="a" class="cart" x="5" y="5"><properties><property name="heading" value="E"/><property name="goal" value="far"/></properties></object>
<object id="2" class="goal" name="far" x="35" y="5"/>
<object id="3" class="cart" x="15" y="15"><properties><property name="heading" value="E"/><property name="priority" type="int" value="-2"/><property name="patrol" value="far, near"/></properties></object>
<object id="4" class="goal" name="near" x="5" y="15"/>
</objectgroup></map>"#;
const TILESET: &str = r#"<tileset name="t" tilecount="1"><tile id="0"><properties><property name="terrain" value="ground"/></properties></tile></tileset>"#;

fn tiled(folder: &Path, map: &str, agents: &str) -> Result<World, String> {
    std::fs::write(folder.join("m.tmx"), map).unwrap();
    std::fs::write(folder.join("t.tsx"), TILESET).unwrap();
    let text = format!("name = \"t\"\nticks = 30\n[map]\nfile = \"m.tmx\"\n{CART}{agents}");
    std::fs::write(folder.join("s.toml"), text).unwrap();
    load(&folder.join("s.toml"))
}

#[test]
fn objects_are_agents_with_orders() {
    let folder = folder("objects");
    let own = "[[agents]]\nname = \"own\"\nclass = \"cart\"\nat = [3, 1, \"W\"]\n[[events]]\ntick = 2\nremove_agents = { names = [\"a\"] }\n";
    let mut world = tiled(&folder, MAP, own).unwrap();
    let cells: Vec<_> = (0..3).map(|row| world.pose(row).cell).map(|cell| (cell.x, cell.y)).collect();
    assert_eq!(cells, [(3, 1), (0, 0), (1, 1)]);
    assert_eq!(world.agent_arrays().wait_states[2].priority, -2);
    let written: Vec<String> = world
        .orders()
        .lists()
        .flat_map(|(_, list)| list)
        .map(|order| order_json(order).to_string())
        .collect();
    assert_eq!(written, ["{\"goto\":[3,0]}", "{\"patrol\":[[3,0],[0,1]]}"]);
    for _ in 0..3 {
        world.step();
    }
    assert_eq!(world.counts().removed, 1, "names of the map are known to events");
    assert_recorded(&folder.join("s.toml"), &["m.tmx", "t.tsx"]);
}

/// Maps, tile sets and pictures can all come from memory: nothing is opened.
#[test]
fn a_scenario_is_read_from_memory() {
    let folder = folder("from_memory");
    let mut by_disk = tiled(&folder, MAP, "").unwrap();
    let of_disk =
        |name: &str| AttachedFile { name: name.to_owned(), bytes: std::fs::read(folder.join(name)).unwrap() };
    let files = [of_disk("m.tmx"), of_disk("t.tsx")];
    let text = std::fs::read_to_string(folder.join("s.toml")).unwrap();
    let typed = scenario::parse("s.toml", text.as_bytes()).unwrap();
    let path = Path::new("nowhere/s.toml");
    let mut by_memory = build_world_of(path, &typed, Files::Memory(&files)).unwrap().world;
    for _ in 0..30 {
        by_disk.step();
        by_memory.step();
        assert_eq!(by_disk.state_hash(), by_memory.state_hash());
    }
    assert!(by_memory.counts().moves > 0);
    let missing = build_world_of(path, &typed, Files::Memory(&files[..1])).err().unwrap().to_string();
    assert!(missing.contains("t.tsx") && missing.contains("is not among the files given"), "{missing}");
    let missing = build_world_of(path, &typed, Files::Memory(&[])).err().unwrap().to_string();
    assert!(missing.contains("m.tmx: is not among the files given"), "{missing}");
}

#[test]
fn mistakes_in_objects_are_reported_with_their_line() {
    let folder = folder("wrong_objects");
    let own = "[[agents]]\nname = \"own\"\nclass = \"cart\"\nat = [3, 1, \"W\"]\n";
    for (from, to, expected) in [
        (
            "class=\"cart\" x=\"5\"",
            "class=\"kart\" x=\"5\"",
            "m.tmx:5: object 1.class: no class \"kart\", expected cart; did you mean \"cart\"?",
        ),
        (
            "name=\"heading\" value=\"E\"",
            "name=\"heading\" value=\"NE\"",
            "m.tmx:5: object 1.at: agent \"a\": expected heading E, N, W or S of class \"cart\", found \"NE\"",
        ),
        (
            "name=\"heading\"",
            "name=\"headng\"",
            "m.tmx:5: object 1: unknown property \"headng\", expected heading, priority, goal or patrol",
        ),
        (
            "value=\"far\"",
            "value=\"fat\"",
            "m.tmx:5: object 1: \"goal\": no goal \"fat\", expected far or near",
        ),
        (
            "value=\"far\"",
            "type=\"object\" value=\"3\"",
            "m.tmx:5: object 1: \"goal\": object 3 is not a goal; expected an object of class \"goal\"",
        ),
        (
            "name=\"near\"",
            "name=\"far\"",
            "m.tmx:5: object 1: \"goal\": 2 goals are named \"far\", expected one",
        ),
        (
            "x=\"5\" y=\"5\"",
            "x=\"0\" y=\"0\" width=\"20\" height=\"10\"",
            "m.tmx:5: object 1: expected the cell of its anchor: a point, or an object of one cell; found 2 x 1 cells",
        ),
        (
            "x=\"5\" y=\"5\"",
            "x=\"35\" y=\"15\"",
            "m.tmx:5: object 1.at: agent \"a\": cell (3, 1) is taken by agent \"own\" (line 8); agents need separate cells",
        ),
        ("name=\"a\"", "name=\"own\"", "m.tmx:5: object 1: expected a unique name, found \"own\" twice"),
        (
            "value=\"-2\"",
            "value=\"x\"",
            "m.tmx:7: object 3: \"priority\": expected a whole number, found \"x\"",
        ),
        (
            "x=\"35\" y=\"5\"/>",
            "x=\"35\" y=\"5\"><properties><property name=\"within\" value=\"-1\"/></properties></object>",
            "m.tmx:6: object 2: \"within\": expected a whole number from 0 to 65535, found \"-1\"",
        ),
        (
            "\"1\" source",
            "\"2\" source",
            "m.tmx:3: cell (0, 0): there is no tile 1; expected 2 to 2 of tileset \"t\"",
        ),
        ("t.tsx", "u.tsx", "m.tmx:2: tileset u.tsx: cannot be read: No such file or directory (os error 2)"),
        (
            "orthogonal\"",
            "hexagonal\" staggeraxis=\"y\" staggerindex=\"odd\"",
            "s.toml:3: map.shape: m.tmx has cells of shape \"hex\", expected shape = \"hex\"",
        ),
    ] {
        let map = MAP.replacen(from, to, 1);
        assert_ne!(map, MAP, "{from}");
        let error = tiled(&folder, &map, own).map(|_| ()).unwrap_err();
        // The first of several mistakes.
        assert_eq!(error.lines().next().unwrap(), expected);
    }
    std::fs::write(folder.join("t.tsx"), TILESET.replace("ground", "")).unwrap();
    let error = load(&folder.join("s.toml")).map(|_| ()).unwrap_err();
    assert_eq!(error, "t.tsx:1: \"terrain\" is \"\", expected the name of a terrain kind");
}

/// A map without any property of ours, infinite, with tiles that a table names.
#[test]
fn tables_name_the_tiles_of_other_programs_maps() {
    let folder = folder("tile_table");
    let map = r#"<map orientation="orthogonal" width="30" height="20" tilewidth="10" tileheight="10" infinite="1">
<tileset firstgid="1" name="desert" tilecount="48"><image source="d.png" width="80" height="60"/></tileset>
<layer name="Ground" width="4" height="2"><data encoding="csv"><chunk x="-2" y="-1" width="4" height="2">30,30,30,8,30,30,30,8</chunk></data></layer>
<layer name="Clouds" width="4" height="2"><data encoding="csv"><chunk x="-2" y="-1" width="4" height="2">0,40,0,0,0,0,0,0</chunk></data></layer>
<objectgroup><object id="1" name="a" class="cart" x="-15" y="-5"><properties><property name="heading" value="E"/></properties></object></objectgroup>
</map>"#;
    std::fs::write(folder.join("m.tmx"), map).unwrap();
    let with = |tiles: &str| {
        let text = format!(
            "name = \"t\"\nticks = 30\n[map]\nfile = \"m.tmx\"\n[map.tiles]\n{tiles}\n[terrain.sand]\nspeed = 700\n{CART}"
        );
        std::fs::write(folder.join("s.toml"), text).unwrap();
        load(&folder.join("s.toml"))
    };
    let table = "desert = \"sand\"\n\"desert/0-7\" = \"trees\"\nClouds = \"decoration\"";
    let world = with(table).unwrap();
    let kinds = world.grid().terrain_table();
    let names: Vec<&str> = world.grid().terrain().iter().map(|&kind| kinds[kind].name.as_str()).collect();
    assert_eq!(names, ["sand", "sand", "sand", "trees", "sand", "sand", "sand", "trees"]);
    assert_eq!((world.pose(0).cell.x, world.pose(0).cell.y), (0, 0));
    for (tiles, expected) in [
        (
            "Clouds = \"decoration\"",
            "m.tmx:3: cell (0, 0): tile 29 of tileset \"desert\" has neither a property \"terrain\" or \"sides\" nor a class; 1 other tile is like that; give it one, or the scenario a kind for it: [map.tiles] with \"desert/29\" = \"ground\"",
        ),
        (
            "dessert = \"sand\"\ndesert = \"sand\"",
            "s.toml:6: map.tiles.dessert: no tileset, layer or class of tiles \"dessert\", expected Clouds, Ground or desert; did you mean \"desert\"?",
        ),
        (
            "desert = \"send\"",
            "m.tmx:3: terrain \"send\" has no speed; give the tile a property \"speed\", or the scenario a table [terrain.send]",
        ),
        (
            "\"desert/7-0\" = \"sand\"",
            "s.toml:6: map.tiles.\"desert/7-0\": expected a range of tiles from the least number on, such as \"desert/0-7\"",
        ),
        (
            "\"desert/0-7\" = \"sand\"\n\"desert/7-9\" = \"sand\"",
            "s.toml:7: map.tiles.\"desert/7-9\": expected ranges that do not overlap; there is \"desert/0-7\"",
        ),
        (
            "desert = 3",
            "s.toml:6: map.tiles.desert: expected the name of a terrain kind, or \"decoration\", found 3",
        ),
    ] {
        assert_eq!(with(tiles).map(|_| ()).unwrap_err().lines().next().unwrap(), expected, "{tiles}");
    }
    let text =
        format!("name = \"t\"\nticks = 30\n[map]\nrows = [\"..\"]\ntiles = {{ a = \"ground\" }}\n{CART}");
    std::fs::write(folder.join("s.toml"), text).unwrap();
    let error = load(&folder.join("s.toml")).map(|_| ()).unwrap_err();
    assert_eq!(error, "s.toml:5: map.tiles: expected a map of the Tiled editor: file = \"NAME.tmx\"");
    with(table).unwrap();
    assert_recorded(&folder.join("s.toml"), &["m.tmx"]);
}
