//! The interface of `crates/csharp` repeats the header: its numbers, structures and functions, with their comments.
//! WHEELBASE_BLESS=1 cargo test -p wheelbase-capi --test csharp rewrites both files.
#![allow(clippy::unwrap_used, reason = "all of it is for tests")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Numbers that hosts use by name: enumeration in C#, how the numbers begin, whether they are bits.
const GROUPS: [(&str, &str, bool); 25] = [
    ("Activity", "ACTIVITY", false),
    ("EventKind", "EVENT", false),
    ("Refusal", "REFUSED", false),
    ("OrderKind", "ORDER", false),
    ("OrderFailure", "FAILURE", false),
    ("WaitRule", "WAIT", false),
    ("PlanResult", "PLAN", false),
    ("Reached", "REACHED", false),
    ("Shape", "SHAPE", false),
    ("Fallback", "FALLBACK", false),
    ("Heuristic", "HEURISTIC", false),
    // What guided a search is a heuristic or one of these.
    ("Heuristic", "GUIDE", false),
    ("SweepRule", "SWEEP", false),
    ("When", "WHEN", false),
    ("Connected", "CONNECTED", false),
    ("Collision", "COLLISION", false),
    ("TrafficRule", "RULE", false),
    ("PathSource", "PATHS", false),
    ("OnAgents", "ON_AGENTS", false),
    ("IfUnreachable", "UNREACHABLE", false),
    ("IfNoRoom", "NO_ROOM", false),
    ("TaskKind", "TASKS", false),
    ("ChangeKind", "CHANGE", false),
    ("AgentFlags", "FLAG", true),
    ("UpdateEffect", "UPDATE", true),
];

/// Structures that hosts see as they are. All others have pointers: they keep their names in C, inside of `Native`.
const PUBLIC: [(&str, &str); 17] = [
    ("wb_map_info", "MapInfo"),
    ("wb_rect", "CellRect"),
    ("wb_change", "Change"),
    ("wb_group_pose", "GroupPose"),
    ("wb_cell", "Cell"),
    ("wb_class_info", "ClassInfo"),
    ("wb_pose", "Pose"),
    ("wb_path_pose", "PathPose"),
    ("wb_answer", "Answer"),
    ("wb_agent_row", "AgentRow"),
    ("wb_event_row", "EventRow"),
    ("wb_event_details", "EventDetails"),
    ("wb_counts", "Counts"),
    ("wb_memory", "WorldMemory"),
    ("wb_task_list", "TaskList"),
    ("wb_wait_reason", "WaitReason"),
    ("wb_path_request", "PathRequest"),
];

/// Fields of these that are numbers with names.
const NAMED: [(&str, &str, &str); 12] = [
    ("wb_agent_row", "activity", "Activity"),
    ("wb_agent_row", "order_kind", "OrderKind"),
    ("wb_agent_row", "flags", "AgentFlags"),
    ("wb_event_row", "kind", "EventKind"),
    ("wb_event_details", "reached", "Reached"),
    ("wb_change", "kind", "ChangeKind"),
    ("wb_map_info", "shape", "Shape"),
    ("wb_class_info", "shape", "Shape"),
    ("wb_answer", "result", "PlanResult"),
    ("wb_answer", "reached", "Reached"),
    ("wb_answer", "guide", "Heuristic"),
    ("wb_wait_reason", "rule", "WaitRule"),
];

const HEAD: &str = "// Made from crates/capi/include/wheelbase.h; do not edit:\n\
    // WHEELBASE_BLESS=1 cargo test -p wheelbase-capi --test csharp\n";

struct Field {
    docs: Vec<String>,
    type_in_c: String,
    name: String,
    length: Option<u32>,
}

/// Type and name.
type Parameter = (String, String);

#[derive(Default)]
struct Header {
    /// Name without `WB_`, value, comment.
    numbers: Vec<(String, String, Vec<String>)>,
    structures: Vec<(String, Vec<String>, Vec<Field>)>,
    aliases: BTreeMap<String, String>,
    /// Name, type, parameters, comment.
    functions: Vec<(String, String, Vec<Parameter>, Vec<String>)>,
}

