//! Serde: values are read back the same, as text and as bytes, and forged values are refused or harmless.

#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

mod common;

use common::world_of;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::sync::Arc;
use wheelbase_grid::*;
use wheelbase_planner::model::*;
use wheelbase_planner::search::*;
use wheelbase_planner::tables::*;

/// With a limit: without one, bincode takes memory for whatever length a string claims.
fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let read =
        bincode::serde::decode_from_slice(bytes, bincode::config::standard().with_limit::<1_000_000>());
    read.map_err(|error| error.to_string()).and_then(|(value, n_bytes)| match n_bytes == bytes.len() {
        true => Ok(value),
        false => Err(format!("{n_bytes} of {} bytes read", bytes.len())),
    })
}

fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, bincode::config::standard()).unwrap()
}

/// Through JSON and through bincode, which does not describe its content.
fn both_ways<T: Serialize + DeserializeOwned>(value: &T) -> [T; 2] {
    let json = serde_json::to_string(value).unwrap();
    [serde_json::from_str(&json).unwrap(), from_bytes(&to_bytes(value)).unwrap()]
}

fn is_kept<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) {
    for read in both_ways(&value) {
        assert_eq!(read, value);
    }
}

fn refused<T: DeserializeOwned + Debug>(value: Value) -> String {
    serde_json::from_value::<T>(value).unwrap_err().to_string()
}

/// An enum is written as the name that outputs and files give it.
fn is_named<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T, name: &str) {
    assert_eq!(serde_json::to_value(&value).unwrap(), json!(name));
    is_kept(value);
}

#[test]
fn names_are_those_of_files() {
    for shape in [GridShape::Square, GridShape::Hex] {
        is_named(shape, shape.name());
    }
    for side in Side::ALL {
        is_named(side, side.name());
    }
    for heuristic in HeuristicName::ALL {
        is_named(heuristic, heuristic.name());
        is_kept(Guide::Norm(heuristic));
    }
    for guide in [Guide::Landmarks, Guide::Field, Guide::Learned, Guide::Custom] {
        is_named(guide, guide.name());
    }
    for reached in [Reached::Goal, Reached::Nearest, Reached::Partial] {
        is_named(reached, reached.name());
    }
    let statuses = [
        Status::StartOffMap,
        Status::GoalOffMap,
        Status::StartBlocked,
        Status::GoalBlocked,
        Status::Found,
        Status::Unreachable,
        Status::LimitReached,
        Status::CostOverflow,
    ];
    for status in statuses {
        is_named(status, status.name());
        is_kept(Answer::ended(status));
    }
    for (when, name) in [(When::Any, "any"), (When::Straight, "straight"), (When::Diagonal, "diagonal")] {
        is_named(when, name);
    }
    is_named(SweepRule::Full, "full");
    is_named(Fallback::Nearest, "nearest");
    is_named(Progress::Running, "running");
}

#[test]
fn small_values_are_kept() {
    is_kept((
        Cell(7),
        CellXY::new(-3, i32::MAX),
        Rect::new(-1, 2, 3, u32::MAX),
        TerrainKind(4),
        SideKind::WALL,
    ));
    is_kept((Heading(3), Frame(7), State(9), Ticket(u64::MAX), Offset::new(1, -2)));
    let (cell, area) = (CellXY::new(1, 2), Rect::new(1, 2, 3, 4));
    is_kept(vec![
        Change::Terrain { area, kind: TerrainKind(2) },
        Change::Elevation { area, height: -4 },
        Change::Side { cell, side: Side::SouthWest, kind: SideKind(3) },
        Change::Rotate { cell, turns: -1 },
    ]);
    is_kept(GridSize::new(7, 9).unwrap());
    let pose = json!({"cell": {"x": 1, "y": 2}, "heading": 3});
    assert_eq!(serde_json::to_value(Pose::new(1, 2, Heading(3))).unwrap(), pose);
}

