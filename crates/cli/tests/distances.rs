//! `wheelbase distances`: targets, ranges, statuses, errors.

use crate::common::*;
use serde_json::{Value, json};

fn on_trucks<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["distances", "trucks.toml", "--from", "1,0,E"], more].concat()
}

#[test]
fn each_target_has_its_distance_and_first_move() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let targets = ["--to", "3,0", "--to", "1,0,W", "--to", "1,0,E", "--to", "3,1,E", "--to", "9,0"];
    let ended = folder.run(&on_trucks(&[&targets[..], &["--format", "json"]].concat())).code(1);
    let answer = ended.json();
    assert_eq!(keys(&answer), ["from", "status", "expansions", "to"]);
    assert_eq!((&answer["from"], &answer["status"]), (&json!([1, 0, "E"]), &json!("found")));
    let to = answer["to"].as_array().unwrap();
    let expected = json!({"to":[3,0,"any"],"status":"found","cost":4,"at":[3,0,"E"],"next":"forward"});
    assert_eq!(to[0], expected);
    assert_eq!(to[2], json!({"to":[1,0,"E"],"status":"found","cost":0,"at":[1,0,"E"]}));
    assert_eq!((&to[3]["status"], &to[4]["status"]), (&json!("goal_blocked"), &json!("goal_off_map")));
    assert_eq!(to[3]["reason"], "no goal is a legal pose; of (3, 1, E): cell (2, 1) is deep");
    // `plan` agrees.
    for (target, found) in [("1,0,W", &to[1]), ("3,0", &to[0])] {
        let args = ["plan", "trucks.toml", "--from", "1,0,E", "--to", target, "--format", "json"];
        let plan = folder.run(&args).json();
        assert_eq!((&plan["cost"], &plan["moves"][0]), (&found["cost"], &found["next"]));
    }
    assert_eq!(folder.run(&on_trucks(&targets[..4])).code(0).stderr, "");
}

/// Following the poses of a range leads back to the start.
#[test]
fn a_range_lists_each_pose_and_its_path_back() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let answer = folder.run(&on_trucks(&["--within", "12", "--format", "json"])).json();
    assert_eq!(keys(&answer), ["from", "status", "expansions", "within", "reached", "farthest", "poses"]);
    let poses = answer["poses"].as_array().unwrap();
    assert_eq!((poses.len() as u64, &answer["within"]), (answer["reached"].as_u64().unwrap(), &json!(12)));
    assert!(poses.len() > 10 && answer["farthest"].as_u64().unwrap() <= 12);
    let ticks = |name: &Value| match name.as_str().unwrap() {
        "forward" => 2,
        "reverse" => 6,
        _ => 4,
    };
    let mut starts = 0;
    for pose in poses {
        let cost = pose[3].as_u64().unwrap();
        match pose[5].as_u64() {
            Some(before) => {
                let before = poses[before as usize][3].as_u64().unwrap();
                assert!(cost - before >= ticks(&pose[4]) && cost - before <= 2 * ticks(&pose[4]));
            }
            None => {
                assert_eq!((pose, cost), (&json!([1, 0, "E", 0, null, null]), 0));
                starts += 1;
            }
        }
    }
    assert_eq!(starts, 1);
}

#[test]
fn text_is_for_people() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let text = folder.run(&on_trucks(&["--to", "3,0", "--to", "1,0,E", "--within", "2"])).done();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    assert!(text.starts_with("from (1, 0, E): found, "), "{text}");
    assert_eq!(
        lines,
        [
            "         4  to (3, 0, any) at (3, 0, E), first forward",
            "         0  to (1, 0, E): already there",
            "2 poses can be reached within 2 ticks, the farthest at 2 ticks",
            "     ticks  pose",
            "         0  (1, 0, E)",
            "         2  (2, 0, E)  forward from (1, 0, E)",
        ]
    );
    let all = folder.run(&on_trucks(&[])).done();
    assert!(all.lines().nth(1).unwrap().contains(" poses can be reached at all, the farthest at "), "{all}");
}

#[test]
fn mistakes_are_named() {
    let folder = Folder::with("trucks.toml", TRUCKS);
    let from = |from| ["distances", "trucks.toml", "--from", from, "--to", "3,0"];
    let refused = folder.run(&from("1,0")).refused();
    assert_eq!(refused, "--from: expected X,Y,HEADING with heading E, N, W or S, found \"1,0\"");
    let refused = folder.run(&on_trucks(&["--to", "3,0", "--to", "x,y"])).refused();
    assert_eq!(refused, "--to: expected X,Y or X,Y,HEADING with heading any, E, N, W or S, found \"x,y\"");
    assert_eq!(folder.run(&["distances", "trucks.toml"]).code(2).stdout, "");
    let blocked = folder.run(&from("2,1,E")).code(1);
    assert_eq!(
        blocked.stdout,
        "from (2, 1, E): start blocked, 0 expansions\nthe start is not a legal pose: cell (2, 1) is deep\n"
    );
    assert!(folder.run(&from("-3,1,E")).code(1).stdout.contains("is off the map of 8 x 4"));
}
