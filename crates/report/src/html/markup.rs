//! HTML that can't be made of anything but fixed markup and escaped text.

use crate::escape;

/// Finished markup.
#[derive(Debug, Default)]
pub(super) struct Html(String);

impl Html {
    /// What is compiled into the program, or made of that alone.
    pub(super) fn own(markup: String) -> Self {
        Self(markup)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<I: IntoIterator<Item = Html>>(parts: I) -> Self {
        let mut text = String::new();
        parts.into_iter().for_each(|part| text.push_str(&part.0));
        Self(text)
    }
}

/// A name and its value; a name without a value stands for itself (`hidden`).
pub(super) type Attribute<'a> = (&'static str, &'a str);

/// Escaped text.
pub(super) fn text(text: &str) -> Html {
    Html(escape::html(text))
}

/// Escaped text of several lines, an element for each: the document may be printed, and no line of it is only what a log
/// says.
pub(super) fn lines(text: &str) -> Html {
    let lines: Vec<String> = text.lines().map(|line| format!("<span>{}</span>", escape::html(line))).collect();
    Html(lines.join("\n"))
}

/// An element with its end tag.
pub(super) fn element(
    name: &'static str,
    attributes: &[Attribute<'_>],
    children: impl IntoIterator<Item = Html>,
) -> Html {
    let Html(mut markup) = void(name, attributes);
    children.into_iter().for_each(|child| markup.push_str(&child.0));
    markup.push_str("</");
    markup.push_str(name);
    markup.push('>');
    // Blocks begin new lines, so that the document can be read and compared as text.
    if matches!(name, "section" | "article" | "details" | "div" | "p" | "dl" | "ul" | "ol" | "li" | "pre") {
        markup.push('\n');
    }
    Html(markup)
}

/// An element that has no end tag, or only the start of one that has.
pub(super) fn void(name: &'static str, attributes: &[Attribute<'_>]) -> Html {
    let mut markup = format!("<{name}");
    for (attribute, value) in attributes {
        markup.push(' ');
        markup.push_str(attribute);
        if !value.is_empty() {
            markup.push_str("=\"");
            markup.push_str(&escape::html(value));
            markup.push('"');
        }
    }
    markup.push('>');
    Html(markup)
}

/// `<span class="CLASS">TEXT</span>`.
pub(super) fn span(class: &str, shown: &str) -> Html {
    element("span", &[("class", class)], [text(shown)])
}

pub(super) fn code(shown: &str) -> Html {
    element("code", &[], [text(shown)])
}

/// A message in which names stand between backticks: these are shown as code.
pub(super) fn message(shown: &str) -> Html {
    let pieces: Vec<&str> = shown.split('`').collect();
    // An odd backtick closes nothing, so nothing is taken for a name.
    if pieces.len().is_multiple_of(2) {
        return text(shown);
    }
    pieces.iter().enumerate().map(|(at, piece)| if at % 2 == 1 { code(piece) } else { text(piece) }).collect()
}

/// Names and values; a row without a value is left out.
pub(super) fn facts(class: &str, rows: impl IntoIterator<Item = (&'static str, Option<Html>)>) -> Html {
    let rows = rows.into_iter().filter_map(|(name, value)| {
        let value = value?;
        Some(element("div", &[], [element("dt", &[], [text(name)]), element("dd", &[], [value])]))
    });
    let rows: Vec<Html> = rows.collect();
    if rows.is_empty() { Html::default() } else { element("dl", &[("class", class)], rows) }
}

#[cfg(test)]
mod tests {
    use super::{element, facts, lines, message, text};

    #[test]
    fn markup_is_made_of_escaped_text() {
        let hostile = element("p", &[("title", "\"><script>"), ("hidden", "")], [text("</p><b>")]);
        assert_eq!(hostile.as_str(), "<p title=\"&quot;&gt;&lt;script&gt;\" hidden>&lt;/p&gt;&lt;b&gt;</p>\n");
        assert_eq!(lines("a\n::error x").as_str(), "<span>a</span>\n<span>\\u003a:error x</span>");
    }

    #[test]
    fn names_in_messages_are_code() {
        assert_eq!(message("reads `.env`: denied").as_str(), "reads <code>.env</code>: denied");
        assert_eq!(message("reads `a`<b>` x").as_str(), "reads `a`&lt;b&gt;` x");
    }

    #[test]
    fn rows_without_a_value_are_left_out() {
        let shown = facts("facts", [("Host", None), ("User", Some(text("dana")))]);
        assert_eq!(shown.as_str(), "<dl class=\"facts\"><div><dt>User</dt><dd>dana</dd></div>\n</dl>\n");
        assert_eq!(facts("facts", [("Host", None)]).as_str(), "");
    }
}
