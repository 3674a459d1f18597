//! Texts made from others: the families of ways in which a command hides from a gate that reads text.

use super::judge::Text;

/// Ways to hide a command from a gate that looks at text.
const DISGUISES: &[&str] = &["( {}\n)", "{ {}\n}", "if true; then {}\nfi", "for i in 1; do {}\ndone"];

/// Compound forms of `own`, and texts that are made of payloads.
pub(super) fn generated(own: &[Text]) -> Vec<Text> {
    let everyday = own.iter().filter(|text| text.source == "own: everyday");
    everyday
        .flat_map(|text| {
            DISGUISES.iter().map(|disguise| Text::ours("F01 compound", disguise.replace("{}", &text.text)))
        })
        .collect()
}
