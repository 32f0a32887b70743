"""What Helm printed for the charts of the tests, replayed where no helm is installed.

A call is known by its flags and by the bytes of the files that it is given. Where a helm is installed it is asked;
`pytest --update` records its answers.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import zlib
from base64 import b85decode, b85encode
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "recorded" / "helm"


def installed() -> list[str]:
    """The programs of this environment, else of this machine: the third and the fourth major version."""
    beside = Path(sys.executable).parent
    mine = [path for path in (beside / "helm", beside / "helm4") if path.exists()]
    found = shutil.which("helm")
    return [str(path) for path in mine] or ([found] if found else [])


def script(path: Path, real: str | None, *, update: bool) -> Path:
    """A program that answers like helm: by asking the real one, or from the recordings."""
    here = str(Path(__file__).resolve().parent)
    if real is not None and not update:
        name, called = Path(real).name, shlex.quote(real)
        path.write_text(f'#!/bin/sh\n[ "$1" = version ] && echo "v0 through {name}" && exit\nexec {called} "$@"\n')
    else:
        path.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {here!r})\n"
            f"from helm_recordings import main\nsys.exit(main({real!r}))\n"
        )
    path.chmod(0o755)
    return path


def main(real: str | None) -> int:
    """Replay what was recorded, or ask the real one and record it."""
    if sys.argv[1] == "version":
        print("v0.0.0-recorded" if real is None else f"v0 through {Path(real).name}")
        return 0
    chart = Path(sys.argv[3])
    known = FOLDER / f"{_key(chart)}.json"
    if real is None:
        if not known.exists():
            sys.stderr.write("Error: there is no recording of this chart\n")
            return 1
        answer = json.loads(known.read_text())
        sys.stdout.write(zlib.decompress(b85decode(answer["out"])).decode())
        sys.stderr.write(answer["err"].replace("@PICTURE@", str(chart.parent)))
        return answer["code"]
    ran = subprocess.run([real, *sys.argv[1:]], capture_output=True, check=False, env=os.environ)
    sys.stdout.buffer.write(ran.stdout)
    sys.stderr.buffer.write(ran.stderr)
    FOLDER.mkdir(parents=True, exist_ok=True)
    error = ran.stderr.decode().replace(str(chart.parent), "@PICTURE@")
    packed = b85encode(zlib.compress(ran.stdout, 9)).decode()
    known.write_text(json.dumps({"code": ran.returncode, "err": error, "out": packed}) + "\n")
    return ran.returncode


def _key(chart: Path) -> str:
    found = hashlib.sha256()
    for argument in sys.argv[2:]:
        found.update(argument.replace(str(chart.parent), "").encode() + b"\0")
    for path in sorted(chart.parent.rglob("*")):
        if path.is_file() and "home" not in path.relative_to(chart.parent).parts[:1]:
            found.update(f"{path.relative_to(chart.parent)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:24]
