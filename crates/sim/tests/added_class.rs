//! Classes that are added to a running world.

use crate::common::{CART, Checked, TANK, TRUCK, WALKER, at, cell, hex_classes, map, open, square_classes};
use wheelbase_grid::{Change, GridShape, Rect, TerrainKind};
use wheelbase_planner::{ClassSpec, MovementClass, MovementTables, Primitive};
use wheelbase_sim::{
    ClassId, CollisionRule, Command, CrashReport, EventKind, Host, Order, Settings, Setup, SetupError, World,
};
use wheelbase_traffic::{OwnRule, RuleSetting};

/// Two rooms and a door that a tank fits through.
fn rooms() -> wheelbase_grid::Grid {
    let mut rows = [vec![".".repeat(9) + "@" + &".".repeat(9); 3], vec![".".repeat(19); 3]].concat();
    rows.extend(rows[..3].to_vec());
    map(&rows.iter().map(String::as_str).collect::<Vec<_>>(), GridShape::Square)
}

/// Classes join smaller and larger ones. Their agents drive through a door, also after an edit, and a snapshot, a copy
/// and a crash report step as the world does.
#[test]
fn agents_of_added_classes_drive() {
    for order in [[CART, TRUCK, TANK, WALKER], [TANK, WALKER, TRUCK, CART]] {
        let [first, others @ ..] = order.map(|class| square_classes()[usize::from(class.0)].clone());
        let mut setup = Setup::cooperative(Settings::named("rooms"), rooms(), vec![first]);
        setup.agents = [2, 4, 6].map(|y| at(ClassId(0), 2, y, 0)).to_vec();
        let mut run = Checked::new(World::new(setup).unwrap());
        let before: Vec<_> = run.world.agent_arrays().ids.clone();
        for (&agent, y) in before.iter().zip([6, 4, 2]) {
            run.does(Command::order(agent, Order::goto(cell(16, y))));
        }
        run.steps(12);
        let plain = run.world.clone();
        run.world.keep_report().unwrap();
        for (number, class) in (1..).zip(others) {
            assert_eq!(run.world.add_class(class).unwrap(), ClassId(number));
            run.steps(2);
        }
        let mut without = plain.clone();
        for _ in 0..6 {
            without.step();
        }
        assert_eq!(run.world.state_hash(), without.state_hash(), "a class without agents changes nothing");

        let mut goals = Vec::new();
        for (class, y) in [(1, 2), (2, 4), (3, 6)] {
            run.does(Command::Spawn(at(ClassId(class), 16, y, 0)));
            run.steps(1);
            let Some(&agent) = run.world.agent_arrays().ids.last() else { continue };
            run.does(Command::order(agent, Order::goto(cell(2, 8 - y)).or_wait()));
            goals.push(agent);
        }
        assert_eq!(goals.len(), 3);
        // The door gets wider, and the corridor with it.
        let wider = Change::Terrain { area: Rect::new(9, 2, 1, 1), kind: TerrainKind(0) };
        run.does(Command::edit(wider));
        run.steps(30);
        let mut copies = [
            World::load(&run.world.save().unwrap(), Host::default()).unwrap(),
            run.world.clone(),
            from_report(&run.world),
            plain,
        ];
        copies[3].clone_from(&run.world);
        for tick in 0..400 {
            run.steps(1);
            for (number, copy) in copies.iter_mut().enumerate() {
                copy.step();
                assert_eq!(copy.state_hash(), run.world.state_hash(), "copy {number}, {tick} ticks on");
            }
        }
        for agent in before.into_iter().chain(goals) {
            assert_eq!(run.count(EventKind::OrderDone, agent), 1, "{agent:?}, order {order:?}");
        }
    }
}

/// The world of its crash report, after the commands given since.
fn from_report(world: &World) -> World {
    let mut report = CrashReport::load(&world.report().unwrap(), Host::default()).unwrap();
    while report.world.tick() < world.tick() {
        report.commands.give_due(&mut report.world);
        report.world.step();
    }
    report.world
}

/// A refused class leaves the world as it was.
#[test]
fn classes_that_do_not_fit_are_refused() {
    let classes = square_classes();
    let mut world =
        World::new(Setup::cooperative(Settings::named("field"), open(4, 4), classes.clone())).unwrap();
    assert_eq!(world.add_class(hex_classes()[0].clone()), Err(SetupError::OtherMap(ClassId(4))));
    for number in 4..=255 {
        assert_eq!(world.add_class(classes[0].clone()), Ok(ClassId(number)));
    }
    assert_eq!(world.add_class(classes[0].clone()), Err(SetupError::TooManyClasses(257)));
    assert_eq!((world.tables().len(), world.setup_classes()), (256, 4));

    let mut robot = ClassSpec::new("robot", 4);
    robot.primitives = [
        Primitive::step("forward", (1, 0), 1),
        Primitive::turn("left", 1, 1),
        Primitive::turn("right", -1, 1),
    ]
    .into();
    let robot = MovementClass::new(robot).unwrap();
    let mut settings = Settings::named("depot");
    settings.collision = CollisionRule::Discrete;
    let tables = vec![MovementTables::compile(&open(4, 4), robot.clone())];
    let setting = RuleSetting {
        tables: &tables,
        size: open(4, 4).size(),
        collision: settings.collision,
        n_agents: 0,
        seed: 0,
        params: settings.traffic,
    };
    let rule = OwnRule::UnitRobots.make(setting).unwrap();
    let mut world = World::new(Setup::with_rule(settings, open(4, 4), tables, rule)).unwrap();
    assert_eq!(world.add_class(robot), Err(SetupError::RuleRefuses(ClassId(1))));
    world.step();
    assert_eq!(world.tables().len(), 1);
}
