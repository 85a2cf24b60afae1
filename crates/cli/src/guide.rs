//! Guides of searches: landmarks and cost fields. They are prepared if a query names them. For a file of queries they
//! are also prepared if counts of expansions predict that they pay. No clock is involved, so answers depend on the file
//! alone.

use crate::query::{HeuristicChoice, Query};
use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;
use wheelbase_grid::MemoryNeed;
use wheelbase_planner::fields::CostFieldCache;
use wheelbase_planner::model::StateSpace;
use wheelbase_planner::search::{Answer, Heuristic, Landmarks};
use wheelbase_planner::tables::{field_bytes, landmarks_need};
use wheelbase_planner::{Goal, MovementTables, Path, Pose, Request, SettleTarget};

/// Most bytes of all landmarks, and likewise of all cached fields.
const BYTES_MAX: usize = 1 << 30;
/// Most landmarks; fewer if they would exceed [`BYTES_MAX`].
const LANDMARKS_MAX: usize = 16;
/// Most bytes of a landmark per state: a distance in each direction.
const LANDMARK_BYTES: usize = 8;
/// Most bytes of a field per state: a cost, a move, and possibly a pose of the goal.
const FIELD_BYTES: usize = field_bytes(1, 1);
/// Most cached fields.
const FIELDS_MAX: usize = 256;
/// A field pays if the expansions it can save are expected to exceed this multiple of the legal poses.
const FIELD_PAYS: u64 = 2;
/// Landmarks pay if the expansions they can save are expected to exceed this multiple of the expansions that make them.
/// Greater than [`FIELD_PAYS`], because landmarks save only a part: in open land a small one.
const LANDMARKS_PAY: u64 = 8;
/// Key of the field cache: there is only one class.
const CLASS: u32 = 0;

/// Landmarks with the time of their preparation.
pub struct PreparedLandmarks {
    pub landmarks: Landmarks,
    pub prepare_s: f64,
}

impl PreparedLandmarks {
    pub fn new(tables: &MovementTables) -> Self {
        let begun = Instant::now();
        let landmarks = Landmarks::of(tables, n_landmarks(tables.space()));
        Self { landmarks, prepare_s: begun.elapsed().as_secs_f64() }
    }

    pub fn memory_mib(&self) -> f64 {
        mib(self.landmarks.memory_bytes())
    }
}

/// Figures of prepared guides, for people.
pub fn prepared(number: usize, seconds: f64, memory_mib: f64) -> String {
    format!("{number}, prepared in {seconds:.3} s, {memory_mib:.1} MiB")
}

/// Memory of the landmarks of a class.
pub fn landmark_need(space: StateSpace) -> MemoryNeed {
    landmarks_need(space, n_landmarks(space))
}

/// Most memory of the cached fields.
pub fn fields_need(space: StateSpace) -> MemoryNeed {
    MemoryNeed::on_demand((n_fields(space) * FIELD_BYTES * space.n_states()) as u64)
}

fn n_landmarks(space: StateSpace) -> usize {
    let bytes = LANDMARK_BYTES * space.n_states().max(1);
    (BYTES_MAX / bytes).clamp(1, LANDMARKS_MAX)
}

fn mib(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Number of fields that fit in [`BYTES_MAX`]; 0 if a single one may not.
fn n_fields(space: StateSpace) -> usize {
    (BYTES_MAX / (FIELD_BYTES * space.n_states().max(1))).min(FIELDS_MAX)
}

/// Landmarks and fields for one class on one map.
pub struct Guides<'a> {
    tables: &'a MovementTables,
    landmarks: Option<PreparedLandmarks>,
    fields: CostFieldCache,
    fields_made: usize,
    fields_s: f64,
    /// Peak bytes of the cached fields.
    fields_bytes: usize,
    /// A requested field did not fit.
    fields_refused: bool,
}

