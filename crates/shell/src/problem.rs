//! The problems of a text that is not a complete shell program.

use std::fmt;

/// Why a part of a text could not be parsed. The commands found around it are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    ClosingWithoutOpening,
    HeredocWithoutBody,
    HeredocWithoutDelimiter,
    HeredocNotClosed,
    NestedTooDeeply,
    SubstitutionNotClosed,
    ArrayNotClosed,
    OperatorInArray,
    StrayParenthesis,
    RedirectionWithoutTarget,
    ExpansionNotClosed,
    ExpansionNotUnderstood,
    SubscriptNotClosed,
    SubscriptNotUnderstood,
    ControlCharacter,
    PatternGroupNotClosed,
    StrayCharacter,
    OperatorWithoutCommand,
    TextTooLong,
    TooManyCommands,
    NulByte,
    CompoundIncomplete,
    TestNotClosed,
    TestNotUnderstood,
    QuoteNotClosed,
    BackquoteNotClosed,
    SubshellNotClosed,
    CasePatternNotClosed,
    FunctionNotUnderstood,
    FunctionWithoutBody,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClosingWithoutOpening => "a closing word or bracket without its opening",
            Self::HeredocWithoutBody => "a heredoc has no body",
            Self::HeredocWithoutDelimiter => "a heredoc has no delimiter",
            Self::HeredocNotClosed => "a heredoc is not closed",
            Self::NestedTooDeeply => "nested too deeply: more than 60 levels",
            Self::SubstitutionNotClosed => "a substitution is not closed",
            Self::ArrayNotClosed => "an array is not closed",
            Self::OperatorInArray => "an operator among the elements of an array",
            Self::StrayParenthesis => "a parenthesis in the middle of a command",
            Self::RedirectionWithoutTarget => "a redirection has no target",
            Self::ExpansionNotClosed => "a parameter expansion is not closed",
            Self::ExpansionNotUnderstood => "a parameter expansion that is not understood",
            Self::SubscriptNotClosed => "a subscript is not closed",
            Self::SubscriptNotUnderstood => "a subscript that is not understood",
            Self::ControlCharacter => "an invisible control character outside quotes",
            Self::PatternGroupNotClosed => "a pattern group is not closed",
            Self::StrayCharacter => "a character that starts no command",
            Self::OperatorWithoutCommand => "an operator without its command",
            Self::TextTooLong => "the text is longer than 1 MiB",
            Self::TooManyCommands => "the text has more than 131,072 commands",
            Self::NulByte => "the text contains a NUL byte",
            Self::CompoundIncomplete => "a compound command is not complete",
            Self::TestNotClosed => "a test is not closed",
            Self::TestNotUnderstood => "a test that is not understood",
            Self::QuoteNotClosed => "a quote is not closed",
            Self::BackquoteNotClosed => "a backquote is not closed",
            Self::SubshellNotClosed => "a subshell is not closed",
            Self::CasePatternNotClosed => "a pattern of `case` is not closed",
            Self::FunctionNotUnderstood => "a function definition that is not understood",
            Self::FunctionWithoutBody => "a function without a body",
        })
    }
}
