"""Problems of an object by field, so that callers can find the lines."""

from __future__ import annotations

import re
from typing import Any

from kubelint_gpu.patterns import pattern

Pointer = tuple[str | int, ...]

# ${VAR}, $VAR, {{ template }}, <no value>, __TOKEN__, replaced-by-…, PLACEHOLDER_…, CHANGE_ME, %{…}, ENC[…] of SOPS
_PLACEHOLDER = pattern(
    r"\$\{(?:[^$}]|\$(?!\{))*\}|\$[A-Za-z_]\w*|\$\([A-Za-z_]\w*\)|\{\{(?:[^{\n]|\{(?!\{))*?\}\}|<[A-Za-z][^<>]*>"
    r"|__[A-Za-z0-9_]+?__|%\{(?:[^%}]|%(?!\{))*\}|replaced?[-_]by|PLACEHOLDER|CHANGE_?ME"
    r"|\AENC\[[A-Z0-9_]+,",
    re.ASCII,
)

_LONGEST = 40
_COUNTED = ("cpu", "memory", "ephemeral-storage")
_PATCHED = pattern(r"replaced?[-_]by", re.ASCII)


def is_placeholder(value: object) -> bool:
    """Whether a text is a placeholder for a value that is filled in later (`${GPUS}`, `{{ .Values.gpus }}`)."""
    return isinstance(value, str) and _PLACEHOLDER().search(value) is not None


def is_patched_later(value: object) -> bool:
    """Whether a name itself shows that an overlay replaces it (`replaced-by-kustomize`)."""
    return isinstance(value, str) and _PATCHED().search(value) is not None


def field_path(pointer: Pointer) -> str:
    """A pointer as the API server writes it: `spec.template.spec.containers[0].image`."""
    text = ""
    for part in pointer:
        if isinstance(part, int) or (text and ("/" in part or "." in part)):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def short_path(pointer: Pointer) -> str:
    """A field as the API server writes it; only the end of a long path, because the place is shown, too."""
    start = 0
    while start < len(pointer) - 1 and (len(field_path(pointer[start:])) > _LONGEST or isinstance(pointer[start], int)):
        start += 1
    return field_path(pointer[start:])


class InvalidObject(ValueError):  # noqa: N818 - it names the thing, as Kubernetes' own error does
    """A field of an API object has a value that the API server would refuse.

    Attributes:
        kind: `kind` of the object, or the kind that was expected.
        name: `namespace/name`, or the name alone for a cluster-scoped object.
        pointer: the field, from the root of the object.
        value: the invalid value.
        detail: what is wrong and what would be right.
        allowed: the allowed values, if these are few.
        is_text: the field is a string, and the value is none.
    """

    def __init__(
        self,
        detail: str,
        pointer: Pointer = (),
        value: Any = None,
        *,
        kind: str = "",
        name: str = "",
        allowed: tuple[str, ...] = (),
        is_text: bool = False,
    ) -> None:
        self.detail = detail
        self.pointer = pointer
        self.value = value
        self.kind = kind
        self.name = name
        self.allowed = allowed
        self.is_text = is_text
        super().__init__(detail)

    @property
    def placeholder(self) -> bool:
        """Whether the value is not wrong but unknown: it is filled in later."""
        return is_placeholder(self.value)

    @property
    def is_amount(self) -> bool:
        """Whether an amount of CPU, memory or storage is filled in later: at least something is requested."""
        return self.placeholder and self.pointer[-2:-1] in (("limits",), ("requests",)) and self.pointer[-1] in _COUNTED

    def __str__(self) -> str:
        where = field_path(self.pointer)
        who = " ".join(part for part in (self.kind, self.name) if part)
        return ": ".join(part for part in (who, where, self.detail) if part)
