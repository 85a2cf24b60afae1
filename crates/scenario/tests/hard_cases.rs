//! Nobody waits for ever. The hard cases of `scenarios/traffic` from 13 on run with seeds 1 to 8 each. The worst of the
//! eight runs and their median have bounds. Half of the cases and all long runs are for `.ci/run --all`.
//!
//! What they come to today, worst and median, as `cargo test --test integration hard_cases:: -- --nocapture
//! --include-ignored` prints it. A rule that is better makes the bounds tighter, so that they stay worth something.
//!
//! | case | ticks | tasks and orders done | longest wait | orders left | all done at tick |
//! |---|---|---|---|---|---|
//! | bridge 3, bodies up to 2x3 | 2,000 | 106, 111 | 1,318, 841 | | |
//! | the same | 20,000 | 932, 1,012 | 2,308, 1,920 | | |
//! | bridge 4, bodies up to 3x5 | 2,000 | 84, 109 | 1,167, 501 | | |
//! | bridge 5 | 2,000 | 88, 110 | 604, 403 | | |
//! | the same | 20,000 | 552, 897 | 3,770, 1,291 | | |
//! | bridge 6 | 2,000 | 86, 100 | 840, 456 | | |
//! | bridge 7 | 2,000 | 105, 113 | 545, 418 | | |
//! | bridge 8 | 2,000 | 119, 123 | 435, 286 | | |
//! | bridge 9 | 2,000 | 112, 126 | 549, 400 | | |
//! | bridge 10 | 2,000 | 116, 130 | 486, 250 | | |
//! | bridge 11 | 2,000 | 123, 133 | 532, 299 | | |
//! | bridge 12 | 2,000 | 121, 134 | 510, 305 | | |
//! | bridge closes | 3,000 | 216, 251 | 516, 436 | | |
//! | the same | 20,000 | 1,000, 1,252 | 2,758, 766 | | |
//! | no reverse, open ground, of 122 | 2,000 | 90, 110 | 2,000, 2,000 | 32, 12 | |
//! | no reverse, maze, of 40 | 2,000 | 24, 29 | 1,209, 543 | 16, 11 | |
//! | two doors | 3,000 | 189, 209 | 568, 388 | | |
//! | dead end | 3,000 | 177, 218 | 567, 336 | | |
//! | there and back, of 40 | 8,000 | 39, 40 | 532, 426 | 0, 0 | 4,084, 3,041 |

use crate::eight_seeds::{Bounds, Case, OfEight, of_eight};

/// Rows of the maps of the bridges.
const HEIGHT: usize = 44;

/// Bounds of tasks without end: tasks done, and longest wait.
fn tasks(done: OfEight, wait: OfEight) -> Bounds {
    Bounds::of_tasks(done, wait)
}

