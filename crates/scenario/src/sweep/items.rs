//! The items of a sweep, in the order of its table.

use super::error::SweepError;
use super::values::{ITEMS_MAX, Setting, cell_of, parse_seeds};
use crate::outcome::{MEASURES, NESTED_MEASURES};
use crate::scenario::{Message, nearest_name};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

/// Columns that every table has, whatever is set or measured, and the one of `times`.
pub(super) const FIXED_COLUMNS: [&str; 6] = ["scenario", "seed", "key", "status", "reason", "wall_s"];

/// Most keys that are set, and most values of all together.
const SETTINGS_MAX: usize = 64;

/// What a sweep runs and measures: all that its table depends on, besides the program and the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Paths of scenarios or problems, as they stand in the table.
    pub scenarios: Vec<String>,
    /// The keys that are set: every combination of their values is run.
    #[serde(default)]
    pub set: Vec<Setting>,
    /// The seeds, ascending, each once.
    #[serde(serialize_with = "write_seeds", deserialize_with = "read_seeds")]
    pub seeds: Vec<u64>,
    /// The [`MEASURES`] to take. None stands for all numbers and texts, `all` for tables and lists too.
    pub measures: Vec<String>,
    /// Whether invariants are checked after every tick, which is slow.
    #[serde(default)]
    pub check_invariants: bool,
    /// Whether the table has the wall time of each item, in which two runs of an item may differ.
    #[serde(default)]
    pub times: bool,
}

/// The seeds as ranges: there may be millions.
fn write_seeds<S: Serializer>(seeds: &[u64], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&seeds_text(seeds))
}

fn read_seeds<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u64>, D::Error> {
    parse_seeds(&String::deserialize(from)?).map_err(de::Error::custom)
}

/// Ascending seeds as [`parse_seeds`] reads them.
pub(super) fn seeds_text(seeds: &[u64]) -> String {
    let runs = seeds.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let texts = runs.map(|run| match *run {
        [seed] => seed.to_string(),
        [first, .., last] => format!("{first}..={last}"),
        [] => String::new(),
    });
    texts.collect::<Vec<_>>().join(",")
}

/// The items of a checked sweep, numbered in the order of its table. That is by scenario, by the values of the keys,
/// each as they were typed, and by seed.
#[derive(Clone, Debug)]
pub struct Items {
    sweep: Sweep,
    /// The values of each key as cells.
    cells: Vec<Vec<Value>>,
    scenario_numbers: HashMap<String, usize>,
    /// The number of each value of each key, by the text of its cell.
    value_numbers: Vec<HashMap<String, usize>>,
}

impl Items {
    /// Checks a sweep. Its measures are then spelt out.
    /// # Errors
    /// [`SweepError::Argument`] for an empty list, a name given twice, an unknown measure, values that look alike in a
    /// table, and more than [`ITEMS_MAX`] items.
    pub fn new(mut sweep: Sweep) -> Result<Self, SweepError> {
        let Sweep { scenarios, set, seeds, .. } = &sweep;
        if scenarios.is_empty() || seeds.is_empty() {
            return Err(SweepError::argument("expected a scenario and a seed at least"));
        }
        if !seeds.is_sorted_by(|a, b| a < b) {
            return Err(SweepError::argument("expected ascending seeds, each once"));
        }
        if set.len() > SETTINGS_MAX {
            return Err(SweepError::argument(format_args!(
                "expected at most {SETTINGS_MAX} keys, found {}",
                set.len()
            )));
        }
        let lens = set.iter().map(|setting| setting.values.len()).chain([scenarios.len(), seeds.len()]);
        let n_items = lens.clone().try_fold(1_usize, |product, len| product.checked_mul(len));
        if n_items.is_none_or(|n_items| n_items > ITEMS_MAX) {
            let factors: Vec<String> = lens.map(|len| len.to_string()).collect();
            return Err(SweepError::argument(format_args!(
                "expected at most {ITEMS_MAX} items, found {} of them; give fewer values, or several tables",
                factors.join(" x ")
            )));
        }
        let scenario_numbers = numbered(scenarios.iter().cloned())
            .map_err(|name| SweepError::argument(format_args!("the scenario {name} is given twice")))?;
        numbered(set.iter().map(|setting| setting.key.clone())).map_err(|key| {
            SweepError::argument(format_args!("{key} is set twice; give all its values together"))
        })?;
        let (mut cells, mut value_numbers) = (Vec::new(), Vec::new());
        for Setting { key, values } in set {
            if key == "seed" {
                return Err(SweepError::argument("seed: --seeds gives the seeds of a sweep"));
            }
            if FIXED_COLUMNS.contains(&key.as_str()) {
                return Err(SweepError::argument(format_args!("{key}: is no key of scenarios")));
            }
            if values.is_empty() {
                return Err(SweepError::argument(format_args!("{key}: expected a value at least")));
            }
            let of_key: Vec<Value> = values.iter().map(|value| cell_of(value)).collect();
            let numbers =
                numbered(of_key.iter().map(|cell| cell_text(cell).into_owned())).map_err(|text| {
                    SweepError::argument(format_args!(
                        "{key}: the value {text} is given twice, or two look alike"
                    ))
                })?;
            cells.push(of_key);
            value_numbers.push(numbers);
        }
        sweep.measures = measures_of(&sweep)?;
        Ok(Self { sweep, cells, scenario_numbers, value_numbers })
    }

