//! Worlds made of a map and classes.

use crate::calls::{agents, counts, fails, get, hash, list, message, ok, step};
use crate::commands::SpawnOf;
use crate::common::random_commands::{Generator, Kinds};
use std::ptr::null_mut;
use wheelbase_c::*;
use wheelbase_grid::GridShape;
use wheelbase_planner::{ClassSpec, Heading, MovementClass, MovementTables, Pose, Primitive};
use wheelbase_sim::traffic::Commanded;
use wheelbase_sim::{
    CellXY, ClassId, CollisionRule, Grid, Order, PathSource, Settings, Setup, SideTable, Spawn, Team,
    TerrainTable, World, tune,
};

const ROWS: [&str; 8] = [
    "................",
    "................",
    "....WW....SS....",
    "....WW....SS....",
    "....WW..........",
    "................",
    "................",
    "................",
];

const CART: &str = r#"
[class.cart]
headings = 4
moves = [
    { name = "forward", by = [1, 0], time = 2 },
    { name = "reverse", by = [-1, 0], time = 6 },
    { name = "left", turn = 1, time = 1 },
    { name = "right", turn = -1, time = 1 },
]
"#;

fn settings() -> wb_settings {
    // SAFETY: numbers and null pointers: zeros are a value.
    let mut settings: wb_settings = unsafe { std::mem::zeroed() };
    // SAFETY: the settings may be written.
    ok(unsafe { wb_settings_init(&raw mut settings) });
    settings
}

fn map() -> u64 {
    let text = ROWS.join("\n");
    // SAFETY: the text is there.
    get(|out| unsafe { wb_map_from_rows(text.as_ptr().cast(), text.len(), out) })
}

fn class(text: &str) -> u64 {
    // SAFETY: the texts are there.
    get(|out| unsafe {
        wb_class_parse("cart.toml".as_ptr().cast(), 9, text.as_ptr().cast(), text.len(), out)
    })
}

fn grid() -> Grid {
    Grid::from_rows(&ROWS, TerrainTable::movingai(), SideTable::default()).unwrap()
}

fn cart() -> MovementClass {
    let mut cart = ClassSpec::new("cart", 4);
    cart.primitives = Primitive::vehicle(2, 6, 1);
    MovementClass::new(cart).unwrap()
}

fn setup(map: u64, settings: &wb_settings) -> u64 {
    // SAFETY: the settings are there.
    get(|out| unsafe { wb_setup_new(map, std::ptr::from_ref(settings), out) })
}

fn world_new(setup: u64) -> u64 {
    // SAFETY: the handle may be written.
    get(|out| unsafe { wb_world_new(setup, out) })
}

fn spawns() -> Vec<Spawn> {
    let spawn = |x: i32, y: i32, team: u8| Spawn {
        team: Team(team),
        priority: x,
        ..Spawn::new(ClassId(team % 2), Pose::new(x, y, Heading(0))).with_orders([
            Order::goto(CellXY::new(15 - x, 7 - y)).or_nearest(),
            Order::goto_group(CellXY::new(8, 6)),
        ])
    };
    vec![spawn(0, 0, 0), spawn(1, 3, 1), spawn(14, 2, 2), spawn(15, 7, 3)]
}

