//! The table as a page for people: `docs/settings.md`.

use super::{FORMATS, Format, Key, Kind, Length, Object, Rule, Shape, Syntax, UNBOUNDED, Versions};
use crate::parse::{Version, operand_roles, option_roles};

/// The page, in Markdown.
pub fn reference() -> String {
    let contents = FORMATS
        .iter()
        .map(|format| format!("- [`{}`](#{}): {}\n", format.file, anchor(format.file), format.root.about));
    let mut texts = Vec::new();
    let sections: Vec<String> = FORMATS.iter().map(|format| of_format(format, &mut texts)).collect();
    [INTRODUCTION.to_owned(), contents.collect(), sections.concat(), of_texts(&texts), of_roles()].concat()
}

fn of_format(format: &Format, texts: &mut Vec<Syntax>) -> String {
    let mut found = Found::default();
    found.object(format.root);
    for syntax in found.texts {
        if !texts.contains(&syntax) {
            texts.push(syntax);
        }
    }
    let (file, name, command) = (format.file, format.name, format.command);
    let heading =
        format!("\n## `{file}`\n\nSchema: `schemas/{name}.schema.json`, or `agent-strace schema {command}`.\n");
    let foreign: Vec<String> = format.foreign.iter().map(|key| format!("`{key}`")).collect();
    let foreign = match foreign.as_slice() {
        [] => String::new(),
        keys => format!("\nOther programs read the same file: the keys {} may have any value.\n", keys.join(", ")),
    };
    let note = if format.note.is_empty() { String::new() } else { format!("\n{}\n", format.note) };
    let sections: String = found.objects.into_iter().map(|object| section(format, object)).collect();
    heading + &note + &foreign + &sections
}

