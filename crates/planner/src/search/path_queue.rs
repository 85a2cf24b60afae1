//! A queue of path requests for games: owned requests, a budget of expansions per frame, cancellation, edits.

use crate::abstraction::leg_search::{LegProgress, LegSearch};
use crate::abstraction::{Abstraction, Route, RouteScratch};
use crate::model::goal::{Goal, GoalMember};
use crate::model::outcome::Progress;
use crate::model::path::Path;
use crate::model::pose::Pose;
use crate::search::guide::HeuristicName;
use crate::search::heuristic::Heuristic;
use crate::search::landmarks::Landmarks;
use crate::search::penalties::Penalties;
use crate::search::plan::{advance, begin, cost_lower_bound_of, finish};
use crate::search::request::{Answer, Fallback, Request};
use crate::search::schedule::{RequestKey, SearchSlot, share_out};
use crate::search::scratch::Scratch;
use crate::tables::MovementTables;
use std::cmp::Reverse;
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use wheelbase_grid::{BitGrid, CellXY, GridSize, Rect};

/// Penalties as plain data: ticks for entering each cell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "PenaltiesParts")
)]
pub struct CellPenalties {
    size: GridSize,
    ticks: Vec<u16>,
    /// At least the largest of `ticks`; larger where a penalty has been lowered.
    max: u16,
}

/// Penalties as they are read, before they are checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct PenaltiesParts {
    size: GridSize,
    ticks: Vec<u16>,
    max: u16,
}

#[cfg(feature = "serde")]
impl TryFrom<PenaltiesParts> for CellPenalties {
    type Error = String;

    fn try_from(PenaltiesParts { size, ticks, max }: PenaltiesParts) -> Result<Self, String> {
        if ticks.len() != size.n_cells() {
            let (found, expected) = (ticks.len(), size.n_cells());
            return Err(format!("{found} penalties for a map of {size} cells, expected {expected}"));
        }
        match ticks.iter().find(|&&ticks| ticks > max) {
            Some(ticks) => Err(format!("a penalty of {ticks} ticks, expected at most {max}")),
            None => Ok(Self { size, ticks, max }),
        }
    }
}

impl CellPenalties {
    /// No penalty anywhere. 2 bytes per cell.
    pub fn new(size: GridSize) -> Self {
        Self { size, ticks: vec![0; size.n_cells()], max: 0 }
    }

    /// Size of the map.
    pub fn size(&self) -> GridSize {
        self.size
    }

    /// Sets the penalty of the cells of an area, in ticks; cells off the map are ignored.
    pub fn set(&mut self, area: Rect, ticks: u16) {
        for cell in area.intersection(self.size.rect()).cells() {
            if let Some(cell) = self.size.cell(cell) {
                self.ticks[cell.0 as usize] = ticks;
            }
        }
        self.max = self.max.max(ticks);
    }
}

impl Penalties for CellPenalties {
    fn ticks(&self, from: CellXY, to: CellXY, _: u32) -> u32 {
        let entered = self.size.cell(to).filter(|_| from != to);
        entered.map_or(0, |cell| u32::from(self.ticks[cell.0 as usize]))
    }

    fn max_ticks(&self) -> u32 {
        u32::from(self.max)
    }
}

