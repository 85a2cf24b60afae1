//! Reads the top level of a document: budgets, map, kinds.

use std::collections::HashMap;

use super::agents;
use super::class;
use super::event;
use super::message::Message;
use super::reader::{Keys, ListOf, Names, Node, Reader, Table};
use super::typed::{
    CLASSES_MAX, ClassFile, Collision, EXPANSIONS_PER_TICK_MAX, Elevation, FriendPair, GENERATED_LEN_MAX,
    LANDMARKS_MAX, Located, Map, MapSource, SEARCH_SLOTS_MAX, Scenario, Side, TICK_MAX, Terrain, TileKind,
    Wall,
};
use super::values::{I32_RANGE, SPEED_RANGE, TEAM_NAME, located_name};
use wheelbase_grid::{GridShape, Rgb, colour_from_hexadecimal};
use wheelbase_sim::{ReplanParams, RouteMode};
use wheelbase_traffic::TrafficParams;

const SCENARIO_KEYS: Keys = Keys {
    known: &[
        "name",
        "seed",
        "ticks",
        "collision",
        "expansions_per_tick",
        "routes",
        "search_slots",
        "landmarks",
        "poses_per_agent",
        "map",
        "terrain",
        "side",
        "class",
        "agents",
        "groups",
        "events",
        "teams",
    ],
    later: &[],
};
const CLASS_FILE_KEYS: Keys = Keys { known: &["class", "terrain", "side"], later: &[] };
const MAP_KEYS: Keys =
    Keys { known: &["file", "rows", "generate", "shape", "elevation", "walls", "tiles"], later: &[] };
const MAP_SOURCES: [&str; 3] = ["file", "rows", "generate"];
const GENERATE_KEYS: Keys = Keys { known: &["kind", "size", "seed"], later: &[] };
const TERRAIN_KEYS: Keys = Keys { known: &["glyphs", "speed", "colour", "sides"], later: &[] };
/// The sides of squares and of hexagons, in the order of their numbers. Which of them the map has is checked later.
const TERRAIN_SIDE_KEYS: Keys = Keys { known: &["E", "NE", "N", "NW", "W", "SW", "S", "SE"], later: &[] };
const TEAMS_KEYS: Keys = Keys { known: &["friends"], later: &[] };
const SIDE_KEYS: Keys = Keys { known: &["speed"], later: &[] };

const CLASSES: ListOf = ListOf { one: "class", many: "classes", len: 0..=CLASSES_MAX };
// No limits here: a map file can add kinds, so that only the loader can count them.
const TERRAINS: ListOf = ListOf { one: "terrain kind", many: "terrain kinds", len: 0..=usize::MAX };
const SIDES: ListOf = ListOf { one: "side kind", many: "side kinds", len: 0..=usize::MAX };
const ROWS: ListOf = ListOf { one: "row", many: "rows", len: 1..=usize::MAX };
const HEIGHTS: ListOf = ListOf { one: "height", many: "heights", len: 1..=usize::MAX };
const WALLS: ListOf = ListOf { one: "wall", many: "walls", len: 0..=usize::MAX };

const TILES: ListOf = ListOf { one: "tile", many: "tiles", len: 0..=usize::MAX };
const FRIENDS: ListOf = ListOf { one: "pair of teams", many: "pairs of teams", len: 0..=usize::MAX };

const SIZE_FORM: &str = "[width, height]";
const GENERATE_FORM: &str = "a table with kind and size";
const GENERATOR_NAME: &str = "the name of a generator";
const SEED_DEFAULT: u64 = 0;
const EXPANSIONS_PER_TICK_DEFAULT: u64 = 200_000;
const SEARCH_SLOTS_DEFAULT: u32 = 16;
const POSES_PER_AGENT_DEFAULT: u32 = 16;

