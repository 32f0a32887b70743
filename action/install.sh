#!/usr/bin/env bash
# The step of the Action that installs the program from the Action's own checkout, in an environment of its own.
set -euo pipefail

refuse() {
    echo "::error::kubelint-gpu: $1"
    exit 2
}
command -v "$INPUT_PYTHON" >/dev/null ||
    refuse "there is no $INPUT_PYTHON on this runner: add a step with actions/setup-python before"
"$INPUT_PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    refuse "$INPUT_PYTHON is $("$INPUT_PYTHON" --version); Python 3.10 or newer is needed"

# -I: nothing of the repository that is checked is ever imported
home="$(mktemp -d "$RUNNER_TEMP/kubelint-gpu.XXXXXX")"
"$INPUT_PYTHON" -I -m venv "$home"
pip=("$home/bin/python" -I -m pip --disable-pip-version-check install --quiet)
"${pip[@]}" --require-hashes --only-binary :all: --requirement "$ACTION_PATH/action/requirements.txt"
"${pip[@]}" --no-deps --no-build-isolation "$ACTION_PATH"
"$home/bin/kubelint-gpu" --version
echo "home=$home" >>"$GITHUB_OUTPUT"