    /// The sweep, with its measures spelt out.
    pub fn sweep(&self) -> &Sweep {
        &self.sweep
    }

    /// Number of items; at least 1.
    pub fn n_items(&self) -> usize {
        self.n_groups() * self.sweep.seeds.len()
    }

    /// Number of groups: items that differ in nothing but the seed.
    pub(super) fn n_groups(&self) -> usize {
        self.sweep.scenarios.len()
            * self.sweep.set.iter().map(|setting| setting.values.len()).product::<usize>()
    }

    /// The group of an item.
    pub(super) fn group_of(&self, item: usize) -> usize {
        item / self.sweep.seeds.len()
    }

    /// The seed of an item.
    /// # Panics
    /// If there is no such item, here and below.
    pub fn seed(&self, item: usize) -> u64 {
        self.sweep.seeds[item % self.sweep.seeds.len()]
    }

    /// Number of the scenario of a group, and of the value of each key.
    pub(super) fn of_group(&self, group: usize) -> (usize, Vec<usize>) {
        let mut rest = group;
        let mut values: Vec<usize> = Vec::with_capacity(self.sweep.set.len());
        for setting in self.sweep.set.iter().rev() {
            values.push(rest % setting.values.len());
            rest /= setting.values.len();
        }
        values.reverse();
        (rest, values)
    }

    /// The scenario of an item.
    pub fn scenario(&self, item: usize) -> &str {
        &self.sweep.scenarios[self.of_group(self.group_of(item)).0]
    }

    /// The value of each key of an item, as its cells.
    pub fn values(&self, item: usize) -> Vec<&Value> {
        let (_, values) = self.of_group(self.group_of(item));
        self.cells.iter().zip(values).map(|(cells, number)| &cells[number]).collect()
    }

    /// The value of a key, both by number, as its cell.
    pub fn value(&self, key: usize, number: usize) -> &Value {
        &self.cells[key][number]
    }

    /// The item with the given labels, if there is one.
    pub(super) fn find(&self, scenario: &str, values: &[impl AsRef<str>], seed: u64) -> Option<usize> {
        let mut group = *self.scenario_numbers.get(scenario)?;
        for ((numbers, setting), value) in self.value_numbers.iter().zip(&self.sweep.set).zip(values) {
            group = group * setting.values.len() + numbers.get(value.as_ref())?;
        }
        let seed = self.sweep.seeds.binary_search(&seed).ok()?;
        Some(group * self.sweep.seeds.len() + seed)
    }

    /// An item in words, for messages.
    pub fn label(&self, item: usize) -> String {
        let mut text = self.scenario(item).to_owned();
        for (setting, value) in self.sweep.set.iter().zip(self.values(item)) {
            text += &format!(", {} = {}", setting.key, cell_text(value));
        }
        text + &format!(", seed {}", self.seed(item))
    }

    /// The columns of the table.
    pub fn columns(&self) -> Vec<&str> {
        let keys = self.sweep.set.iter().map(|setting| setting.key.as_str());
        let measures = self.sweep.measures.iter().map(String::as_str);
        let time = self.sweep.times.then_some("wall_s");
        let fixed = ["seed", "key", "status", "reason"];
        ["scenario"].into_iter().chain(keys).chain(fixed).chain(measures).chain(time).collect()
    }
}

