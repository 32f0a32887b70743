"""`python -m tools.api_fields`: writes `kubelint_gpu/kube/api_fields.txt` from the package kubernetes-validate.

The package holds the OpenAPI documents of Kubernetes, 130 MB of them; the table holds the names and types of fields and
the releases that know them.
Needs `pip install kubernetes-validate`.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parent.parent / "kubelint_gpu" / "kube" / "validation" / "api_fields.txt"
_GROUPS = "x-kubernetes-group-version-kind"
_REF = "#/$defs/"
# types that are written as something else than their fields say
_SCALARS = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "q",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "p",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "t",
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "t",
    "io.k8s.apimachinery.pkg.runtime.RawExtension": "*",
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "*",
}
# nobody keeps these in manifests, or they are read elsewhere
_LEFT_OUT = frozenset(
    ("CustomResourceDefinition", "APIGroup", "APIResourceList", "APIVersions", "Status", "WatchEvent")
)
Kind = tuple[str, str]
Fields = dict[str, str]


def schemas() -> dict[int, dict[str, Any]]:
    """The definitions of each minor release."""
    found = importlib.util.find_spec("kubernetes_validate")
    if found is None or found.origin is None:
        raise SystemExit("pip install kubernetes-validate")
    folder = Path(found.origin).parent / "kubernetes-json-schema"
    releases = {}
    for path in folder.glob("v1.*-local-strict"):
        minor = int(path.name.split(".")[1])
        releases[minor] = json.loads((path / "_definitions.json").read_text())["$defs"]
    return dict(sorted(releases.items()))


def code(schema: dict[str, Any]) -> str:
    """The type of a field: `s` text, `i` integer, `b` boolean, `n` number, `q` quantity, `p` integer or text, `t` time,
    `*` anything, `[` a list of, `{` a mapping to, else the name of a type.
    """
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REF)
        return _SCALARS.get(name, "@" + name)
    if "oneOf" in schema:
        inner = {code(one) for one in schema["oneOf"]}
        return {frozenset("sn"): "q", frozenset("si"): "p"}.get(frozenset(inner), "*")
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(one for one in kind if one != "null")
    if kind == "array":
        return "[" + code(schema.get("items", {}))
    if kind == "object":
        more = schema.get("additionalProperties")
        return "{" + (code(more) if isinstance(more, dict) else "*")
    return {
        "string": "t" if schema.get("format") == "date-time" else "s",
        "integer": "i",
        "boolean": "b",
        "number": "n",
    }.get(str(kind), "*")


def types(definitions: dict[str, Any]) -> tuple[dict[Kind, str], dict[str, Fields]]:
    """The kinds that have a name and a group, and the fields of all types that they lead to."""
    kinds: dict[Kind, str] = {}
    for name, schema in definitions.items():
        for group in schema.get(_GROUPS, ()):
            kind = group["kind"]
            if (
                kind in _LEFT_OUT
                or kind.endswith(("List", "Options"))
                or "metadata" not in schema.get("properties", {})
            ):
                continue
            version = "/".join(part for part in (group["group"], group["version"]) if part)
            kinds[version, kind] = name
    fields: dict[str, Fields] = {}
    left = sorted(set(kinds.values()))
    while left:
        name = left.pop()
        properties = definitions[name].get("properties")
        if name in fields or properties is None:
            continue
        fields[name] = {key: code(value) for key, value in sorted(properties.items())}
        left += [found.lstrip("[{")[1:] for found in fields[name].values() if found.lstrip("[{").startswith("@")]
    return kinds, fields


def short(name: str) -> str:
    """`io.k8s.api.apps.v1.DeploymentSpec` as `apps.v1.DeploymentSpec`."""
    for prefix in ("io.k8s.api.", "io.k8s.apimachinery.pkg.apis.", "io.k8s.kube-aggregator.pkg.apis.", "io.k8s."):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def spans(known: dict[int, str], releases: list[int]) -> str:
    """A type with the releases that know it: `s`, `s:29-` from 1.29 on, `s:-31` up to 1.31; several by `|`."""
    parts: list[tuple[str, int, int]] = []
    for minor in releases:
        if minor not in known:
            continue
        if parts and parts[-1][0] == known[minor] and parts[-1][2] == minor - 1:
            parts[-1] = (parts[-1][0], parts[-1][1], minor)
        else:
            parts.append((known[minor], minor, minor))
    first, last = releases[0], releases[-1]
    return "|".join(
        found
        if (low, high) == (first, last)
        else f"{found}:{low if low != first else ''}-{high if high != last else ''}"
        for found, low, high in parts
    )


def lines() -> Iterator[str]:
    """The table: the releases, the kinds, the types."""
    found = {minor: types(definitions) for minor, definitions in schemas().items()}
    releases = list(found)
    yield f"releases {releases[0]} {releases[-1]}"
    everything = sorted({kind for kinds, _ in found.values() for kind in kinds})
    for version, kind in everything:
        known = {
            minor: "@" + short(kinds[version, kind]) for minor, (kinds, _) in found.items() if (version, kind) in kinds
        }
        yield f"kind {version} {kind} {spans(known, releases)}"
    for name in sorted({name for _, fields in found.values() for name in fields}):
        keys = sorted({key for _, fields in found.values() for key in fields.get(name, ())})
        entries = []
        for key in keys:
            known = {
                minor: _shortened(fields[name][key])
                for minor, (_, fields) in found.items()
                if key in fields.get(name, ())
            }
            # a type that came later than the first release need not say so for each field
            there = [minor for minor, (_, fields) in found.items() if name in fields]
            entries.append(f"{key}={spans(known, there)}")
        yield f"type {short(name)} {' '.join(entries)}"


def _shortened(found: str) -> str:
    outer = found[: len(found) - len(found.lstrip("[{"))]
    inner = found[len(outer) :]
    return outer + ("@" + short(inner[1:]) if inner.startswith("@") else inner)


if __name__ == "__main__":
    TABLE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
