"""Syntax of names, label keys and label values, as apimachinery's validation has it."""

from __future__ import annotations

import re
from functools import lru_cache

from kubelint_gpu.patterns import pattern

NAMES_AS_LABELS = 34
"""The first minor release in which names of StatefulSets, and their Services, must be labels."""
_NAME = pattern(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_LABEL = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_IDENTIFIER = pattern(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_SUBDOMAIN = pattern(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)


@lru_cache(maxsize=8192)
def is_label_value(text: str) -> bool:
    """Empty, or at most 63 letters, digits, `-`, `_`, `.` that start and end with a letter or digit."""
    return text == "" or (len(text) <= 63 and _NAME().fullmatch(text) is not None)


@lru_cache(maxsize=8192)
def is_qualified_name(text: str) -> bool:
    """A label key or resource name: a name of at most 63 characters, optionally `subdomain/` before it."""
    prefix, slash, name = text.rpartition("/")
    if slash and (len(prefix) > 253 or _SUBDOMAIN().fullmatch(prefix) is None):
        return False
    return 0 < len(name) <= 63 and _NAME().fullmatch(name) is not None


def is_subdomain(text: str) -> bool:
    """A DNS subdomain of at most 253 characters: what most objects may be called."""
    return len(text) <= 253 and _SUBDOMAIN().fullmatch(text) is not None


def is_label(text: str) -> bool:
    """A DNS label of at most 63 characters: what namespaces, containers and volumes may be called."""
    return len(text) <= 63 and _LABEL().fullmatch(text) is not None


def is_driver_name(text: str) -> bool:
    """The name of a driver of devices, as that of a CSI driver: a DNS subdomain of at most 63 characters."""
    return len(text) <= 63 and is_subdomain(text.lower())


def is_identifier(text: str) -> bool:
    """A C identifier of at most 32 characters: what attributes and capacities of devices are called in their domain."""
    return len(text) <= 32 and _IDENTIFIER().fullmatch(text) is not None
