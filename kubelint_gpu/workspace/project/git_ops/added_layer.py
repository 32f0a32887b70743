"""The kustomization that an object of a GitOps controller puts on top of a folder.

Sources: `Generator.WriteFile` of github.com/fluxcd/pkg/kustomize, and `kustomize.Build` of Argo CD (v2). Both change
the kustomization of the folder itself: where that gives something else, the object is not followed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kubelint_gpu.documents import MAX_BYTES, Pointer, read
from kubelint_gpu.kube.values.plain import at, mapping, sequence
from kubelint_gpu.sources.kustomize.files.kustomization import DiskTree, find_in, joined, load
from kubelint_gpu.sources.kustomize.files.survey import read_once
from kubelint_gpu.sources.kustomize.files.surveyor import generated
from kubelint_gpu.workspace.project.git_ops.git_object import CannotFollowError, GitObject

_BOTH = {key: key for key in ("namePrefix", "nameSuffix", "patches", "components")}
OF_FLUX = {"targetNamespace": "namespace", **_BOTH}
"""Fields of a Kustomization of Flux, each with that of the kustomization."""
OF_ARGO = {"commonLabels": "labels", "namespace": "namespace", "replicas": "replicas", **_BOTH}
"""Fields of `kustomize` of a source of Argo CD, each with that of the kustomization."""
_TEXTS = ("namespace", "namePrefix", "nameSuffix")


def added_layer(
    git_object: GitObject, folder: str, fields: Mapping[str, str], *pointer: str | int
) -> tuple[str, tuple[Pointer, ...]]:
    """Return the text of the kustomization, and where the object has each of its lines; empty if there is none.

    `folder` is below the root of the repository; `fields` stand at `pointer` of the object.

    Raises:
        CannotFollowError: a field has a value that is not followed.
    """
    spec = git_object.at(*pointer)
    given = [(name, key) for name, key in fields.items() if spec.get(name)]
    if given and folder == ".":
        raise CannotFollowError(f"`{given[0][0]}` changes the root of the repository")
    tree = DiskTree(git_object.root)
    head = find_in(tree, folder)
    own = load(tree, head, head) if head is not None else None
    lines: list[tuple[str, Pointer]] = [(f"resources: [{json.dumps(f'../{folder}')}]", git_object.within(*pointer))]
    for name, key in given:
        value, place = spec[name], git_object.within(*pointer, name)
        if key in _TEXTS:
            if not isinstance(value, str):
                raise CannotFollowError(f"`{name}` is no text")
            if key != "namespace" and own is not None and own.value.get(key):
                raise CannotFollowError(f"the folder has a `{key}`, too")
            lines.append((f"{key}: {json.dumps(value)}", place))
            continue
        lines.append((f"{key}:", place))
        for index, entry in enumerate([_labels(spec)] if key == "labels" else sequence(value)):
            lines.append((f"- {json.dumps(_entry(git_object, folder, key, entry))}", (*place, index)))
    return "".join(f"{line}\n" for line, _ in lines if given), tuple(place for _, place in lines)


def _entry(git_object: GitObject, folder: str, key: str, entry: Any) -> Any:
    """Return an entry of a list as the kustomization on top has it.

    Raises:
        CannotFollowError: it is not of the form that the controller wants, or names something elsewhere.
    """
    if key == "components":
        path = joined(folder, entry) if isinstance(entry, str) else None
        if path is None or not DiskTree(git_object.root).is_folder(path):
            raise CannotFollowError("a component is not in this repository")
        return f"../{path}"
    fields = dict(mapping(entry))
    if key == "patches":
        # Kustomize reads files of the folder itself only
        path = joined(folder, fields["path"]) if isinstance(fields.get("path"), str) else None
        data = DiskTree(git_object.root).read(path) if path is not None else None
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
    selected = spec.get("labelWithoutSelector") is not True
    in_templates = selected or spec.get("labelIncludeTemplates") is True
    return {"pairs": pairs, "includeSelectors": selected, "includeTemplates": in_templates}


def lacks_namespaces(git_object: GitObject, folder: str, *, deep: bool) -> bool:
    """Whether an object of a folder has no namespace, and Kustomize takes all: each has a kind and its own name."""
    tree = DiskTree(git_object.root)
    made = generated(tree, folder, deep=deep)
    paths = sequence(at(read(*made).documents[0].value, ("resources",))) if made is not None else []
    readings = [read_once(path, tree.read(joined(folder, path) or "") or b"") for path in paths]
    values = [document.value for reading in readings for document in reading.documents if document.value]
    keys = [
        tuple(at(one, key) for key in (("metadata", "namespace"), ("metadata", "name"), ("kind",))) for one in values
    ]
    whole = all(name and kind for _, name, kind in keys) and len(set(map(str, keys))) == len(keys)
    return whole and not any(reading.problems for reading in readings) and not all(space for space, _, _ in keys)
