//! The names of the built-in rules, listed once.
//!
//! Rules, waivers, settings, schemas and reports take ids from here, so that a misspelled id does not compile.

use std::fmt;

macro_rules! families {
    ($($family:ident = $name:literal,)*) => {
        /// A group of rules that judge the same kind of thing: the part of an id before the slash.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Family {
            $($family,)*
        }

        impl Family {
            pub const ALL: &[Self] = &[$(Self::$family,)*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$family => $name,)*
                }
            }
        }
    };
}

macro_rules! rules {
    ($($rule:ident = $family:ident, $id:literal;)*) => {
        /// A built-in rule as users name it: `family/name`, lower case (`scope/read`, `sequence/secret-egress`).
        ///
        /// Rules are ordered by their ids.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RuleId {
            $($rule,)*
        }

        impl RuleId {
            /// All rules, sorted by id.
            pub const ALL: &[Self] = &[$(Self::$rule,)*];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rule => $id,)*
                }
            }

            pub const fn family(self) -> Family {
                match self {
                    $(Self::$rule => Family::$family,)*
                }
            }
        }
    };
}

families! {
    Budget = "budget",
    Coverage = "coverage",
    Eval = "eval",
    Evidence = "evidence",
    Floor = "floor",
    Gate = "gate",
    Hooks = "hooks",
    Lint = "lint",
    Mcp = "mcp",
    Pii = "pii",
    Policy = "policy",
    Repo = "repo",
    Retention = "retention",
    Scope = "scope",
    Secret = "secret",
    Sequence = "sequence",
}