/// Reads a whole scenario.
pub(super) fn scenario(reader: &mut Reader, document: &Node) -> Option<Scenario> {
    let top = reader.table(document, &SCENARIO_KEYS)?;
    let name = reader.required(&top, "name", "a string", |reader, node| reader.string(node, "a string"));
    let seed = reader.optional_whole(&top, "seed", SEED_DEFAULT, 0..=i64::MAX);
    let ticks = reader.required_whole(&top, "ticks", 1..=i64::from(TICK_MAX));
    let collision = reader.optional(&top, "collision", Collision::default(), |reader, node| {
        reader.choice(node, &[("swept", Collision::Swept), ("discrete", Collision::Discrete)])
    });
    let expansions_per_tick = reader.optional_whole(
        &top,
        "expansions_per_tick",
        EXPANSIONS_PER_TICK_DEFAULT,
        1..=EXPANSIONS_PER_TICK_MAX as i64,
    );
    let routes = reader.optional(&top, "routes", RouteMode::default(), |reader, node| {
        reader.choice(node, &RouteMode::ALL.map(|mode| (mode.name(), mode)))
    });
    let search_slots =
        reader.optional_whole(&top, "search_slots", SEARCH_SLOTS_DEFAULT, 1..=i64::from(SEARCH_SLOTS_MAX));
    let landmarks = reader.optional(&top, "landmarks", None, |reader, node| {
        reader.whole(node, 0..=i64::from(LANDMARKS_MAX)).map(Some)
    });
    let poses_per_agent =
        reader.optional_whole(&top, "poses_per_agent", POSES_PER_AGENT_DEFAULT, 1..=i64::from(u32::MAX));
    let map = reader.required(&top, "map", "a [map] table with file, rows or generate", map);
    let shape = map.as_ref().map(|map| map.shape);
    let (terrains, sides) = kinds(reader, &top);
    let classes =
        reader.named(&top, "class", &CLASSES, |reader, node, name| class::class(reader, node, name, shape));
    let mut n_agents = 0;
    let mut names: Names = HashMap::new();
    let agents = reader.optional(&top, "agents", Vec::new(), |reader, node| {
        reader.list_partly(node, &agents::AGENTS, |reader, node| {
            n_agents += 1;
            agents::agent(reader, node, &mut names)
        })
    });
    let groups = reader.optional(&top, "groups", Vec::new(), |reader, node| {
        reader.list_partly(node, &agents::GROUPS, |reader, node| agents::group(reader, node, &mut n_agents))
    });
    let events = reader.optional(&top, "events", Vec::new(), |reader, node| {
        reader.list_partly(node, &event::EVENTS, |reader, node| {
            event::event(reader, node, &mut n_agents, shape)
        })
    });
    let friends = reader.optional(&top, "teams", Vec::new(), teams);
    if !reader.mistakes_stand_alone() {
        unknown_classes(reader, &top);
        return None;
    }
    Some(Scenario {
        name: name?,
        seed: seed?,
        ticks: ticks?,
        collision: collision?,
        expansions_per_tick: expansions_per_tick?,
        routes: routes?,
        search_slots: search_slots?,
        landmarks: landmarks?,
        poses_per_agent: poses_per_agent?,
        traffic: TrafficParams::USUAL,
        replan: ReplanParams::USUAL,
        map: map?,
        terrains: terrains?,
        sides: sides?,
        classes: classes?,
        agents: agents?,
        groups: groups?,
        events: events?,
        friends: friends?,
    })
}

/// Reports the classes that agents and groups name and the file lacks: of a file with other mistakes too, which is not
/// loaded.
fn unknown_classes(reader: &mut Reader, top: &Table) {
    let node = top.child("class");
    // The table may be there under a mistyped name.
    if node.is_none() && !top.all_known {
        return;
    }
    let Some(classes) = node.as_ref().map_or(Some(Vec::new()), Node::keys) else { return };
    if classes.contains(&"") {
        return;
    }
    let known = || classes.iter().copied();
    let mut check = |holder: &Node| {
        let Some(class) = holder.child("class") else { return };
        let is_known = |name: &str| name == "octile" || known().any(|known| known == name);
        if let Some(name) = class.string().filter(|name| !name.is_empty() && !is_known(name)) {
            reader.report(&class, Message::unknown_name("no class", name, known()));
        }
    };
    for list in ["agents", "groups"].iter().filter_map(|list| top.child(list)) {
        list.items().into_iter().flatten().for_each(|holder| check(&holder));
    }
    for event in top.child("events").iter().filter_map(Node::items).flatten() {
        event.child("add_agents").iter().for_each(&mut check);
    }
}