#[test]
fn a_world_of_a_setup_is_that_of_rust() {
    let name = "f\u{fc}hre";
    let given = wb_settings {
        seed: 77,
        ticks: 0,
        search_slots: 3,
        expansions_per_tick: 150,
        poses_per_agent: 5,
        threads: 2,
        landmarks: 2,
        name: name.as_ptr().cast(),
        name_length: name.len(),
        ..settings()
    };
    let (map, class) = (map(), class(CART));
    let setup_of_c = setup(map, &given);
    // One class is compiled there, of the other the tables are shared.
    // SAFETY: all pointers are valid.
    unsafe {
        let tables: u64 = get(|out| wb_tables_new(map, class, out));
        ok(wb_tables_make_components(tables));
        assert_eq!(get(|out| wb_setup_class(setup_of_c, class, out)), 0_u32);
        assert_eq!(get(|out| wb_setup_class(setup_of_c, tables, out)), 1_u32);
        for (number, spawn) in spawns().iter().enumerate() {
            let spawn = SpawnOf::of(spawn);
            let id = get(|out| wb_setup_agent(setup_of_c, &raw const spawn.spawn, out));
            assert_eq!(id as usize, number);
        }
        ok(wb_setup_friends(setup_of_c, 1, 2));
        ok(wb_setup_tune(setup_of_c, "horizon_steps".as_ptr().cast(), 13, 6));
        let door = wb_change { area: wb_rect { x: 4, y: 2, width: 2, height: 3 }, ..wb_change::default() };
        ok(wb_setup_ease(setup_of_c, &raw const door, 1));
        // The map goes its own way.
        let wall = wb_change {
            area: wb_rect { x: 0, y: 0, width: 16, height: 8 },
            value: 1,
            ..wb_change::default()
        };
        ok(wb_map_edit(map, &raw const wall, 1, null_mut()));
        ok(wb_tables_destroy(tables));
    }
    let (one, other) = (world_new(setup_of_c), world_new(setup_of_c));
    ok(wb_setup_destroy(setup_of_c));
    let mut rust_settings = Settings {
        seed: 77,
        search_slots: 3,
        expansions_per_tick: 150,
        poses_per_agent: 5,
        ..Settings::named(name)
    };
    tune(&mut rust_settings.traffic, &mut rust_settings.replan, "horizon_steps", 6).unwrap();
    let mut of_rust = Setup::cooperative(rust_settings, grid(), vec![cart(), cart()]);
    of_rust.agents = spawns();
    of_rust.friends.befriend(Team(1), Team(2));
    of_rust.landmarks = Some(2);
    let area = wheelbase_grid::Rect::new(4, 2, 2, 3);
    of_rust.eased = vec![wheelbase_grid::Change::Terrain { area, kind: wheelbase_grid::TerrainKind(0) }];
    let mut rust = World::new(of_rust).unwrap();
    let mut generator = Generator::new(5, Kinds::OF_BINDINGS);
    for _ in 0..500 {
        if generator.chance(200) {
            let command = crate::commands::sayable(generator.command(&rust), GridShape::Square);
            for world in [one, other] {
                ok(crate::commands::give(world, &command, GridShape::Square, 0).0);
            }
            rust.command(command);
        }
        rust.step();
        assert_eq!([step(one), step(other)], [WB_RUNNING; 2]);
        assert_eq!([hash(one), hash(other)], [rust.state_hash(); 2], "tick {}", rust.tick());
    }
    assert_eq!(crate::calls::save(one), rust.save().unwrap());
    assert!(counts(one).moves > 300);
    for world in [one, other] {
        ok(wb_world_destroy(world));
    }
    ok(wb_class_destroy(class));
    ok(wb_map_destroy(map));
}

#[test]
fn other_rules_collisions_and_paths_are_those_of_rust() {
    let (map, class) = (map(), class(&CART.replace("time = 6", "time = 2")));
    for (rule, paths, collision) in [
        (WB_RULE_COMMANDED, WB_PATHS_PLANNER, WB_COLLISION_SWEPT),
        (WB_RULE_COOPERATIVE, WB_PATHS_HOST, WB_COLLISION_DISCRETE),
    ] {
        let given = wb_settings { rule, paths, collision, ..settings() };
        let of_c = setup(map, &given);
        let spawn = SpawnOf::of(&spawns()[0]);
        // SAFETY: all pointers are valid.
        unsafe {
            assert_eq!(get(|out| wb_setup_class(of_c, class, out)), 0_u32);
            ok(wb_setup_agent(of_c, &raw const spawn.spawn, &mut 0));
        }
        let world = world_new(of_c);
        let mut spec = cart().spec().clone();
        spec.primitives = Primitive::vehicle(2, 2, 1);
        let mut of_rust = Setup::cooperative(
            Settings {
                collision: if collision == WB_COLLISION_SWEPT {
                    CollisionRule::Swept
                } else {
                    CollisionRule::Discrete
                },
                ..Settings::named("")
            },
            grid(),
            vec![MovementClass::new(spec).unwrap()],
        );
        of_rust.agents = vec![spawns()[0].clone()];
        if rule == WB_RULE_COMMANDED {
            of_rust.traffic = Box::new(Commanded);
        }
        if paths == WB_PATHS_HOST {
            of_rust.paths = PathSource::Host;
            of_rust.traffic = Box::new(wheelbase_sim::traffic::Cooperative::new(
                &of_rust.tables,
                of_rust.grid.size(),
                of_rust.settings.collision,
                of_rust.settings.traffic,
            ));
        }
        let mut rust = World::new(of_rust).unwrap();
        let mut generator = Generator::new(8, Kinds::OF_BINDINGS);
        for _ in 0..60 {
            let mut commands = generator.answers(&rust);
            commands.push(generator.decisions(&rust));
            for command in commands {
                ok(crate::commands::give(world, &command, GridShape::Square, 0).0);
                rust.command(command);
            }
            rust.step();
            step(world);
            assert_eq!(hash(world), rust.state_hash());
        }
        assert!(agents(world)[0].begin_tick > 0, "it has moved");
        ok(wb_world_destroy(world));
        ok(wb_setup_destroy(of_c));
    }
    ok(wb_class_destroy(class));
    ok(wb_map_destroy(map));
}

