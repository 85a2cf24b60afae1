//! Learning environments: many worlds whose agents are moved from outside, stepped together on arrays.
//!
//! Each step reads one action for each agent and writes observations, masks, rewards and reasons into arrays. What
//! `gymnasium` and `pettingzoo` want of an environment is made of these in `wheelbase/environments`.

mod scene;

mod observation;

mod episode;

use crate::buffer::{Plain, Ring, array_of};
use crate::error::{Kind, argument, busy, failure};
use crate::frame;
use crate::map::Map;
use crate::pool::{check_threads, pool};
use crate::value::{Whole, choice, list_of, numbers, shown, whole};
use crate::world::{PyWorld, WorldSetup, compiled};
use episode::{Episode, Outcome, Rules, StepLength};
use observation::{Ground, Layout};
use pyo3::prelude::*;
use rayon::prelude::*;
use scene::{OnArrival, Scene, SceneError, SceneOptions};
use std::sync::{Arc, Mutex, MutexGuard};
use wheelbase_planner::{Heading, Pose};
use wheelbase_sim::{AGENTS_MAX, ClassId, CollisionRule, Settings, Spawn};

/// Most cells from the middle of a window to its sides.
const RADIUS_MAX: u32 = 127;
/// Most worlds.
const WORLDS_MAX: u32 = 1 << 16;

/// Many worlds of one scene.
#[pyclass(frozen, module = "wheelbase")]
pub(crate) struct BatchedEnvironment {
    core: Mutex<Core>,
    scene: Scene,
    layout: Layout,
    rules: Rules,
    ground: Arc<Ground>,
    n_worlds: usize,
    threads: u32,
}

/// What changes.
struct Core {
    episodes: Vec<Episode>,
    arrays: Arrays,
}

/// The arrays of the last step.
#[derive(Default)]
struct Arrays {
    window: Ring<u8>,
    own: Ring<f32>,
    mask: Ring<u8>,
    reward: Ring<f32>,
    arrived: Ring<u8>,
    begun: Ring<u8>,
    blocked_by: Ring<i32>,
    terminated: Ring<u8>,
    truncated: Ring<u8>,
}

fn in_scene(error: SceneError) -> PyErr {
    match error {
        SceneError::Argument(message) => argument(message),
        SceneError::Limit(message) => failure(Kind::Limit, message),
        SceneError::Broken(message) => failure(Kind::Broken, message),
    }
}

/// A scene of a map, classes and how many agents of each.
fn setup_of_counts(
    py: Python<'_>,
    map: &Bound<'_, Map>,
    classes: &Bound<'_, PyAny>,
    counts: &Bound<'_, PyAny>,
    collision: CollisionRule,
) -> PyResult<WorldSetup> {
    let grid = map.get().grid()?.clone();
    let tables = compiled(py, classes, &grid)?;
    let counts: Vec<u32> = list_of(counts, "counts", "a number of agents of each class")?;
    if counts.len() != tables.len() {
        let (found, expected) = (counts.len(), tables.len());
        return Err(argument(format!("`counts` has {found} numbers, expected {expected}, as `classes`")));
    }
    let n: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if !(1..=AGENTS_MAX as u64).contains(&n) {
        return Err(argument(format!("`counts` are {n} agents together, expected 1 to {AGENTS_MAX}")));
    }
    let nowhere = Pose::new(0, 0, Heading(0));
    let agents = counts.iter().enumerate().flat_map(|(class, &count)| {
        std::iter::repeat_n(Spawn::new(ClassId(class as u8), nowhere), count as usize)
    });
    let settings = Settings { collision, ..Settings::named("environment") };
    Ok(WorldSetup { grid, tables, settings, agents: agents.collect(), commands: Vec::new() })
}

/// A number of at least 1.
fn counted(given: Whole<u32>, name: &str, most: u32) -> PyResult<u32> {
    if (1..=most).contains(&given.0) {
        return Ok(given.0);
    }
    Err(argument(format!("`{name}` is {}, expected 1 to {most}", given.0)))
}

/// Ticks of a step.
fn step_length(given: &Bound<'_, PyAny>) -> PyResult<StepLength> {
    if given.extract::<String>().is_ok_and(|text| text == "until_at_rest") {
        return Ok(StepLength::UntilAtRest);
    }
    match given.extract::<u32>() {
        Ok(ticks @ 1..=65_535) => Ok(StepLength::Ticks(ticks)),
        _ => Err(argument(format!(
            "`ticks_per_step` is {}, expected 1 to 65535, or \"until_at_rest\"",
            shown(given)
        ))),
    }
}

