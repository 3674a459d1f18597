//! Words by which a text makes an agent act against its user, as published attacks have them.
//!
//! The expressions are compared with folded text and have bounded gaps, so that time is linear. Gaps end with a
//! paragraph's sentence or two: what stands further apart does not belong together.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use super::fold::Folded;
use super::{Indicator, Strength};

/// A wording, and what it does.
struct Wording {
    strength: Strength,
    pattern: &'static str,
    what: &'static str,
    /// Upper case counts: `SYSTEM:` is a role, `system:` a parameter.
    cased: bool,
}

const fn strong(what: &'static str, pattern: &'static str) -> Wording {
    Wording { strength: Strength::Strong, pattern, what, cased: false }
}

const fn likely(what: &'static str, pattern: &'static str) -> Wording {
    Wording { strength: Strength::Likely, pattern, what, cased: false }
}

const OVERRIDES: &str = "tells the model to ignore its instructions";
const CONCEALS: &str = "tells the model to hide something from its user";
const PASSES: &str = "tells the model to read secrets and to pass them on";
const SENDS: &str = "tells the model to send data to somebody";
const POSES: &str = "poses as a message of the system";
const ORDERS: &str = "tells the model what to do before it uses other tools";
const RUNS: &str = "tells the model to run what it downloads";

/// Files with secrets in them; `{…}` in a pattern stands for one of these lists.
const FILES: &str = r"(?:\.ssh\b|id_rsa|id_ed25519|id_ecdsa|mcp\.json|claude_desktop_config|\.aws/|\.env\b|/etc/passwd|/etc/shadow|\.npmrc|\.netrc|\.pypirc|git-credentials|\.kube/|\.docker/config|\.gnupg|\.bash_history|\.zsh_history|credentials\.json|\.config/gcloud|wallet\.dat|private keys?|ssh keys?|api keys?|environment variables?|system prompt|conversation history|chat history|credentials?\b)";
const READ: &str = r"\b(?:read|open|cat|load|access|get|fetch|retrieve|collect|extract|dump|grab|look up|check)\b";
const PASS: &str =
    r"\b(?:pass|send|include|provide|put|append|attach|submit|embed|supply|insert|copy|add|encode|use)\b";
const SLOT: &str = r"\b(?:param(?:eter)?s?|arg(?:ument)?s?|sidenote|side note|fields?|notes?|feedback|body|header|query|query string|https?://|metadata|context|subject|footer|file_content|details)";
const NOT: &str =
    r"\b(?:do not|don'?t|never|must not|mustn'?t|should not|shouldn'?t|avoid|without|refrain from)(?: ever)?";
const USER: &str = r"(?:the |your |any |this )?(?:end[ -])?(?:user|human|developer|operator|customer)s?\b";
const SECRET: &str = r"(?:conversation|chat history|message history|all (?:of )?(?:the )?(?:messages|files|data)|contents? of|source code|system prompt|api[ _]keys?|credentials|secrets|passwords|private keys?|ssh keys?|environment variables|session cookies?|access tokens?)";

