"""A real terminal: tmux, typed into and looked at."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

from outside import program

ROOT = Path(__file__).resolve().parent.parent.parent
BESIDE = Path(sys.executable).parent
LEFT_OUT = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PRE_COMMIT", "TMUX", "BASH_ENV", "PROMPT_COMMAND")
PATIENCE = 90


class Screen:
    """A terminal of some size with a shell in it."""

    def __init__(self, folder, width, height=50):
        self._socket = folder / "tmux"
        environment = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
        environment |= {
            "PATH": f"{BESIDE}:{os.environ['PATH']}",
            "PS1": "$ ",
            "LC_ALL": "C.UTF-8",
            "HISTFILE": "/dev/null",
        }
        shell = shlex.join(["bash", "--norc", "--noprofile"])
        size = ["-x", str(width), "-y", str(height)]
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, shell, environment=environment)
        self._tmux("set-option", "-g", "history-limit", "5000")
        self.wait(str.strip)
        self._number = 0

    def type(self, *keys):
        """Keys as tmux names them; text stands for itself."""
        self._tmux("send-keys", *keys)

    def run(self, command):
        """What a command shows, once the shell is back, without the line that starts it."""
        self._number += 1
        mark = f"over-{self._number}"
        self.type("-l", f"clear; {command}; printf '%s\\n' over-$(( {self._number} ))")
        self._tmux("clear-history")
        self.type("Enter")
        text = self.wait(lambda text: re.search(rf"^{mark}\b", text, re.MULTILINE), colours=True)
        return text[: re.search(rf"^{mark}\b", text, re.MULTILINE).start()]

    def look(self, *, colours=False):
        """What the terminal holds: lines that have scrolled away too, and those that it broke in one piece."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-", *(["-e"] if colours else []))

    def wait(self, until, *, colours=False):
        """Look again and again until something is there."""
        end = time.monotonic() + PATIENCE
        while not until(text := self.look(colours=colours)):
            assert time.monotonic() < end, f"waited in vain, the terminal holds:\n{text}"
            time.sleep(0.03)
        return text

    def close(self):
        self._tmux("kill-server")

    def _tmux(self, *arguments, environment=None):
        ran = subprocess.run(
            [program("tmux"), "-S", str(self._socket), *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=True,
            timeout=60,
        )
        return ran.stdout.decode()