/// A request that owns all it names, so that a unit can keep it. The fields have the meaning of the fields of
/// [`Request`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueuedRequest {
    /// Movement class: index into the tables given to [`PathQueue::advance`].
    pub class: u16,
    /// Start pose.
    pub start: Pose,
    /// Members of the goal.
    pub goal: Vec<GoalMember>,
    /// Radius of the goal, in cells.
    pub within: u32,
    /// Heuristic by name; `None` for the default one.
    pub heuristic: Option<HeuristicName>,
    /// Landmarks of the class, in place of the heuristic. They belong to the tables, so serde skips them: set them
    /// again after reading.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub landmarks: Option<Arc<Landmarks>>,
    /// Abstract graph of the class, for far goals on large maps. The path then follows a route, leg by leg
    /// ([`plan_along`](crate::abstraction::plan_along)). It takes a fraction of the expansions, and can be a few
    /// percent longer than the cheapest path. The exact search answers where no path follows a route. It also answers
    /// requests with several members, a radius, a limit, a window, obstacles or penalties. While the graph lacks
    /// clusters or is of another revision of the map, it answers all. Serde skips the graph, as it does landmarks.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub graph: Option<Arc<Abstraction>>,
    /// 1000 is exact.
    pub weight_permille: u32,
    /// Most expansions, over all frames.
    pub expansions_max: Option<u64>,
    /// Whether a search that hits the limit gives the path to its best pose.
    pub partial: bool,
    /// What to do without a path to the goal.
    pub fallback: Fallback,
    /// No move sweeps a cell outside it.
    pub window: Option<Rect>,
    /// Cells that no move may sweep.
    pub obstacles: Option<Arc<BitGrid>>,
    /// Extra ticks by cell.
    pub penalties: Option<Arc<CellPenalties>>,
    /// Higher goes first; a unit weighs as much as a frame of waiting.
    pub priority: i32,
}

impl QueuedRequest {
    /// The cheapest path to a goal, of priority 0.
    pub fn new(class: u16, start: Pose, goal: Vec<GoalMember>) -> Self {
        Self {
            class,
            start,
            goal,
            within: 0,
            heuristic: None,
            landmarks: None,
            graph: None,
            weight_permille: 1000,
            expansions_max: None,
            partial: false,
            fallback: Fallback::Fail,
            window: None,
            obstacles: None,
            penalties: None,
            priority: 0,
        }
    }

    /// The graph and the goal, if the path follows a route on these tables.
    fn routed(&self, tables: &MovementTables) -> Option<(&Abstraction, GoalMember)> {
        let Self { within: 0, expansions_max: None, window: None, obstacles: None, penalties: None, .. } =
            self
        else {
            return None;
        };
        let graph = self
            .graph
            .as_deref()
            .filter(|graph| graph.is_complete() && graph.revision() == tables.revision());
        graph.zip(<[GoalMember; 1]>::try_from(&*self.goal).ok()).map(|(graph, [goal])| (graph, goal))
    }

    /// The same as a borrowed request, without its graph.
    pub fn as_request(&self) -> Request<'_> {
        let heuristic = match (&self.landmarks, self.heuristic) {
            (Some(landmarks), _) => Heuristic::Landmarks(landmarks),
            (None, Some(name)) => Heuristic::Named(name),
            (None, None) => Heuristic::default(),
        };
        let mut request = Request::new(self.start, Goal { members: &self.goal, within: self.within });
        request.heuristic = heuristic;
        request.weight_permille = self.weight_permille;
        request.expansions_max = self.expansions_max;
        request.partial = self.partial;
        request.fallback = self.fallback;
        request.window = self.window;
        request.obstacles = self.obstacles.as_deref();
        request.penalties = self.penalties.as_deref().map(|penalties| penalties as &dyn Penalties);
        request
    }
}

/// Names a request of a queue: counted from 0 in the order in which they were submitted, never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ticket(pub u64);

/// Why a request cannot be queued, or a frame not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueError {
    /// The queue has fewer classes.
    NoClass {
        /// Class asked for.
        class: u16,
        /// Classes of the queue.
        classes: u16,
    },
    /// Obstacles, penalties, landmarks or tables of a map of another size.
    OtherMap {
        /// Field of the request.
        field: &'static str,
        /// Its size.
        found: GridSize,
        /// Size of the queue's map.
        expected: GridSize,
    },
    /// Not one of tables for each class.
    Tables {
        /// Tables given.
        found: usize,
        /// Classes of the queue.
        classes: u16,
    },
    /// A weight below 1000.
    Weight(u32),
    /// A goal without members.
    NoGoal,
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoClass { class, classes } => write!(f, "class {class}: the queue has {classes} classes"),
            Self::OtherMap { field, found, expected } => {
                write!(f, "{field}: for a map of {found}, expected {expected}")
            }
            Self::Tables { found, classes } => {
                write!(f, "tables: {found} were given, expected {classes}, one a class")
            }
            Self::Weight(found) => write!(f, "weight_permille: {found}, expected at least 1000"),
            Self::NoGoal => write!(f, "goal: no members, expected at least one"),
        }
    }
}

