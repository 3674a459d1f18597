//! Reports broken limits: on standard error, in `alerts.log` of the store, to a webhook.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::super::failure::{Failure, reason};
use super::super::output;
use super::super::{Streams, environment::Environment};
use super::args::OnViolation;
use super::post::{Batch, Poster};
use agent_strace_live::watch::{Action, Breach};
use agent_strace_report::terminal;
use agent_strace_secrets::redact;

pub(in crate::cli) struct Alerts {
    /// `None`: on standard error.
    file: Option<PathBuf>,
    webhook: Option<Poster>,
    /// The command: `watch` or `guard`.
    who: &'static str,
    /// The file of the rules.
    rules: Option<String>,
    is_dry: bool,
}

impl Alerts {
    pub(in crate::cli) fn new(
        who: &'static str,
        store: &Path,
        on_violation: OnViolation,
        webhook: Option<&str>,
    ) -> Result<Self, Failure> {
        let file = (on_violation == OnViolation::File).then(|| store.join("alerts.log"));
        let batch = Batch { most: 1, interval: std::time::Duration::from_secs(1), kind: "application/json" };
        let webhook = webhook.map(|address| Poster::new("`--webhook`", address, batch)).transpose()?;
        Ok(Self { file, webhook, who, rules: None, is_dry: false })
    }

    pub(in crate::cli) fn of(self, rules: Option<&str>, is_dry: bool) -> Self {
        Self { rules: rules.map(str::to_owned), is_dry, ..self }
    }

    /// Something was broken, in this session, if it is one.
    pub(in crate::cli) fn breach(&mut self, breach: &Breach, session: Option<&str>, streams: &mut Streams<'_>) {
        let location = breach.location.as_ref().map(|location| {
            let file = location.file.as_deref().or(self.rules.as_deref()).unwrap_or("rules");
            format!(" ({file}:{})", location.line)
        });
        let what = match (breach.action, self.is_dry) {
            (Action::Alert, _) => "",
            (Action::Pause, true) => ": would pause the agent",
            (Action::Kill, true) => ": would kill the agent",
            (Action::Pause, false) => ": pausing the agent",
            (Action::Kill, false) => ": killing the agent",
        };
        let session = session.map(|session| format!(" [{session}]")).unwrap_or_default();
        let said = format!("{}{}{session}{what}", breach.reason, location.unwrap_or_default());
        self.alert(&said, breach.notify.as_deref(), streams);
    }

    /// `notify`: the addressee, for the webhook.
    fn alert(&mut self, said: &str, notify: Option<&str>, streams: &mut Streams<'_>) {
        let said = redact(said).as_str().to_owned();
        match &self.file {
            None => self.note(&said, streams),
            Some(file) => {
                if let Err(error) = append(file, &said) {
                    self.note(&format!("{said} (`{}` can't be written: {})", file.display(), reason(&error)), streams);
                }
            }
        }
        if let Some(webhook) = &mut self.webhook {
            let source = format!("agent-strace {}", self.who);
            let mut body = serde_json::json!({"text": said, "source": source});
            if let (Some(notify), Some(members)) = (notify, body.as_object_mut()) {
                members.insert("notify".to_owned(), redact(notify).as_str().into());
            }
            webhook.send(body.to_string());
        }
        self.problems(streams);
    }

    /// Prints a message that is not an alert, always to standard error.
    pub(in crate::cli) fn note(&self, said: &str, streams: &mut Streams<'_>) {
        output::note(streams.stderr, &format!("{}: {}", self.who, terminal(redact(said).as_str())));
    }

    pub(in crate::cli) fn problems(&self, streams: &mut Streams<'_>) {
        for problem in self.webhook.iter().flat_map(Poster::problems) {
            self.note(&format!("warning: webhook: {problem}"), streams);
        }
    }

    pub(in crate::cli) fn finish(mut self, streams: &mut Streams<'_>) {
        for problem in self.webhook.take().into_iter().flat_map(Poster::finish) {
            self.note(&format!("warning: webhook: {problem}"), streams);
        }
    }
}

/// Appends one line with its time. Does not follow links.
fn append(path: &Path, said: &str) -> std::io::Result<()> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(std::io::Error::other("it is not a plain file"));
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let now = Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ");
    file.write_all(format!("{now}  {}\n", terminal(said)).as_bytes())
}

/// The time of the environment.
pub(in crate::cli) fn now(environment: Environment<'_>) -> Result<Timestamp, Failure> {
    environment.machine.map(|machine| machine.now).ok_or_else(|| Failure::new("there is no clock"))
}
