"""The objects that a kustomization accumulates, and how selectors match them."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.sources.kustomize.accumulation.strategic_merge import PatchKind
from kubelint_gpu.sources.kustomize.accumulation.traced import FieldWriter, Traced
from kubelint_gpu.work import charge


class Traceable:
    """One object on its way through the layers.

    Attributes:
        traced: its fields.
        kind: its apiVersion and kind.
        names: every name and namespace that it has had; patches and references may use any of them.
        generated: whether its name gets a hash suffix at the end.
    """

    __slots__ = ("generated", "kind", "names", "traced")

    def __init__(self, value: dict[str, Any], writer: FieldWriter, *, generated: bool = False) -> None:
        self.traced = Traced(value, [writer])
        self.generated = generated
        self.names: list[tuple[str, str]] = []
        self.remember()

    @property
    def name(self) -> str:
        """Return the current name."""
        return self.text("metadata", "name")

    @property
    def namespace(self) -> str:
        """Return the current namespace."""
        return self.text("metadata", "namespace")

    def text(self, *path: str) -> str:
        """Return a text field; empty if it is absent or no text."""
        found = self.traced.at(*path)
        value = found.value if found is not None else None
        return value if isinstance(value, str) else ""

    def remember(self) -> None:
        """Record the current kind, name and namespace."""
        self.kind = PatchKind(self.text("apiVersion"), self.text("kind"))
        now = (self.name, self.namespace)
        if now not in self.names:
            self.names.append(now)

    def is_meant(self, patch: dict[str, Any]) -> bool:
        """Whether a patch without a target is for this object: same group, kind, name, and namespace if given."""
        meta = patch.get("metadata")
        name = meta.get("name") if isinstance(meta, dict) else None
        namespace = meta.get("namespace") if isinstance(meta, dict) else None
        group = str(patch.get("apiVersion", "")).rpartition("/")[0]
        if (group, patch.get("kind")) != (self.kind.api_version.rpartition("/")[0], self.kind.kind):
            return False
        spaces = [space for known, space in self.names if known == name]
        return bool(spaces) and (not namespace or namespace in spaces or (namespace == "default" and "" in spaces))

    def selected(self, target: dict[str, Any]) -> bool:
        """Whether a target selects this object; names and kinds are regular expressions that must match in full."""
        from kubelint_gpu import linear

        charge(1)
        group, _, version = self.kind.api_version.rpartition("/")
        for key, mine in (("group", group), ("version", version), ("kind", self.kind.kind)):
            wanted = target.get(key)
            if wanted and not linear.matches(str(wanted), mine):
                return False
        name, namespace = target.get("name"), target.get("namespace")
        if not any(
            (not name or linear.matches(str(name), known)) and (not namespace or linear.matches(str(namespace), space))
            for known, space in self.names
        ):
            return False
        return self._labelled(target.get("labelSelector"), "labels") and self._labelled(
            target.get("annotationSelector"), "annotations"
        )

    def _labelled(self, selector: Any, field: str) -> bool:
        if not isinstance(selector, str) or not selector.strip():
            return True
        found = self.traced.at("metadata", field)
        labels = found.value if found is not None and isinstance(found.value, dict) else {}
        return all(_fulfils(labels, part) for part in selector.split(","))


def _fulfils(labels: dict[str, Any], part: str) -> bool:
    """Whether labels meet one condition of a label selector: `a=b`, `a==b`, `a!=b`, `a` or `!a`."""
    key, equals, value = part.replace("==", "=").partition("=")
    if equals and key.endswith("!"):
        return bool(labels.get(key[:-1].strip()) != value.strip())
    if equals:
        return bool(labels.get(key.strip()) == value.strip())
    return (key.strip().lstrip("!") in labels) != key.strip().startswith("!")