impl Error for QueueError {}

/// An answer of the queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueAnswer<'q> {
    /// The request.
    pub ticket: Ticket,
    /// How it ended. `expansions` counts the last search alone where an edit restarted it.
    pub answer: Answer,
    /// The path; empty without one.
    pub path: &'q Path,
}

#[derive(Clone, Debug)]
struct Queued {
    ticket: Ticket,
    key: RequestKey,
    /// [`RequestKey::least_ticks`] has been looked up.
    is_rated: bool,
    request: QueuedRequest,
}

#[derive(Debug, Default)]
struct Slot {
    queued: Option<Queued>,
    /// Revision of the tables for which the search was begun.
    begun_for: Option<u64>,
    share: u64,
    expansions: u64,
    scratch: Scratch,
    /// The route that its path follows, and the search along it; `None` for an exact search.
    legs: Option<(Route, LegSearch)>,
    route_scratch: RouteScratch,
    path: Path,
    answer: Option<Answer>,
}

/// A search that a frame of a [`PathQueue`] has begun or goes on with, for any thread to run. Jobs of one round do not
/// touch each other.
#[derive(Debug)]
pub struct SearchJob {
    number: usize,
    slot: Slot,
}

impl SearchJob {
    /// Searches for as many expansions as the frame has given to it. To be called once.
    /// # Panics
    /// If the frame was begun with other tables than `tables`.
    pub fn run(&mut self, tables: &[MovementTables]) {
        self.slot.search(tables);
    }
}

impl SearchSlot for Slot {
    fn searching(&self) -> Option<RequestKey> {
        self.queued.as_ref().filter(|_| self.answer.is_none()).map(|queued| queued.key)
    }

    fn share_mut(&mut self) -> &mut u64 {
        &mut self.share
    }
}

impl Slot {
    /// Searches for at most `share` expansions; `share` becomes the number spent.
    fn search(&mut self, tables: &[MovementTables]) {
        let Some(queued) = &self.queued else { return };
        let tables = &tables[usize::from(queued.request.class)];
        let (request, start) = (queued.request.as_request(), queued.request.start);
        let mut spent = 0;
        if self.begun_for != Some(tables.revision()) {
            (self.begun_for, self.expansions) = (Some(tables.revision()), 0);
            self.legs = queued.request.routed(tables).and_then(|(graph, goal)| {
                let route = graph.route(tables, start, goal, &mut self.route_scratch)?;
                self.path.clear();
                // A route is found in one piece.
                spent = route.expansions;
                Some((route, LegSearch::new(start, goal)))
            });
            if self.legs.is_none() {
                begin(tables, &request, &mut self.scratch);
            }
        }
        if let Some((route, legs)) = &mut self.legs {
            let allowed = self.share.saturating_sub(spent);
            let mut left = allowed;
            let progress = legs.advance(tables, route, &mut left, &mut self.scratch, &mut self.path);
            spent += allowed - left;
            if progress != LegProgress::NoLeg {
                self.share = spent;
                self.expansions += spent;
                if progress == LegProgress::Found {
                    self.answer = Some(Answer::at_goal(self.path.cost(), self.expansions));
                }
                return;
            }
            (self.legs, self.expansions) = (None, 0);
            begin(tables, &request, &mut self.scratch);
        }
        let allowed = self.share.saturating_sub(spent);
        let progress = advance(tables, &request, &mut self.scratch, allowed);
        let answer = finish(tables, &request, &self.scratch, &mut self.path);
        self.share = spent + answer.expansions - self.expansions;
        self.expansions = answer.expansions;
        if progress == Progress::Done {
            self.answer = Some(answer);
        }
    }
}

