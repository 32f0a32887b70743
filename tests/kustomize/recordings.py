"""What Kustomize printed for the trees of the tests, replayed where neither kustomize nor kubectl is installed.

A tree is known by the bytes of its files. Where a program is installed it is asked; `pytest --update` records its answers.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "golden" / "kustomize"


def installed() -> str | None:
    """The program of this machine, or of this environment."""
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return shutil.which("kustomize", path=beside) or shutil.which("kubectl", path=beside)


def script(path: Path, real: str | None, *, update: bool) -> Path:
    """A program that answers like kustomize: by asking the real one, or from the recordings."""
    here = str(Path(__file__).resolve().parent)
    path.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {here!r})\n"
        f"from recordings import main\nsys.exit(main({real!r}, {update!r}))\n"
    )
    path.chmod(0o755)
    return path


def main(real: str | None, update: bool) -> int:
    if sys.argv[1] == "version":
        print("v0.0.0-recorded" if real is None else f"through {Path(real).name}")
        return 0
    wrapper = Path(sys.argv[2])
    known = FOLDER / f"{_key(wrapper)}.yaml"
    if real is None:
        for path, stream, code in ((known, sys.stdout, 0), (known.with_suffix(".error"), sys.stderr, 1)):
            if path.exists():
                stream.write(path.read_text().replace("@PICTURE@", str(wrapper.parent)))
                return code
        sys.stderr.write("Error: there is no recording of this tree\n")
        return 1
    command = [real, "kustomize" if "kubectl" in Path(real).name else "build", *sys.argv[2:]]
    ran = subprocess.run(command, capture_output=True, check=False, env=os.environ)
    sys.stdout.buffer.write(ran.stdout)
    sys.stderr.buffer.write(ran.stderr)
    if update:
        path = known if ran.returncode == 0 else known.with_suffix(".error")
        text = (ran.stdout if ran.returncode == 0 else ran.stderr).decode().replace(str(wrapper.parent), "@PICTURE@")
        FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return ran.returncode


def _key(wrapper: Path) -> str:
    found = hashlib.sha256()
    for path in sorted(wrapper.parent.rglob("*")):
        if path.is_file() and "home" not in path.relative_to(wrapper.parent).parts[:1]:
            found.update(f"{path.relative_to(wrapper.parent)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:24]