impl<'a> Guides<'a> {
    /// No guides yet.
    pub fn new(tables: &'a MovementTables) -> Self {
        let bytes_max = n_fields(tables.space()) * FIELD_BYTES * tables.space().n_states();
        Self {
            tables,
            landmarks: None,
            fields: CostFieldCache::new(bytes_max),
            fields_made: 0,
            fields_s: 0.0,
            fields_bytes: 0,
            fields_refused: false,
        }
    }

    /// Prepares the guide named by a query.
    pub fn prepare(&mut self, query: &Query) {
        match query.heuristic {
            HeuristicChoice::Automatic | HeuristicChoice::Named(_) => {}
            HeuristicChoice::Landmarks => self.make_landmarks(),
            HeuristicChoice::Field => self.make_field(&query.goal(), [query.start].into_iter(), 0),
        }
    }

    fn make_landmarks(&mut self) {
        self.landmarks.get_or_insert_with(|| PreparedLandmarks::new(self.tables));
    }

    /// Makes the field to a goal, unless it is cached, and settles it as far as all `starts`.
    fn make_field(&mut self, goal: &Goal<'_>, starts: impl Iterator<Item = Pose>, use_number: u64) {
        let begun = Instant::now();
        let is_new = self.fields.get(CLASS, goal).is_none();
        let Some(field) = self.fields.obtain(CLASS, self.tables, goal, use_number) else {
            self.fields_refused = true;
            return;
        };
        if is_new {
            let space = self.tables.space();
            let legal = |state: &_| self.tables.is_legal(*state);
            for start in starts.filter_map(|start| space.state(start).filter(legal)) {
                field.settle(self.tables, SettleTarget::Pose(start), u64::MAX);
            }
            self.fields_made += 1;
        }
        let held = self.fields.iter().map(|(_, _, field)| field.memory_bytes()).sum();
        self.fields_bytes = self.fields_bytes.max(held);
        self.fields_s += begun.elapsed().as_secs_f64();
    }

    /// The chosen heuristic for a goal; the default one if a field did not fit.
    pub fn heuristic(&self, choice: HeuristicChoice, goal: &Goal<'_>) -> Heuristic<'_> {
        match choice {
            HeuristicChoice::Automatic => Heuristic::Default,
            HeuristicChoice::Named(name) => Heuristic::Named(name),
            HeuristicChoice::Landmarks => match &self.landmarks {
                Some(prepared) => Heuristic::Landmarks(&prepared.landmarks),
                None => Heuristic::Default,
            },
            HeuristicChoice::Field => {
                self.fields.get(CLASS, goal).map_or(Heuristic::Default, Heuristic::Field)
            }
        }
    }

    /// A line for each kind of guide prepared, with time and memory.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(landmarks) = &self.landmarks {
            let PreparedLandmarks { landmarks: of, prepare_s } = landmarks;
            let figures = prepared(of.states().len(), *prepare_s, landmarks.memory_mib());
            notes.push(format!("landmarks: {figures}"));
        }
        if self.fields_made > 0 {
            let figures = prepared(self.fields_made, self.fields_s, mib(self.fields_bytes));
            notes.push(format!("fields: {figures}"));
        }
        if self.fields_refused {
            notes.push(format!("fields: none, because one can take more than {:.0} MiB", mib(BYTES_MAX)));
        }
        notes
    }
}

/// The guide of a search, for people.
pub fn guided_by(answer: &Answer) -> String {
    match answer.guide {
        wheelbase_planner::search::Guide::Nothing => "unguided".to_owned(),
        guide => format!("guided by {}", guide.name()),
    }
}

/// Costs so far of a group of exact queries with automatic heuristic.
#[derive(Clone, Copy, Default)]
struct Tally {
    answered: u64,
    /// Expansions beyond one per move of the path: even a perfect guide needs these.
    excess: u64,
    left: u64,
}

