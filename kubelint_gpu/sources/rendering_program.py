"""The user's own renderer, Kustomize or Helm, run within limits.

It gets no network, no home and no credentials: its own environment, proxies that lead nowhere, a limit of time, a limit
of memory if the system supports that (Linux), and a limit of output.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from kubelint_gpu.sources import children
from kubelint_gpu.sources.children import ChildError, Limits, Ran, TimeLimitError

SECONDS = 60
MOST_TIMES = 10
MOST_OUTPUT = 64 * 1024 * 1024
_MOST_MEMORY = 4 * 1024 * 1024 * 1024
_NOWHERE = "http://127.0.0.1:9"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
_KEPT = ("SYSTEMROOT", "SystemRoot")


class ProgramError(Exception):
    """A renderer cannot be started, or failed; the message says why."""


class RenderTime:
    """Limits of time for renders: `seconds` for one render, `MOST_TIMES` as much for all renders of a run.

    `flag` is the command line option that raises the limit.
    """

    def __init__(self, seconds: float = SECONDS, flag: str = "--kustomize-timeout") -> None:
        self.seconds = seconds
        self.flag = flag
        self._taken: list[float] = []

    def left(self) -> float:
        """Return the seconds that the next render may take. Raises ProgramError if no time is left."""
        left = self.seconds * MOST_TIMES - sum(self._taken)
        if left <= 0:
            raise ProgramError(
                f"it is not built, because the builds of this run took {self.seconds * MOST_TIMES:g} seconds together, "
                f"the most that they may; {self.flag} gives them more"
            )
        return min(self.seconds, left)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the time that the block takes."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._taken.append(time.monotonic() - begun)


def run(
    command: Sequence[str],
    home: Path,
    seconds: float,
    *,
    flag: str,
    search_path: str = "",
    proxied: bool = True,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Ran:
    """Run a renderer whose only folder is `home`; messages name `flag`, the option that gives it more time.

    `search_path` is its PATH. It reaches the network only if it is not `proxied`.

    Raises:
        ProgramError: it cannot be started, took too long, or printed too much.
    """
    environment = {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "TMPDIR": str(home),
        "PATH": search_path,
        "KUBECONFIG": str(home / "none"),
        "LC_ALL": "C",
        **{name: _NOWHERE for name in _PROXIES if proxied},
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
        **variables,
    }
    try:
        limits = Limits(seconds, MOST_OUTPUT, _MOST_MEMORY)
        return children.run(list(command), limits, folder=home, environment=environment)
    except TimeLimitError as error:
        raise ProgramError(f"{error}; {flag} gives it more") from None
    except ChildError as error:
        raise ProgramError(str(error)) from None
