//! Attributes of the semantic conventions: those of generative AI (`open-telemetry/semantic-conventions-genai`, from where
//! no crate has them) and the general ones beside them (version 1.42).

pub(super) const GEN_AI_AGENT_ID: &str = "gen_ai.agent.id";
pub(super) const GEN_AI_AGENT_NAME: &str = "gen_ai.agent.name";
pub(super) const GEN_AI_AGENT_VERSION: &str = "gen_ai.agent.version";
pub(super) const GEN_AI_CONVERSATION_ID: &str = "gen_ai.conversation.id";
pub(super) const GEN_AI_OPERATION_NAME: &str = "gen_ai.operation.name";
pub(super) const GEN_AI_PROVIDER_NAME: &str = "gen_ai.provider.name";
pub(super) const GEN_AI_REQUEST_MODEL: &str = "gen_ai.request.model";
pub(super) const GEN_AI_TOOL_CALL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const GEN_AI_TOOL_CALL_ID: &str = "gen_ai.tool.call.id";
pub(super) const GEN_AI_TOOL_CALL_RESULT: &str = "gen_ai.tool.call.result";
pub(super) const GEN_AI_TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(super) const GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const GEN_AI_USAGE_INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const GEN_AI_USAGE_OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const GEN_AI_USAGE_REASONING_OUTPUT_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";

pub(super) const ERROR_TYPE: &str = "error.type";
pub(super) const EXCEPTION_MESSAGE: &str = "exception.message";
pub(super) const EXCEPTION_TYPE: &str = "exception.type";
pub(super) const SERVICE_NAME: &str = "service.name";
pub(super) const SESSION_ID: &str = "session.id";
pub(super) const VCS_REF_HEAD_NAME: &str = "vcs.ref.head.name";
pub(super) const VCS_REF_HEAD_REVISION: &str = "vcs.ref.head.revision";
pub(super) const VCS_REPOSITORY_URL_FULL: &str = "vcs.repository.url.full";
