//! A page that reloads itself once it has been rewritten, even if it was opened as a file. A script next to it holds
//! the version: a page may load a script where it may not read a file.

use crate::template::filled;
use wheelbase_grid::Fnv1a;

const SCRIPT: &str = include_str!("script/reload.js");
/// Begins the script with the version.
const CALL: &str = "wheelbaseVersion(";
/// What the page may run, and may run when it loads the script next to it.
const POLICY: &str = "script-src 'unsafe-inline'";
const POLICY_WITH_FILES: &str = "script-src 'unsafe-inline' file:";

/// A page that reloads itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reloading {
    /// The page.
    pub page: String,
    /// The script with its version, for a file next to the page: its name is the name of the page with `.js` behind it.
    /// To be written after the page.
    pub version: String,
}

impl Reloading {
    /// Makes a page of [`page`](super::page) reload itself. The version depends on the page alone.
    pub fn of(page: &str) -> Self {
        let mut hash = Fnv1a::new();
        hash.write(page.as_bytes());
        let version = format!("{:016x}", hash.finish());
        let script = filled(SCRIPT, &[("{{version}}", version.clone())]);
        let page = page.replacen(POLICY, POLICY_WITH_FILES, 1);
        let (body, end) = page.rsplit_once("</body>").unwrap_or((&page, ""));
        let page = format!("{body}<script>\n{script}</script>\n</body>{end}");
        Self { page, version: format!("{CALL}\"{version}\");\n") }
    }
}

/// Whether a file is the version of a page that reloads itself.
pub fn is_version(start: &[u8]) -> bool {
    start.starts_with(CALL.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_is_that_of_the_page_and_versions_follow_the_page() {
        let page = include_str!("page.html");
        let one = Reloading::of(page);
        assert!(page.contains(POLICY) && one.page.contains(POLICY_WITH_FILES));
        assert_eq!((one.page.matches("<body>").count(), one.page.matches("</body>").count()), (1, 1));
        let version = one.version.trim_start_matches(CALL).trim_end_matches(");\n");
        assert!(one.page.contains(&format!("const shown = {version};")), "{version}");
        assert!(is_version(one.version.as_bytes()) && !is_version(page.as_bytes()));
        assert_eq!(Reloading::of(page), one);
        assert_ne!(Reloading::of(&page.replace("Layers", "layers")).version, one.version);
    }
}
