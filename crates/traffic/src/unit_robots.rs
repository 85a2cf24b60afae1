//! The rule for teams of unit robots: each holds a string of actions, and who plans anew may push others.
//!
//! A robot always holds an operation of `DEPTH` actions, whose cells are reserved tick by tick, so that no
//! two ever meet, whatever happens next. Each tick the robots look in turn, those nearest their goals first,
//! for the operation that brings them nearest; one that is in the way, and comes later in the turn, is lifted
//! and has to find another operation in its place, and so on; if the last of them finds none, all of it is
//! undone. Then only the first action of each is carried out; the rest stays reserved. This is EPIBT
//! (Yukhnevich and Andreychuk 2025, <https://arxiv.org/abs/2511.09193>), which extends PIBT (Okumura et al.
//! 2019). What tries are left improve the whole: a robot drawn at random may push any other, if the sum of
//! what remains to be gone does not grow; robots whose tasks are old count for several. A few of those that
//! have waited longest go before all others for a while, in turn, so that each knot is once pulled at from
//! each end; one of them that cannot move has others make room, and on a packed map all that cannot move do
//! (`push`). On a map too full for all, only as many as it carries pursue their goals (`crowd`).

mod crowd;
mod guidance;
mod operations;
mod planning;
mod pursuers;
mod push;
mod push_search;
mod state;
mod team;
mod unit_fields;
mod unit_map;

pub use state::UnitRobots;
