"""A folder outside of the user's tree in which Kustomize works: a copy of what it needs, and a wrapper around it.

The wrapper asks for annotations that say where each object comes from; the user's files are never touched.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kubelint_gpu.values import dataclass

_TREE = "tree"
_WRAPPER = "wrapper"


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """Where Kustomize works.

    Attributes:
        wrapper: the folder that is built.
        home: a folder of its own for everything the program wants to write.
        tree: the folder that stands for the root of the repository, as it occurs in messages.
    """

    wrapper: Path
    home: Path
    tree: str


@contextmanager
def staged(folder: str, files: Mapping[str, bytes], in_place: Path | None = None) -> Iterator[WorkingCopy]:
    """A copy of some files of a repository, with a wrapper around `folder`; it is gone when the block ends.

    With `in_place`, the real root of the repository, nothing is copied and the wrapper leads there.
    """
    with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as made:
        top = Path(os.path.realpath(made))
        tree = in_place if in_place is not None else top / _TREE
        home, wrapper = top / "home", top / _WRAPPER
        for path in (home, wrapper):
            path.mkdir()
        for name, data in files.items() if in_place is None else ():
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        built = os.path.relpath(tree / folder, wrapper).replace(os.sep, "/")
        (wrapper / "kustomization.yaml").write_text(
            json.dumps(
                {
                    "apiVersion": "kustomize.config.k8s.io/v1beta1",
                    "kind": "Kustomization",
                    "resources": [built],
                }
            ),
            encoding="utf-8",
        )
        yield WorkingCopy(wrapper, home, str(tree))
