//! Tests of the documentation that the editor shows: the engine drops parts that it cannot read, without a message.

use std::collections::BTreeSet;

/// The classes as the editor gets them.
fn classes() -> Vec<String> {
    godot::docs::__gather_xml_docs().collect()
}

/// What stands in a text between two others, each time.
fn between<'a>(text: &'a str, from: &'a str, to: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(from).skip(1).filter_map(move |rest| rest.split_once(to).map(|(found, _)| found))
}

#[test]
fn each_class_method_signal_and_property_is_described() {
    let names: BTreeSet<String> = classes()
        .iter()
        .flat_map(|class| between(class, "<class name=\"", "\"").map(str::to_owned))
        .collect();
    let expected = ["Map", "MultiMesh", "Unit2D", "Unit3D", "World"].map(|name| format!("Wheelbase{name}"));
    assert_eq!(names, BTreeSet::from(expected));
    for class in classes() {
        let descriptions: Vec<&str> =
            between(&class, "<description>", "</description>").map(str::trim).collect();
        let items = class.matches("<method name=").count() + class.matches("<signal name=").count();
        assert_eq!(descriptions.len(), items + 1, "{class}");
        let members = between(&class, "<member ", "</member>").map(|text| text.split_once('>').unwrap().1);
        for text in descriptions.into_iter().chain(members) {
            assert!(text.ends_with('.'), "a sentence is missing: {text:?} in {class}");
        }
    }
}

#[test]
fn each_reference_leads_to_something() {
    let all = classes();
    for class in &all {
        for kind in ["method", "signal", "member"] {
            for name in between(class, &format!("[{kind} "), "]") {
                let (place, name) = name.split_once('.').unwrap_or(("", name));
                let place = all
                    .iter()
                    .find(|other| !place.is_empty() && other.contains(&format!("<class name=\"{place}\"")));
                let is_there = place.unwrap_or(class).contains(&format!("<{kind} name=\"{name}\""));
                assert!(is_there, "[{kind} {name}] in {class}");
            }
        }
    }
}