#[test]
fn wrong_setups_are_refused() {
    let (map, class) = (map(), class(CART));
    let new = |change: fn(&mut wb_settings)| {
        let (mut given, mut handle) = (settings(), 5);
        change(&mut given);
        // SAFETY: the settings are there.
        let status = unsafe { wb_setup_new(map, &raw const given, &raw mut handle) };
        assert!(status == WB_OK || handle == 0 || handle == 5);
        (status, handle)
    };
    fails(new(|given| given.size = 4).0, WB_SIZE, "`settings.size` is 4");
    fails(new(|given| given.rule = 3).0, WB_ARGUMENT, "`settings.rule` is 3, expected 0 to 2");
    fails(new(|given| given.paths = 2).0, WB_ARGUMENT, "`settings.paths` is 2");
    fails(new(|given| given.collision = 2).0, WB_ARGUMENT, "`settings.collision` is 2");
    fails(new(|given| given.threads = 2_000).0, WB_ARGUMENT, "`threads` is 2000");
    fails(new(|given| given.name_length = 1).0, WB_POINTER, "`settings.name` is null");
    let mut handle = 0;
    // SAFETY: the pointers are valid or null.
    unsafe {
        fails(wb_setup_new(map, std::ptr::null(), &raw mut handle), WB_POINTER, "`settings` is null");
        let given = settings();
        fails(wb_setup_new(class, &raw const given, &raw mut handle), WB_WRONG_KIND, "expected map");
        fails(wb_settings_init(null_mut()), WB_POINTER, "`settings`");
    }
    // Numbers out of range, and agents that cannot stand there, all together.
    let (status, wrong) = new(|given| (given.search_slots, given.landmarks) = (0, 65));
    ok(status);
    let make = |setup: u64| {
        let mut world = 3;
        // SAFETY: the handle may be written.
        let status = unsafe { wb_world_new(setup, &raw mut world) };
        assert!(status == WB_OK || world == 0);
        status
    };
    fails(make(wrong), WB_ARGUMENT, "search_slots = 0, expected 1 to 1024; landmarks = 65, expected 0 to 64");
    ok(wb_setup_destroy(wrong));
    let given = setup(map, &settings());
    let mut number = 0;
    // SAFETY: the pointers are valid or null.
    unsafe {
        fails(
            wb_setup_class(given, map, &raw mut number),
            WB_WRONG_KIND,
            "a handle of kind map, expected class",
        );
        fails(wb_setup_class(given, class, null_mut()), WB_POINTER, "`class_number`");
        ok(wb_setup_class(given, class, &raw mut number));
        let hexagons = get(|out| wb_map_new(9, 9, WB_SHAPE_HEX, 0, out));
        let of_hexagons = setup(hexagons, &settings());
        fails(wb_setup_class(of_hexagons, class, &raw mut number), WB_ARGUMENT, "hex");
        ok(wb_setup_destroy(of_hexagons));
        ok(wb_map_destroy(hexagons));
        let unknown = wb_setup_tune(given, "horizon".as_ptr().cast(), 7, 1);
        fails(unknown, WB_ARGUMENT, "no tunable is called `horizon`, expected one of");
        fails(wb_setup_friends(given, 0, 32), WB_ARGUMENT, "`other` is 32, expected 0 to 31");
        let change = wb_change { value: 99, ..wb_change::default() };
        fails(wb_setup_ease(given, &raw const change, 1), WB_ARGUMENT, "changes[0]: terrain kind 99");
        fails(wb_setup_agent(given, std::ptr::null(), &raw mut number), WB_POINTER, "`spawn`");
        for (x, class) in [(0, 0), (0, 0), (4, 0), (1, 9)] {
            let spawn = SpawnOf::of(&Spawn::new(ClassId(class), Pose::new(x, 2, Heading(0))));
            ok(wb_setup_agent(given, &raw const spawn.spawn, &raw mut number));
        }
    }
    fails(
        make(given),
        WB_ARGUMENT,
        "agent 1: another agent holds a cell of the pose; agent 2: the pose is not legal",
    );
    assert!(message().contains("agent 3: no class has this number"), "{}", message());
    ok(wb_setup_destroy(given));
    // The rule for robots needs one class of one cell, steps of one tick, and the discrete rule of collisions.
    let robots = setup(map, &wb_settings { rule: WB_RULE_UNIT_ROBOTS, ..settings() });
    fails(make(robots), WB_ARGUMENT, "the rule unit_robots does not support these classes");
    ok(wb_setup_destroy(robots));
    ok(wb_class_destroy(class));
    ok(wb_map_destroy(map));
}

