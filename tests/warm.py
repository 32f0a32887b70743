"""The command in a child of a process that has imported it already: a fork in place of a start.

Most of what a short run costs is the start of Python and its imports. A server imports the modules of a `check` once and
forks for each run; the child has the arguments, the folder, the environment, the files and the limits of that run, and
ends as the command does. What an interpreter reads when it starts (PYTHON…, the locale) is that of the server: a run
with such a variable is started anew.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "tracker"
COMMAND = Path(sys.executable).parent / "kubelint-gpu"
_AT_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "LD_")
_OF_SERVERS = ("PYTHONPATH", "PYTHONUTF8")
_SERVERS = {}
_LOCK = threading.Lock()


def run(arguments, *, cwd, environment, given=b"", limits=(), timeout=None):
    """The ended `kubelint-gpu ARGUMENTS…` with a whole environment; `limits` are pairs for `setrlimit`."""
    command = [str(COMMAND), *map(str, arguments)]
    if _at_start(environment, _OF_SERVERS) != _at_start(os.environ, _OF_SERVERS):
        return _started(command, cwd, environment, given, limits, timeout)
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(given)
        stdin.seek(0)
        asked = {"arguments": command, "cwd": str(cwd), "environment": environment, "limits": limits}
        with _LOCK:
            code = _server(environment).ended(asked, [stdin, stdout, stderr], timeout)
        read = []
        for file in (stdout, stderr):
            file.seek(0)
            read.append(file.read())
    return subprocess.CompletedProcess(command, code, *read)


def _at_start(environment, left_out=()):
    return {k: v for k, v in environment.items() if k.startswith(_AT_START) and k not in left_out}


def _started(command, cwd, environment, given, limits, timeout):
    def limit():
        for what, most in limits:
            resource.setrlimit(what, most)

    return subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        input=given,
        capture_output=True,
        check=False,
        timeout=timeout,
        preexec_fn=limit,
    )


def _server(environment):
    own = _at_start(environment)
    key = tuple(sorted(own.items()))
    found = _SERVERS.get(key)
    if found is None:
        found = _SERVERS[key] = _Server(own)
    return found


class _Server:
    """A process that forks."""

    def __init__(self, environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_AT_START)}
        self.socket, other = socket.socketpair()
        with other:
            self.process = subprocess.Popen(
                [sys.executable, __file__, str(other.fileno())],
                env={**kept, **environment, "KUBELINT_GPU_NO_CACHE": "1"},
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
            )
        atexit.register(self.end)

    def end(self):
        self.socket.close()
        self.process.wait()

    def ended(self, asked, files, timeout):
        """The exit code of a run, negative after a signal."""
        data = json.dumps(asked).encode(errors="surrogateescape")
        self.socket.settimeout(600)
        socket.send_fds(self.socket, [len(data).to_bytes(8, "big")], [file.fileno() for file in files])
        self.socket.sendall(data)
        pid = int.from_bytes(_exactly(self.socket, 8), "big")
        self.socket.settimeout(timeout)
        try:
            return int.from_bytes(_exactly(self.socket, 8), "big", signed=True)
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            self.socket.settimeout(60)
            _exactly(self.socket, 8)
            raise subprocess.TimeoutExpired(asked["arguments"], timeout) from None


def _exactly(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError("the server of runs has ended")
        data += more
    return data


def _serve(connection):
    """Fork for each run that is asked for; returns in each child with what to run, and in the server at the end."""
    while True:
        head, files, _, _ = socket.recv_fds(connection, 8, 3)
        if not head:
            return None
        size = int.from_bytes(head + _exactly(connection, 8 - len(head)), "big")
        asked = json.loads(_exactly(connection, size).decode(errors="surrogateescape"))
        pid = os.fork()
        if pid == 0:
            connection.close()
            return asked, files
        connection.sendall(pid.to_bytes(8, "big"))
        for file in files:
            os.close(file)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        connection.sendall(code.to_bytes(8, "big", signed=True))


def _import_what_a_check_does():
    """The modules that a run of `check` has at its end, which a child tells; no state of a run stays here."""
    from kubelint_gpu.engine import registry

    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        from kubelint_gpu.cli.main import invoke

        invoke(["check", str(EXAMPLE / "tracker.yaml"), "-i", str(EXAMPLE / "nodes.yaml"), "--isolated"])
        os.write(writer, "\n".join(sys.modules).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        names = told.read().split("\n")
    os.waitpid(pid, 0)
    for name in names:
        if name not in sys.modules and not name.startswith(("kubelint_gpu.rules", "_frozen", "__")):
            try:
                importlib.import_module(name)
            except ImportError:
                continue
    registry.checks(), registry.world_checks(), registry.closing_checks()


def main():
    sys.path[0] = str(ROOT)
    connection = socket.socket(fileno=int(sys.argv[1]))
    _import_what_a_check_does()
    found = _serve(connection)
    if found is None:
        return
    asked, files = found
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["cwd"])
    for what, most in asked["limits"]:
        resource.setrlimit(what, tuple(most))
    sys.argv = asked["arguments"]
    sys.path[0] = ""
    from kubelint_gpu.cli import run as command

    command()


if __name__ == "__main__":
    main()
