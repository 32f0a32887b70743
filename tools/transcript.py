"""A session at a prompt, run for real and printed as one sees it: `python tools/transcript.py SESSION FOLDER`.

A line that begins with `$ ` is shown and run, one that begins with `@ ` is run and not shown; `| ` goes on with the
line before. All run in one bash in the folder, and what they print is printed. A command that fails ends nothing.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

SETTINGS = {
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "COLUMNS": "100",
    "PYTHONUTF8": "1",
}


def transcript(session: Path, folder: Path) -> str:
    """What the session shows; colours, and the time that things took, are left out."""
    lines = re.sub(r"\n\| ", "\n", session.read_text(encoding="utf-8"))
    script = ["exec 2>&1"]
    for shown, command in re.findall(r"^([$@]) (.*(?:\n(?![$@#] ).*)*)", lines, re.MULTILINE):
        if shown == "$":
            script.append(f"printf '$ %s\\n' {shlex.quote(command.rstrip())}")
        script.append(command.rstrip())
    left_out = ("FORCE_COLOR", "NO_COLOR", "GIT_DIR", "GIT_INDEX_FILE", "PRE_COMMIT")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    ran = subprocess.run(  # noqa: S603 - the session is a file of this repository
        ["bash", "--norc", "-c", "\n".join(script)],  # noqa: S607
        cwd=folder,
        env=environment | SETTINGS | {"PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return ran.stdout.decode().replace(f"{folder}/", "")


if __name__ == "__main__":
    sys.stdout.write(transcript(Path(sys.argv[1]), Path(sys.argv[2]).resolve()))
