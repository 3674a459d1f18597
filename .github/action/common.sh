# shellcheck shell=bash
# What the scripts of the action share. Sourced; bash 3.2 or newer, as macOS has it.

# Text for a workflow command: what would end the line, start an escape or be a command of the old form is escaped.
escaped() {
    local text=$1 harmless='#\u0023['
    text=${text//'%'/%25}
    text=${text//$'\r'/%0D}
    text=${text//$'\n'/%0A}
    text=${text//'##['/$harmless}
    printf '%s' "$text"
}

# 128 random bits in hexadecimal digits.
random_token() {
    od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

# output NAME VALUE: one output of the step, whatever stands in the value.
output() {
    local delimiter
    delimiter=agent-strace-$(random_token)
    printf '%s<<%s\n%s\n%s\n' "$1" "$delimiter" "$2" "$delimiter" >>"${GITHUB_OUTPUT:?}"
}

# Whether a text is the full id of a git object.
is_commit_id() {
    [[ $1 =~ ^([0-9a-f]{40}|[0-9a-f]{64})$ ]]
}

# could_not_judge REASON…: says so where people look. Each line of a reason is a line of code in the summary: no text makes
# a link, an image or a mention there.
could_not_judge() {
    local all=$1 line
    for line in "${@:2}"; do all+=$'\n'$line; done
    printf '::error title=agent-strace could not judge::%s\n' "$(escaped "$all")"
    {
        printf '## agent-strace: could not judge\n\nNothing was judged, and that is no pass (exit code %s).\n\n' "${code:-2}"
        while IFS= read -r line; do printf '    %s\n' "$line"; done <<<"$all"
    } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
}
