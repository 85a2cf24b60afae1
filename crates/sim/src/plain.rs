//! Serde for types of `wheelbase-traffic`, which does without it, and for lists of bytes.

use crate::codec::plain_bytes;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use wheelbase_planner::model::State;
use wheelbase_traffic::collision::CollisionRule;
use wheelbase_traffic::motion::{Activity, AgentId, ClassId, Motion, WaitState};
use wheelbase_traffic::random::Random;
use wheelbase_traffic::teams::Team;

/// A type that is written as a plain value.
pub(crate) trait Plain: Sized {
    type Value: Serialize + DeserializeOwned;

    fn value(&self) -> Self::Value;

    /// `None` for a value that it never has.
    fn of(value: Self::Value) -> Option<Self>;
}

pub(crate) fn serialize<T: Plain, S: Serializer>(plain: &T, to: S) -> Result<S::Ok, S::Error> {
    plain.value().serialize(to)
}

pub(crate) fn deserialize<'de, T: Plain, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    of(T::Value::deserialize(from)?)
}

fn of<T: Plain, E: Error>(value: T::Value) -> Result<T, E> {
    T::of(value).ok_or_else(|| E::custom(format_args!("no {}", std::any::type_name::<T>())))
}

/// Several of them.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, Plain, Serializer};

    pub fn serialize<T: Plain, S: Serializer>(
        list: &(impl AsRef<[T]> + ?Sized),
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(list.as_ref().iter().map(Plain::value))
    }

    pub fn deserialize<'de, T: Plain, L: FromIterator<T>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<L, D::Error> {
        Vec::<T::Value>::deserialize(from)?.into_iter().map(super::of).collect()
    }
}

/// A list of bytes, written and read as a whole.
pub(crate) mod bytes {
    use super::{Deserializer, Serializer, plain_bytes};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        plain_bytes(from)
    }
}

macro_rules! numbers {
    ($($type:ident: $number:ty),+) => {
        $(impl Plain for $type {
            type Value = $number;

            fn value(&self) -> $number {
                self.0
            }

            fn of(value: $number) -> Option<Self> {
                Some(Self(value))
            }
        })+
    };
}

numbers!(AgentId: u32, ClassId: u8, Team: u8);

/// A decision about an agent.
impl Plain for (AgentId, u8) {
    type Value = (u32, u8);

    fn value(&self) -> Self::Value {
        (self.0.0, self.1)
    }

    fn of((agent, primitive): Self::Value) -> Option<Self> {
        Some((AgentId(agent), primitive))
    }
}

/// Its name.
impl Plain for CollisionRule {
    type Value = String;

    fn value(&self) -> String {
        self.name().to_owned()
    }

    fn of(name: String) -> Option<Self> {
        [Self::Swept, Self::Discrete].into_iter().find(|rule| rule.name() == name)
    }
}

/// Its state.
impl Plain for Random {
    type Value = u64;

    fn value(&self) -> u64 {
        self.state()
    }

    fn of(state: u64) -> Option<Self> {
        Some(Self::new(state))
    }
}

impl Plain for Motion {
    type Value = (u32, u32, u8, u8, u8, bool);

    fn value(&self) -> Self::Value {
        let Self { state, until, primitive, activity, class, replan } = *self;
        (state.0, until, primitive, activity as u8, class.0, replan)
    }

    fn of((state, until, primitive, activity, class, replan): Self::Value) -> Option<Self> {
        let activity = *Activity::ALL.get(usize::from(activity))?;
        Some(Self { state: State(state), until, primitive, activity, class: ClassId(class), replan })
    }
}

impl Plain for WaitState {
    type Value = (i32, u32, u32, u32, u8, u32, u8, bool);

    fn value(&self) -> Self::Value {
        let Self { priority, waits_since, moved_at, ask_again_at, failures, .. } = *self;
        let Self { look_again_at, look_failures, stranded, .. } = *self;
        (priority, waits_since, moved_at, ask_again_at, failures, look_again_at, look_failures, stranded)
    }

    fn of(value: Self::Value) -> Option<Self> {
        let (priority, waits_since, moved_at, ask_again_at, failures, look_again_at, look_failures, stranded) =
            value;
        Some(Self {
            priority,
            waits_since,
            moved_at,
            ask_again_at,
            failures,
            look_again_at,
            look_failures,
            stranded,
        })
    }
}
