//! Long texts, which a sample keeps once, under what they hash to.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memmem;
use serde_json::Value;

use crate::assembly::Assembly;
use crate::gaps::Gaps;
use crate::json::{Raw, fields, text};
use agent_strace_model::{Arguments, EventKind, GapKind, RawText};

/// What stands in the place of a text, in two generations.
const MARKS: &[&str] = &["attachment://", "tc://"];
/// Arguments of one call with all their texts.
const MAX_GIVEN: usize = 64 << 20;

const LOST: &str = "a text that the sample keeps as an attachment is not in it: what the call was given is not known";

pub(super) struct Attachments<'a>(BTreeMap<Cow<'a, str>, Raw<'a>>);

impl<'a> Attachments<'a> {
    pub(super) fn of(value: Option<Raw<'a>>) -> Self {
        Self(value.and_then(|raw| fields(raw.get())).unwrap_or_default())
    }

    fn find(&self, place: &str) -> Option<Raw<'a>> {
        MARKS.iter().find_map(|mark| self.0.get(place.strip_prefix(mark)?).copied())
    }

    /// Puts texts in their places in the events from this index on.
    pub(super) fn resolve(&self, assembly: &mut Assembly<'a>, from: usize, line: u32, gaps: &mut Gaps) {
        let session = &mut assembly.session;
        for event in session.events.iter_mut().skip(from) {
            match &mut event.kind {
                EventKind::Prompt(words) | EventKind::Message(words) | EventKind::Reasoning(words) => self.words(words),
                EventKind::Result(result) => result.text.iter_mut().for_each(|words| self.words(words)),
                EventKind::Call(call) => {
                    if let Some(json) = self.given(&call.arguments, line, gaps) {
                        if let Arguments::Json(Cow::Borrowed(told)) = &call.arguments {
                            session.passed.push(told);
                        }
                        call.arguments = Arguments::Json(Cow::Owned(json));
                    }
                }
                _ => {}
            }
        }
    }

    fn words(&self, words: &mut RawText<'a>) {
        if let RawText::Json(json) = words
            && MARKS.iter().any(|mark| json.strip_prefix('"').is_some_and(|json| json.starts_with(mark)))
            && let Some(found) = text(Some(Raw::new(json))).and_then(|place| self.find(&place))
        {
            *words = RawText::Json(found.get());
        }
    }

    /// Arguments with their texts, where they have such texts.
    pub(super) fn given(&self, arguments: &Arguments<'_>, line: u32, gaps: &mut Gaps) -> Option<String> {
        let Arguments::Json(json) = arguments else { return None };
        let has = |mark: &&&str| memmem::find(json.as_bytes(), format!("\"{mark}").as_bytes()).is_some();
        MARKS.iter().find(has)?;
        let mut value = serde_json::from_str(json).ok()?;
        let (mut lost, mut left) = (false, MAX_GIVEN);
        self.fill(&mut value, &mut left, &mut lost);
        if lost {
            gaps.push(Some(line), GapKind::missing(LOST));
        }
        Some(value.to_string())
    }

    /// `serde_json` reads no deeper than 128 levels.
    fn fill(&self, value: &mut Value, left: &mut usize, lost: &mut bool) {
        match value {
            Value::String(place) if MARKS.iter().any(|mark| place.starts_with(mark)) => {
                let found = text(self.find(place)).map(Cow::into_owned);
                let fits = found.as_ref().and_then(|found| left.checked_sub(found.len()));
                match (found, fits) {
                    (Some(found), Some(rest)) => (*place, *left) = (found, rest),
                    _ => *lost = true,
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.fill(value, left, lost)),
            Value::Object(members) => members.values_mut().for_each(|value| self.fill(value, left, lost)),
            _ => {}
        }
    }
}