#[test]
fn forged_values_are_refused() {
    let size = json!({"width": 0, "height": 3});
    assert_eq!(
        refused::<GridSize>(size),
        "a map of 0 x 3 cells; width and height must be at least 1 and their product at most 67108864"
    );
    let size = json!({"width": 65, "height": 2});
    assert_eq!(
        refused::<BitGrid>(json!({"size": size, "words": [1, 2, 3]})),
        "3 words for a bit grid of 65 x 2 cells, expected 4"
    );
    assert_eq!(
        refused::<BitGrid>(json!({"size": size, "words": [1, 1, 1, 2]})),
        "row 1 of a bit grid has bits beyond its 65 columns"
    );
    let whole = json!({"size": {"width": 64, "height": 1}, "words": [u64::MAX]});
    assert_eq!(serde_json::from_value::<BitGrid>(whole).unwrap().count_ones(), 64);
    let size = json!({"width": 2, "height": 1});
    assert_eq!(
        refused::<CellPenalties>(json!({"size": size, "ticks": [1], "max": 1})),
        "1 penalties for a map of 2 x 1 cells, expected 2"
    );
    assert_eq!(
        refused::<CellPenalties>(json!({"size": size, "ticks": [1, 9], "max": 8})),
        "a penalty of 9 ticks, expected at most 8"
    );
    assert_eq!(
        refused::<Path>(json!({"poses": [], "moves": [1]})),
        "0 poses and 1 moves; expected one pose more than moves"
    );
}

#[test]
fn forged_classes_are_refused() {
    let mut spec = ClassSpec::new("tank", 4);
    spec.primitives = Primitive::vehicle(2, 6, 2);
    let right = serde_json::to_value(&spec).unwrap();
    assert!(serde_json::from_value::<MovementClass>(right.clone()).is_ok());
    let forged = |key: &str, value: Value| {
        let mut class = right.clone();
        *class.pointer_mut(key).unwrap() = value;
        let bytes = serde_json::from_value::<ClassSpec>(class.clone()).map(|spec| to_bytes(&spec)).unwrap();
        let refused = refused::<MovementClass>(class);
        assert!(from_bytes::<MovementClass>(&bytes).is_err());
        refused
    };
    assert_eq!(forged("/headings", json!(3)), "3 headings; expected 1, 4 or 8");
    assert_eq!(forged("/shape", json!("hex")), "4 headings; expected 1 or 6 on hexagonal maps");
    assert_eq!(forged("/footprint", json!([])), "a footprint of 0 cells; expected 1 to 1024");
    assert_eq!(
        forged("/footprint", json!([[i32::MIN, 0]])),
        "cell [-2147483648, 0] is more than 65535 cells from the anchor"
    );
    let pivot = "half cells; expected both even or both odd, at most 131070 either way";
    assert_eq!(forged("/pivot/right", json!(1)), format!("a pivot at [0, 1] {pivot}"));
    assert_eq!(forged("/pivot/right", json!(i32::MIN)), format!("a pivot at [0, -2147483648] {pivot}"));
    assert_eq!(forged("/primitives/0/time", json!(0)), "move \"forward\" takes 0 ticks; expected 1 to 65535");
    assert_eq!(
        forged("/primitives/2/turn", json!(i32::MIN)),
        "move \"left\" turns by -2147483648 steps; with 4 headings expected fewer than 4 either way"
    );
}

/// Numbers at and beyond the edges of sense.
fn any_number() -> impl Strategy<Value = i32> {
    prop_oneof![6 => -2_i32..12, 1 => any::<i32>(), 1 => Just(i32::MAX), 1 => Just(i32::MIN)]
}

fn any_cell() -> impl Strategy<Value = CellXY> {
    (any_number(), any_number()).prop_map(|(x, y)| CellXY::new(x, y))
}

fn any_heading() -> impl Strategy<Value = Heading> {
    prop_oneof![8 => 0_u8..8, 1 => any::<u8>()].prop_map(Heading)
}