/// `const struct wb_pose *pose` as type and name.
fn split_declaration(declaration: &str) -> (String, String) {
    let at = declaration.rfind([' ', '*']).unwrap() + 1;
    (declaration[..at].replace("struct ", "").trim().to_owned(), declaration[at..].to_owned())
}

impl Header {
    fn parse(text: &str) -> Self {
        let mut header = Self::default();
        let (mut docs, mut lines) = (Vec::new(), text.lines());
        while let Some(line) = lines.next() {
            let line = line.trim_end();
            if line.trim_start() == "/**" {
                docs = comment(&mut lines);
            } else if let Some(rest) = line.strip_prefix("#define WB_") {
                let (name, value) = rest.split_once(' ').unwrap();
                header.numbers.push((name.to_owned(), value.to_owned(), std::mem::take(&mut docs)));
            } else if let Some(name) =
                line.strip_prefix("typedef struct ").and_then(|rest| rest.strip_suffix(" {"))
            {
                let of_structure = std::mem::take(&mut docs);
                header.structures.push((name.to_owned(), of_structure, fields(&mut lines)));
            } else if let Some(rest) = line.strip_prefix("typedef struct ") {
                let (of, alias) = rest.trim_end_matches(';').split_once(' ').unwrap();
                header.aliases.insert(alias.to_owned(), of.to_owned());
            } else if line.contains(" wb_") && line.contains('(') || line.starts_with("const char *wb_") {
                let mut declaration = line.to_owned();
                while !declaration.ends_with(");") {
                    declaration.push(' ');
                    declaration.push_str(lines.next().unwrap().trim());
                }
                let (head, rest) = declaration.split_once('(').unwrap();
                let (returned, name) = split_declaration(head);
                let parameters = rest.trim_end_matches(");").split(", ").filter(|part| *part != "void");
                let parameters = parameters.map(split_declaration).collect();
                header.functions.push((name, returned, parameters, std::mem::take(&mut docs)));
            }
        }
        header
    }

    /// The name in C# of a number, such as `EventKind.Spawned`.
    fn number(&self, name: &str) -> Option<String> {
        let at = self.numbers.iter().position(|(number, ..)| number == name)?;
        if at < self.n_statuses() {
            return Some(format!("Status.{}", pascal(name)));
        }
        let of = |prefix: &str| name.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_'));
        let group = GROUPS.iter().find_map(|(group, prefix, _)| of(prefix).map(|rest| (group, rest)));
        Some(group.map_or_else(
            || format!("Constants.{}", pascal(name)),
            |(group, rest)| format!("{group}.{}", pascal(rest)),
        ))
    }

    /// Statuses are the first numbers, 0, 1, 2 ... to `WB_PANIC`.
    fn n_statuses(&self) -> usize {
        self.numbers.iter().position(|(name, ..)| name == "PANIC").unwrap() + 1
    }

    /// A type in C#.
    fn type_of(&self, in_c: &str) -> String {
        let (base, stars) = (in_c.trim_end_matches('*'), in_c.len() - in_c.trim_end_matches('*').len());
        let base = base.trim().trim_start_matches("const ").trim();
        let base = self.aliases.get(base).map_or(base, String::as_str);
        let plain = match base {
            "uint8_t" | "char" => "byte",
            "int8_t" => "sbyte",
            "uint32_t" => "uint",
            "int32_t" => "int",
            "uint64_t" => "ulong",
            "size_t" => "UIntPtr",
            _ => structure(base),
        };
        assert!(!plain.ends_with("_t"), "the type {in_c} is not known");
        format!("{plain}{}", "*".repeat(stars))
    }