/// Reads a class file.
pub(super) fn class_file(reader: &mut Reader, document: &Node) -> Option<ClassFile> {
    let top = reader.table(document, &CLASS_FILE_KEYS)?;
    let (terrains, sides) = kinds(reader, &top);
    let mut n_classes = 0;
    let classes = reader.named(&top, "class", &CLASSES, |reader, node, name| {
        n_classes += 1;
        if n_classes == 2 {
            reader.report(node, "expected one class in a class file, found a second".to_owned());
        }
        class::class(reader, node, name, None)
    });
    let class = classes.and_then(|mut classes| {
        if classes.is_empty() {
            reader.missing(top.node, "class", "one [class.NAME] table");
        }
        classes.pop()
    });
    Some(ClassFile { class: class?, terrains: terrains?, sides: sides? })
}

/// Reads the terrain and the side kinds.
fn kinds(reader: &mut Reader, top: &Table) -> (Option<Vec<Terrain>>, Option<Vec<Side>>) {
    (reader.named(top, "terrain", &TERRAINS, terrain), reader.named(top, "side", &SIDES, side))
}

/// Reads the `[teams]` table: the pairs of friends.
fn teams(reader: &mut Reader, node: &Node) -> Option<Vec<FriendPair>> {
    let table = reader.table(node, &TEAMS_KEYS)?;
    reader.optional(&table, "friends", Vec::new(), |reader, node| reader.list(node, &FRIENDS, friend_pair))
}

fn friend_pair(reader: &mut Reader, node: &Node) -> Option<FriendPair> {
    let names: Option<[Node; 2]> = node.items().and_then(|items| items.collect::<Vec<_>>().try_into().ok());
    let Some(names) = names else {
        reader.unexpected(node, "two names of teams");
        return None;
    };
    let [one, other] = names.map(|name| reader.filled_string(&name, TEAM_NAME));
    Some(FriendPair { names: [one?, other?], line: reader.line(node), key: node.key() })
}

fn map(reader: &mut Reader, node: &Node) -> Option<Map> {
    let table = reader.table(node, &MAP_KEYS)?;
    let source = match reader.exactly_one(&table, &MAP_SOURCES) {
        Some("file") => reader
            .required(&table, "file", "a path", |reader, node| located_name(reader, node, "a path"))
            .map(MapSource::File),
        Some("rows") => reader
            .required(&table, "rows", "a list of rows", |reader, node| {
                reader.list(node, &ROWS, |reader, node| located_string(reader, node, "a row of glyphs"))
            })
            .map(MapSource::Rows),
        Some(_) => reader.required(&table, "generate", GENERATE_FORM, generate),
        None => None,
    };
    let shape = reader.optional(&table, "shape", GridShape::Square, |reader, node| {
        reader.choice(node, &[GridShape::Square, GridShape::Hex].map(|shape| (shape.name(), shape)))
    });
    let elevation = reader.optional(&table, "elevation", None, |reader, node| {
        if node.is_string() {
            return located_name(reader, node, "a path").map(|file| Some(Elevation::File(file)));
        }
        reader.list(node, &ROWS, height_row).map(|rows| Some(Elevation::Rows(rows)))
    });
    let walls = reader.optional(&table, "walls", Vec::new(), |reader, node| reader.list(node, &WALLS, wall));
    let tiles = reader.named(&table, "tiles", &TILES, |reader, node, name| {
        let kind = reader.filled_string(node, "the name of a terrain kind, or \"decoration\"")?;
        Some(TileKind { name: name.to_owned(), kind, line: reader.line(node), key: node.key() })
    });
    Some(Map {
        source: source?,
        shape: shape?,
        elevation: elevation?,
        walls: walls?,
        tiles: tiles?,
        line: reader.line(node),
    })
}