fn any_request() -> impl Strategy<Value = QueuedRequest> {
    let member = (any_cell(), prop::option::of(any_heading()))
        .prop_map(|(cell, heading)| GoalMember { cell, heading });
    let window = (any_cell(), any_number(), any_number())
        .prop_map(|(at, width, height)| Rect::new(at.x, at.y, width as u32, height as u32));
    let limits = (any_number(), any_number(), prop::option::of(0_u64..60), any::<i32>());
    (
        (any_cell(), any_heading()),
        prop::collection::vec(member, 0..4),
        limits,
        prop::option::of(window),
        prop::option::of(0_usize..7),
        any::<[bool; 4]>(),
    )
        .prop_map(
            |((cell, heading), goal, limits, window, heuristic, [fallback, partial, blocked, dear])| {
                let mut request = QueuedRequest::new(0, Pose { cell, heading }, goal);
                (request.within, request.expansions_max, request.priority) =
                    (limits.0 as u32, limits.2, limits.3);
                request.weight_permille = if limits.1 > 0 { 1000 } else { limits.1 as u32 };
                request.fallback = if fallback { Fallback::Nearest } else { Fallback::Fail };
                (request.partial, request.window) = (partial, window);
                request.heuristic = heuristic.map(|number| HeuristicName::ALL[number]);
                let size = GridSize::new(7, 7).unwrap();
                if blocked {
                    let mut obstacles = BitGrid::new(size);
                    obstacles.fill(Rect::new(2, 2, 3, 2), true);
                    request.obstacles = Some(Arc::new(obstacles));
                }
                if dear {
                    let mut penalties = CellPenalties::new(size);
                    penalties.set(Rect::new(0, 3, 4, 2), 70);
                    penalties.set(Rect::new(0, 3, 4, 1), 7);
                    request.penalties = Some(Arc::new(penalties));
                }
                request
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn classes_are_kept((_, class) in world_of(2..3)) {
        is_kept(class.spec().clone());
        for read in both_ways(&class) {
            prop_assert_eq!(read.spec(), class.spec());
            for frame in class.frames() {
                prop_assert_eq!(read.footprint().at(frame), class.footprint().at(frame));
            }
        }
    }

    /// Requests that are read find what the same requests find, whatever stands in them, and never panic.
    #[test]
    fn requests_and_paths_are_kept(
        (grid, class) in world_of(7..8),
        requests in prop::collection::vec(any_request(), 1..12),
    ) {
        let size = grid.size();
        let tables = [MovementTables::compile(&grid, class)];
        let run = |requests: Vec<QueuedRequest>| {
            let mut queue = PathQueue::new(size, 1, 2);
            let queued: Vec<_> = requests.into_iter().map(|request| queue.submit(request)).collect();
            let mut found = Vec::new();
            while queue.open() > 0 {
                queue.advance(&tables, 200);
                found.extend(queue.answers().map(|one| (one.ticket, one.answer, one.path.clone())));
            }
            (queued, found)
        };
        let expected = run(requests.clone());
        let read: [Vec<_>; 2] = [0, 1].map(|way: usize| {
            requests.iter().map(|request| both_ways(request)[way].clone()).collect()
        });
        for requests in read {
            prop_assert_eq!(&run(requests), &expected);
        }
        for (ticket, answer, path) in expected.1 {
            is_kept((ticket, answer));
            is_kept(path.clone());
            let forged = Path { moves: path.moves.iter().map(|m| m ^ 5).collect(), ..path };
            for read in both_ways(&forged) {
                let _ = check_path(&Legality::new(&grid, tables[0].class()), &read);
            }
        }
    }

    /// Classes of any numbers are refused or can be compiled; bytes that were changed are refused or are classes.
    #[test]
    fn forged_classes_never_panic(
        (grid, class) in world_of(1..7),
        numbers in prop::collection::vec((any::<prop::sample::Index>(), any_number()), 1..6),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut forged = serde_json::to_value(class.spec()).unwrap();
        let mut places = Vec::new();
        number_places(&forged, String::new(), &mut places);
        for (place, number) in numbers {
            let place: &String = place.get(&places);
            *forged.pointer_mut(place).unwrap() = json!(number);
        }
        let mut bytes = to_bytes(class.spec());
        for (at, byte) in flips {
            *at.get_mut(&mut bytes) = byte;
        }
        let read = [serde_json::from_value::<MovementClass>(forged).ok(), from_bytes(&bytes).ok()];
        for class in read.into_iter().flatten().filter(|class| class.grid_shape() == grid.shape()) {
            MovementTables::compile(&grid, class);
        }
    }
}

/// Pointers to all numbers of a document.
fn number_places(value: &Value, at: String, places: &mut Vec<String>) {
    match value {
        Value::Number(_) => places.push(at),
        Value::Array(values) => {
            values
                .iter()
                .enumerate()
                .for_each(|(n, value)| number_places(value, format!("{at}/{n}"), places));
        }
        Value::Object(values) => {
            values.iter().for_each(|(key, value)| number_places(value, format!("{at}/{key}"), places));
        }
        _ => {}
    }
}