/// The text of a cell in CSV: of a text its letters, of nothing none, of all else JSON.
pub fn cell_text(cell: &Value) -> Cow<'_, str> {
    match cell {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// The names with their numbers.
/// # Errors
/// The first that is there twice.
fn numbered(names: impl Iterator<Item = String>) -> Result<HashMap<String, usize>, String> {
    let mut numbers = HashMap::new();
    for (number, name) in names.enumerate() {
        if numbers.insert(name.clone(), number).is_some() {
            return Err(name);
        }
    }
    Ok(numbers)
}

/// The measures that a sweep takes. A key that is also set is no measure, and refused where it is asked for.
fn measures_of(sweep: &Sweep) -> Result<Vec<String>, SweepError> {
    let is_set = |name: &str| sweep.set.iter().any(|setting| setting.key == name);
    let owned = |names: &mut dyn Iterator<Item = &'static str>| {
        names.filter(|name| !is_set(name)).map(str::to_owned).collect::<Vec<String>>()
    };
    match &sweep.measures[..] {
        [] => return Ok(owned(&mut MEASURES.into_iter().filter(|name| !NESTED_MEASURES.contains(name)))),
        [all] if all == "all" => return Ok(owned(&mut MEASURES.into_iter())),
        _ => {}
    }
    let mut seen = BTreeSet::new();
    for name in &sweep.measures {
        if !MEASURES.contains(&name.as_str()) {
            let nearest = nearest_name(name, MEASURES).map(|near| format!("`{near}`"));
            let what = format!("no measure `{name}`, expected all or some of {}", MEASURES.join(", "));
            return Err(SweepError::message(&Message::from(what).with_nearest(nearest)));
        }
        if is_set(name) {
            return Err(SweepError::argument(format_args!(
                "{name}: is set, and cannot be a measure as well"
            )));
        }
        if !seen.insert(name) {
            return Err(SweepError::argument(format_args!("the measure {name} is given twice")));
        }
    }
    Ok(sweep.measures.clone())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(in crate::sweep) fn sweep() -> Sweep {
        let set = |text: &str| text.parse().unwrap();
        Sweep {
            scenarios: vec!["b.toml".to_owned(), "a.toml".to_owned()],
            set: vec![set("ticks=30,4"), set("collision=swept,discrete")],
            seeds: vec![3, 4, 10],
            measures: vec!["moves".to_owned(), "state_hash".to_owned()],
            check_invariants: false,
            times: false,
        }
    }

    #[test]
    fn items_are_in_the_order_typed() {
        let items = Items::new(sweep()).unwrap();
        assert_eq!(items.n_items(), 24);
        assert_eq!(items.label(0), "b.toml, ticks = 30, collision = swept, seed 3");
        assert_eq!(items.label(2), "b.toml, ticks = 30, collision = swept, seed 10");
        assert_eq!(items.label(3), "b.toml, ticks = 30, collision = discrete, seed 3");
        assert_eq!(items.label(6), "b.toml, ticks = 4, collision = swept, seed 3");
        assert_eq!(items.label(12), "a.toml, ticks = 30, collision = swept, seed 3");
        for item in 0..24 {
            let values = items.values(item).into_iter().map(|cell| cell_text(cell).into_owned());
            let values: Vec<String> = values.collect();
            assert_eq!(items.find(items.scenario(item), &values, items.seed(item)), Some(item));
        }
        assert_eq!(items.find("c.toml", &["30", "swept"], 3), None);
        assert_eq!(items.find("a.toml", &["31", "swept"], 3), None);
        assert_eq!(items.find("a.toml", &["30", "swept"], 5), None);
        assert_eq!(
            items.columns(),
            ["scenario", "ticks", "collision", "seed", "key", "status", "reason", "moves", "state_hash"]
        );
    }

    #[test]
    fn default_measures_are_numbers_and_texts() {
        let items = Items::new(Sweep { measures: Vec::new(), ..sweep() }).unwrap();
        // `ticks` is set.
        assert_eq!(items.sweep().measures.len(), MEASURES.len() - NESTED_MEASURES.len() - 1);
        let all = Items::new(Sweep { measures: vec!["all".to_owned()], ..sweep() }).unwrap();
        assert_eq!(all.sweep().measures.len(), MEASURES.len() - 1);
    }

    #[test]
    fn wrong_sweeps_are_refused() {
        let refused = |change: &dyn Fn(&mut Sweep), expected: &str| {
            let mut sweep = sweep();
            change(&mut sweep);
            let error = Items::new(sweep).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        let set = |text: &str| text.parse::<Setting>().unwrap();
        refused(&|sweep| sweep.scenarios.clear(), "a scenario and a seed");
        refused(&|sweep| sweep.seeds.clear(), "a scenario and a seed");
        refused(&|sweep| sweep.seeds = vec![2, 1], "ascending seeds");
        refused(&|sweep| sweep.scenarios.push("a.toml".to_owned()), "a.toml is given twice");
        refused(&|sweep| sweep.set.push(set("ticks=5")), "ticks is set twice");
        refused(&|sweep| sweep.set.push(set("name=1,\"1\"")), "the value 1 is given twice");
        refused(&|sweep| sweep.set.push(set("seed=1")), "--seeds gives the seeds");
        refused(&|sweep| sweep.set.push(set("status=1")), "no key of scenarios");
        refused(&|sweep| sweep.measures[0] = "move".to_owned(), "did you mean `moves`?");
        refused(&|sweep| sweep.measures[0] = "state_hash".to_owned(), "given twice");
        refused(&|sweep| sweep.measures[0] = "ticks".to_owned(), "cannot be a measure");
        refused(&|sweep| sweep.seeds = (0..ITEMS_MAX as u64).collect(), "2 x 2 x 2 x 4194304");
    }

    proptest! {
        #[test]
        fn seeds_are_read_as_they_are_written(mut seeds in prop::collection::vec(0_u64..50, 1..40), far in any::<u64>()) {
            seeds.push(far);
            seeds.sort_unstable();
            seeds.dedup();
            prop_assert_eq!(parse_seeds(&seeds_text(&seeds)).unwrap(), seeds);
        }
    }
}
