//! A run as a moving picture.

use crate::picture::gif::GifFile;
use crate::picture::raster::{Canvas, Image};
use crate::scene::{Scene, read_before};
use std::io::{self, Read, Seek, Write};
use wheelbase_scenario::recording::{Event, Reader, RecordingError, TickRecord};

/// Which ticks are shown, and how fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first tick.
    pub first: u32,
    /// The last, which the recording holds; not before the first.
    pub last: u32,
    /// Ticks from one frame to the next; not 0. The last tick has a frame whatever that is.
    pub every: u32,
    /// Frames a second; not 0.
    pub fps: u16,
}

/// Why a moving picture was not written.
#[derive(Debug)]
pub enum MovingError {
    /// The recording cannot be read.
    Recording(RecordingError),
    /// The file cannot be written.
    Io(io::Error),
}

impl From<RecordingError> for MovingError {
    fn from(error: RecordingError) -> Self {
        Self::Recording(error)
    }
}

impl From<io::Error> for MovingError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a run as a GIF and gives the writer back. `goes_on` is told before each tick how many lie behind and may end
/// the picture, though not before its first frame: a file without one would be none.
/// # Errors
/// [`MovingError`], also where the recording holds no tick of the span.
pub fn write<R: Read + Seek, W: Write>(
    reader: &mut Reader<R>,
    scene: &Scene,
    span: Span,
    out: W,
    mut goes_on: impl FnMut(u32) -> bool,
) -> Result<W, MovingError> {
    let Span { first, last, every, fps } = span;
    let view = scene.view();
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
        match (&mut gif, out.take()) {
            (Some(gif), _) => gif.show(canvas.image(), hundredths)?,
            (None, Some(out)) => gif = Some(GifFile::begin(out, canvas.image(), hundredths)?),
            (None, None) => {}
        }
    }
    let gif = gif.ok_or_else(|| io::Error::other("no frame"))?;
    Ok(gif.finish()?)
}

/// For how long a frame is shown, so that so many last a second together.
fn hundredths_of(number: u32, fps: u16) -> u16 {
    let until = |number: u64| number * 100 / u64::from(fps);
    (until(u64::from(number) + 1) - until(number.into())) as u16
}
