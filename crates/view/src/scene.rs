//! A recorded run at a tick, as a picture.

use crate::picture::bodies::{BodyShape, Placement};
use crate::picture::drawing::{Item, Paint, Picture};
use crate::picture::ground::{self, MapStyle};
use crate::picture::view::View;
use crate::recorded::{NONE, names};
use std::io::{Read, Seek};
use wheelbase_grid::Rgb;
use wheelbase_planner::MovementClass;
use wheelbase_scenario::recording::{Header, Reader, RecordedAgents, RecordingError, TickRecord};
use wheelbase_sim::STUCK_AFTER_TICKS;

/// Ring around an agent that has waited for [`STUCK_AFTER_TICKS`].
const RING: Rgb = [255, 64, 56];

/// Everything that stays the same between pictures of a run.
pub struct Scene {
    view: View,
    style: MapStyle,
    classes: Vec<MovementClass>,
    bodies: Vec<BodyShape>,
    /// By id; empty for unnamed agents.
    names: Vec<String>,
}

impl Scene {
    /// The scene of a recording.
    pub fn new(header: &Header, view: View) -> Self {
        let classes: Vec<MovementClass> =
            header.classes.iter().map(|class| class.movement().clone()).collect();
        let bodies = classes.iter().enumerate().map(|(number, class)| BodyShape::of(class, number, &view));
        Self {
            view,
            style: MapStyle::of_header(header),
            bodies: bodies.collect(),
            classes,
            names: names(header),
        }
    }

    /// The visible part of the map and its scale.
    pub fn view(&self) -> View {
        self.view
    }

    /// The map after the last tick read.
    /// # Errors
    /// [`RecordingError`] if it has too many edits.
    pub fn ground<R: Read + Seek>(&self, reader: &mut Reader<R>) -> Result<Vec<Item>, RecordingError> {
        Ok(ground::items(&self.view, reader.map()?, &self.style))
    }

    /// The agents at the last tick read, once the moves of that tick have begun.
    pub fn agents(&self, frame: &RecordedAgents, tick: u32) -> Vec<Item> {
        let (mut items, mut rings) = (Vec::new(), Vec::new());
        for (row, id) in frame.ids.iter().enumerate() {
            let Some(body) = self.bodies.get(usize::from(frame.classes[row].0)) else { continue };
            let placement = self.placement(frame, row, tick);
            let title = || {
                let name = self.names.get(id.0 as usize).filter(|name| !name.is_empty());
                let name = name.map_or(String::new(), |name| format!(" \"{name}\""));
                let class = &self.classes[usize::from(frame.classes[row].0)];
                format!("agent {}{name}: {}", id.0, class.spec().name)
            };
            if self.sees(body, placement) {
                items.extend(body.shapes(&self.view, placement, title()).map(Item::from));
                let since = frame.waits_since[row];
                if since != NONE && tick.saturating_sub(since) >= STUCK_AFTER_TICKS {
                    rings.push(body.ring(&self.view, placement, Paint::solid(RING), 2.0).into());
                }
            }
        }
        items.append(&mut rings);
        items
    }

    fn placement(&self, frame: &RecordedAgents, row: usize, tick: u32) -> Placement {
        let (motion, class) = (frame.motion[row], usize::from(frame.classes[row].0));
        let primitive = self.classes[class].primitives().get(usize::from(motion.primitive));
        match primitive {
            Some(primitive) if motion.is_moving(tick) => {
                let part = f64::from(tick - motion.start) / f64::from(motion.end - motion.start);
                self.bodies[class].moving(motion.from, motion.to, primitive.turn, part)
            }
            _ => self.bodies[class].resting(motion.to),
        }
    }

    /// Whether any part of a body can be in the picture.
    fn sees(&self, body: &BodyShape, placement: Placement) -> bool {
        let ([x, y], (width, height)) = (self.view.in_picture(placement.pivot), self.view.size());
        let reach = body.reach * f64::from(self.view.scale) + 2.0;
        x > -reach && x < f64::from(width) + reach && y > -reach && y < f64::from(height) + reach
    }
}

/// The picture of a run at a recorded tick.
/// # Errors
/// [`RecordingError`] if the recording is damaged.
pub fn still<R: Read + Seek>(
    reader: &mut Reader<R>,
    view: View,
    tick: u32,
) -> Result<Picture, RecordingError> {
    let scene = Scene::new(reader.header(), view);
    read_before(reader, tick)?;
    reader.next_tick(&mut TickRecord::default())?;
    let mut items = scene.ground(reader)?;
    items.extend(scene.agents(reader.agents(), tick));
    Ok(Picture { view, title: picture_title(&reader.header().name, tick), items })
}

/// The title of a picture of a run.
pub(crate) fn picture_title(name: &str, tick: u32) -> String {
    format!("{name}, tick {tick}")
}

/// Reads all ticks before `tick`, so that it comes next.
/// # Errors
/// [`RecordingError`] if the recording is damaged.
pub fn read_before<R: Read + Seek>(reader: &mut Reader<R>, tick: u32) -> Result<(), RecordingError> {
    let mut next = reader.seek(tick)?;
    let mut record = TickRecord::default();
    while next < tick && reader.next_tick(&mut record)? {
        next = record.tick + 1;
    }
    Ok(())
}
