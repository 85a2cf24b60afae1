//! Lists of moves are judged as `check_path` judges the whole path.

use crate::common::world_of;
use proptest::prelude::*;
use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::tables::*;

/// The path of a list of moves up to the first that is illegal, and with it.
fn path_of(legality: &Legality<'_>, start: Pose, moves: &[u8]) -> Path {
    let mut path = Path { poses: vec![PathPose { pose: start, arrival: 0 }], moves: Vec::new() };
    if legality.check_pose(start).is_err() {
        return path;
    }
    for &primitive in moves {
        let PathPose { pose, arrival } = path.poses[path.moves.len()];
        path.moves.push(primitive);
        let Ok(ticks) = legality.explain(pose, primitive.into()) else {
            path.poses.push(PathPose { pose, arrival });
            break;
        };
        let arrival = arrival.saturating_add(ticks);
        path.poses.push(PathPose { pose: legality.pose_after(pose, primitive.into()), arrival });
    }
    path
}

fn agrees(grid: &Grid, tables: &MovementTables, start: State, moves: &[u8]) {
    let (legality, space) = (Legality::new(grid, tables.class()), tables.space());
    let path = path_of(&legality, space.pose(start), moves);
    let given = tables.check_moves(start, moves);
    let is_same = match check_path(&legality, &path) {
        Ok(()) => {
            let end = path.poses[path.moves.len()];
            given == Ok(MovesEnd { state: space.state(end.pose).unwrap(), ticks: end.arrival })
        }
        Err(PathError::Start(_)) => given == Err(MovesError::StartBlocked(start)),
        Err(PathError::Illegal { at, why: MoveBlocked::NoSuchPrimitive { n_primitives, .. } }) => {
            given == Err(MovesError::NoSuchPrimitive { at, primitive: moves[at], n_primitives })
        }
        Err(PathError::Illegal { at, .. }) => {
            let state = space.state(path.poses[at].pose).unwrap();
            given == Err(MovesError::Illegal { at, primitive: moves[at], state })
        }
        Err(PathError::WrongArrival { at, .. }) => given == Err(MovesError::CostOverflow { at }),
        Err(_) => false,
    };
    assert!(is_same, "{given:?}, but {:?}", check_path(&legality, &path));
    let is_blocked = given == Err(MovesError::StartBlocked(start));
    let followed = tables.follow_moves(start, moves);
    match moves.first() {
        Some(&primitive) if is_blocked => {
            let n_primitives = tables.class().primitives().len();
            let is_known = usize::from(primitive) < n_primitives;
            let illegal = MovesError::Illegal { at: 0, primitive, state: start };
            let unknown = MovesError::NoSuchPrimitive { at: 0, primitive, n_primitives };
            assert_eq!(followed, Err(if is_known { illegal } else { unknown }));
        }
        None if is_blocked => assert_eq!(followed, Ok(MovesEnd { state: start, ticks: 0 })),
        _ => assert_eq!(followed, given),
    }
    appends(tables, start, moves, &path);
}

/// Moves appended in two parts make the same path, up to the first wrong one.
fn appends(tables: &MovementTables, start: State, moves: &[u8], whole: &Path) {
    let followed = tables.follow_moves(start, moves);
    let n_right = match followed {
        Ok(_) => moves.len(),
        Err(
            MovesError::NoSuchPrimitive { at, .. }
            | MovesError::Illegal { at, .. }
            | MovesError::CostOverflow { at },
        ) => at,
        Err(error) => panic!("{error}"),
    };
    let mut path = Path::new();
    let half = tables.append_moves(&mut path, start, &moves[..n_right / 2]).unwrap();
    assert_eq!((path.moves.len(), path.cost()), (n_right / 2, half.ticks));
    let end = tables.append_moves(&mut path, half.state, &moves[n_right / 2..]);
    match end {
        Ok(end) => assert_eq!((Ok(end), end.ticks), (followed, path.cost())),
        Err(_) => assert!(followed.is_err()),
    }
    assert_eq!((&path.moves[..], &path.poses[..]), (&moves[..n_right], &whole.poses[..=n_right]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn lists_of_moves_are_judged_as_paths(
        (grid, class) in world_of(1..9),
        lists in prop::collection::vec((any::<u32>(), prop::collection::vec((0_u32..9, 0_u8..18), 0..30)), 1..20),
    ) {
        let tables = MovementTables::compile(&grid, class);
        for (start, numbers) in lists {
            let start = State(start % tables.space().n_states() as u32);
            let (mut moves, mut at) = (Vec::new(), start);
            for (kind, number) in numbers {
                // Mostly legal moves, so that lists get far.
                let mut legal = Vec::new();
                tables.for_each_successor(at, |successor| legal.push(successor));
                match legal.get(usize::from(number) % legal.len().max(1)) {
                    Some(successor) if kind > 0 => {
                        moves.push(successor.primitive);
                        at = successor.state;
                    }
                    _ => moves.push(number),
                }
            }
            agrees(&grid, &tables, start, &moves);
        }
    }
}

/// Two cells of bog, on which a move takes 65,535,000 ticks, and a wall.
fn bog() -> (Grid, MovementTables) {
    let (speed, sides) = ([1, 0], [SideKind::OPEN; SIDES_MAX]);
    let kinds = ["bog", "wall"].into_iter().zip(["b", "#"]).zip(speed);
    let kinds = kinds.map(|((name, glyphs), speed)| TerrainEntry {
        name: name.to_owned(),
        glyphs: glyphs.to_owned(),
        speed,
        colour: None,
        sides,
    });
    let table = TerrainTable::new(kinds.collect()).unwrap();
    let grid = Grid::from_rows(&["bb#"], table, SideTable::default()).unwrap();
    let mut spec = ClassSpec::new("slug", 1);
    spec.primitives = Primitive::four_directions(65_535);
    let tables = MovementTables::compile(&grid, MovementClass::new(spec).unwrap());
    (grid, tables)
}

#[test]
fn costs_beyond_the_limit_are_named() {
    let (grid, tables) = bog();
    let moves = [0, 2].repeat(33);
    agrees(&grid, &tables, State(0), &moves);
    assert_eq!(tables.check_moves(State(0), &moves), Err(MovesError::CostOverflow { at: 65 }));
    let end = tables.check_moves(State(0), &moves[..65]);
    assert_eq!(end, Ok(MovesEnd { state: State(1), ticks: 65 * 65_535_000 }));
}

#[test]
fn errors_say_where_and_why() {
    let (_, tables) = bog();
    let words = |start, moves: &[u8]| tables.check_moves(State(start), moves).unwrap_err().to_string();
    assert_eq!(words(3, &[]), "the start is state 3, expected one below 3");
    assert_eq!(words(u32::MAX, &[0]), "the start is state 4294967295, expected one below 3");
    assert_eq!(words(2, &[]), "the start is not a legal pose");
    assert_eq!(words(0, &[0, 4]), "move 1: no move 4; the class has 4 moves, numbered from 0");
    assert_eq!(words(0, &[0, 0]), "move 1: move 0 is not legal there");
    assert_eq!(words(0, &[0, 2].repeat(33)), "move 65: the path takes more than 4294967294 ticks");
}
