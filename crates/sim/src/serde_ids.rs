//! Serde for the ids of `wheelbase-traffic`, which does without it, and for lists of bytes.

/// An agent's id as a number.
pub(crate) mod agent {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wheelbase_traffic::motion::AgentId;

    pub fn serialize<S: Serializer>(agent: &AgentId, to: S) -> Result<S::Ok, S::Error> {
        agent.0.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<AgentId, D::Error> {
        u32::deserialize(from).map(AgentId)
    }
}

/// The ids of several agents as a list of numbers.
pub(crate) mod agents {
    use serde::{Deserialize, Deserializer, Serializer};
    use wheelbase_traffic::motion::AgentId;

    pub fn serialize<S: Serializer>(agents: &[AgentId], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(agents.iter().map(|agent| agent.0))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<AgentId>, D::Error> {
        Ok(Vec::<u32>::deserialize(from)?.into_iter().map(AgentId).collect())
    }
}

/// The number of a class.
pub(crate) mod class {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wheelbase_traffic::motion::ClassId;

    pub fn serialize<S: Serializer>(class: &ClassId, to: S) -> Result<S::Ok, S::Error> {
        class.0.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<ClassId, D::Error> {
        u8::deserialize(from).map(ClassId)
    }
}

/// The number of a team.
pub(crate) mod team {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wheelbase_traffic::teams::Team;

    pub fn serialize<S: Serializer>(team: &Team, to: S) -> Result<S::Ok, S::Error> {
        team.0.serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Team, D::Error> {
        u8::deserialize(from).map(Team)
    }
}

/// Decisions as a list of pairs of numbers.
pub(crate) mod decisions {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::sync::Arc;
    use wheelbase_traffic::motion::AgentId;

    pub fn serialize<S: Serializer>(decisions: &[(AgentId, u8)], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(decisions.iter().map(|&(agent, primitive)| (agent.0, primitive)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<[(AgentId, u8)]>, D::Error> {
        let decisions = Vec::<(u32, u8)>::deserialize(from)?;
        Ok(decisions.into_iter().map(|(agent, primitive)| (AgentId(agent), primitive)).collect())
    }
}

/// The state of a generator of random numbers.
pub(crate) mod random {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use wheelbase_traffic::random::Random;

    pub fn serialize<S: Serializer>(random: &Random, to: S) -> Result<S::Ok, S::Error> {
        random.state().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Random, D::Error> {
        u64::deserialize(from).map(Random::new)
    }
}

/// A list of bytes, written and read at once.
pub(crate) mod bytes {
    use crate::codec::plain_bytes;
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        plain_bytes(from)
    }
}
