//! Where an export goes: to an address that was given, to one of the environment if that was asked for, or nowhere.

use super::super::super::environment::Environment;
use super::super::super::failure::Failure;
use super::super::super::http::Target;
use super::super::telemetry_args::{Backend, TelemetryArgs};
use agent_strace_secrets::base64;

const CLOUD: &str = "https://cloud.langfuse.com";
const LANGFUSE_TRACES: &str = "/api/public/otel";

impl TelemetryArgs {
    /// `None`: it is printed.
    pub(super) fn target(&self, environment: Environment) -> Result<Option<Target>, Failure> {
        if self.langfuse_host.is_some() && self.backend != Some(Backend::Langfuse) {
            return Err(
                Failure::new("`--langfuse-host` is where Langfuse runs").hint("`--backend langfuse` sends there")
            );
        }
        let target = match (&self.endpoint, self.backend) {
            (None, Some(Backend::Langfuse)) => Some(self.langfuse(environment)?),
            (Some(_), Some(Backend::Langfuse)) => {
                return Err(Failure::new("`--endpoint` is no address of Langfuse").hint("`--langfuse-host URL` is"));
            }
            (Some(address), _) => Some(Target::new("the address of `--endpoint`", address)?),
            (None, Some(Backend::Otlp)) => of_environment(environment)?,
            (None, None) => None,
        };
        let Some(mut target) = target else {
            if self.headers.is_empty() {
                return Ok(None);
            }
            return Err(Failure::new("`--header` is for requests, and nothing is sent").hint("`--endpoint URL` sends"));
        };
        for (nth, header) in self.headers.iter().enumerate() {
            let what = format!("`--header` number {}", nth + 1);
            let Some((name, value)) = header.split_once(':') else {
                return Err(
                    Failure::new(format!("{what} can't be used: it has no `:`")).hint("a header is `Name: value`")
                );
            };
            target.header(&what, name, value)?;
        }
        Ok(Some(target))
    }

    fn langfuse(&self, environment: Environment) -> Result<Target, Failure> {
        let host = self.langfuse_host.as_deref().or_else(|| environment.exporter("LANGFUSE_HOST")).unwrap_or(CLOUD);
        let key = |name: &'static str| {
            environment.exporter(name).ok_or_else(|| {
                Failure::new(format!("Langfuse wants a key, and `{name}` is not set"))
                    .hint("a project's settings show LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY")
            })
        };
        let mut target = Target::new("the address of Langfuse", host)?;
        let credentials = format!("{}:{}", key("LANGFUSE_PUBLIC_KEY")?, key("LANGFUSE_SECRET_KEY")?);
        let value = format!("Basic {}", base64::encode(credentials.as_bytes()));
        target.header("the key of Langfuse", "authorization", &value)?;
        // Without it spans are shown minutes later.
        target.header("the version of Langfuse", "x-langfuse-ingestion-version", "4")?;
        Ok(target)
    }

    /// What the path of a signal begins with.
    pub(super) fn prefix(&self) -> &'static str {
        if self.backend == Some(Backend::Langfuse) { LANGFUSE_TRACES } else { "" }
    }
}

/// As exporters of OpenTelemetry are configured.
fn of_environment(environment: Environment) -> Result<Option<Target>, Failure> {
    let Some(address) = environment.exporter("OTEL_EXPORTER_OTLP_ENDPOINT") else { return Ok(None) };
    let mut target = Target::new("the address in OTEL_EXPORTER_OTLP_ENDPOINT", address)?;
    let headers = environment.exporter("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default();
    for (nth, pair) in headers.split(',').map(str::trim).filter(|pair| !pair.is_empty()).enumerate() {
        let what = format!("header number {} in OTEL_EXPORTER_OTLP_HEADERS", nth + 1);
        let Some((name, value)) = pair.split_once('=') else {
            return Err(Failure::new(format!("{what} can't be used: it has no `=`")).hint("they are `name=value,…`"));
        };
        target.header(&what, name, &decoded(value))?;
    }
    Ok(Some(target))
}

/// Values are percent-encoded there.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, after @ ..] = rest {
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let escaped = digit(0).zip(digit(1)).filter(|_| *first == b'%');
        if let Some((high, low)) = escaped
            && let Ok(byte) = u8::try_from(high * 16 + low)
        {
            bytes.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn values_are_decoded() {
        for (value, expected) in [
            ("a%20b", "a b"),
            ("%", "%"),
            ("%4", "%4"),
            ("%zz", "%zz"),
            ("a%3Db%2", "a=b%2"),
            ("Basic%20eA==", "Basic eA=="),
        ] {
            assert_eq!(decoded(value), expected);
        }
    }
}
