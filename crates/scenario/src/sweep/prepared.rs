//! A sweep made ready: its files read, its keys known.

use super::error::SweepError;
use super::items::{Items, Sweep};
use crate::load::{FileStore, KeptFiles, LoadError, Overrides, is_problem, read_named_files};
use crate::scenario::{self, check_key, set_key};
use std::path::{Path, PathBuf};
use wheelbase_grid::{Fnv1a, MemoryMax};

/// Keys that problems of the League of Robot Runners have no room for, but a run does.
const PROBLEM_KEYS: [&str; 3] = ["ticks", "expansions_per_tick", "tries_per_tick"];

/// Version of keys: what a key is made of.
const KEY_VERSION: u64 = 1;

/// A sweep made ready to run. Every file is read once: editing one later changes nothing.
#[derive(Debug)]
pub struct PreparedSweep {
    items: Items,
    /// The text of each scenario.
    texts: Vec<String>,
    pub(super) store: FileStore,
    /// The hash of each group, to which the seed of an item is added.
    hashes: Vec<u64>,
    pub(super) memory_max: MemoryMax,
}

/// What a group of items is loaded from.
pub(super) struct GroupText<'p> {
    pub path: &'p Path,
    /// The text, with the values set.
    pub text: String,
    pub overrides: Overrides,
}

impl PreparedSweep {
    /// Reads the files of a sweep and computes the keys of its items. `memory_max` holds for all items that run
    /// together.
    /// # Errors
    /// [`SweepError::Argument`] as [`Items::new`], and for a key that a scenario does not have, or cannot have;
    /// [`SweepError::Load`] for a scenario that cannot be read. A scenario with another mistake is not refused: its
    /// items fail.
    pub fn new(sweep: Sweep, memory_max: MemoryMax) -> Result<Self, SweepError> {
        Self::with_store(sweep, FileStore::default(), memory_max)
    }

    /// As [`PreparedSweep::new`], with the files of a store: files that the same sweep has read elsewhere, of
    /// [`PreparedSweep::store`], give the same keys and rows.
    /// # Errors
    /// As [`PreparedSweep::new`].
    pub fn with_store(sweep: Sweep, store: FileStore, memory_max: MemoryMax) -> Result<Self, SweepError> {
        let items = Items::new(sweep)?;
        let files = KeptFiles::new(&store);
        let mut texts = Vec::new();
        for name in &items.sweep().scenarios {
            let path = Path::new(name);
            let bytes = files.read_given(path)?;
            let text = String::from_utf8(bytes).map_err(|_| LoadError::in_file(path, "is not UTF-8 text"))?;
            check_keys(path, &text, items.sweep())?;
            texts.push(text);
        }
        let mut prepared = Self { items, texts, store, hashes: Vec::new(), memory_max };
        prepared.hashes = (0..prepared.items.n_groups()).map(|group| prepared.hash_of_group(group)).collect();
        Ok(prepared)
    }

    /// The items.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The files that the items are made of, with their contents.
    pub fn store(&self) -> &FileStore {
        &self.store
    }

    /// The files that the items are made of: path, size in bytes and FNV-1a; `None` for a file that cannot be read.
    pub fn inputs(&self) -> Vec<(PathBuf, Option<(usize, u64)>)> {
        self.store.inputs()
    }

    /// The key of an item: a hash. Its inputs are the release of this program, whether invariants are checked, and the
    /// path of the scenario. Further inputs are the text of the scenario with the values set, every other file that it
    /// reads, the keys, the values and the seed. Equal keys mean equal rows, wall times aside.
    /// # Panics
    /// If there is no such item.
    pub fn key(&self, item: usize) -> u64 {
        let mut hash = Fnv1a::new();
        hash.write_word(self.hashes[self.items.group_of(item)]);
        hash.write(&self.items.seed(item).to_le_bytes());
        hash.finish()
    }

