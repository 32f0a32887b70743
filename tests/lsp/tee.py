"""Stands between an editor and its server, and writes down every message: `tee.py LOG COMMAND...`."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

LOCK = threading.Lock()


def message(stream):
    """The next message; None at the end."""
    length = 0
    while (header := stream.readline()).strip():
        if header.lower().startswith(b"content-length:"):
            length = int(header.partition(b":")[2])
    return stream.read(length) if length else None


def forward(source, target, who, log):
    while (body := message(source)) is not None:
        with LOCK:
            log.write(json.dumps([who, json.loads(body)]) + "\n")
            log.flush()
        target.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        target.flush()
    target.close()


def main():
    with Path(sys.argv[1]).open("w", encoding="utf-8") as log:
        server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        asking = threading.Thread(target=forward, args=(sys.stdin.buffer, server.stdin, "client", log), daemon=True)
        asking.start()
        forward(server.stdout, sys.stdout.buffer, "server", log)
        sys.exit(server.wait())


if __name__ == "__main__":
    main()