impl BatchedEnvironment {
    fn held(&self) -> PyResult<MutexGuard<'_, Core>> {
        self.core.try_lock().map_err(|_| busy("environment"))
    }

    /// Agents of a world.
    fn n(&self) -> usize {
        self.scene.agents.len()
    }

    /// Runs `work` on each world and its pieces of the arrays, and makes these the current ones.
    fn run(
        &self,
        py: Python<'_>,
        core: &mut Core,
        work: impl Fn(usize, &mut Episode, &mut Outcome<'_>) -> Result<(), SceneError> + Sync,
    ) -> PyResult<()> {
        let pool = pool(py, self.threads)?;
        let (n, layout) = (self.n(), &self.layout);
        let Core { episodes, arrays } = core;
        let all = n * self.n_worlds;
        py.detach(|| {
            fn lent<T: Plain + Default>(ring: &mut Ring<T>, len: usize) -> Vec<T> {
                let mut buffer = ring.lend();
                buffer.resize(len, T::default());
                buffer
            }
            let mut window = lent(&mut arrays.window, all * layout.window_len());
            let mut own = lent(&mut arrays.own, all * layout.own_len());
            let mut mask = lent(&mut arrays.mask, all * layout.n_actions);
            let (mut reward, mut arrived) = (lent(&mut arrays.reward, all), lent(&mut arrays.arrived, all));
            let (mut begun, mut blocked_by) =
                (lent(&mut arrays.begun, all), lent(&mut arrays.blocked_by, all));
            let (mut terminated, mut truncated) =
                (lent(&mut arrays.terminated, all), lent(&mut arrays.truncated, all));
            let mut tasks: Vec<(usize, &mut Episode, Outcome<'_>)> = episodes
                .iter_mut()
                .zip(window.chunks_exact_mut(n * layout.window_len()))
                .zip(own.chunks_exact_mut(n * layout.own_len()))
                .zip(mask.chunks_exact_mut(n * layout.n_actions))
                .zip(reward.chunks_exact_mut(n))
                .zip(arrived.chunks_exact_mut(n))
                .zip(begun.chunks_exact_mut(n))
                .zip(blocked_by.chunks_exact_mut(n))
                .zip(terminated.chunks_exact_mut(n))
                .zip(truncated.chunks_exact_mut(n))
                .enumerate()
                .map(|(number, pieces)| {
                    let (pieces, truncated) = pieces;
                    let (pieces, terminated) = pieces;
                    let (pieces, blocked_by) = pieces;
                    let (pieces, begun) = pieces;
                    let (pieces, arrived) = pieces;
                    let (pieces, reward) = pieces;
                    let (pieces, mask) = pieces;
                    let (pieces, own) = pieces;
                    let (episode, window) = pieces;
                    let into = Outcome {
                        window,
                        own,
                        mask,
                        reward,
                        arrived,
                        begun,
                        blocked_by,
                        terminated,
                        truncated,
                    };
                    (number, episode, into)
                })
                .collect();
            let one = |(number, episode, into): &mut (usize, &mut Episode, Outcome<'_>)| {
                let done = work(*number, episode, into);
                // Agents are counted over all worlds.
                let before = (*number * n) as i32;
                for by in into.blocked_by.iter_mut().filter(|by| **by >= 0) {
                    *by += before;
                }
                done
            };
            let done: Vec<Result<(), SceneError>> = match &pool {
                Some(pool) => pool.install(|| tasks.par_iter_mut().map(one).collect()),
                None => tasks.iter_mut().map(one).collect(),
            };
            drop(tasks);
            arrays.window.give_back(window);
            arrays.own.give_back(own);
            arrays.mask.give_back(mask);
            arrays.reward.give_back(reward);
            arrays.arrived.give_back(arrived);
            arrays.begun.give_back(begun);
            arrays.blocked_by.give_back(blocked_by);
            arrays.terminated.give_back(terminated);
            arrays.truncated.give_back(truncated);
            done.into_iter().collect::<Result<(), SceneError>>()
        })
        .map_err(in_scene)
    }

    /// Window, own numbers and mask as arrays.
    fn observations<'py>(
        &self,
        py: Python<'py>,
        arrays: &Arrays,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (all, layout) = (self.n() * self.n_worlds, &self.layout);
        let window = [all, layout.planes.len(), layout.side(), layout.side()];
        Ok((
            array_of(py, &arrays.window.current(), &window)?,
            array_of(py, &arrays.own.current(), &[all, layout.own_len()])?,
            array_of(py, &arrays.mask.current(), &[all, layout.n_actions])?,
        ))
    }
}

