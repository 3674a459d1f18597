//! Accounts of clouds: the 12 digits of AWS in ARNs and registries, the subscriptions of Azure.

use agent_strace_model::finding::RuleId;

use super::context::{Context, Family};
use super::text::Text;
use crate::hit::{Confidence, Hit};

/// Accounts of AWS' own documentation, and repeated digits, which are nobody's.
const EXAMPLES: &[&str] =
    &["123456789012", "111122223333", "444455556666", "777788889999", "012345678901", "210987654321", "123456781234"];

/// Looks at 12 digits.
pub(super) fn digits(text: &Text<'_>, start: usize, end: usize, hits: &mut Vec<Hit>) {
    let account = text.string(start, end);
    let repeated = account.bytes().all(|byte| Some(byte) == account.bytes().next());
    if end - start != 12 || repeated || EXAMPLES.contains(&account) {
        return;
    }
    let confidence = if is_registry(text, end) || is_resource(text, start) {
        Confidence::High
    } else if is_named(text, start) {
        Confidence::Medium
    } else {
        return;
    };
    text.hit(start..end, RuleId::PiiCloudAccount.as_str(), "aws-account", confidence, hits);
}

/// `….dkr.ecr.region.amazonaws.com`, and the queues and tables of an account.
fn is_registry(text: &Text<'_>, end: usize) -> bool {
    [&b".dkr.ecr."[..], b".dkr-ecr.", b".signin.aws", b".ecr."].iter().any(|host| text.starts_with(end, host))
}

/// `arn:aws:service:region:account:`; partitions are `aws`, `aws-cn`, `aws-us-gov`, … ; `sqs.….amazonaws.com/account/`.
fn is_resource(text: &Text<'_>, start: usize) -> bool {
    let head = text
        .run_back(start, 64, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-' | b'.' | b'/' | b'*'));
    let head = text.string(head, start);
    let fields = head.find("arn:aws").and_then(|at| head.get(at..)).map(|arn| arn.matches(':').count());
    fields == Some(4) || head.ends_with(".amazonaws.com/")
}

/// `"Account": "…"` of `aws sts get-caller-identity`, `AWS_ACCOUNT_ID=…`, `account_id`.
fn is_named(text: &Text<'_>, start: usize) -> bool {
    Context::before(text, start).says(Family::Account)
}

/// Looks at what follows `subscriptions/`: a subscription of Azure is a UUID.
pub(super) fn subscription(text: &Text<'_>, start: usize, hits: &mut Vec<Hit>) {
    let end = text.run(start, 37, |byte| byte.is_ascii_hexdigit() || byte == b'-');
    let lengths = text.piece(start, end).split(|byte| *byte == b'-').map(<[u8]>::len);
    let zeros = text.piece(start, end).iter().all(|byte| matches!(byte, b'0' | b'-'));
    if lengths.eq([8, 4, 4, 4, 12]) && !zeros {
        text.hit(start..end, RuleId::PiiCloudAccount.as_str(), "azure-subscription", Confidence::Medium, hits);
    }
}
