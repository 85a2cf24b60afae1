//! When ticks are due, and which time a frame shows.

/// Most ticks of one frame. A machine that is too slow for the world makes it slower, and does not stop drawing.
const TICKS_PER_FRAME_MAX: u32 = 8;
/// Sixty additions of a sixtieth are a little less than 1.
const ROUNDING: f64 = 1e-9;

/// Divides the time of physics frames into ticks.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    /// The part of the next tick that has passed, in ticks.
    part: f64,
    /// Length of the last frame, in ticks.
    frame: f64,
}

impl Clock {
    /// A frame of `ticks` ticks passes; `ticks` may have a fraction. Returns the number of whole ticks that are due.
    pub(crate) fn advance(&mut self, ticks: f64) -> u32 {
        self.frame = if ticks.is_finite() { ticks.clamp(0.0, f64::from(TICKS_PER_FRAME_MAX)) } else { 0.0 };
        self.part += self.frame;
        let due = (self.part + ROUNDING).floor();
        self.part = (self.part - due).max(0.0);
        due as u32
    }

    /// The part of a tick that a frame shows, 0 to 1, with `fraction` of a physics frame passed since the last one.
    pub(crate) fn shown(&self, fraction: f64) -> f64 {
        (self.part + fraction * self.frame).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_frames_are_twenty_ticks() {
        let mut clock = Clock::default();
        let due: Vec<u32> = (0..60).map(|_| clock.advance(20.0 / 60.0)).collect();
        assert_eq!(due.iter().sum::<u32>(), 20);
        assert!(due.chunks(3).all(|frames| frames == [0, 0, 1]), "{due:?}");
    }

    #[test]
    fn a_long_frame_is_cut_and_a_wrong_one_is_none() {
        let mut clock = Clock::default();
        assert_eq!(clock.advance(1000.0), TICKS_PER_FRAME_MAX);
        assert_eq!([f64::NAN, f64::INFINITY, -3.0].map(|ticks| clock.advance(ticks)), [0; 3]);
    }

    #[test]
    fn frames_between_two_physics_frames_show_what_lies_between() {
        let mut clock = Clock::default();
        clock.advance(0.25);
        assert_eq!([0.0, 0.5, 1.0].map(|fraction| clock.shown(fraction)), [0.25, 0.375, 0.5]);
        clock.advance(0.75);
        assert_eq!(clock.shown(0.0), 0.0);
    }
}