static WORDINGS: &[Wording] = &[
    strong(
        OVERRIDES,
        r"\b(?:ignore|disregard)(?: \w+){0,3}? (?:previous|prior|above|earlier|preceding|foregoing)(?: \w+){0,2}? (?:instruction|prompt|rule|guideline|direction|direct|message|polic|constraint|command|text)",
    ),
    strong(
        OVERRIDES,
        r"\b(?:ignore|disregard|forget|override|bypass|do not follow|don'?t follow|stop following)(?: \w+){0,3}? (?:all|any|every|other|your|existing|original|previous|prior|above|earlier|system|developer|safety)(?: \w+){0,2}? (?:instructions|prompts?\b|guidelines|directives|system message)",
    ),
    strong(
        OVERRIDES,
        r"\bdisregard (?:all |everything |anything |any of )?(?:of )?(?:the |what is |that is )?(?:above|previous|prior|foregoing)\b",
    ),
    strong(
        OVERRIDES,
        r"\bignore (?:all|everything|anything)(?: that| which)?(?: of)?(?: was| is| came| you were told)? ?(?:the )?(?:above|before|previous|prior)\b",
    ),
    strong(OVERRIDES, r"\bignore (?:the )?above and\b"),
    strong(
        OVERRIDES,
        r"\b(?:forget|ignore|disregard) (?:everything|anything|all) you (?:were|have been|know|had been)\b",
    ),
    strong(
        OVERRIDES,
        r"\byou are now (?:in )?(?:developer mode|god mode|dan\b|unrestricted|jailbroken|free of|a different)",
    ),
    strong(
        OVERRIDES,
        r"\b(?:here are|these are|follow) (?:your|the) new (?:system )?instructions\b|\bnew system (?:instructions?|prompt)\b ?:",
    ),
    strong(CONCEALS, r"{not} (?:tell|telling|inform|informing) {user}"),
    strong(
        CONCEALS,
        r"{not} (?:mention|mentioning|disclose|disclosing|reveal|revealing|explain|explaining|say|saying|report|reporting) (?:this|that|it|these|those|anything|any of|what|how|your|the (?:instructions?|sidenote|steps?|existence|fact|file|extra|additional))\b[^\n]{0,60}? to {user}",
    ),
    strong(
        CONCEALS,
        r"{not} (?:mention|disclose|reveal|say|admit) (?:that you|this (?:step|instruction|note|file|call|requirement|process|to)|these (?:instructions|steps)|the (?:sidenote|existence of|parameter))",
    ),
    strong(CONCEALS, r"{not} (?:notify|notifying|alert|alerting|warn|warning) {user} (?:about|of|that|when) "),
    strong(CONCEALS, r"{not} let {user} (?:know|see|notice|find out)"),
    strong(
        CONCEALS,
        r"{user} (?:should not|shouldn'?t|must not|mustn'?t|must never|should never|does not need to|doesn'?t need to) (?:know|notice|find out|be aware|be told|be informed|hear|see (?:this|that|it|these))\b",
    ),
    strong(CONCEALS, r"\b(?:keep|hide|conceal)(?: \w+){0,4}? (?:secret |hidden |private |quiet )?from {user}"),
    strong(
        CONCEALS,
        r"\b(?:secretly|covertly|surreptitiously) \w+|\bsilently (?:send|forward|upload|exfiltrate|transmit|bcc|leak|append|execute)\b",
    ),
    strong(CONCEALS, r"\b(?:not to|do not|don'?t) (?:scare|upset|alarm|worry) {user}"),
    strong(PASSES, r"{read}[^\n]{0,120}?{files}[^\n]{0,160}?{pass}[^\n]{0,120}?{slot}"),
    strong(
        PASSES,
        r"{pass}[^\n]{0,40}? (?:content|contents|value|values|data|output|copy)\b[^\n]{0,40}?{files}[^\n]{0,80}?\b(?:as|in|into|to|with|via)\b[^\n]{0,60}?{slot}",
    ),
    strong(
        PASSES,
        r"\bcontents? of (?:the )?(?:file )?\S{0,40}(?:id_rsa|id_ed25519|\.ssh/|mcp\.json|\.aws/credentials|/etc/passwd|/etc/shadow|\.env\b)[^\n]{0,60}?\b(?:as|in|into|to) (?:the )?\S{0,20} ?{slot}",
    ),
    strong(
        SENDS,
        r"\b(?:send|post|forward|upload|exfiltrate|transmit|leak|submit|bcc|report)\b[^\n]{0,60}?{secret}[^\n]{0,80}?\b(?:to|at|via)\b[^\n]{0,30}?(?:https?://|[a-z0-9._-]{1,64}@[a-z0-9-]{1,64}\.)",
    ),
    strong(
        SENDS,
        r"\b(?:all|any|every|each)(?: \w+){0,3} (?:e-?mails?|messages?|requests?|payments?|transfers?)\b[^\n]{0,40}?\b(?:must|should|have to|need to) (?:also )?(?:first )?(?:be )?(?:sent|forwarded|redirected|copied|bcc'?d|go|routed) (?:to|through) \S",
    ),
    strong(SENDS, r"\bexfiltrat(?:e|ing) (?:the |all |any |user )"),
    strong(SENDS, r"\b(?:bcc|cc|copy) [a-z0-9._-]{1,64}@[a-z0-9.-]{1,64} (?:on|in|to) (?:all|every|each)"),
    strong(RUNS, r"\b(?:curl|wget)\b[^\n|]{1,200}\| ?(?:sudo )?(?:ba|z|da)?sh\b"),
    strong(
        POSES,
        r"<\s?/?\s?(?:important|hidden|secret|admin|override|critical|sudo|system[-_ ]?(?:prompt|message|note|override))\s?/?>",
    ),
    strong(
        POSES,
        r"<\|(?:im_start|im_end|system|assistant|user|endoftext|begin_of_text|start_header_id)\|>|<<sys>>|\[/?inst\]",
    ),
    Wording {
        strength: Strength::Strong,
        what: POSES,
        cased: true,
        pattern: r"(?m)(?:^|[.!?]) ?[\[(<#]{0,4} ?(?:SYSTEM|ADMIN|DEVELOPER|ROOT)(?: (?:PROMPT|MESSAGE|NOTE|OVERRIDE|INSTRUCTIONS?|NOTICE|ALERT|UPDATE))?[\])>]{0,2} ?:",
    },
    likely(
        CONCEALS,
        r"{not} (?:show|showing|display|displaying) (?:this|that|it|these|those|any of|the (?:instructions?|sidenote|steps?|parameter))\b[^\n]{0,40}? to {user}",
    ),
    likely(
        ORDERS,
        r"\b(?:before|prior to|whenever|each time|every time) (?:you )?(?:use|using|call|calling|invoke|invoking|run|running|execute|executing) (?:any|all|every|each)(?: of the)?(?: other)? tools?\b[^\n]{0,120}?\b(?:must|always|first|have to|need to|required)\b",
    ),
    likely(
        ORDERS,
        r"\b(?:must|always|have to|need to)\b[^\n]{0,60}?\b(?:before|prior to) (?:you )?(?:use|using|call|calling|invoke|invoking|run|running) (?:any|all|every|each)(?: of the)?(?: other)? tools?\b",
    ),
    likely(ORDERS, r"\byou must always (?:call|use|run|invoke) \S{1,64} (?:tool )?(?:first|before)"),
    likely(
        "tells the model to act without asking",
        r"\b(?:do not|don'?t|never) (?:ask|wait|prompt|request)\b[^\n]{0,40}?\b(?:confirmation|permission|approval|consent)\b",
    ),
    likely(POSES, r"<\s?/?\s?system\s?>"),
];

