#!/usr/bin/env bash
# The step of the Action that checks. Everything that a workflow or a pull request can name comes through the
# environment. Findings do not fail this step: what it found is uploaded first, and a later step fails.
set -euo pipefail

command_log() { echo "::$1::$2"; }
output() { echo "$1=$2" >>"$GITHUB_OUTPUT"; }
trim() { sed 's/^[[:space:]]*//; s/[[:space:]]*$//' | sed '/^$/d'; }
refuse() {
    command_log error "$1"
    output exit-code 2
    exit 2
}
yes_or_no() { # NAME VALUE
    [ "$2" = true ] || [ "$2" = false ] || refuse "kubelint-gpu: the input $1 is \"$2\"; it can be true or false"
}

yes_or_no sarif "$INPUT_SARIF"
yes_or_no summary "$INPUT_SUMMARY"
yes_or_no fail "$INPUT_FAIL"
case "$INPUT_ANNOTATIONS" in
auto | always | never) ;;
*) refuse "kubelint-gpu: the input annotations is \"$INPUT_ANNOTATIONS\"; it can be auto, always or never" ;;
esac

base_of_pull_request() { # prints the commit that the pull request would be merged into, if there is one
    [ "$EVENT_NAME" = pull_request ] || [ "$EVENT_NAME" = pull_request_target ] || return 0
    if git cat-file -e "$BASE_SHA^{commit}" 2>/dev/null ||
        git fetch --quiet --no-tags --depth=1 origin "$BASE_SHA" 2>/dev/null; then
        echo "rev:$BASE_SHA"
    else
        command_log warning "kubelint-gpu: the base branch is not in this checkout and cannot be fetched, so each manifest \
is judged by itself: give actions/checkout 'fetch-depth: 2'" >&2
    fi
}

may_upload() {
    [ "$INPUT_SARIF" = true ] || return 1
    if [ -n "$HEAD_REPOSITORY" ] && [ "$HEAD_REPOSITORY" != "$GITHUB_REPOSITORY" ] && [ "$EVENT_NAME" = pull_request ]; then
        command_log notice "kubelint-gpu: a pull request from a fork has no permission to upload SARIF; \
its findings are annotations instead"
        return 1
    fi
}

found="$(mktemp -d "$RUNNER_TEMP/kubelint-gpu-found.XXXXXX")"
arguments=()
while IFS= read -r one; do arguments+=("--inventory=$one"); done < <(trim <<<"$INPUT_INVENTORY")
case "$INPUT_AGAINST" in
base) against="$(base_of_pull_request)" ;;
none) against="" ;;
*) against="$INPUT_AGAINST" ;;
esac
[ -z "$against" ] || arguments+=("--against=$against")
while IFS= read -r one; do arguments+=("$one"); done < <(trim <<<"$INPUT_ARGUMENTS")
for format in text json sarif github markdown; do arguments+=("--output-format=$format"); done
for file in found.json found.sarif found.txt found.md; do arguments+=("--output-file=$found/$file"); done
arguments+=(--color=always --)
while IFS= read -r one; do arguments+=("$one"); done < <(trim <<<"$INPUT_PATHS")

# text of manifests goes to the log, and no line of it may be a command to the runner
quiet="$("$PROGRAM_HOME/bin/python" -I -c 'import secrets; print(secrets.token_hex(16))')"
echo "::stop-commands::$quiet"
code=0
"$PROGRAM_HOME/bin/kubelint-gpu" check "${arguments[@]}" || code=$?
echo "::$quiet::"

output exit-code "$code"
output found "$found"
[ -s "$found/found.sarif" ] || exit 0
output sarif-file "$found/found.sarif"
"$PROGRAM_HOME/bin/python" -I -c '
import json, sys
summary = json.load(open(sys.argv[1], encoding="utf-8"))["summary"]
for key in ("errors", "warnings", "notes"):
    print(f"{key}={summary[key]}")
' "$found/found.json" >>"$GITHUB_OUTPUT"
if may_upload; then output upload true; fi
if [ "$INPUT_SUMMARY" = true ]; then cat "$found/found.md" >>"$GITHUB_STEP_SUMMARY"; fi
