"""The values that an Application of Argo CD gives a chart, also those that an ApplicationSet fills in."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer, read
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.workspace.project.git_ops.git_object import NO_FILE, CannotFollowError, GitObject, SingleValue


def argo_values(
    git_object: GitObject, helm: dict[str, Any], folder: str, references: set[str], pointer: Pointer
) -> Iterator[GivenValues | SingleValue]:
    """Yield the values in Argo CD's order: files, `values` or `valuesObject`, parameters.

    Single values that a template of the object makes have their path, their text as JSON, and the field they are from.

    Raises:
        CannotFollowError: a file is missing, or a value comes of a file.
    """
    if helm.get("fileParameters"):
        raise CannotFollowError("a value is the text of a file (`fileParameters`)")
    for name in sequence(helm.get("valueFiles")):
        if not isinstance(name, str):
            raise CannotFollowError(NO_FILE)
        head, _, rest = name.partition("/")
        path = rest if head in references or name.startswith("/") else posixpath.join(folder, name)
        values_file = git_object.file(path)
        if values_file is not None:
            yield values_file
        elif helm.get("ignoreMissingValueFiles") is not True:
            raise CannotFollowError(NO_FILE)
    key = "valuesObject" if helm.get("valuesObject") else "values"
    made = False
    if helm.get(key):
        for one in git_object.values_at("mapping" if key == "valuesObject" else "text", (*pointer, key)):
            made = made or isinstance(one, tuple)
            yield one
    parameters = [mapping(entry) for entry in sequence(helm.get("parameters"))]
    if any("[" in str(entry.get("name")) or str(entry.get("value"))[:1] in ("{", "$") for entry in parameters):
        raise CannotFollowError("a parameter is an expression")
    if parameters and (made or not git_object.is_written(*pointer, "parameters")):
        place = git_object.spot(*pointer, "parameters")
        yield from ((str(entry.get("name")), json.dumps(_plain(entry)), place) for entry in parameters)
    elif parameters:
        yield git_object.part("parameters", *pointer, "parameters")


def _plain(entry: dict[str, Any]) -> Any:
    """Return the value of a parameter: a text, or what the text means in YAML if that is no list or mapping."""
    text = str(entry.get("value", ""))
    document = next(iter(read("", text.encode(errors="replace")).documents), None)
    is_text = entry.get("forceString") is True or document is None or isinstance(document.value, dict | list)
    return text if is_text or document is None else document.value
