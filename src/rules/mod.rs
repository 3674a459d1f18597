//! Checks that need memory across events. A rule is a static, a function and a Markdown spec in `fixtures/rules/`.
