# shellcheck shell=bash
# Fetches what an event names, with the history between its two sides, into `repository`: sets `base`, `head` and
# `policy_ref`. Which base may judge is for the program to say, which reads the event itself: where it wants another one
# than was fetched here, it has none, and that is no pass. Sourced by the gate.
# shellcheck disable=SC2034,SC2154

# What an event allows beside the verdict.
can_upload=true
can_comment=false
upload_ref=
upload_sha=

# Runs git on our own repository: no hook, no monitor, no question, no credential but the token, which stands neither in
# the arguments nor on the disk. An empty header takes away the one that a checkout may have left.
git_remote() (
    export GIT_TERMINAL_PROMPT=0 GIT_DIR=$repository
    export GIT_CONFIG_COUNT=6
    export GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null
    export GIT_CONFIG_KEY_1=core.fsmonitor GIT_CONFIG_VALUE_1=false
    export GIT_CONFIG_KEY_2=credential.helper GIT_CONFIG_VALUE_2=
    export GIT_CONFIG_KEY_3=gc.auto GIT_CONFIG_VALUE_3=0
    export GIT_CONFIG_KEY_4=http.$AST_SERVER/.extraheader GIT_CONFIG_VALUE_4=
    export GIT_CONFIG_KEY_5=http.$AST_SERVER/.extraheader GIT_CONFIG_VALUE_5=
    if [ -n "${AST_TOKEN:-}" ]; then
        GIT_CONFIG_VALUE_5="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$AST_TOKEN" | base64 | tr -d '\r\n')"
    fi
    unset AST_TOKEN
    exec git "$@"
)

# Runs git on what is there.
git_local() {
    GIT_DIR=$repository git -c core.hooksPath=/dev/null "$@"
}

# fetch OPTION… REFSPEC…
fetch() {
    git_remote fetch --quiet --no-tags --no-recurse-submodules --no-write-fetch-head --no-auto-maintenance "$@"
}

create_repository() {
    git init --quiet --bare --template= --object-format=sha1 "$repository"
    git_local config remote.origin.url "${AST_SERVER:?}/${AST_REPOSITORY:?}"
}

