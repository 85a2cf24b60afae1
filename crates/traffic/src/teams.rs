//! Teams of agents, and which teams are friends.

use crate::saved::saved;

/// A team, 0 to 31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Team(pub u8);

saved!(Team { 0 });

impl Team {
    /// Number of teams.
    pub const COUNT: usize = 32;

    /// Whether there is such a team.
    pub fn is_known(self) -> bool {
        usize::from(self.0) < Self::COUNT
    }

    /// Whether it is in a set of teams, a bit each ([`Friends::of_team`]). An unknown team never is.
    #[inline]
    pub fn is_in(self, teams: u32) -> bool {
        teams & 1_u32.checked_shl(self.0.into()).unwrap_or(0) != 0
    }
}

/// Which teams are friends: a symmetric table, in which each team is its own friend. 128 bytes.
///
/// Friends yield to each other by priority. Others are obstacles where they rest: they are never pushed, made to yield
/// or waited for in line.
///
/// ```
/// use wheelbase_traffic::teams::{Friends, Team};
/// let mut friends = Friends::default();
/// assert!(!friends.are(Team(1), Team(2)));
/// friends.befriend(Team(1), Team(2));
/// assert!(friends.are(Team(2), Team(1)) && !friends.are(Team(0), Team(1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Friends {
    of: [u32; Team::COUNT],
}

impl Default for Friends {
    /// Each team is alone.
    fn default() -> Self {
        Self { of: std::array::from_fn(|team| 1 << team) }
    }
}

impl Friends {
    /// Makes two teams friends. Does nothing if one of them is unknown.
    pub fn befriend(&mut self, one: Team, other: Team) {
        if one.is_known() && other.is_known() {
            self.of[usize::from(one.0)] |= 1 << other.0;
            self.of[usize::from(other.0)] |= 1 << one.0;
        }
    }

    /// Whether two teams are friends.
    pub fn are(&self, one: Team, other: Team) -> bool {
        other.is_in(self.of_team(one))
    }

    /// The friends of a team, a bit each.
    pub fn of_team(&self, team: Team) -> u32 {
        self.of.get(usize::from(team.0)).copied().unwrap_or(0)
    }

    /// The rows of the table.
    pub fn rows(&self) -> &[u32; Team::COUNT] {
        &self.of
    }
}
