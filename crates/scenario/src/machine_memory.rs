//! How much memory this machine has left, and sizes of memory as they are typed.

use std::fs;
use std::path::Path;
use wheelbase_grid::MemoryMax;

/// Reads a number of bytes, or of KiB, MiB, GiB or TiB.
/// # Errors
/// The expected value.
pub fn bytes_of(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];
    let unit = units.into_iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a number of bytes, or of KiB, MiB, GiB or TiB as in 4GiB".to_owned())
}

/// The free memory of this machine, as Linux reports it in files; without limits on other systems.
pub fn machine_memory() -> MemoryMax {
    let of = |file: &str, key: &str| line_of(&fs::read_to_string(file).ok()?, key);
    let available = of("/proc/meminfo", "MemAvailable:").map(|kib| kib.saturating_mul(1024));
    // The rest is left to the stacks of threads.
    let address_space = of("/proc/self/limits", "Max address space").map(|bytes| bytes / 8 * 7);
    let built = available.into_iter().chain(group_room()).min();
    MemoryMax { built, total: address_space }
}

/// The first number after a key that begins a line.
fn line_of(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key))?.split_whitespace().next()?.parse().ok()
}

/// The memory left by the control groups (version 2) of the process.
fn group_room() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let number = |folder: &Path, name| fs::read_to_string(folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let root = Path::new("/sys/fs/cgroup");
    let own = root.join(own);
    let folders = own.ancestors().take_while(|folder| folder.starts_with(root));
    let room =
        |folder: &Path| Some(number(folder, "memory.max")?.saturating_sub(number(folder, "memory.current")?));
    folders.filter_map(room).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes_of("1073741824"), Ok(1 << 30));
        assert_eq!(bytes_of("4GiB"), Ok(4 << 30));
        assert_eq!(bytes_of("512MiB"), Ok(512 << 20));
        for wrong in ["", "GiB", "1.5GiB", "-1", "4GB", "4 GiB", "99999999999999TiB"] {
            assert!(bytes_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_found_after_their_key() {
        let limits = "Limit   Soft Limit\nMax cpu time    unlimited\nMax address space         2147483648           unlimited            bytes\n";
        assert_eq!(line_of(limits, "Max address space"), Some(2 << 30));
        assert_eq!(line_of(limits, "Max cpu time"), None);
        assert_eq!(line_of("MemAvailable:   100 kB\n", "MemAvailable:"), Some(100));
    }
}
