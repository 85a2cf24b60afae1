//! A recorded run as an animated GIF.

use crate::picture::caption::CaptionLayout;
use crate::picture::gif::GifFile;
use crate::picture::raster::{Canvas, Image};
use crate::scene::{Scene, picture_title, read_before};
use std::fmt;
use std::io::{self, Read, Seek, Write};
use wheelbase_scenario::recording::{Event, Reader, RecordingError, TickRecord};

/// Which ticks an animation shows, and how fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FramePlan {
    /// First tick shown.
    pub first: u32,
    /// Last tick shown: recorded, and not before `first`.
    pub last: u32,
    /// Ticks from one frame to the next; at least 1. The last tick always has a frame.
    pub every: u32,
    /// Frames per second; at least 1.
    pub fps: u16,
    /// Whether each frame has a caption.
    pub caption: bool,
}

/// Why an animation was not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum AnimationError {
    /// The recording cannot be read.
    Recording(RecordingError),
    /// The file cannot be written.
    Io(io::Error),
}

impl fmt::Display for AnimationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AnimationError {}

impl From<RecordingError> for AnimationError {
    fn from(error: RecordingError) -> Self {
        Self::Recording(error)
    }
}

impl From<io::Error> for AnimationError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a run as a GIF and returns the writer. `goes_on` is called before each tick with the number of ticks already
/// read. Returning false ends the animation, but never before its first frame: a GIF without frames is invalid.
/// # Errors
/// [`AnimationError`], also if the recording holds no tick of the plan.
pub fn write<R: Read + Seek, W: Write>(
    reader: &mut Reader<R>,
    scene: &Scene,
    plan: FramePlan,
    out: W,
    mut goes_on: impl FnMut(u32) -> bool,
) -> Result<W, AnimationError> {
    let FramePlan { first, last, every, fps, caption } = plan;
    let view = scene.view();
    let name = reader.header().name.clone();
    let title = |tick: u32| picture_title(&name, tick);
    let caption = caption.then(|| CaptionLayout::of(&view, &title(last)));
    let (mut gif, mut out) = (None::<GifFile<W>>, Some(out));
    let mut canvas = Canvas::new(view);
    let mut ground: Option<Image> = None;
    read_before(reader, first)?;
    let (mut record, mut n_frames) = (TickRecord::default(), 0);
    while (goes_on(record.tick.saturating_sub(first)) || gif.is_none())
        && reader.next_tick(&mut record)?
        && record.tick <= last
    {
        if record.events.iter().any(|event| matches!(event, Event::Edit(_))) {
            ground = None;
        }
        if !(record.tick - first).is_multiple_of(every) && record.tick != last {
            continue;
        }
        match &ground {
            Some(ground) => canvas.reset_to(ground),
            None => {
                canvas = Canvas::new(view);
                canvas.draw(&scene.ground(reader)?);
                ground = Some(canvas.image().clone());
            }
        }
        canvas.draw(&scene.agents(reader.agents(), record.tick));
        let hundredths = hundredths_of(n_frames, fps);
        n_frames += 1;
        let captioned = caption.map(|caption| caption.under(canvas.image(), &title(record.tick)));
        let image = captioned.as_ref().unwrap_or(canvas.image());
        match (&mut gif, out.take()) {
            (Some(gif), _) => gif.show(image, hundredths)?,
            (None, Some(out)) => gif = Some(GifFile::begin(out, image, hundredths)?),
            (None, None) => {}
        }
    }
    let gif = gif.ok_or_else(|| io::Error::other("no frame"))?;
    Ok(gif.finish()?)
}

/// Display time of frame `number` in hundredths of a second, rounded so that `fps` frames last exactly one second.
fn hundredths_of(number: u32, fps: u16) -> u16 {
    let until = |number: u64| number * 100 / u64::from(fps);
    (until(u64::from(number) + 1) - until(number.into())) as u16
}
