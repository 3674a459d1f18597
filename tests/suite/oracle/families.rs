//! Texts made from others: the families of ways in which a command hides from a gate that reads text.
//!
//! Each family is a data file of templates in which `@@` stands for a payload; nothing here is random.

use std::fmt::Write;
use std::fs;

use super::commands::parse;
use super::judge::Text;
use crate::world::project;

/// What hides: reading, writing, deleting, connecting, in plain words that every kind of quotes can hold.
const PAYLOADS: &[&str] = &[
    "rm a.txt",
    "sed -i s/a/b/ a.txt",
    "rm -rf src",
    "mv a.txt moved.txt",
    "cat .env",
    "touch new.txt",
    "curl -s http://example.com/x",
    "cp a.txt copy.txt",
];

/// How many payloads a template gets: another choice for each template. A run takes about 50 ms of processor time, mostly
/// in the kernel: it sets up the jail and stops the program at each system call for strace.
const ROUNDS: usize = 2;

/// Compound forms of any text; each text gets one of each pair.
const DISGUISES: &[[&str; 2]] = &[["( {}\n)", "{ {}\n}"], ["if true; then {}\nfi", "for i in 1; do {}\ndone"]];

/// Every family's texts.
pub(super) fn generated(own: &[Text]) -> Vec<Text> {
    let everyday = own.iter().filter(|text| text.source == "own: everyday").enumerate();
    let disguised =
        everyday.flat_map(|(at, text)| DISGUISES.iter().map(move |pair| pair[at % 2].replace("{}", &text.program)));
    let mut texts: Vec<Text> = disguised.map(|text| Text::ours("F01-compound", text)).collect();
    let mut files: Vec<_> =
        fs::read_dir(project().join("tests/oracle/families")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let source = file.file_stem().unwrap().to_str().unwrap();
        let templates = parse(&fs::read_to_string(&file).unwrap());
        for (at, template) in templates.iter().enumerate() {
            texts.extend(filled(template, at).map(|text| Text::ours(source, text)));
        }
    }
    let spelled = PAYLOADS.iter().flat_map(|payload| spellings(payload));
    texts.extend(spelled.map(|text| Text::ours("F13-quoting", text)));
    texts
}

fn filled(template: &str, at: usize) -> impl Iterator<Item = String> {
    let rounds = if template.contains("@@") { ROUNDS } else { 1 };
    // Neighbours get different payloads. The first half of the payloads deletes or overwrites, so each template does, too.
    (0..rounds).map(move |round| template.replace("@@", PAYLOADS[(at + 4 * round) % PAYLOADS.len()]))
}

/// The same command, written otherwise.
fn spellings(payload: &str) -> Vec<String> {
    let words: Vec<&str> = payload.split(' ').collect();
    let each = |change: &dyn Fn(&str) -> String| words.iter().map(|word| change(word)).collect::<Vec<_>>().join(" ");
    let code = |base: &dyn Fn(u8) -> String| each(&|word| format!("$'{}'", word.bytes().map(base).collect::<String>()));
    let variables: String = words.iter().enumerate().fold(String::new(), |mut all, (at, word)| {
        write!(all, "v{at}={word}; ").unwrap();
        all
    });
    let named = (0..words.len()).map(|at| format!("$v{at}")).collect::<Vec<_>>().join(" ");
    let reversed: String = payload.chars().rev().collect();
    let octal: String = payload.bytes().fold(String::new(), |mut all, byte| {
        write!(all, "\\{byte:03o}").unwrap();
        all
    });
    let hex: String = payload.bytes().fold(String::new(), |mut all, byte| {
        write!(all, "{byte:02x}").unwrap();
        all
    });
    vec![
        each(&|word| format!("{}''{}", &word[..1], &word[1..])),
        each(&|word| format!("\\{word}")),
        each(&|word| format!("\"{word}\"")),
        each(&|word| format!("'{word}'")),
        each(&|word| format!("{}\"{}\"", &word[..1], &word[1..])),
        each(&|word| format!("{}${{nothing}}{}", &word[..1], &word[1..])),
        each(&|word| format!("{}$@{}", &word[..1], &word[1..])),
        each(&|word| format!("{}\\\n{}", &word[..1], &word[1..])),
        code(&|byte| format!("\\x{byte:02x}")),
        code(&|byte| format!("\\{byte:03o}")),
        code(&|byte| format!("\\u{byte:04x}")),
        words.join("${IFS}"),
        words.join("\t"),
        words.join(" \\\n  "),
        format!("{{{}}}", words.join(",")),
        format!("{variables}{named}"),
        format!("x='{payload}'; $x"),
        format!("x='{payload}'; y=x; ${{!y}}"),
        format!("x=({payload}); \"${{x[@]}}\""),
        format!("set -- {payload}; \"$@\""),
        format!("IFS=,; x={}; $x", words.join(",")),
        format!("echo '{reversed}' | rev | sh"),
        format!("printf '{octal}' | sh"),
        format!("echo {hex} | xxd -r -p | sh"),
        format!("eval $'{octal}'"),
        format!("bash -c \"$(printf '{octal}')\""),
        format!("$(echo {payload})"),
        format!("x=\"{payload}x\"; ${{x%x}}"),
        format!("x=\"{payload}\"; bash -c \"${{x^^}}\" 2>/dev/null; ${{x,,}}"),
        format!("echo {} | tr @ ' ' | sh", words.join("@")),
    ]
}