/// A bridge of another width, made of the widest one: rows outside of it belong to the river.
fn bridge(width: usize) -> Case {
    let widest = Case::of("16_bridge_12.toml");
    let top = (HEIGHT - width) / 2;
    let river = widest.text.lines().find(|line| line.contains("WW")).unwrap().to_owned();
    let ground = river.replace('W', ".");
    let mut y = 0;
    let lines = widest.text.lines().map(|line| {
        let is_row = line.starts_with("  \"") && line.len() == river.len();
        y += usize::from(is_row);
        match is_row {
            true if (top..top + width).contains(&(y - 1)) => &ground,
            true => &river,
            false => line,
        }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    Case { name: format!("bridge {width} of {}", widest.name), text, ..widest }
}

/// The files of other widths hold the bridge that the text makes.
#[test]
fn bridges_of_the_files_are_those_made_of_the_widest() {
    for (width, name) in [(5, "14_bridge_5.toml"), (8, "15_bridge_8.toml"), (12, "16_bridge_12.toml")] {
        let from_groups = |text: &str| text[text.find("groups = [").unwrap()..].trim_end().to_owned();
        assert_eq!(from_groups(&bridge(width).text), from_groups(&Case::of(name).text), "{name}");
    }
}

#[test]
fn a_bridge_of_5() {
    Case::of("14_bridge_5.toml").holds(&tasks(of_eight(72, 90), of_eight(1_400, 700)));
}

#[test]
fn a_bridge_that_closes_and_opens() {
    Case::of("17_bridge_closes.toml").holds(&tasks(of_eight(208, 230), of_eight(800, 550)));
}

#[test]
fn no_reverse_in_a_maze() {
    Case::of("19_no_reverse_maze.toml").ticks(2_000).done_leave().holds(&Bounds {
        done: of_eight(21, 26),
        wait: of_eight(1_600, 800),
        left: of_eight(19, 14),
        ticks: of_eight(2_000, 2_000),
    });
}

#[test]
fn a_dead_end_full_of_goals() {
    Case::of("21_dead_end.toml").holds(&tasks(of_eight(165, 205), of_eight(750, 485)));
}

#[test]
fn there_and_back() {
    Case::of("22_there_and_back.toml").holds(&Bounds {
        done: of_eight(39, 40),
        wait: of_eight(1_000, 600),
        left: of_eight(0, 0),
        ticks: of_eight(5_500, 4_200),
    });
}

mod for_long {
    use super::{bridge, tasks};
    use crate::eight_seeds::{Bounds, Case, of_eight};

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn a_bridge_of_3() {
        Case::of("13_bridge_3.toml").holds(&tasks(of_eight(72, 94), of_eight(1_800, 1_400)));
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn a_bridge_of_8() {
        Case::of("15_bridge_8.toml").holds(&tasks(of_eight(92, 100), of_eight(900, 500)));
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn a_bridge_of_12() {
        Case::of("16_bridge_12.toml").holds(&tasks(of_eight(110, 120), of_eight(750, 500)));
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn bridges_between() {
        let bounds = [
            (4, of_eight(64, 76), of_eight(1_900, 1_500)),
            (6, of_eight(82, 94), of_eight(1_000, 550)),
            (7, of_eight(95, 105), of_eight(800, 500)),
            (9, of_eight(88, 114), of_eight(650, 480)),
            (10, of_eight(108, 118), of_eight(650, 480)),
            (11, of_eight(98, 115), of_eight(650, 500)),
        ];
        for (width, done, wait) in bounds {
            bridge(width).holds(&tasks(done, wait));
        }
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn no_reverse_on_open_ground() {
        Case::of("18_no_reverse_open.toml").ticks(2_000).done_leave().holds(&Bounds {
            done: of_eight(85, 105),
            wait: of_eight(2_000, 2_000),
            left: of_eight(37, 17),
            ticks: of_eight(2_000, 2_000),
        });
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn two_doors() {
        Case::of("20_two_doors.toml").holds(&tasks(of_eight(172, 190), of_eight(1_000, 700)));
    }

    /// Before edits had their ends kept clear, three of the eight were not carried out by tick 4000.
    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn open_ground_that_is_closed_under_a_crowd() {
        Case::of("23_open_ground_closes.toml").holds(&tasks(of_eight(330, 400), of_eight(1_200, 800)));
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn a_bridge_of_3_to_20_000() {
        let case = Case::of("13_bridge_3.toml").ticks(20_000);
        case.holds(&tasks(of_eight(630, 760), of_eight(5_000, 3_600)));
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn a_bridge_of_5_to_20_000() {
        let case = Case::of("14_bridge_5.toml").ticks(20_000);
        case.holds(&tasks(of_eight(480, 580), of_eight(8_000, 4_000)));
    }

    #[test]
    #[ignore = "long: run by .ci/run --all"]
    fn a_bridge_that_closes_and_opens_to_20_000() {
        let case = Case::of("17_bridge_closes.toml").ticks(20_000);
        case.holds(&tasks(of_eight(960, 1_050), of_eight(4_000, 1_400)));
    }
}