#[pymethods]
impl BatchedEnvironment {
    #[new]
    #[pyo3(signature = (
        world = None, *, map = None, classes = None, counts = None, collision = "swept", worlds = Whole(1),
        radius = Whole(5), ticks_per_step = None, episode_ticks = Whole(1000), on_arrival = "new_goal",
        starts = "random", goals = None, scene_seed = Whole(0), autoreset = true, threads = Whole(1)
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        world: Option<&Bound<'_, PyWorld>>,
        map: Option<&Bound<'_, Map>>,
        classes: Option<&Bound<'_, PyAny>>,
        counts: Option<&Bound<'_, PyAny>>,
        collision: &str,
        worlds: Whole<u32>,
        radius: Whole<u32>,
        ticks_per_step: Option<&Bound<'_, PyAny>>,
        episode_ticks: Whole<u32>,
        on_arrival: &str,
        starts: &str,
        goals: Option<&Bound<'_, PyAny>>,
        scene_seed: Whole<u64>,
        autoreset: bool,
        threads: Whole<u32>,
    ) -> PyResult<Self> {
        let rules = [("swept", CollisionRule::Swept), ("discrete", CollisionRule::Discrete)];
        let collision = choice(collision, "collision", &rules)?;
        let (from_world, of_counts) = (world, (map, classes, counts));
        let random_starts = choice(starts, "starts", &[("random", true), ("given", false)])?;
        let setup = match (from_world, of_counts) {
            (Some(world), (None, None, None)) => world.get().setup("world")?,
            (None, (Some(map), Some(classes), Some(counts))) if random_starts => {
                setup_of_counts(py, map, classes, counts, collision)?
            }
            (None, (Some(_), Some(_), Some(_))) => {
                return Err(argument("`starts` is \"given\", which needs a `world`; expected \"random\""));
            }
            _ => return Err(argument("expected either `world`, or `map`, `classes` and `counts`")),
        };
        let threads = check_threads(threads.0)?;
        let n_worlds = counted(worlds, "worlds", WORLDS_MAX)? as usize;
        if radius.0 > RADIUS_MAX {
            return Err(argument(format!("`radius` is {}, expected 0 to {RADIUS_MAX} cells", radius.0)));
        }
        if setup.agents.len().saturating_mul(n_worlds) > AGENTS_MAX {
            let found = setup.agents.len().saturating_mul(n_worlds);
            return Err(argument(format!("`worlds` make {found} agents, expected at most {AGENTS_MAX}")));
        }
        let arrivals = [("new_goal", OnArrival::NewGoal), ("stay", OnArrival::Stay)];
        let options = SceneOptions {
            random_starts,
            on_arrival: choice(on_arrival, "on_arrival", &arrivals)?,
            goals: match goals {
                Some(goals) => match whole::<u32>(goals, "goals", "1 to 1048576 goals of each class")? {
                    0 => return Err(argument("`goals` is 0, expected 1 to 1048576 goals of each class")),
                    goals => Some(goals as usize),
                },
                None => None,
            },
            seed: scene_seed.0,
            pool: pool(py, threads)?,
        };
        let rules = Rules {
            length: ticks_per_step.map_or(Ok(StepLength::Ticks(1)), step_length)?,
            episode_ticks: counted(episode_ticks, "episode_ticks", u32::MAX >> 1)?,
            autoreset,
        };
        let made = py.detach(|| {
            let WorldSetup { grid, tables, settings, agents, commands } = setup;
            let scene = Scene::new((grid, tables), settings, agents, commands, &options)?;
            let layout = Layout::new(&scene, radius.0);
            let ground = Arc::new(Ground::new(&scene.grid, &scene.tables, &layout));
            let episodes = (0..n_worlds as u32).map(|number| Episode::new(&scene, &ground, number, 0));
            let episodes = episodes.collect::<Result<Vec<Episode>, SceneError>>()?;
            Ok((scene, layout, ground, episodes))
        });
        let (scene, layout, ground, episodes) = made.map_err(in_scene)?;
        let core = Mutex::new(Core { episodes, arrays: Arrays::default() });
        Ok(Self { core, scene, layout, rules, ground, n_worlds, threads })
    }

    /// Agents of each world.
    #[getter]
    fn agents_per_world(&self) -> usize {
        self.n()
    }

    #[getter]
    fn worlds(&self) -> usize {
        self.n_worlds
    }

    #[getter]
    fn actions(&self) -> usize {
        self.layout.n_actions
    }

    /// Names of the planes of the window.
    #[getter]
    fn planes(&self) -> Vec<&'static str> {
        self.layout.planes.iter().map(|plane| plane.name()).collect()
    }

    /// Cells along a side of the window.
    #[getter]
    fn side(&self) -> usize {
        self.layout.side()
    }

    /// Names of an agent's own numbers.
    #[getter]
    fn own_names(&self) -> Vec<String> {
        self.layout.own_names()
    }

    /// Where the detours begin among an agent's own numbers.
    #[getter]
    fn detours_at(&self) -> usize {
        self.layout.detours_at()
    }

    /// The class of each agent of a world.
    #[getter]
    fn classes(&self) -> Vec<String> {
        let name = |agent: &Spawn| self.scene.tables[usize::from(agent.class.0)].class().spec().name.clone();
        self.scene.agents.iter().map(name).collect()
    }

    /// The names of the actions of each class.
    #[getter]
    fn action_names(&self) -> Vec<(String, Vec<String>)> {
        let tables = self.scene.tables.iter();
        tables
            .map(|tables| {
                let primitives = tables.class().primitives().iter().map(|primitive| primitive.name.clone());
                let names = std::iter::once("wait".to_owned()).chain(primitives).collect();
                (tables.class().spec().name.clone(), names)
            })
            .collect()
    }

    /// Begins new episodes of a seed in all worlds.
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seed: Whole<u64>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let mut core = self.held()?;
        let Self { scene, layout, rules, ground, .. } = self;
        self.run(py, &mut core, |_, episode, into| {
            episode.seed(scene, ground, seed.0)?;
            episode.observe(scene, layout, rules, into);
            Ok(())
        })?;
        self.observations(py, &core.arrays)
    }

    /// Runs a step: an action for each agent, 0 to wait, else 1 more than the number of a primitive.
    #[allow(clippy::type_complexity)]
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: &Bound<'_, PyAny>,
    ) -> PyResult<((Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>), [Bound<'py, PyAny>; 6])> {
        let (n, all, n_actions) = (self.n(), self.n() * self.n_worlds, self.layout.n_actions);
        let (given, shape) = numbers(actions, "actions")?;
        if shape[..] != [all] {
            return Err(argument(format!(
                "`actions` is of shape {shape:?}, expected [{all}]: one of each agent"
            )));
        }
        let one = |(at, action): (usize, &i64)| {
            let known = i32::try_from(*action).ok().filter(|action| (0..n_actions as i32).contains(action));
            known.ok_or_else(|| {
                argument(format!("`actions[{at}]` is {action}, expected 0 to {}", n_actions - 1))
            })
        };
        let actions: Vec<i32> = given.iter().enumerate().map(one).collect::<PyResult<_>>()?;
        let mut core = self.held()?;
        let Self { scene, layout, rules, ground, .. } = self;
        self.run(py, &mut core, |number, episode, into| {
            episode.step(scene, (layout, rules), ground, &actions[number * n..][..n], into)
        })?;
        let arrays = &core.arrays;
        let flat = [
            array_of(py, &arrays.reward.current(), &[all])?,
            array_of(py, &arrays.terminated.current(), &[all])?,
            array_of(py, &arrays.truncated.current(), &[all])?,
            array_of(py, &arrays.arrived.current(), &[all])?,
            array_of(py, &arrays.begun.current(), &[all])?,
            array_of(py, &arrays.blocked_by.current(), &[all])?,
        ];
        Ok((self.observations(py, arrays)?, flat))
    }

    /// The state hash of each world.
    fn hashes(&self, py: Python<'_>) -> PyResult<Vec<u64>> {
        let core = self.held()?;
        Ok(py.detach(|| core.episodes.iter().map(|episode| episode.world.state_hash()).collect()))
    }

    /// A picture of a world.
    #[pyo3(signature = (world = Whole(0), *, scale = None))]
    fn frame<'py>(
        &self,
        py: Python<'py>,
        world: Whole<u32>,
        scale: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scale = scale.map(|scale| whole(scale, "scale", "a number of pixels a cell")).transpose()?;
        let core = self.held()?;
        let of = core.episodes.get(world.0 as usize).map(|episode| &episode.world);
        let of = of.ok_or_else(|| {
            argument(format!("`world` is {}, expected less than {}", world.0, self.n_worlds))
        })?;
        let view = frame::view_of(of.grid(), None, scale)?;
        frame::array(py, &py.detach(|| frame::of_world(of, view, f64::from(of.tick()))))
    }
}
