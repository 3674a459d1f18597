use std::fmt::Write as _;
use std::path::Path;

use agent_strace_testing::work;

use super::super::base64;
use super::super::hit::Confidence;
use super::programs::Place;
use super::vendor::{ROWS, example, lines, parse};
use super::{find, keyword, likeness, programs};

/// `fixtures/secrets.md`: texts, and what is found in them. `UPDATE_SPECS=1` writes it; read it before you believe it.
#[test]
fn every_text_gives_away_what_the_table_says() {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/secrets.md");
    let table = std::fs::read_to_string(&path).expect("the table is there").replace("\r\n", "\n");
    let found = found(&table);
    if std::env::var_os("UPDATE_SPECS").is_some() {
        std::fs::write(&path, found).expect("the table can be written");
        return;
    }
    for (at, (old, new)) in table.lines().zip(found.lines()).enumerate() {
        assert_eq!(old, new, "fixtures/secrets.md:{}: run with UPDATE_SPECS=1 and read the difference", at + 1);
    }
    assert_eq!(table, found);
}

fn found(table: &str) -> String {
    let mut result = String::new();
    let mut in_block = false;
    for line in table.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        match line.strip_prefix("> ") {
            Some(text) if in_block => {
                let _ = writeln!(result, "> {text}\n{}", findings(&drawn(text)));
            }
            // Old findings are written anew.
            _ if in_block && !line.starts_with("```") && !line.is_empty() => {}
            _ => {
                let _ = writeln!(result, "{line}");
            }
        }
    }
    result
}

/// The text with each finding put into brackets, behind what it is.
fn findings(text: &str) -> String {
    let (name, text) = match text.split_once(" :: ") {
        Some((name, text)) => (Some(name), text),
        None => (None, text),
    };
    let hits = find(name, text);
    if hits.is_empty() {
        return "-".to_owned();
    }
    let mut shown = String::new();
    let mut what = Vec::new();
    let mut at = 0;
    for hit in &hits {
        let length = hit.end - hit.start;
        let _ = write!(shown, "{}[{length}]", text.get(at..hit.start).expect("hits are in order"));
        at = hit.end;
        let sure = match hit.confidence {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        };
        what.push(format!("{} {} {sure}", hit.rule, hit.kind));
    }
    shown.push_str(text.get(at..).expect("hits end at characters"));
    format!("{}: {}", what.join(", "), escaped(&shown))
}

fn escaped(text: &str) -> String {
    text.replace('\u{1b}', "\\e").replace('\u{200b}', "\\z").replace('\n', "\\n")
}

/// Texts of the table name what is drawn: `«hex:40»`. No scanner shall take the table for a leak.
fn drawn(text: &str) -> String {
    let text = text.replace("\\n", "\n").replace("\\e", "\u{1b}").replace("\\z", "\u{200b}");
    let mut result = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once('«') {
        let (what, after) = after.split_once('»').expect("a `«` is closed");
        result.push_str(before);
        let (class, length) = what.split_once(':').expect("a class and a length");
        result.push_str(&match class {
            "base64-of" => base64::encode(drawn_bytes(length).as_bytes()),
            "hex-of" => drawn_bytes(length).bytes().fold(String::new(), |text, byte| text + &format!("{byte:02x}")),
            class => draw(class, length.parse().expect("a number")),
        });
        rest = after;
    }
    result + rest
}

/// `token 40`: a text with a token of so many characters.
fn drawn_bytes(what: &str) -> String {
    let (before, length) = what.split_once(' ').expect("a text and a number");
    format!("{before}{}", draw("alnum", length.parse().expect("a number")))
}

fn draw(class: &str, length: usize) -> String {
    let alphabet = match class {
        "hex" => "0123456789abcdef",
        "lower" => "abcdefghijklmnopqrstuvwxyz",
        "upper" => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "alnum" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        "base64" => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
        "digit" => "0123456789",
        _ => panic!("{class} is no class"),
    };
    // A sequence that never changes: the table shows lengths only, but scores depend on it.
    let mut state = 0x2545_f491_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 40).expect("24 bits")
    };
    let letters: Vec<char> = alphabet.chars().collect();
    (0..length).map(|_| letters[next() % letters.len()]).collect()
}

#[test]
fn every_row_of_vendors_is_read_and_finds_a_token_of_its_shape() {
    assert_eq!(lines().count(), ROWS.len());
    for line in lines() {
        let row = parse(line).unwrap_or_else(|| panic!("a row is not understood: {line}"));
        let token = example(&row, draw);
        let text = format!("the token {token} is here");
        let hits = find(None, &text);
        assert_eq!(hits.len(), 1, "{line}: {hits:?}");
        assert!(text.get(hits[0].start..hits[0].end).is_some_and(|found| found.contains(&token)), "{line}: {hits:?}");
        assert!(hits[0].rule == "secret/vendor-token", "{line}: {hits:?}");
    }
}

#[test]
fn a_token_in_the_middle_of_a_word_or_cut_short_is_none() {
    for line in lines() {
        let row = parse(line).expect("read by the other test");
        let token = example(&row, draw);
        let cut: String = token.chars().take(row.prefix.len() + 6).collect();
        assert_eq!(find(None, &format!("see {cut} there")), [], "{line}");
    }
}

#[test]
fn the_words_are_all_looked_for() {
    assert!(keyword::is_built() && super::exclude::is_built());
    assert!(keyword::is_in("DB_PASSWORD"));
    assert!(!keyword::is_in("content"));
}