# refspec NAME LOCAL: what brings a branch or a commit, and what it is called here.
refspec() {
    local name=$1
    if is_commit_id "$name"; then
        printf '+%s:%s' "$name" "$2"
        return
    fi
    name=${name#refs/remotes/}
    name=${name#origin/}
    name=${name#refs/heads/}
    git check-ref-format "refs/heads/$name" || return 1
    printf '+refs/heads/%s:%s' "$name" "$2"
}

# Whether all commits between the two sides are there: they have a common ancestor, and no commit before it is cut off.
is_connected() {
    local cut=$repository/shallow
    git_local merge-base refs/gate/base refs/gate/head >/dev/null 2>&1 || return 1
    [ -s "$cut" ] || return 0
    ! git_local rev-list refs/gate/head --not refs/gate/base | grep -Fxf "$cut" >/dev/null
}

# More and more of the history, and then all of it.
fetch_change() {
    local wanted=("$@") step
    fetch --depth=20 origin "${wanted[@]}" || return 1
    for step in 100 1000; do
        if is_connected; then return 0; fi
        fetch --deepen="$step" origin "${wanted[@]}" || return 1
    done
    if ! is_connected && [ -s "$repository/shallow" ]; then
        fetch --unshallow origin "${wanted[@]}" || return 1
    fi
}

# What the event says the two sides are.
sides_of_event() {
    case ${AST_EVENT:-} in
        pull_request | pull_request_target | pull_request_review | pull_request_review_comment)
            base=${AST_PULL_BASE:-}
            head=${AST_PULL_HEAD:-}
            allow_for_pull_request
            ;;
        merge_group)
            base=${AST_QUEUE_BASE:-}
            head=${AST_QUEUE_HEAD:-}
            # Alerts on a reference of a queue are never shown.
            can_upload=false
            ;;
        workflow_run)
            base=${AST_RUN_BASE:-}
            head=${AST_RUN_HEAD:-}
            can_upload=false
            ;;
        *) sides_of_branch ;;
    esac
    case ${AST_REF:-} in
        refs/heads/gh-readonly-queue/*) can_upload=false ;;
    esac
}

# What is on a branch. Of the default branch it is what was pushed; another branch is judged by that one.
sides_of_branch() {
    head=${AST_SHA:-}
    if [ "${AST_REF:-}" != "refs/heads/${AST_DEFAULT_BRANCH:-}" ]; then
        base=${AST_DEFAULT_BRANCH:-}
    elif [ "${AST_EVENT:-}" = push ] && is_commit_id "${AST_BEFORE:-}" && [[ $AST_BEFORE =~ [1-9a-f] ]]; then
        base=$AST_BEFORE
    else
        base=${AST_DEFAULT_BRANCH:-}
    fi
}

# Tokens of forks and of Dependabot can't write. A run on the base would attach its alerts there, unless it is told.
allow_for_pull_request() {
    can_comment=true
    if [ "${AST_PULL_REPOSITORY:-}" != "${AST_REPOSITORY:-}" ]; then
        can_upload=false
        if [ "$AST_EVENT" != pull_request_target ]; then can_comment=false; fi
    elif [ "${AST_PULL_AUTHOR:-}" = 'dependabot[bot]' ]; then
        can_upload=false
        can_comment=false
    elif [ "$AST_EVENT" = pull_request_target ]; then
        upload_ref=refs/pull/${AST_PULL_NUMBER:-}/head
        upload_sha=${AST_PULL_HEAD:-}
    fi
}

fetch_entire() {
    case $'\n'${AST_SESSIONS:-}$'\n' in
        *$'\n'entire[$': \r\n']*)
            fetch --depth=1 origin \
                '+refs/heads/entire/checkpoints/v1:refs/remotes/origin/entire/checkpoints/v1' ||
                cannot "the branch \`entire/checkpoints/v1\` can't be fetched" "see above, or take \`entire\` out of \`sessions\`"
            ;;
    esac
}

# name_of NAME LOCAL: how the program is to call what was fetched: a branch as people do, or a commit.
name_of() {
    local name=$1 commit
    commit=$(git_local rev-parse --verify --quiet "$2^{commit}")
    if is_commit_id "$name"; then
        printf '%s' "$commit"
        return
    fi
    name=${name#refs/remotes/}
    name=${name#origin/}
    name=${name#refs/heads/}
    git_local update-ref "refs/remotes/origin/$name" "$commit"
    printf 'origin/%s' "$name"
}

# A backport names a commit of the default branch, and the program looks for it there. Without that branch a backport is not
# explained, and nothing else changes.
fetch_default_branch() {
    local name=${AST_DEFAULT_BRANCH:-}
    if [ -z "$name" ] || [ "${base#refs/heads/}" = "$name" ] || ! git check-ref-format "refs/heads/$name"; then return 0; fi
    if fetch origin "+refs/heads/$name:refs/remotes/origin/$name"; then
        git_local symbolic-ref refs/remotes/origin/HEAD "refs/remotes/origin/$name"
    fi
}

establish_change() {
    local wanted=() spec
    sides_of_event
    if [ -n "${AST_BASE:-}" ]; then base=$AST_BASE; fi
    if [ -n "${AST_HEAD:-}" ]; then head=$AST_HEAD; fi
    if [ -z "$base" ]; then
        cannot "the event \`${AST_EVENT:-}\` names no branch to merge into, so there is no policy to trust" \
            "name the branch with \`base\`"
    fi
    if [ -z "$head" ]; then
        cannot "the event \`${AST_EVENT:-}\` names no commit to judge" "name it with \`head\`"
    fi
    if [ "${#head}" -eq 64 ] && is_commit_id "$head"; then
        cannot "the objects of this repository are named by SHA-256, which is not supported" \
            "repositories that use SHA-1 can be judged"
    fi
    create_repository || cannot "no repository can be made in \`$folder\`" "see above"
    spec=$(refspec "$base" refs/gate/base) || cannot "\`$base\` is no name of a branch" "name the base branch with \`base\`"
    wanted+=("$spec")
    spec=$(refspec "$head" refs/gate/head) || cannot "\`$head\` is no commit" "name the commit with \`head\`"
    wanted+=("$spec")
    if [ "${AST_POLICY_REF:-auto}" != auto ]; then
        spec=$(refspec "$AST_POLICY_REF" refs/gate/policy) ||
            cannot "\`$AST_POLICY_REF\` is no branch" "name a branch or a commit with \`policy-ref\`"
        wanted+=("$spec")
    fi
    fetch_change "${wanted[@]}" ||
        cannot "\`$base\` and \`$head\` can't be fetched from $AST_SERVER/$AST_REPOSITORY" \
            "see above; \`contents: read\` has to be among the permissions"
    is_connected || cannot "\`$base\` and \`$head\` have no common history" "name the branch that is merged into with \`base\`"
    fetch_entire
    fetch_default_branch
    name_sides
}

# What was fetched is called as the program looks for it. It finds the two sides in the event, unless a side was named.
name_sides() {
    base=$(name_of "$base" refs/gate/base)
    head=$(git_local rev-parse --verify --quiet 'refs/gate/head^{commit}')
    if [ "${AST_POLICY_REF:-auto}" != auto ]; then
        policy_ref=$(name_of "$AST_POLICY_REF" refs/gate/policy)
    elif [ -z "${AST_BASE:-}" ]; then
        policy_ref=auto
    fi
    if [ -n "${AST_BASE:-}" ]; then judged_base=$base; else judged_base=auto; fi
    if [ -n "${AST_BASE:-}${AST_HEAD:-}" ]; then judged_head=$head; fi
}