    /// A comment of C as one of C#: names in backticks become C# names.
    fn docs(&self, to: &mut String, indent: &str, docs: &[String], of: &[Field]) {
        let word = |word: &str| -> String {
            let number = word.strip_prefix("WB_").and_then(|name| self.number(name));
            let is_structure = PUBLIC.iter().any(|(name, _)| *name == word);
            let is_field = of.iter().any(|field| field.name == word);
            match number {
                Some(number) => number,
                None if is_structure => structure(word).to_owned(),
                None if is_field => field_name(word),
                None => word.to_owned(),
            }
        };
        let (mut paragraphs, mut is_code) = (vec![String::new()], false);
        for line in docs {
            let escaped = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let last = paragraphs.last_mut().unwrap();
            if let Some(rest) = line.strip_prefix("```") {
                is_code = !rest.is_empty();
                last.push_str(if is_code { "<code>" } else { "\n</code>" });
            } else if is_code {
                write!(last, "\n{escaped}").unwrap();
            } else if line.is_empty() {
                paragraphs.push(String::new());
            } else {
                let mut pieces = escaped.split('`');
                let mut made = pieces.next().unwrap().to_owned();
                for (number, piece) in pieces.enumerate() {
                    let is_name = number % 2 == 0;
                    made.push_str(&if is_name {
                        format!("<c>{}</c>", word(piece))
                    } else {
                        piece.to_owned()
                    });
                }
                if !last.is_empty() {
                    last.push('\n');
                }
                last.push_str(&made);
            }
        }
        let mut paragraphs = paragraphs.iter().filter(|text| !text.is_empty());
        let summary = paragraphs.next().map_or("", String::as_str);
        let mut lines = format!("<summary>{summary}</summary>");
        let rest: Vec<String> = paragraphs.map(|paragraph| format!("<para>{paragraph}</para>")).collect();
        if !rest.is_empty() {
            write!(lines, "\n<remarks>\n{}\n</remarks>", rest.join("\n")).unwrap();
        }
        for line in lines.lines() {
            writeln!(to, "{indent}/// {line}").unwrap();
        }
    }
}

/// The lines of a comment that has begun.
fn comment<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Vec<String> {
    let lines = lines.map(str::trim).take_while(|line| *line != "*/");
    lines.map(|line| line.trim_start_matches('*').trim_start_matches(' ').to_owned()).collect()
}

fn fields<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Vec<Field> {
    let (mut fields, mut docs) = (Vec::new(), Vec::new());
    while let Some(line) = lines.next().map(str::trim) {
        if line == "/**" {
            docs = comment(lines);
        } else if let Some(declaration) = line.strip_suffix(';') {
            if declaration.starts_with('}') {
                break;
            }
            let (declaration, length) = match declaration.split_once('[') {
                Some((of, length)) => (of, Some(length.trim_end_matches(']').parse().unwrap())),
                None => (declaration, None),
            };
            let (type_in_c, name) = split_declaration(declaration);
            fields.push(Field { docs: std::mem::take(&mut docs), type_in_c, name, length });
        }
    }
    fields
}

/// The name of a structure in C#.
fn structure(name: &str) -> &str {
    PUBLIC.iter().find(|(in_c, _)| *in_c == name).map_or(name, |(_, name)| name)
}

fn field_name(name: &str) -> String {
    if name == "n_goals" { "GoalCount".to_owned() } else { pascal(name) }
}

/// `ORDER_DONE` and `order_done` become `OrderDone`.
fn pascal(name: &str) -> String {
    let part = |part: &str| {
        let (first, rest) = part.split_at(part.len().min(1));
        first.to_uppercase() + &rest.to_lowercase()
    };
    name.split('_').map(part).collect()
}

/// A name of C that means something in C#, such as `class_`, is none here: they end with a line already.
fn parameter(name: &str) -> &str {
    if name == "from" { "from_" } else { name }
}