    fn hash_of_group(&self, group: usize) -> u64 {
        let mut hash = Fnv1a::new();
        let mut add = |bytes: &[u8]| {
            hash.write_word(bytes.len() as u64);
            hash.write(bytes);
        };
        add(&KEY_VERSION.to_le_bytes());
        add(env!("CARGO_PKG_VERSION").as_bytes());
        add(&[self.items.sweep().check_invariants.into()]);
        let (scenario, values) = self.items.of_group(group);
        add(self.items.sweep().scenarios[scenario].as_bytes());
        for (setting, value) in self.items.sweep().set.iter().zip(values) {
            add(setting.key.as_bytes());
            add(setting.values[value].as_bytes());
        }
        // What cannot be set is the same at every run, and reads no file.
        if let Ok(GroupText { path, text, .. }) = self.group_text(group) {
            add(text.as_bytes());
            let files = KeptFiles::new(&self.store);
            read_named_files(path, text.as_bytes(), &files, self.memory_max);
            for (path, content) in files.hashes() {
                add(path.as_os_str().as_encoded_bytes());
                add(&[content.is_some().into()]);
                add(&content.unwrap_or(0).to_le_bytes());
            }
        }
        hash.finish()
    }

    /// What the items of a group are loaded from, besides their seed.
    /// # Errors
    /// Why the values cannot be set.
    pub(super) fn group_text(&self, group: usize) -> Result<GroupText<'_>, String> {
        let (scenario, values) = self.items.of_group(group);
        let sweep = self.items.sweep();
        let path = Path::new(&sweep.scenarios[scenario]);
        let mut text = self.texts[scenario].clone();
        let mut overrides = Overrides { memory_max: self.memory_max, ..Overrides::default() };
        for (setting, value) in sweep.set.iter().zip(values) {
            let (key, value) = (&setting.key, &setting.values[value]);
            if is_problem(path) {
                set_of_problem(&mut overrides, key, value)?;
            } else {
                text = set_key(&text, key, value)
                    .map_err(|message| format!("{}: {}", path.display(), message.line()))?;
            }
        }
        Ok(GroupText { path, text, overrides })
    }
}

/// Refuses keys that the scenario cannot have. Their first values stand for all: another type of value is no other key.
fn check_keys(path: &Path, text: &str, sweep: &Sweep) -> Result<(), SweepError> {
    if is_problem(path) {
        let unknown = sweep.set.iter().find(|setting| !PROBLEM_KEYS.contains(&setting.key.as_str()));
        return match unknown {
            Some(setting) => Err(SweepError::argument(format_args!(
                "{}: {}: no key of problems; expected {}",
                path.display(),
                setting.key,
                PROBLEM_KEYS.join(", ")
            ))),
            None => Ok(()),
        };
    }
    if let Some(error) = scenario::syntax_error(&path.display().to_string(), text.as_bytes()) {
        return Err(LoadError::from(error).into());
    }
    let mut set = text.to_owned();
    for setting in &sweep.set {
        let Some(value) = setting.values.first() else { continue };
        let checked = set_key(&set, &setting.key, value).and_then(|text| {
            check_key(&text, &setting.key)?;
            Ok(text)
        });
        set = checked.map_err(|message| {
            SweepError::argument(format_args!("{}: {}", path.display(), message.line()))
        })?;
    }
    Ok(())
}

