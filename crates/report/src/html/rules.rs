//! What the rules that found something say about themselves.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::markup::{Html, code, element, span, text};
use crate::sarif::catalogue::document;
use agent_strace_model::finding::RuleId;

/// The end of the page; every finding links to its rule there.
pub(super) fn section(used: &BTreeSet<RuleId>) -> Html {
    if used.is_empty() {
        return Html::default();
    }
    let heading = element("h2", &[("id", "rules")], [text("The rules that found something")]);
    let rules = used.iter().map(|id| rule(id.as_str()));
    element("section", &[("aria-labelledby", "rules")], std::iter::once(heading).chain(rules))
}

/// Where the documentation of a rule stands in the page.
pub(super) fn anchor(rule: &str) -> String {
    format!("rule-{rule}")
}

fn rule(id: &'static str) -> Html {
    let known = agent_strace_rules::find(id);
    let summary = known.map_or(Html::default(), |rule| span("meta", rule.summary));
    let title = element("h3", &[], [code(id), text(" "), summary]);
    let body = known.map_or(Html::default(), |rule| rendered(document(rule.spec)));
    let elsewhere =
        element("p", &[("class", "meta")], [text("In a terminal: "), code(&format!("agent-strace rules {id}"))]);
    element("article", &[("class", "rule"), ("id", &anchor(id)), ("tabindex", "-1")], [title, body, elsewhere])
}

/// The specification's Markdown. Its title is the rule's name, which stands there already; other headings are below it.
/// Markup in it is text, and links lead to files that the page doesn't have.
fn rendered(spec: &str) -> Html {
    let mut in_title = false;
    let events = Parser::new_ext(spec, Options::ENABLE_TABLES).filter_map(|event| match event {
        Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => {
            in_title = true;
            None
        }
        Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
            in_title = false;
            None
        }
        _ if in_title => None,
        Event::Start(Tag::Heading { .. }) => Some(Event::Start(Tag::Heading {
            level: HeadingLevel::H4,
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })),
        Event::End(TagEnd::Heading(_)) => Some(Event::End(TagEnd::Heading(HeadingLevel::H4))),
        Event::Start(Tag::Link { .. } | Tag::Image { .. }) | Event::End(TagEnd::Link | TagEnd::Image) => None,
        Event::Html(markup) | Event::InlineHtml(markup) => Some(Event::Text(markup)),
        event => Some(event),
    });
    let mut markup = String::new();
    pulldown_cmark::html::push_html(&mut markup, events);
    element("div", &[("class", "spec")], [Html::own(markup)])
}

#[cfg(test)]
mod tests {
    use super::rendered;

    #[test]
    fn a_specification_is_shown_below_the_name_of_its_rule() {
        let shown =
            rendered("# `a/b`\n\n## What it does\n\nSees `x` and [more](c.md).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
        let shown = shown.as_str();
        assert!(!shown.contains("<h1") && !shown.contains("a/b") && !shown.contains("<a "), "{shown}");
        assert!(shown.contains("<h4>What it does</h4>\n<p>Sees <code>x</code> and more.</p>"), "{shown}");
        assert!(shown.contains("<td>2</td>"), "{shown}");
    }

    #[test]
    fn every_rule_says_what_to_do_in_words_and_names() {
        for rule in agent_strace_rules::all() {
            let remedy =
                crate::next_step::remedy(rule.id.as_str()).unwrap_or_else(|| panic!("`{}` says nothing", rule.id));
            assert!(!remedy.is_empty() && !remedy.contains("](") && !remedy.contains("**"), "{}: {remedy}", rule.id);
        }
    }

    #[test]
    fn markup_in_a_specification_is_text() {
        let shown = rendered("<script>alert(1)</script>\n\na <b>c</b> ![x](https://e.example/x.png)\n");
        assert!(!shown.as_str().contains("<script") && !shown.as_str().contains("<b>"), "{}", shown.as_str());
        assert!(!shown.as_str().contains("<img"), "{}", shown.as_str());
    }
}
