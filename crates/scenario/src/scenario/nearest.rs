//! The nearest right name: what a mistyped one was probably meant to be.

/// Longest name that is compared, in bytes: the work grows with the square.
const NAME_BYTES_MAX: usize = 64;
/// Most names that are compared: a scenario may have a million agents, and as many that follow an unknown one.
const NAMES_MAX: usize = 256;

/// Shortest abbreviation: of two letters almost any name has some.
const ABBREVIATION_BYTES_MIN: usize = 3;

/// The name among the first of `known` that is nearest to `name`, letter case aside, if any is near enough. Otherwise
/// the shortest that `name` abbreviates, as `cnt` does `count`. Of equally good ones the first.
pub fn nearest_name<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let lowercase = name.to_lowercase();
    let known: Vec<&str> = known.into_iter().take(NAMES_MAX).collect();
    let near = known
        .iter()
        .filter(|known| known.len().abs_diff(name.len()) <= distance_max(known.len().max(name.len())))
        .map(|known| (strsim::osa_distance(&lowercase, &known.to_lowercase()), known))
        .filter(|(distance, known)| *distance <= distance_max(known.len().max(name.len())))
        // `min_by_key` keeps the order.
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| *known);
    let meant = || known.into_iter().filter(|known| abbreviates(&lowercase, &known.to_lowercase()));
    near.or_else(|| meant().min_by_key(|known| known.len()))
}

/// Whether a short name is a longer one without some of its letters, the first of which it keeps.
fn abbreviates(short: &str, long: &str) -> bool {
    let mut letters = long.chars();
    short.len() >= ABBREVIATION_BYTES_MIN
        && short.chars().next() == long.chars().next()
        && short.chars().all(|letter| letters.any(|of_long| of_long == letter))
}

/// The heading or side that a user most likely meant: of another letter case, or written out.
pub fn nearest_heading<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    const WORDS: [(&str, &str); 4] = [("north", "n"), ("south", "s"), ("east", "e"), ("west", "w")];
    let mut short = name.to_lowercase().replace(['-', '_', ' '], "");
    for (word, letter) in WORDS {
        short = short.replace(word, letter);
    }
    known.into_iter().find(|known| known.to_lowercase() == short)
}

/// Most letters that differ from a name of a length: of one or two, any other would be near.
fn distance_max(length: usize) -> usize {
    length / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["truck", "tank", "hovercraft"];
        assert_eq!(nearest_name("trukc", names), Some("truck"));
        assert_eq!(nearest_name("Tank", names), Some("tank"));
        assert_eq!(nearest_name("ship", names), None);
        assert_eq!(nearest_name("NE", ["E", "N"]), None);
        assert_eq!(nearest_name("", names), None);
    }

    #[test]
    fn an_abbreviation_means_the_shortest_name_with_its_letters() {
        let names = ["count", "cent"];
        assert_eq!(nearest_name("cnt", ["class", "counted", "count"]), Some("count"));
        // A name that is nearer wins.
        assert_eq!(nearest_name("cnt", names), Some("cent"));
        assert_eq!(nearest_name("ct", ["count"]), None);
        assert_eq!(nearest_name("unt", ["account"]), None);
    }

    #[test]
    fn headings_are_known_by_their_words() {
        let headings = ["E", "NE", "N"];
        assert_eq!(nearest_heading("e", headings), Some("E"));
        assert_eq!(nearest_heading("north-east", headings), Some("NE"));
        assert_eq!(nearest_heading("West", headings), None);
    }
}