impl Tally {
    /// Whether the excess of the queries left is expected to exceed `expansions`, at the mean of the queries answered.
    fn exceeds(&self, expansions: u64) -> bool {
        u128::from(self.excess) * u128::from(self.left) > u128::from(expansions) * u128::from(self.answered)
    }

    fn restart(&mut self) {
        *self = Self { left: self.left, ..Self::default() };
    }
}

/// The queries of a file to one goal.
#[derive(Default)]
struct GoalQueries {
    /// Indices of the queries that a field guides or could guide.
    queries: Vec<u32>,
    tally: Tally,
    /// A field guides them.
    is_selected: bool,
    /// The last block of queries with a query guided by the field.
    block: u64,
}

/// Selects guides for the queries of a file that name no heuristic, by the costs of the queries before. It decides at
/// fixed positions in the file, independent of the number of threads. Queries with a weight or a limit keep the default
/// heuristic, because their answers depend on it.
pub struct GuideSelector<'a> {
    queries: &'a [Query],
    /// `[n_queries]`: index into `goals`.
    goal_of: Vec<u32>,
    goals: Vec<GoalQueries>,
    /// All queries not guided by a field.
    rest: Tally,
    landmarks_selected: bool,
    n_fields_selected: usize,
    /// Number of legal poses, which bounds the expansions of a field. Counted when first needed.
    n_legal: Option<u64>,
    next_selection: usize,
    block: u64,
    /// Number of queries answered, by guide.
    guided: BTreeMap<String, u64>,
}

/// Queries before the first selection of guides; each later one comes after twice as many.
const FIRST_SELECTION: usize = 16;

fn may_be_guided(query: &Query) -> bool {
    query.heuristic == HeuristicChoice::Automatic && query.weight == 1000 && query.expansions_max.is_none()
}

impl<'a> GuideSelector<'a> {
    pub fn new(queries: &'a [Query]) -> Self {
        let mut numbers = BTreeMap::new();
        let mut goals: Vec<GoalQueries> = Vec::new();
        let mut goal_of = Vec::with_capacity(queries.len());
        let mut rest = Tally::default();
        for (at, query) in queries.iter().enumerate() {
            let members = query.goal.iter().map(|member| (member.cell.x, member.cell.y, member.heading));
            let members: Vec<_> = members.map(|(x, y, heading)| (x, y, heading.map(|h| h.0))).collect();
            let number = *numbers.entry((query.within, members)).or_insert(goals.len());
            if number == goals.len() {
                goals.push(GoalQueries::default());
            }
            goal_of.push(number as u32);
            let guided = may_be_guided(query);
            if guided || query.heuristic == HeuristicChoice::Field {
                goals[number].queries.push(at as u32);
            }
            goals[number].tally.left += u64::from(guided);
            rest.left += u64::from(guided);
        }
        Self {
            queries,
            goal_of,
            goals,
            rest,
            landmarks_selected: false,
            n_fields_selected: 0,
            n_legal: None,
            next_selection: FIRST_SELECTION,
            block: 0,
            guided: BTreeMap::new(),
        }
    }

    /// Prepares the guides of the next queries from `begin` on, at most `n_max`, and returns the range of these
    /// queries.
    pub fn prepare(&mut self, begin: usize, n_max: usize, guides: &mut Guides<'_>) -> Range<usize> {
        if begin == self.next_selection {
            self.select(guides.tables);
            self.next_selection *= 2;
        }
        self.block += 1;
        let mut end = self.queries.len().min(begin + n_max).min(self.next_selection);
        let mut needed: Vec<usize> = Vec::new();
        for at in begin..end {
            match self.choice(at) {
                HeuristicChoice::Automatic | HeuristicChoice::Named(_) => {}
                HeuristicChoice::Landmarks => guides.make_landmarks(),
                HeuristicChoice::Field => {
                    let number = self.goal_of[at] as usize;
                    if self.goals[number].block == self.block {
                        continue;
                    }
                    if needed.len() == n_fields(guides.tables.space()).max(1) {
                        end = at;
                        break;
                    }
                    self.goals[number].block = self.block;
                    needed.push(number);
                }
            }
        }
        // Cached fields first, so that new ones do not evict them.
        let goal = |number: usize| self.queries[self.goals[number].queries[0] as usize].goal();
        needed.sort_by_key(|&number| guides.fields.get(CLASS, &goal(number)).is_none());
        for number in needed {
            let starts = self.goals[number].queries.iter().map(|&at| self.queries[at as usize].start);
            guides.make_field(&goal(number), starts, self.block);
        }
        begin..end
    }