/// A queue of path requests over the tables of a few classes.
///
/// Each frame, [`advance`](Self::advance) spends a budget of expansions on the requests that come first by priority
/// plus age ([`RequestKey::order`]). [`answers`](Self::answers) gives the paths found, in order of the tickets. A
/// search that does not finish goes on in the next frame. When the tables of its class have been updated since, it
/// restarts and keeps its age. The answers depend on the requests, the tables and the budgets, and on no thread. With
/// the feature `rayon`, and called inside a pool of several threads, slots are searched in parallel. The global pool is
/// never touched.
///
/// ```
/// use wheelbase_grid::{CellXY, Grid, SideTable, TerrainTable};
/// use wheelbase_planner::search::{PathQueue, QueuedRequest};
/// use wheelbase_planner::*;
///
/// let grid = Grid::from_rows(&["......", "..WW..", "......"], TerrainTable::movingai(), SideTable::default())?;
/// let mut spec = ClassSpec::new("scout", 1);
/// spec.primitives = Primitive::four_directions(5);
/// let tables = [MovementTables::compile(&grid, MovementClass::new(spec)?)];
/// let mut queue = PathQueue::new(grid.size(), 1, 4);
/// let goal = vec![GoalMember::any(CellXY::new(5, 2))];
/// let ticket = queue.submit(QueuedRequest::new(0, Pose::new(0, 0, Heading(0)), goal))?;
/// // Each frame:
/// queue.advance(&tables, 10_000);
/// for found in queue.answers() {
///     assert_eq!((found.ticket, found.answer.cost, found.path.moves.len()), (ticket, 35, 7));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PathQueue {
    size: GridSize,
    classes: u16,
    frame: u32,
    /// The rest of the budget of the frame in progress; `None` when it is over.
    left: Option<u64>,
    next_ticket: u64,
    waiting: Vec<Queued>,
    slots: Vec<Slot>,
    /// Answers of the last frame, in order of ticket.
    answered: Vec<(Ticket, Answer, Path)>,
    /// Emptied paths for later answers.
    spare: Vec<Path>,
}