/// Numbers that hosts use by name.
fn enumerations(header: &Header, to: &mut String) {
    let values = |group: &str| -> Vec<(String, &str, &[String])> {
        let mut members = Vec::new();
        for (name, value, docs) in &header.numbers {
            let full = header.number(name).unwrap();
            if let Some(member) = full.strip_prefix(group).and_then(|rest| rest.strip_prefix('.')) {
                members.push((member.to_owned(), value.as_str(), docs.as_slice()));
            }
        }
        members
    };
    let mut write_enumeration = |name: &str, about: &str, is_bits: bool| {
        write!(to, "\n    /// <summary>{about}</summary>\n").unwrap();
        writeln!(to, "    {}public enum {name} : uint\n    {{", if is_bits { "[Flags] " } else { "" })
            .unwrap();
        for (member, value, docs) in values(name) {
            header.docs(to, "        ", docs, &[]);
            writeln!(to, "        {member} = {value},").unwrap();
        }
        to.push_str("    }\n");
    };
    write_enumeration("Status", "What a call returns.", false);
    let mut last = "";
    for (group, prefix, is_bits) in GROUPS {
        if group != last {
            write_enumeration(group, &format!("The numbers <c>WB_{prefix}_...</c> of C."), is_bits);
        }
        last = group;
    }
    to.push_str(
        "\n    /// <summary>Numbers that stand alone.</summary>\n    public static class Constants\n    {\n",
    );
    for (name, value, docs) in &header.numbers {
        if header.number(name).unwrap().starts_with("Constants.") {
            header.docs(to, "        ", docs, &[]);
            let (kind, value) = match value.as_str() {
                "UINT64_MAX" => ("ulong", "ulong.MaxValue"),
                "UINT32_MAX" => ("uint", "uint.MaxValue"),
                "UINT8_MAX" => ("uint", "byte.MaxValue"),
                value => ("uint", value),
            };
            writeln!(to, "        public const {kind} {} = {value};", pascal(name)).unwrap();
        }
    }
    to.push_str("    }\n");
}

/// A structure that hosts see, or with `is_public` false one with pointers.
fn write_structure(
    header: &Header,
    to: &mut String,
    name: &str,
    docs: &[String],
    fields: &[Field],
    is_public: bool,
) {
    let indent = if is_public { "    " } else { "        " };
    header.docs(to, indent, docs, fields);
    let partial = if is_public { "partial " } else { "" };
    writeln!(to, "{indent}[StructLayout(LayoutKind.Sequential)]").unwrap();
    writeln!(to, "{indent}public unsafe {partial}struct {}\n{indent}{{", structure(name)).unwrap();
    let inner = format!("{indent}    ");
    for field in fields {
        header.docs(to, &inner, &field.docs, fields);
        let kind = header.type_of(&field.type_in_c);
        if !is_public {
            assert!(field.length.is_none(), "a structure with pointers has an array");
            writeln!(to, "{inner}public {kind} {};", field.name).unwrap();
            continue;
        }
        let named = NAMED.iter().find(|(of, of_field, _)| *of == name && *of_field == field.name);
        let shown = field_name(&field.name);
        match (named, field.length) {
            _ if matches!(field.name.as_str(), "size" | "reserved") => {
                writeln!(to, "{inner}internal {kind} {shown};").unwrap();
            }
            (_, Some(length)) => writeln!(to, "{inner}public fixed {kind} {shown}[{length}];").unwrap(),
            (Some((.., named)), None) if kind == "byte" => {
                writeln!(to, "{inner}public {named} {shown} {{ get {{ return ({named}){}; }} }}", field.name)
                    .unwrap();
                writeln!(to, "{inner}internal byte {};", field.name).unwrap();
            }
            (Some((.., named)), None) => writeln!(to, "{inner}public {named} {shown};").unwrap(),
            (None, None) => writeln!(to, "{inner}public {kind} {shown};").unwrap(),
        }
    }
    writeln!(to, "{indent}}}").unwrap();
}

