//! The skirmish as Rust plays it is the golden one, which hosts in other languages are held to as well
//! (`skirmish/README.md`). WHEELBASE_BLESS=1 cargo test -p wheelbase-scenario --test integration skirmish:: writes it
//! again.

use std::path::Path;
use wheelbase_sim::EventKind;

#[path = "../examples/skirmish.rs"]
#[allow(dead_code)]
mod example;

#[test]
fn the_skirmish_is_the_golden_one() {
    let played = example::play().unwrap();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skirmish/golden.txt");
    if std::env::var_os("WHEELBASE_BLESS").is_some() {
        std::fs::write(&file, &played).unwrap();
    }
    let golden = std::fs::read_to_string(&file).unwrap();
    let mut lines = played.lines().zip(golden.lines()).enumerate();
    let first = lines.find(|(_, (played, golden))| played != golden);
    assert!(
        played == golden,
        "skirmish/golden.txt is not what is played, at {first:?}. After a deliberate change of results: \
         WHEELBASE_BLESS=1 cargo test -p wheelbase-scenario --test integration skirmish::"
    );

    // It has its subject, and no two units ever overlap.
    let last = golden.lines().rfind(|line| line.starts_with("tick ")).unwrap();
    assert!(last.contains(" overlaps 0 "), "{last}");
    let events = last.split_once(" events ").unwrap().1.split(' ');
    let events: Vec<u32> = events.map_while(|word| word.parse().ok()).collect();
    assert_eq!(events.len(), EventKind::ALL.len(), "{last}");
    for (kind, n) in EventKind::ALL.into_iter().zip(events) {
        assert!(n > 0, "{kind:?} never happens: {last}");
    }
}
