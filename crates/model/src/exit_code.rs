//! Exit codes that hosts state in the text of a result, around what the command printed.

/// The code in the line that Gemini CLI writes below a command's output.
pub fn below_output(text: &str) -> Option<i64> {
    const BELOW: [&str; 6] =
        ["Signal:", "Background PIDs:", "Process Group PGID:", "</untrusted_context>", "</tool_output>", "Error:"];
    for line in text.lines().rev() {
        if let Some(code) = line.strip_prefix("Exit Code: ") {
            return code.trim().parse().ok();
        }
        if !line.trim().is_empty() && !BELOW.iter().any(|start| line.starts_with(start)) {
            return None;
        }
    }
    None
}

/// The code in the mark with which Copilot CLI closes a command's output: `<shellId: 1 completed with exit code 3>`.
pub fn in_closing_mark(text: &str) -> Option<i64> {
    text.trim_end().strip_suffix('>')?.rsplit_once("with exit code ")?.1.parse().ok()
}