fn generate(reader: &mut Reader, node: &Node) -> Option<MapSource> {
    let table = reader.table(node, &GENERATE_KEYS)?;
    let kind = reader
        .required(&table, "kind", GENERATOR_NAME, |reader, node| located_name(reader, node, GENERATOR_NAME));
    let size = reader.required(&table, "size", SIZE_FORM, |reader, node| {
        reader.whole_array(node, SIZE_FORM, 1..=i64::from(GENERATED_LEN_MAX))
    });
    let seed = reader.optional_whole(&table, "seed", SEED_DEFAULT, 0..=i64::MAX);
    Some(MapSource::Generate { kind: kind?, size: size?, seed: seed? })
}

fn height_row(reader: &mut Reader, node: &Node) -> Option<Located<Vec<i16>>> {
    let value = reader
        .list(node, &HEIGHTS, |reader, node| reader.whole(node, i64::from(i16::MIN)..=i64::from(i16::MAX)))?;
    Some(Located { value, line: reader.line(node) })
}

fn wall(reader: &mut Reader, node: &Node) -> Option<Wall> {
    let corners = reader.whole_array(node, "[x0, y0, x1, y1]", I32_RANGE)?;
    Some(Wall { corners, line: reader.line(node), key: node.key() })
}

fn terrain(reader: &mut Reader, node: &Node, name: &str) -> Option<Terrain> {
    let table = reader.table(node, &TERRAIN_KEYS)?;
    let glyphs = reader.optional(&table, "glyphs", None, |reader, node| {
        located_string(reader, node, "a string of glyphs").map(Some)
    });
    let speed = reader.required_whole(&table, "speed", SPEED_RANGE);
    let colour = reader.optional(&table, "colour", None, colour);
    let sides = reader.optional(&table, "sides", Vec::new(), terrain_sides);
    Some(Terrain {
        name: name.to_owned(),
        glyphs: glyphs?,
        speed: speed?,
        colour: colour?,
        sides: sides?,
        line: reader.line(node),
        key: node.key(),
    })
}

fn colour(reader: &mut Reader, node: &Node) -> Option<Option<Located<Rgb>>> {
    const COLOUR_FORM: &str = "a colour as \"#rrggbb\"";
    let text = reader.string(node, COLOUR_FORM)?;
    match colour_from_hexadecimal(&text) {
        Some(value) => Some(Some(Located { value, line: reader.line(node) })),
        None => {
            reader.unexpected(node, COLOUR_FORM);
            None
        }
    }
}

fn terrain_sides(reader: &mut Reader, node: &Node) -> Option<Vec<(wheelbase_grid::Side, Located<String>)>> {
    let table = reader.table(node, &TERRAIN_SIDE_KEYS)?;
    let mut sides = Some(Vec::new());
    for &name in TERRAIN_SIDE_KEYS.known {
        let kind = reader.optional(&table, name, None, |reader, node| {
            located_name(reader, node, "the name of a side kind").map(Some)
        });
        let side = wheelbase_grid::Side::from_name(name);
        match (kind, side, &mut sides) {
            (None, ..) => sides = None,
            (Some(Some(kind)), Some(side), Some(sides)) => sides.push((side, kind)),
            _ => {}
        }
    }
    sides
}

fn side(reader: &mut Reader, node: &Node, name: &str) -> Option<Side> {
    let table = reader.table(node, &SIDE_KEYS)?;
    let speed = reader.required_whole(&table, "speed", SPEED_RANGE)?;
    Some(Side { name: name.to_owned(), speed, line: reader.line(node), key: node.key() })
}

/// A string with its line.
fn located_string(reader: &mut Reader, node: &Node, expected: &str) -> Option<Located<String>> {
    let value = reader.string(node, expected)?;
    Some(Located { value, line: reader.line(node) })
}