/// Classes, tables and maps of a world are separate objects.
#[test]
fn parts_of_a_world_outlive_it() {
    let (map_of_c, class) = (map(), class(CART));
    let given = setup(map_of_c, &settings());
    // SAFETY: all pointers are valid; buffers are as large as they say.
    unsafe {
        ok(wb_setup_class(given, class, &mut 0));
        let world = world_new(given);
        assert_eq!(get(|out| wb_world_classes(world, out)), 1_u32);
        let name: Vec<u8> = list(|buffer: *mut u8, capacity, count| {
            wb_world_class_name(world, 0, buffer.cast(), capacity, count)
        });
        assert_eq!(name, b"cart");
        let pose = wb_pose { x: 3, y: 4, heading: 1 };
        let cells: Vec<wb_cell> = list(|buffer, capacity, count| {
            wb_world_class_cells(world, 0, &raw const pose, buffer, capacity, count)
        });
        assert_eq!(cells, [wb_cell { x: 3, y: 4 }]);
        let far = wb_pose { x: i32::MAX, ..pose };
        let status = wb_world_class_cells(world, 0, &raw const far, null_mut(), 0, &mut 0);
        fails(status, WB_ARGUMENT, "farther than any map extends");
        let no_class = wb_world_class_name(world, 1, null_mut(), 0, &mut 0);
        fails(no_class, WB_ARGUMENT, "`class_` is 1, expected less than 1");
        let (mut terrain, mut count) = (std::ptr::null(), 0);
        ok(wb_world_terrain(world, &raw mut terrain, &raw mut count));
        let kinds: Vec<u8> = grid().terrain().iter().map(|kind| kind.0).collect();
        assert_eq!(std::slice::from_raw_parts(terrain, count), kinds);
        let of_world: u64 = get(|out| wb_world_class(world, 0, out));
        let added: u32 = get(|out| wb_world_add_class(world, of_world, out));
        assert_eq!(added, 1);
        assert_eq!(get(|out| wb_world_classes(world, out)), 2_u32);
        assert_eq!(get(|out| wb_world_landmarks_in_use(world, added, out)), 0_u8);
        fails(
            wb_world_landmarks_in_use(world, 2, &mut 0),
            WB_ARGUMENT,
            "`class_` is 2, expected less than 2",
        );
        for _ in 2..256 {
            ok(wb_world_add_class(world, of_world, &mut 0));
        }
        fails(wb_world_add_class(world, of_world, &mut 0), WB_LIMIT, "257 classes, expected at most 256");
        let tables: u64 = get(|out| wb_world_tables(world, 0, out));
        let map: u64 = get(|out| wb_world_map(world, out));
        ok(wb_world_destroy(world));
        let mut legal = 7;
        ok(wb_tables_is_legal(tables, &raw const pose, &raw mut legal));
        let rust = MovementTables::compile(&grid(), cart());
        assert_eq!(legal == 1, rust.is_legal_pose(Pose::new(3, 4, Heading(1))));
        // They make another world.
        let again = setup(map, &settings());
        assert_eq!(get(|out| wb_setup_class(again, tables, out)), 0_u32);
        assert_eq!(get(|out| wb_setup_class(again, of_world, out)), 1_u32);
        ok(wb_world_destroy(world_new(again)));
        ok(wb_setup_destroy(again));
        ok(wb_tables_destroy(tables));
        ok(wb_class_destroy(of_world));
        ok(wb_map_destroy(map));
    }
    ok(wb_setup_destroy(given));
    ok(wb_class_destroy(class));
    ok(wb_map_destroy(map_of_c));
}