    /// Selects the guides of the queries left.
    fn select(&mut self, tables: &MovementTables) {
        let n_legal = *self.n_legal.get_or_insert_with(|| {
            let states = (0..tables.space().n_states() as u32).map(wheelbase_planner::model::State);
            states.filter(|&state| tables.is_legal(state)).count() as u64
        });
        for goal in &mut self.goals {
            let has_room = self.n_fields_selected < n_fields(tables.space());
            if has_room && !goal.is_selected && goal.tally.exceeds(FIELD_PAYS * n_legal) {
                goal.is_selected = true;
                self.n_fields_selected += 1;
                self.rest.answered -= goal.tally.answered;
                self.rest.excess -= goal.tally.excess;
                self.rest.left -= goal.tally.left;
            }
        }
        // A landmark takes two fields.
        let landmarks_cost = 2 * n_landmarks(tables.space()) as u64 * n_legal;
        if !self.landmarks_selected && self.rest.exceeds(LANDMARKS_PAY * landmarks_cost) {
            self.landmarks_selected = true;
            // From now on fields compete with landmarks.
            self.rest.restart();
            self.goals.iter_mut().for_each(|goal| goal.tally.restart());
        }
    }

    fn choice(&self, at: usize) -> HeuristicChoice {
        let query = &self.queries[at];
        if !may_be_guided(query) {
            return query.heuristic;
        }
        match (self.goals[self.goal_of[at] as usize].is_selected, self.landmarks_selected) {
            (true, _) => HeuristicChoice::Field,
            (false, true) => HeuristicChoice::Landmarks,
            (false, false) => HeuristicChoice::Automatic,
        }
    }

    /// The requests of queries whose guides are prepared.
    pub fn requests<'b>(&self, range: Range<usize>, guides: &'b Guides<'_>) -> Vec<Request<'b>>
    where
        'a: 'b,
    {
        let request = |at: usize| {
            let query = &self.queries[at];
            query.request(guides.heuristic(self.choice(at), &query.goal()))
        };
        range.map(request).collect()
    }

    /// Counts the cost of an answer.
    pub fn note(&mut self, at: usize, answer: &Answer, path: &Path) {
        *self.guided.entry(guided_by(answer)).or_default() += 1;
        if !may_be_guided(&self.queries[at]) {
            return;
        }
        let goal = &mut self.goals[self.goal_of[at] as usize];
        let excess = answer.expansions.saturating_sub(path.moves.len() as u64);
        let rest = (!goal.is_selected).then_some(&mut self.rest);
        for tally in [&mut goal.tally].into_iter().chain(rest) {
            tally.answered += 1;
            tally.excess += excess;
            tally.left -= 1;
        }
    }

    /// Number of queries answered, by guide, for people.
    pub fn summary(&self) -> String {
        summary(&self.guided)
    }
}

/// Number of queries answered, and of each way to find a path, for people.
pub fn summary(found_by: &BTreeMap<String, u64>) -> String {
    let n_answered: u64 = found_by.values().sum();
    let parts: Vec<String> = found_by.iter().map(|(way, n)| format!("{n} {way}")).collect();
    match parts.is_empty() {
        true => "0 queries".to_owned(),
        false if n_answered == 1 => format!("1 query: {}", parts.join(", ")),
        false => format!("{n_answered} queries: {}", parts.join(", ")),
    }
}
