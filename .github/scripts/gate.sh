#!/usr/bin/env bash
# The gate of the composite action. It never fails by itself: the action's last step restores the exit code, so that
# reports can be uploaded in between. All inputs come through the environment.
set -euo pipefail

reports=${RUNNER_TEMP:?}/agent-strace
mkdir -p "$reports"

args=(--trace-dir "${AST_TRACE_DIR:?}" check --no-color --fail-on "${AST_FAIL_ON:?}")
args+=(--report "sarif=$reports/gate.sarif" --report "json=$reports/gate.json" --report "markdown=$reports/gate.md")
if [ -n "${AST_POLICY:-}" ]; then
    args+=(--policy "$AST_POLICY")
fi
if [ -n "${AST_POLICY_REF:-}" ]; then
    args+=(--policy-ref "$AST_POLICY_REF")
fi
if [ -n "${AST_SESSIONS:-}" ]; then
    mapfile -t sessions <<<"$AST_SESSIONS"
    args+=(--)
    for session in "${sessions[@]}"; do
        if [ -n "$session" ]; then
            args+=("$session")
        fi
    done
fi

# What a log says is never taken for a command to the runner.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
rm -f "$reports"/gate.*
echo "::stop-commands::$token"
code=0
"${AST_BINARY:?}" "${args[@]}" || code=$?
echo "::$token::"

if [ -f "$reports/gate.md" ]; then
    cat "$reports/gate.md" >>"${GITHUB_STEP_SUMMARY:?}"
fi
{
    echo "exit-code=$code"
    echo "reports=$reports"
} >>"${GITHUB_OUTPUT:?}"
