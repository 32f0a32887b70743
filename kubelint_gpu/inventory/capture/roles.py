"""What stands in the fields that a captured inventory keeps."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias


class Role(Enum):
    """What stands in a field that is kept.

    Attributes:
        PLAIN: words of Kubernetes, numbers, quantities: the same everywhere.
        NAME: the name of an object, or text that is built from names.
        KEY: the key of a label or taint, or the name of a resource.
        LABELS: labels by their keys.
        AMOUNTS: quantities by the names of resources.
        REQUIREMENT: a key with the operator and values that it is compared with; taints and tolerations are such.
        ATTRIBUTES: what a driver says of a device, by the attributes' names: its model, and also its serial number.
        EXPRESSION: a condition on attributes, in the Common Expression Language.
    """

    PLAIN = "plain"
    NAME = "name"
    KEY = "key"
    LABELS = "labels"
    AMOUNTS = "amounts"
    REQUIREMENT = "requirement"
    ATTRIBUTES = "attributes"
    EXPRESSION = "expression"


Shape: TypeAlias = Role | Mapping[str, "Shape"]