static COMPILED: LazyLock<Vec<(&'static Wording, Regex)>> = LazyLock::new(|| {
    let compile = |wording: &'static Wording| compiled(wording).ok().map(|regex| (wording, regex));
    WORDINGS.iter().filter_map(compile).collect()
});

/// A test asks whether all of them compile.
fn compiled(wording: &Wording) -> Result<Regex, regex::Error> {
    let mut pattern = wording.pattern.to_owned();
    let lists = [
        ("{files}", FILES),
        ("{read}", READ),
        ("{pass}", PASS),
        ("{slot}", SLOT),
        ("{not}", NOT),
        ("{user}", USER),
        ("{secret}", SECRET),
    ];
    for (name, list) in lists {
        pattern = pattern.replace(name, list);
    }
    RegexBuilder::new(&pattern).unicode(false).case_insensitive(!wording.cased).size_limit(8 << 20).build()
}

/// The first place of each wording.
pub(super) fn indicators(text: &str) -> Vec<Indicator> {
    let folded = Folded::of(text);
    super::count(text.len() + COMPILED.len() * folded.text.len());
    let find = |(wording, regex): &(&'static Wording, Regex)| {
        let found = regex.find(folded.text.as_bytes())?;
        Some(Indicator {
            strength: wording.strength,
            what: wording.what.to_owned(),
            at: folded.location(found.start()),
        })
    };
    let mut found: Vec<Indicator> = COMPILED.iter().filter_map(find).collect();
    found.sort_by(|one, other| one.what.cmp(&other.what).then(one.at.cmp(&other.at)));
    found.dedup_by(|later, earlier| later.what == earlier.what);
    found
}

#[test]
fn every_wording_compiles() {
    for wording in WORDINGS {
        assert!(compiled(wording).is_ok(), "{}: {:?}", wording.pattern, compiled(wording).err());
    }
}