impl PathQueue {
    /// An empty queue for maps of a size and a number of movement classes. `slots` searches are under way together, at
    /// least one; each holds the scratch memory of a search. The number of slots is part of the result.
    pub fn new(size: GridSize, classes: u16, slots: usize) -> Self {
        Self {
            size,
            classes,
            frame: 0,
            left: None,
            next_ticket: 0,
            waiting: Vec::new(),
            slots: std::iter::repeat_with(Slot::default).take(slots.max(1)).collect(),
            answered: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Queues a request.
    /// # Errors
    /// [`QueueError`] names the field; nothing is queued then.
    pub fn submit(&mut self, request: QueuedRequest) -> Result<Ticket, QueueError> {
        let sizes = [
            ("obstacles", request.obstacles.as_ref().map(|obstacles| obstacles.size())),
            ("penalties", request.penalties.as_ref().map(|penalties| penalties.size())),
            ("landmarks", request.landmarks.as_ref().map(|landmarks| landmarks.space().size())),
        ];
        if request.class >= self.classes {
            return Err(QueueError::NoClass { class: request.class, classes: self.classes });
        }
        if let Some(&(field, Some(found))) =
            sizes.iter().find(|(_, size)| size.is_some_and(|size| size != self.size))
        {
            return Err(QueueError::OtherMap { field, found, expected: self.size });
        }
        if request.weight_permille < 1000 {
            return Err(QueueError::Weight(request.weight_permille));
        }
        if request.goal.is_empty() {
            return Err(QueueError::NoGoal);
        }
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        let key =
            RequestKey { priority: request.priority, issued: self.frame, least_ticks: 0, number: ticket.0 };
        self.waiting.push(Queued { ticket, key, is_rated: false, request });
        Ok(ticket)
    }

    /// Drops a request; its search ends and its answer, if one is ready, is not given. Whether it was there.
    pub fn cancel(&mut self, ticket: Ticket) -> bool {
        let before = self.waiting.len() + self.answered.len();
        self.waiting.retain(|queued| queued.ticket != ticket);
        let spare = &mut self.spare;
        self.answered.retain_mut(|(answered, _, path)| {
            let keeps = *answered != ticket;
            if !keeps {
                spare.push(std::mem::take(path));
            }
            keeps
        });
        let of_ticket = |slot: &&mut Slot| slot.queued.as_ref().is_some_and(|queued| queued.ticket == ticket);
        if let Some(slot) = self.slots.iter_mut().find(of_ticket) {
            slot.free();
            return true;
        }
        self.waiting.len() + self.answered.len() < before
    }

    /// Requests without an answer.
    pub fn open(&self) -> usize {
        self.waiting.len() + self.slots.iter().filter(|slot| slot.queued.is_some()).count()
    }

    /// Frames so far.
    pub fn frame(&self) -> u32 {
        self.frame
    }

    /// Spends at most `budget` expansions on the requests and ends a frame. Answers of the frame before are dropped.
    /// Returns the number of new answers. Apart from growing buffers and a route with its leg, allocates nothing. A
    /// route is found in one piece, so a request with a graph can exceed the budget by the expansions of a route.
    /// # Panics
    /// If `tables` do not fit the number of classes and the map that the queue was made for.
    pub fn advance(&mut self, tables: &[MovementTables], budget: u64) -> usize {
        self.begin_frame(tables, budget);
        while self.begin_round() {
            self.search(tables);
            self.end_round();
        }
        self.end_frame()
    }

    /// Whether `tables` are of the number of classes and of the size of map that the queue was made for.
    /// # Errors
    /// [`QueueError::Tables`], [`QueueError::OtherMap`].
    pub fn check_tables(&self, tables: &[MovementTables]) -> Result<(), QueueError> {
        if tables.len() != usize::from(self.classes) {
            return Err(QueueError::Tables { found: tables.len(), classes: self.classes });
        }
        let sizes = tables.iter().map(|tables| tables.space().size());
        match sizes.into_iter().find(|size| *size != self.size) {
            Some(found) => Err(QueueError::OtherMap { field: "tables", found, expected: self.size }),
            None => Ok(()),
        }
    }

    /// Begins a frame whose searches the host's own threads run: [`advance`](Self::advance) in its parts, with the same
    /// answers. The frame is a number of rounds: take the jobs of one, run them on whatever threads, give them back,
    /// until there are none.
    ///
    /// ```
    /// # use wheelbase_grid::*;
    /// # use wheelbase_planner::search::{PathQueue, QueuedRequest};
    /// # use wheelbase_planner::*;
    /// # let grid = Grid::from_rows(&["......"], TerrainTable::movingai(), SideTable::default())?;
    /// # let tables = [MovementTables::compile(&grid, MovementClass::octile())];
    /// # let mut queue = PathQueue::new(grid.size(), 1, 4);
    /// # let goal = vec![GoalMember::any(CellXY::new(5, 0))];
    /// # queue.submit(QueuedRequest::new(0, Pose::new(0, 0, Heading(0)), goal))?;
    /// queue.begin_frame(&tables, 10_000);
    /// let mut jobs = Vec::new();
    /// while queue.take_jobs(&mut jobs) > 0 {
    ///     std::thread::scope(|scope| {
    ///         for job in &mut jobs {
    ///             scope.spawn(|| job.run(&tables));
    ///         }
    ///     });
    ///     queue.give_back(&mut jobs);
    /// }
    /// assert_eq!(queue.end_frame(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// # Panics
    /// As [`advance`](Self::advance).
    pub fn begin_frame(&mut self, tables: &[MovementTables], budget: u64) {
        let checked = self.check_tables(tables);
        assert!(checked.is_ok(), "{checked:?}");
        for (.., mut path) in self.answered.drain(..) {
            path.clear();
            self.spare.push(path);
        }
        for queued in self.waiting.iter_mut().filter(|queued| !queued.is_rated) {
            let tables = &tables[usize::from(queued.request.class)];
            queued.key.least_ticks = cost_lower_bound_of(tables, &queued.request.as_request());
            queued.is_rated = true;
        }
        self.left = Some(budget);
    }

    /// Moves the jobs of the next round into `jobs`, which is emptied before; returns how many. 0: the frame is over.
    pub fn take_jobs(&mut self, jobs: &mut Vec<SearchJob>) -> usize {
        jobs.clear();
        if self.begin_round() {
            let slots = self.slots.iter_mut().enumerate().filter(|(_, slot)| slot.share > 0);
            jobs.extend(slots.map(|(number, slot)| SearchJob { number, slot: std::mem::take(slot) }));
        }
        jobs.len()
    }

    /// Takes the jobs of a round back, in any order, after all have been run. A search whose job is missing is lost,
    /// and its request with it.
    /// # Panics
    /// If a job is of a queue with more slots.
    pub fn give_back(&mut self, jobs: &mut Vec<SearchJob>) {
        jobs.drain(..).for_each(|job| self.slots[job.number] = job.slot);
        self.end_round();
    }

    /// Ends a frame, and returns the number of new answers.
    pub fn end_frame(&mut self) -> usize {
        self.left = None;
        self.frame = self.frame.saturating_add(1);
        self.answered.sort_unstable_by_key(|(ticket, ..)| *ticket);
        self.answered.len()
    }

    /// Shares out the rest of the frame's budget; false if there is nothing to share or nobody to get it.
    fn begin_round(&mut self) -> bool {
        let Some(left) = self.left else { return false };
        self.fill_slots();
        share_out(&mut self.slots, left, self.frame) > 0
    }

    fn end_round(&mut self) {
        let spent = self.slots.iter().map(|slot| slot.share).sum::<u64>();
        let answers = self.take_answers();
        // Where nothing has been done, the next round would not do anything either.
        self.left = self.left.map(|left| left - spent.min(left)).filter(|_| answers > 0 || spent > 0);
    }

    /// Answers of the last frame, in order of their tickets. They hold until the next frame.
    pub fn answers(&self) -> impl Iterator<Item = QueueAnswer<'_>> {
        self.answered.iter().map(|(ticket, answer, path)| QueueAnswer {
            ticket: *ticket,
            answer: *answer,
            path,
        })
    }

    fn fill_slots(&mut self) {
        if self.waiting.is_empty() || self.slots.iter().all(|slot| slot.queued.is_some()) {
            return;
        }
        let frame = self.frame;
        // The first comes last, so that it can be popped.
        self.waiting.sort_unstable_by_key(|queued| Reverse(queued.key.order(frame)));
        for slot in self.slots.iter_mut().filter(|slot| slot.queued.is_none()) {
            let Some(queued) = self.waiting.pop() else { break };
            slot.queued = Some(queued);
        }
    }

    fn search(&mut self, tables: &[MovementTables]) {
        let has_share = |slot: &&mut Slot| slot.share > 0;
        #[cfg(feature = "rayon")]
        if rayon::current_thread_index().is_some() && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let slots = self.slots.par_iter_mut().with_max_len(1).filter(has_share);
            return slots.for_each(|slot| slot.search(tables));
        }
        self.slots.iter_mut().filter(has_share).for_each(|slot| slot.search(tables));
    }

    /// Moves what the slots have found to the answers; returns how many.
    fn take_answers(&mut self) -> usize {
        let before = self.answered.len();
        for slot in &mut self.slots {
            if let (Some(answer), Some(queued)) = (slot.answer, &slot.queued) {
                let path = std::mem::replace(&mut slot.path, self.spare.pop().unwrap_or_default());
                self.answered.push((queued.ticket, answer, path));
                slot.free();
            }
        }
        self.answered.len() - before
    }
}

impl Slot {
    fn free(&mut self) {
        (self.queued, self.begun_for, self.answer, self.legs) = (None, None, None, None);
        (self.share, self.expansions) = (0, 0);
    }
}
