"""A folder outside of the user's tree in which Kustomize works: a copy of the files that it needs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kubelint_gpu.values import Value


class WorkingCopy(Value):
    """Where Kustomize works.

    Attributes:
        folder: what is built.
        home: a folder of its own for everything the program wants to write.
        tree: the folder that stands for the root of the repository, as it occurs in messages.
    """

    folder: Path
    home: Path
    tree: str


@contextmanager
def staged(folder: str, files: Mapping[str, bytes], in_place: Path | None = None) -> Iterator[WorkingCopy]:
    """A copy of some files of a repository, of which `folder` is built; it is gone when the block ends.

    With `in_place`, the real root of the repository, nothing is copied.
    """
    with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as made:
        top = Path(os.path.realpath(made))
        tree, home = in_place or top / "tree", top / "home"
        home.mkdir()
        for name, data in files.items() if in_place is None else ():
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        yield WorkingCopy(tree / folder, home, str(tree))
