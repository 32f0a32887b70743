"""What lies at a path; where the system does not take its name, or does not let it be looked at, nothing does."""

from __future__ import annotations

import os
from pathlib import Path

LONGEST = 32 * 1024
"""Characters of a path that no system takes any more; Linux takes 4,096 bytes, Windows 32,767 characters."""


def is_chart(path: str) -> bool:
    """Whether it is that of the file that makes a folder a Helm chart."""
    return os.path.basename(path) == "Chart.yaml"  # noqa: PTH119 - text, and often


def is_subchart(folder: str | Path) -> bool:
    """Whether a chart lies in another one, which is rendered with it."""
    above, name = os.path.split(os.path.split(os.path.abspath(folder))[0])  # noqa: PTH100 - text
    return name == "charts" and is_file(os.path.join(above, "Chart.yaml"))  # noqa: PTH118 - same


def is_file(path: str | Path) -> bool:
    """Whether there is a plain file, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113 - pathlib raises where a name is too long


def is_folder(path: str | Path) -> bool:
    """Whether there is a folder, or a link to one."""
    return os.path.isdir(path)  # noqa: PTH112 - same


def exists(path: str | Path) -> bool:
    """Whether there is anything, or a link to something."""
    return os.path.exists(path)  # noqa: PTH110 - same