#[test]
fn words_are_told_from_what_a_machine_drew() {
    for word in ["password", "my-api-key", "gandalf", "development", "client_secret_basic", "changeMe2024"] {
        assert!(likeness::strangeness(word) < 10, "{word}: {}", likeness::strangeness(word));
    }
    for drawn in ["szqkvbnx", "k3jD9sQx1", "9f8e1c7b2a4d", "Xq7$mKp2!v"] {
        assert!(likeness::strangeness(drawn) > 10, "{drawn}: {}", likeness::strangeness(drawn));
    }
}

/// Texts in which every detector starts as often as it can: what makes it start, again and again. Each of their bytes is
/// looked at so many times at most, however long the text is. The most it takes are substitutions that never end, of which
/// two thousand bytes are looked at each time.
#[test]
fn no_detector_looks_at_a_byte_again_and_again() {
    for needle in needles() {
        assert_most(250, &needle);
    }
}

/// The words behind the name of a program are behind the names before it, too. The most it takes is to look for what is
/// piped into a program.
#[test]
fn no_program_looks_at_a_byte_again_and_again() {
    for command in commands() {
        assert_most(110, &command);
    }
}

/// Asserts how often a byte of a piece is looked at where it stands again and again.
fn assert_most(most: u64, piece: &str) {
    const LENGTH: usize = 8_000;
    for (before, behind) in [("", ""), ("", " "), ("\"", "\" "), ("echo x | ", "; "), ("", " <<< ")] {
        let piece = format!("{before}{piece}{behind}");
        let text = piece.repeat(LENGTH / piece.len() + 1);
        let steps = work::of(|| drop(find(None, &text))) / text.len() as u64;
        assert!(steps <= most, "{steps} steps for each byte of `{piece}` again and again");
    }
}

fn needles() -> Vec<String> {
    let mut needles: Vec<String> = HOSTILE.iter().map(|needle| (*needle).to_owned()).collect();
    needles.extend(keyword::all().map(|(word, _)| word));
    needles.extend(ROWS.iter().map(|row| row.prefix.to_owned()));
    let tokens = ROWS.iter().map(|row| example(row, draw));
    needles.extend(tokens.flat_map(|token| [format!("x{token}_"), token + "-"]));
    needles
}

/// A command of each way in which a program takes a secret, and its name alone.
fn commands() -> impl Iterator<Item = String> {
    programs::programs().flat_map(|(name, row)| {
        let row = row.expect("read by the other test");
        let command = [&[name.trim_end_matches('*')], row.subcommands.as_slice()].concat().join(" ");
        let options = match &row.place {
            Place::Options(options) => options.iter().map(|option| option.name).collect(),
            _ => Vec::new(),
        };
        let arguments = options.into_iter().flat_map(|name| [format!("{name}abcd1234"), format!("{name} abcd1234")]);
        let mut commands: Vec<String> = arguments.map(|argument| format!("{command} {argument}")).collect();
        commands.extend([format!("{command} user:abcd1234 password=abcd1234"), command]);
        commands
    })
}

const HOSTILE: &[&str] = &[
    "://",
    "key=",
    "a:b@",
    "eyJ",
    "eyJ-",
    "eyJhbGciOiJIUzI1NiJ9.",
    "M-",
    "123456789:",
    "-----BEGIN RSA PRIVATE KEY-----",
    "Basic ",
    "machine a ",
    "\\",
    "\\u0041",
    "%41",
    "\\\"",
    "password=\"",
    "-u a:",
    "--user=a:b",
    ".pgpass\nh:1:d:u:",
    "token: ",
    "AAAAAAAAAAAAAAAAAAAAAAAA.",
    "&#65;",
    "https:/a:b",
    "xghp_",
    "ghp_aBcdEfgHijKlmNopQrsTuvWxyZabCdeFghIjk_",
    "mysql 'x",
    "mysql \"",
    "mysql/",
    "mysql\"",
    "mysql:",
    "mysql $(",
    "mysql `",
    "mysql >",
    "git >mysql >",
    "x=mysql -psummer ",
    "foo mysql -psummer ",
    "mysql -h mysql -psummer2x9 ",
    "7z mysql mycli sshpass unrar cypher-shell -pabcd1234 ",
    "-/sqlplus ",
    "kinit kinit kinit kinit kinit kinit kinit kinit kinit kinit ",
    "sudo -S sudo -S sudo -S sudo -S sudo -S sudo -S ",
    "a.exe ",
];

#[test]
fn a_checksum_makes_a_token_certain() {
    let content = draw("alnum", 30);
    let mut crc = flate2::Crc::new();
    crc.update(content.as_bytes());
    let digits: Vec<char> = ('0'..='9').chain('A'..='Z').chain('a'..='z').collect();
    let mut rest = usize::try_from(crc.sum()).expect("32 bits");
    let mut sum = [0; 6].map(|_: u8| '0');
    for digit in sum.iter_mut().rev() {
        *digit = digits[rest % 62];
        rest /= 62;
    }
    let good = format!("gh{}_{content}{}", "p", sum.iter().collect::<String>());
    let bad = format!("gh{}_{content}{}", "p", draw("lower", 6));
    assert_eq!(find(None, &good).first().map(|hit| hit.confidence), Some(Confidence::High));
    assert_eq!(find(None, &bad).first().map(|hit| hit.confidence), Some(Confidence::Medium));
}

#[test]
fn every_row_of_names_is_read() {
    assert!(super::name::all_rows_are_read());
    assert!(super::programs::all_rows_are_read());
}