/// The forms of texts, with examples.
fn of_texts(texts: &[Syntax]) -> String {
    let code = |texts: &[&str]| {
        let shown = texts.iter().filter(|text| !text.trim().is_empty() && !text.contains('\n'));
        shown.map(|text| format!("`{text}`")).collect::<Vec<_>>().join(" ")
    };
    let rows = texts.iter().map(|syntax| syntax.form()).filter(|form| !code(form.refused).is_empty()).map(|form| {
        let longest = form.longest.map_or_else(String::new, |longest| format!(", up to {longest} characters"));
        format!("| {}{longest} | {} | {} |\n", form.about, cell(&code(form.shown())), cell(&code(form.refused)))
    });
    format!(
        "\n## Texts\n\nTexts that have a form. In a policy of version 1, path patterns, commands and hosts have fewer forms and fewer faults: these \
         are those of version 2.\n\n\
         | text | such as | but not |\n|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

/// A list of words that is longer has a place of its own.
const LONGEST_LIST: usize = 20;

/// The roles of options and operands, which are too many for a cell.
fn of_roles() -> String {
    let listed = |roles: &[&str]| roles.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ");
    format!(
        "\n## Roles\n\nA role says what a program does with the value of an option or with an operand: `read` reads the file, \
         `write-tree` writes everything below the folder, `argv` runs it as a command, `flag` is an option without a value. \
         `agent-strace effects` shows what comes of it.\n\n\
         Roles of options, each also with `?` where the value is only ever attached (`--color=auto`): {}.\n\n\
         Roles of operands, each also with `*` for any number of operands: {}.\n",
        listed(&option_roles()),
        listed(&operand_roles())
    )
}

const INTRODUCTION: &str = "# Settings files, key by key

Every key of five files, the value it takes, and its meaning. The programs that read these files, the JSON Schemas that
editors use, and this page are made from one table (`crates/policy/src/grammar`). The keys of lint rules
(`.agent-strace-lint.json`) are those of `agent-strace rules lint/NAME`.

In the column *value*, a name such as [Paths](#paths) is an object with a section of its own. A key in **bold** has to be
there.

";

fn section(format: &Format, object: &'static Object) -> String {
    let shows_version = format.versions == Versions::Both && object.all().iter().any(|key| key.since == Version::Two);
    let version = if shows_version { " version |" } else { "" };
    let line = if shows_version { "|---" } else { "" };
    let rows: String = object.all().iter().map(|key| row(key, shows_version)).collect();
    format!(
        "\n### {}\n\n{}{}\n\n| key |{version} value | meaning |\n{line}|---|---|---|\n{rows}\n```json\n{}\n```\n",
        object.name,
        object.about,
        together(object.rule),
        object.example
    )
}

fn row(key: &Key, shows_version: bool) -> String {
    let name = if key.is_required { format!("**`{}`**", key.name) } else { format!("`{}`", key.name) };
    let version = match (shows_version, key.since) {
        (false, _) => "",
        (true, Version::One) => " 1, 2 |",
        (true, Version::Two) => " 2 |",
    };
    format!("| {name} |{version} {} | {} |\n", cell(&value(key.shape)), cell(key.about))
}

/// A value in words.
fn value(shape: Shape) -> String {
    match shape {
        Shape::Object(object) => format!("[{}](#{})", object.name, anchor(object.name)),
        Shape::Map(keys, values) => format!("{} → {}", text(keys), value(*values)),
        Shape::List(items, length) | Shape::Entries(items, length) => {
            format!("list, each {}{}", value(*items), bounds(length))
        }
        Shape::OneOrMore(item, _) => format!("{}, or a list of them", value(*item)),
        Shape::Text(syntax) => text(syntax),
        Shape::Word(words) => match words() {
            words if words.len() > LONGEST_LIST => "[a role](#roles)".to_owned(),
            words => words_of(&words),
        },
        Shape::Whole(least, UNBOUNDED) => format!("whole number from {least} on"),
        Shape::Whole(least, most) if least == most => format!("`{least}`"),
        Shape::Whole(least, most) => format!("whole number from {least} to {most}"),
        Shape::Number(least, most) if most < f64::MAX => format!("number from {least} to {most}"),
        Shape::Number(least, _) => format!("number from {least} on"),
        Shape::NumberAbove(above, most) => format!("number above {above}, up to {most}"),
        Shape::Switch => "`true` or `false`".to_owned(),
        Shape::Either(shapes) => shapes.iter().map(|shape| value(*shape)).collect::<Vec<_>>().join(", or "),
        Shape::Tuple(shapes) => {
            format!("`[…]` of {}", shapes.iter().map(|shape| value(*shape)).collect::<Vec<_>>().join(" and "))
        }
        Shape::Anything => "any value".to_owned(),
        Shape::OfVersion2(inner) | Shape::OrNull(inner) => value(*inner),
    }
}

/// A text in words.
fn text(syntax: Syntax) -> String {
    let form = syntax.form();
    let longest = form.longest.map_or_else(String::new, |longest| format!(" of up to {longest} characters"));
    if form.refused.iter().all(|text| text.trim().is_empty() || text.contains('\n')) {
        return format!("{}{longest}", form.about);
    }
    format!("[{}](#texts)", form.about)
}

fn words_of(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn bounds(length: Length) -> String {
    match (length.least, length.most) {
        (0, None) => String::new(),
        (0, Some(most)) => format!(", up to {most} of them"),
        (least, None) => format!(", at least {least}"),
        (least, Some(most)) => format!(", {least} to {most} of them"),
    }
}

/// The rule for several keys at once, as a sentence.
fn together(rule: Rule) -> String {
    let listed = |keys: &[&str]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    match rule {
        Rule::Free => String::new(),
        Rule::OneOf(keys) => format!(" Exactly one of {} has to be there.", listed(keys)),
        Rule::AnyOf(keys) => format!(" At least one of {} has to be there.", listed(keys)),
        Rule::Groups(groups) => {
            let group = |keys: &&[&str]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" with ");
            let groups: Vec<String> = groups.iter().map(group).collect();
            format!(" Either {} has to be there.", groups.join(", or "))
        }
        Rule::Beside { apart, needs } => {
            let apart = apart.iter().map(|(key, others)| format!(" `{key}` cannot stand beside {}.", listed(others)));
            let needs = needs.iter().map(|(key, other)| format!(" `{key}` needs `{other}`."));
            apart.chain(needs).collect()
        }
        Rule::Kinds { key, kinds } => {
            let rows: String = kinds().iter().map(row_of_kind).collect();
            format!(
                " The value of `{key}` says which keys there may be:\n\n| `{key}` | its keys |\n|---|---|\n{}",
                rows.trim_end()
            )
        }
    }
}

fn row_of_kind(kind: &Kind) -> String {
    let shown = |name: &&str| if kind.required.contains(name) { format!("**`{name}`**") } else { format!("`{name}`") };
    let any_of = match kind.any_of {
        [] => String::new(),
        keys => {
            format!("; at least one of {}", keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "))
        }
    };
    format!("| `{}` | {}{any_of} |\n", kind.value, kind.keys.iter().map(shown).collect::<Vec<_>>().join(", "))
}

/// All objects and forms of texts, in the order in which they are named.
#[derive(Default)]
struct Found {
    objects: Vec<&'static Object>,
    texts: Vec<Syntax>,
}

impl Found {
    fn object(&mut self, object: &'static Object) {
        if self.objects.iter().any(|known| known.name == object.name) {
            return;
        }
        self.objects.push(object);
        for key in object.all() {
            self.shape(key.shape);
        }
    }

    fn shape(&mut self, shape: Shape) {
        match shape {
            Shape::Object(object) => self.object(object),
            Shape::Text(syntax) => self.texts.push(syntax),
            Shape::Map(keys, inner) => {
                self.texts.push(keys);
                self.shape(*inner);
            }
            Shape::List(inner, _)
            | Shape::Entries(inner, _)
            | Shape::OneOrMore(inner, _)
            | Shape::OfVersion2(inner)
            | Shape::OrNull(inner) => self.shape(*inner),
            Shape::Either(shapes) | Shape::Tuple(shapes) => shapes.iter().for_each(|shape| self.shape(*shape)),
            _ => {}
        }
    }
}

/// The name of a heading in links.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|character| character.is_alphanumeric() || matches!(character, '-' | '_')).collect()
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
