"""The kustomization that an object of a GitOps controller puts on top of a folder.

Sources: `Generator.WriteFile` of github.com/fluxcd/pkg/kustomize, and `kustomize.Build` of Argo CD (v2). Both change
the kustomization of the folder itself: where that gives something else, the object is not followed.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import Any

from kubelint_gpu.documents import MAX_BYTES, Pointer, read
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources.checkout import is_folder
from kubelint_gpu.sources.kustomize.files.generated import generated
from kubelint_gpu.sources.kustomize.files.kustomization import DiskTree, find_in, joined, load
from kubelint_gpu.workspace.project.git_ops.git_object import CannotFollowError, GitObject

OF_FLUX = {
    "targetNamespace": "namespace",
    **{key: key for key in ("namePrefix", "nameSuffix", "patches", "components")},
}
"""Fields of a Kustomization of Flux, each with that of the kustomization."""
OF_ARGO = {
    "commonLabels": "labels",
    **{key: key for key in ("namespace", "namePrefix", "nameSuffix", "replicas", "patches", "components")},
}
"""Fields of `kustomize` of a source of Argo CD, each with that of the kustomization."""
_NAMES = ("namePrefix", "nameSuffix")


def added_layer(
    git_object: GitObject, folder: str, fields: Mapping[str, str], *pointer: str | int
) -> tuple[str, tuple[Pointer, ...]]:
    """Return the text of the kustomization, and where the object has each of its lines; empty if there is none.

    Args:
        git_object: the object.
        folder: the folder, below the root of the repository.
        fields: the followed fields of the object, each with that of the kustomization.
        pointer: where the fields stand in the object.

    Raises:
        CannotFollowError: a field has a value that is not followed.
    """
    spec = git_object.at(*pointer)
    given = [(name, key) for name, key in fields.items() if spec.get(name)]
    if not given:
        return "", ()
    if folder == ".":
        raise CannotFollowError(f"`{given[0][0]}` changes the root of the repository")
    tree = DiskTree(git_object.root)
    head = find_in(tree, folder)
    own = load(tree, head, head) if head is not None else None
    lines: list[tuple[str, Pointer]] = [(f"resources: [{json.dumps(f'../{folder}')}]", pointer)]
    for name, key in given:
        value, place = spec[name], git_object.within(*pointer, name)
        if key in ("namespace", *_NAMES):
            if not isinstance(value, str):
                raise CannotFollowError(f"`{name}` is no text")
            if key in _NAMES and own is not None and own.value.get(key):
                raise CannotFollowError(f"its folder has a `{key}`, too")
            lines.append((f"{key}: {json.dumps(value)}", place))
            continue
        entries = [_labels(spec)] if key == "labels" else sequence(value)
        lines.append((f"{key}:", place))
        lines += (
            (f"- {json.dumps(_entry(git_object, folder, key, entry))}", place if key == "labels" else (*place, index))
            for index, entry in enumerate(entries)
        )
    return "".join(f"{line}\n" for line, _ in lines), tuple(place for _, place in lines)


def _entry(git_object: GitObject, folder: str, key: str, entry: Any) -> Any:
    """Return an entry of a list as the kustomization on top has it.

    Raises:
        CannotFollowError: it is not of the form that the controller wants, or names something elsewhere.
    """
    if key == "components":
        path = joined(folder, entry) if isinstance(entry, str) else None
        if path is None or not is_folder(git_object.root / path):
            raise CannotFollowError("a component is not in this repository")
        return f"../{path}"
    fields = dict(mapping(entry))
    if key == "patches":
        path = fields.get("path")
        # Kustomize reads files of the folder itself only
        file = git_object.file(posixpath.join(folder, path)) if isinstance(path, str) else None
        data = DiskTree(git_object.root).read(file.path) if file is not None else None
        patch = fields.get("patch") if data is None else data.decode(errors="replace")
        if not isinstance(patch, str) or len(patch) > MAX_BYTES:
            raise CannotFollowError("a patch is neither a text nor a file of this repository")
        fields = {"patch": patch, **{name: fields[name] for name in ("target", "options") if name in fields}}
    elif key == "replicas":
        count = str(fields.get("count"))
        if not (count.isascii() and count.isdecimal() and len(count) < 10):
            raise CannotFollowError("a count of replicas is no number")
        fields["count"] = int(count)
    return fields


def _labels(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return `commonLabels` of Argo CD as an entry of `labels`."""
    pairs = {key: str(value) for key, value in mapping(spec.get("commonLabels")).items()}
    plain = spec.get("labelWithoutSelector") is True
    return {
        "pairs": pairs,
        "includeSelectors": not plain,
        "includeTemplates": not plain or spec.get("labelIncludeTemplates") is True,
    }


def lacks_namespaces(git_object: GitObject, folder: str, *, deep: bool) -> bool:
    """Whether an object of a folder has no namespace, and Kustomize takes all: each has a kind and its own name."""
    tree = DiskTree(git_object.root)
    made = generated(tree, folder, deep=deep)
    if made is None:
        return False
    paths = [joined(folder, path) for path in mapping(read(*made).documents[0].value)["resources"]]
    readings = [read(path, tree.read(path) or b"") for path in paths if path]
    values = [mapping(document.value) for reading in readings for document in reading.documents if document.value]
    found = [(one.get("kind"), mapping(one.get("metadata"))) for one in values]
    names = [(str(kind), str(meta.get("namespace")), str(meta.get("name"))) for kind, meta in found]
    whole = all(kind and meta.get("name") for kind, meta in found) and len({*names}) == len(names)
    return (
        whole
        and not any(reading.problems for reading in readings)
        and any(not meta.get("namespace") for _, meta in found)
    )