/// `Native.cs`.
fn interface(header: &Header) -> String {
    let mut made =
        format!("{HEAD}using System;\nusing System.Runtime.InteropServices;\nusing System.Security;\n\n");
    made.push_str("namespace Wheelbase\n{");
    enumerations(header, &mut made);
    let is_public = |name: &str| PUBLIC.iter().any(|(public, _)| *public == name);
    for (name, docs, fields) in header.structures.iter().filter(|(name, ..)| is_public(name)) {
        made.push('\n');
        write_structure(header, &mut made, name, docs, fields, true);
    }
    made.push_str(
        "\n    /// <summary>The C interface as it is: its functions, and its structures with pointers. Objects of this \
         package have\n    /// their handle in <c>Handle</c>.</summary>\n    [SuppressUnmanagedCodeSecurity]\n    \
         public static unsafe class Native\n    {\n#if UNITY_IOS && !UNITY_EDITOR\n        /// <summary>The library is \
         linked in.</summary>\n        public const string Library = \"__Internal\";\n#else\n        /// <summary>The \
         library's name: <c>libwheelbase_c.so</c>, <c>libwheelbase_c.dylib</c>, <c>wheelbase_c.dll</c>.</summary>\n        \
         public const string Library = \"wheelbase_c\";\n#endif\n",
    );
    for (name, docs, fields) in header.structures.iter().filter(|(name, ..)| !is_public(name)) {
        made.push('\n');
        write_structure(header, &mut made, name, docs, fields, false);
    }
    for (name, returned, parameters, docs) in &header.functions {
        made.push('\n');
        header.docs(&mut made, "        ", docs, &[]);
        let returned = match returned.as_str() {
            _ if name == "wb_abi_version" => "uint".to_owned(),
            "uint32_t" => "Status".to_owned(),
            other => header.type_of(other),
        };
        let parameters: Vec<String> = parameters
            .iter()
            .map(|(kind, name)| format!("{} {}", header.type_of(kind), parameter(name)))
            .collect();
        writeln!(made, "        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]").unwrap();
        writeln!(made, "        public static extern {returned} {name}({});", parameters.join(", ")).unwrap();
    }
    made.push_str("    }\n}\n");
    made
}

/// `layout.c`, which prints where C has the fields of each structure; `Layout.cs` prints where C# has them.
fn layout(header: &Header) -> String {
    let mut made = HEAD.to_owned();
    made.push_str("#include <stdio.h>\n#include <wheelbase.h>\n\nint main(void) {\n");
    for (name, _, fields) in &header.structures {
        let shown = structure(name);
        writeln!(made, "    printf(\"{shown} %zu\\n\", sizeof({name}));").unwrap();
        let is_public = shown != name;
        for field in fields {
            let is_hidden = NAMED.contains(&(name, &field.name, "Activity")) || field.name == "order_kind";
            let as_shown = if is_public && !is_hidden { field_name(&field.name) } else { field.name.clone() };
            writeln!(made, "    printf(\"{shown}.{as_shown} %zu\\n\", offsetof({name}, {}));", field.name)
                .unwrap();
        }
    }
    made.push_str("    return 0;\n}\n");
    made
}

#[test]
fn the_interface_of_csharp_is_that_of_the_header() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join("capi/include/wheelbase.h")).unwrap();
    let header = Header::parse(&text);
    // Nothing of the header is left out.
    for (beginning, n) in [
        ("#define WB_", header.numbers.len()),
        ("typedef struct ", header.structures.len() + header.aliases.len()),
        ("uint32_t wb_", header.functions.iter().filter(|(_, of, ..)| of == "uint32_t").count()),
        ("const char *wb_", header.functions.iter().filter(|(_, of, ..)| of != "uint32_t").count()),
    ] {
        assert_eq!(text.lines().filter(|line| line.starts_with(beginning)).count(), n, "{beginning}");
    }
    for (number, (name, value, _)) in header.numbers[..header.n_statuses()].iter().enumerate() {
        assert_eq!(*value, number.to_string(), "WB_{name} is no status");
    }
    for (name, _, fields) in header.structures.iter().filter(|(name, ..)| structure(name) != name) {
        assert!(!fields.iter().any(|field| field.type_in_c.contains('*')), "{name} has a pointer");
    }
    for (file, made) in [
        ("csharp/Wheelbase/Runtime/Native.cs", interface(&header)),
        ("csharp/tests/layout.c", layout(&header)),
    ] {
        let path = root.join(file);
        if std::env::var_os("WHEELBASE_BLESS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = made.lines().zip(committed.lines()).enumerate();
        let first = lines.find(|(_, (made, committed))| made != committed);
        assert!(
            made == committed,
            "crates/{file} is not that of the header, at {first:?}: \
             WHEELBASE_BLESS=1 cargo test -p wheelbase-capi --test csharp"
        );
    }
}