fn set_of_problem(overrides: &mut Overrides, key: &str, value: &str) -> Result<(), String> {
    let number = value.replace('_', "").parse::<u64>().ok();
    let wrong = || format!("{key}: expected a whole number, found {value}");
    match key {
        "ticks" => {
            let ticks =
                number.and_then(|number| u32::try_from(number).ok()).filter(|&ticks| ticks < u32::MAX);
            overrides.ticks = Some(ticks.ok_or_else(wrong)?);
        }
        "expansions_per_tick" => overrides.expansions_per_tick = Some(number.ok_or_else(wrong)?),
        _ => overrides.tries_per_tick = Some(number.ok_or_else(wrong)?),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one has read is all that another one needs, which then reads nothing.
    #[test]
    fn a_sweep_made_of_the_files_of_another_is_the_same() {
        let folder = std::env::temp_dir().join(format!("wheelbase-store-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let scenario = folder.join("a.toml");
        let text = "name = \"a\"\nticks = 20\n[map]\nfile = \"arena.map\"\n[class.cart]\nheadings = 4\n\
                    moves = [{ name = \"forward\", by = [1, 0], time = 4 }]\n\
                    [[agents]]\nclass = \"cart\"\nat = [0, 0, \"E\"]\norders = [{ goto = [3, 0] }]\n";
        std::fs::write(&scenario, text).unwrap();
        std::fs::write(folder.join("arena.map"), "type octile\nheight 1\nwidth 4\nmap\n....\n").unwrap();
        let sweep = Sweep {
            scenarios: vec![scenario.display().to_string()],
            set: vec!["map.file=arena.map,arenas.map".parse().unwrap()],
            seeds: vec![0, 1],
            measures: vec!["moves".to_owned(), "state_hash".to_owned()],
            check_invariants: false,
            times: false,
        };
        let rows = |prepared: &PreparedSweep| {
            let mut rows = Vec::new();
            let items: Vec<usize> = (0..4).collect();
            let mut on_row = |row| {
                rows.push(row);
                Ok(())
            };
            prepared.run(&items, &crate::sweep::RunOptions::default(), &|| false, &mut on_row).unwrap();
            rows.sort_by_key(|row: &crate::sweep::Row| row.item);
            rows.iter_mut().for_each(|row| row.wall_s = None);
            rows
        };
        let here = PreparedSweep::new(sweep.clone(), MemoryMax::NONE).unwrap();
        let there_is = rows(&here);
        let contents = here.store().contents();
        assert_eq!(
            contents.iter().map(|(_, content)| content.is_ok()).collect::<Vec<_>>(),
            [true, true, false]
        );
        std::fs::remove_dir_all(&folder).unwrap();
        let contents =
            contents.into_iter().map(|(path, content)| (path, content.map(|bytes| bytes.to_vec())));
        let there =
            PreparedSweep::with_store(sweep, FileStore::of_contents(contents), MemoryMax::NONE).unwrap();
        assert_eq!(rows(&there), there_is);
        assert_eq!(there_is[0].measures[0], 3);
        assert!(
            there_is[2].reason.contains("did you mean") && there_is[2].reason.contains("arena.map`?"),
            "{}",
            there_is[2].reason
        );
        let text = serde_json::to_string(&there_is).unwrap();
        assert_eq!(serde_json::from_str::<Vec<crate::sweep::Row>>(&text).unwrap(), there_is);
        let mut other = there.items().sweep().clone();
        other.scenarios.push("b.toml".to_owned());
        let error = PreparedSweep::with_store(other, there.store, MemoryMax::NONE).unwrap_err();
        assert!(error.to_string().contains("b.toml: is not among the files given"), "{error}");
    }

    /// Loading reads no file that is not part of the key.
    #[test]
    fn every_file_read_is_in_the_key() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let mut seen = 0;
        for folder in ["first", "bench", "traffic"] {
            for entry in std::fs::read_dir(root.join(folder)).unwrap() {
                let path = entry.unwrap().path();
                let text = std::fs::read(&path).unwrap_or_default();
                if path.extension().is_none_or(|ending| ending != "toml") || text.len() > 100_000 {
                    continue;
                }
                let store = FileStore::default();
                let named = KeptFiles::new(&store);
                read_named_files(&path, &text, &named, MemoryMax::NONE);
                // Checking builds the world without running it.
                if folder == "bench" {
                    seen += named.hashes().len();
                    continue;
                }
                let read = KeptFiles::new(&store);
                let files = crate::load::Files::Kept(&read);
                crate::load::load_world_of_bytes(&path, &text, files, Overrides::default()).unwrap();
                assert_eq!(read.hashes(), named.hashes(), "{}", path.display());
                seen += read.hashes().len();
            }
        }
        assert!(seen >= 4, "{seen}");
    }
}