rules! {
    BudgetExceeded = Budget, "budget/exceeded";
    BudgetUnrecorded = Budget, "budget/unrecorded";
    CoverageForeignSession = Coverage, "coverage/foreign-session";
    CoverageNoSession = Coverage, "coverage/no-session";
    CoverageUnexplainedChange = Coverage, "coverage/unexplained-change";
    CoverageUnmergedWrite = Coverage, "coverage/unmerged-write";
    EvalCriterion = Eval, "eval/criterion";
    EvalRegression = Eval, "eval/regression";
    EvalScore = Eval, "eval/score";
    EvalScorer = Eval, "eval/scorer";
    EvalUnjudged = Eval, "eval/unjudged";
    EvidenceChain = Evidence, "evidence/chain";
    EvidenceCompacted = Evidence, "evidence/compacted";
    EvidenceCounts = Evidence, "evidence/counts";
    EvidenceLevel = Evidence, "evidence/level";
    EvidenceMissingSubagent = Evidence, "evidence/missing-subagent";
    EvidenceNoCalls = Evidence, "evidence/no-calls";
    EvidenceRedacted = Evidence, "evidence/redacted";
    EvidenceRemoved = Evidence, "evidence/removed";
    EvidenceRewound = Evidence, "evidence/rewound";
    EvidenceTruncated = Evidence, "evidence/truncated";
    EvidenceUnanswered = Evidence, "evidence/unanswered";
    EvidenceUnknownRecords = Evidence, "evidence/unknown-records";
    EvidenceUnreadable = Evidence, "evidence/unreadable";
    FloorAgentSettings = Floor, "floor/agent-settings";
    FloorGate = Floor, "floor/gate";
    FloorHooks = Floor, "floor/hooks";
    FloorPolicy = Floor, "floor/policy";
    FloorTraceStore = Floor, "floor/trace-store";
    GateTampering = Gate, "gate/tampering";
    HooksDeniedTool = Hooks, "hooks/denied-tool";
    LintBlindEdit = Lint, "lint/blind-edit";
    LintBudgetProximity = Lint, "lint/budget-proximity";
    LintContextSaturation = Lint, "lint/context-saturation";
    LintDeniedAttempts = Lint, "lint/denied-attempts";
    LintErrorRetryLoop = Lint, "lint/error-retry-loop";
    LintLargeBlindEdit = Lint, "lint/large-blind-edit";
    LintNoOutput = Lint, "lint/no-output";
    LintPermissionBypass = Lint, "lint/permission-bypass";
    LintPostCompactionRegression = Lint, "lint/post-compaction-regression";
    LintReasoningSpiral = Lint, "lint/reasoning-spiral";
    LintRedundantRead = Lint, "lint/redundant-read";
    LintToolLoop = Lint, "lint/tool-loop";
    LintUnfinishedSession = Lint, "lint/unfinished-session";
    LintUnverifiedChange = Lint, "lint/unverified-change";
    LintWeakenedTests = Lint, "lint/weakened-tests";
    McpServerPoisoned = Mcp, "mcp/server-poisoned";
    McpToolChanged = Mcp, "mcp/tool-changed";
    PiiCard = Pii, "pii/card";
    PiiCloudAccount = Pii, "pii/cloud-account";
    PiiEmail = Pii, "pii/email";
    PiiHomePath = Pii, "pii/home-path";
    PiiIban = Pii, "pii/iban";
    PiiIp = Pii, "pii/ip";
    PiiMac = Pii, "pii/mac";
    PiiNationalId = Pii, "pii/national-id";
    PiiPersonal = Pii, "pii/personal";
    PiiPhone = Pii, "pii/phone";
    PiiUserName = Pii, "pii/user-name";
    PolicyExceptionExceeded = Policy, "policy/exception-exceeded";
    PolicyExceptionExpired = Policy, "policy/exception-expired";
    PolicyExceptionTooBroad = Policy, "policy/exception-too-broad";
    PolicyExceptionUnused = Policy, "policy/exception-unused";
    PolicySettingsDrift = Policy, "policy/settings-drift";
    RepoApprovalExpired = Repo, "repo/approval-expired";
    RepoAutoApprove = Repo, "repo/auto-approve";
    RepoGateDisabled = Repo, "repo/gate-disabled";
    RepoHiddenText = Repo, "repo/hidden-text";
    RepoHookCommand = Repo, "repo/hook-command";
    RepoPermissionBypass = Repo, "repo/permission-bypass";
    RepoServerFloating = Repo, "repo/server-floating";
    RepoServerPoisoned = Repo, "repo/server-poisoned";
    RepoServerUndeclared = Repo, "repo/server-undeclared";
    RepoServerUnsafe = Repo, "repo/server-unsafe";
    RepoServerUnused = Repo, "repo/server-unused";
    RepoUnapprovedEndpoint = Repo, "repo/unapproved-endpoint";
    RepoUnapprovedServer = Repo, "repo/unapproved-server";
    RepoUnapprovedTool = Repo, "repo/unapproved-tool";
    RepoUnknownEndpoint = Repo, "repo/unknown-endpoint";
    RepoWideAllow = Repo, "repo/wide-allow";
    RetentionAge = Retention, "retention/age";
    RetentionCount = Retention, "retention/count";
    RetentionSize = Retention, "retention/size";
    RetentionUnreadable = Retention, "retention/unreadable";
    ScopeApproval = Scope, "scope/approval";
    ScopeCommand = Scope, "scope/command";
    ScopeDecodedCode = Scope, "scope/decoded-code";
    ScopeDelete = Scope, "scope/delete";
    ScopeEnv = Scope, "scope/env";
    ScopeNetwork = Scope, "scope/network";
    ScopeRead = Scope, "scope/read";
    ScopeRemoteCode = Scope, "scope/remote-code";
    ScopeRemoteShell = Scope, "scope/remote-shell";
    ScopeSensitive = Scope, "scope/sensitive";
    ScopeSession = Scope, "scope/session";
    ScopeTool = Scope, "scope/tool";
    ScopeUnresolved = Scope, "scope/unresolved";
    ScopeWrite = Scope, "scope/write";
    SecretAuthorization = Secret, "secret/authorization";
    SecretKeyedSecret = Secret, "secret/keyed-secret";
    SecretLogSettings = Secret, "secret/log-settings";
    SecretPassword = Secret, "secret/password";
    SecretPrivateKey = Secret, "secret/private-key";
    SecretUrlCredentials = Secret, "secret/url-credentials";
    SecretVendorToken = Secret, "secret/vendor-token";
    SecretWebToken = Secret, "secret/web-token";
    SequencePolicy = Sequence, "sequence/policy";
    SequenceSecretEgress = Sequence, "sequence/secret-egress";
}

impl Family {
    /// Reads the family of an id, also of an id that belongs to no built-in rule (`secret/custom`).
    pub fn of(id: &str) -> Option<Self> {
        let (family, _) = id.split_once('/')?;
        Self::ALL.iter().copied().find(|known| known.name() == family)
    }
}

impl RuleId {
    /// Finds the rule that users call `id`.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.as_str() == id)
    }

    /// The part of the id behind the slash.
    pub fn short(self) -> &'static str {
        let id = self.as_str();
        id.split_once('/').map_or(id, |(_, name)| name)
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

impl fmt::Debug for RuleId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), out)
    }
}

#[test]
fn ids_are_sorted_and_begin_with_their_family() {
    assert!(RuleId::ALL.is_sorted_by(|one, next| one.as_str() < next.as_str()), "{:?}", RuleId::ALL);
    for rule in RuleId::ALL {
        assert_eq!(Family::of(rule.as_str()), Some(rule.family()), "{rule}");
    }
}
