"""Pseudonyms for the names in a cluster, under which every verdict is the same.

Names are built from words: a ReplicaSet's from that of its Deployment and a hash, a claim's from a template and a pod.
So each word gets its own pseudonym, always the same one, and separators stay. Words of Kubernetes, numbers, and label
values that describe a node's hardware or system stay, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kubelint_gpu.inventory.capture.pruning import Role, Shape, shape_of
from kubelint_gpu.kube.gpu.gpu_labels import is_gpu_label
from kubelint_gpu.kube.gpu.resource_owners import SCHEDULERS
from kubelint_gpu.patterns import pattern

_OF_SCHEDULERS = frozenset(word for name in SCHEDULERS for part in name.split("/") for word in part.split("-"))
WORDS = _OF_SCHEDULERS | frozenset([
    "default", "kube", "system", "public", "node", "nodes", "lease", "master", "worker", "control", "plane", "pool",
    "gpu", "gpus", "cpu", "critical", "cluster", "scheduler", "apiserver", "controller", "manager", "proxy",
    "coredns", "dns", "etcd", "nvidia", "device", "plugin", "operator", "exporter", "driver", "requests", "limits",
    "count", "name", "metadata", "app", "true", "false",
])  # fmt: skip
# the projects that define labels, taints and resources for everybody
_DOMAINS = (
    "amazonaws.com",
    "amd.com",
    "azure.com",
    "count",
    "google.com",
    "habana.ai",
    "hami.io",
    "intel.com",
    "k8s.aws",
    "k8s.io",
    "karpenter.sh",
    "kubelint-gpu",
    "kubernetes.io",
    "nvidia.com",
    "openshift.io",
    "run.ai",
    "volcano.sh",
    "x-k8s.io",
)
_KEYS = frozenset([
    "app", "component", "controller-revision-hash", "controller-uid", "job-name", "k8s-app", "name",
    "pod-template-generation", "pod-template-hash", "role", "tier", "version", "metadata.name",
])  # fmt: skip
_VALUES = frozenset(
    [
        "beta.kubernetes.io/arch",
        "beta.kubernetes.io/instance-type",
        "beta.kubernetes.io/os",
        "kubernetes.io/arch",
        "kubernetes.io/os",
        "node.kubernetes.io/instance-type",
        "karpenter.sh/capacity-type",
    ]
)
_HARDWARE = ("amd.com/", "beta.amd.com/", "feature.node.kubernetes.io/", "gpu.intel.com/", "nvidia.com/")


_MODEL = frozenset([
    "addressingmode", "architecture", "brand", "cudacomputecapability", "cudadriverversion", "driverversion",
    "family", "generation", "model", "product", "productname", "profile", "type", "vendor",
])  # fmt: skip
_RESOURCES = frozenset([
    "cpu", "memory", "ephemeral", "storage", "pods", "hugepages", "attachable", "services", "secrets", "configmaps",
    "persistentvolumeclaims", "replicationcontrollers", "resourcequotas", "loadbalancers", "nodeports",
])  # fmt: skip
# an address is one word, and so is a UUID: their numbers would tell them
_WORD = pattern(
    r"(?<![A-Za-z0-9])\d{1,3}([-.])\d{1,3}\1\d{1,3}\1\d{1,3}(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![A-Za-z0-9])|[A-Za-z0-9]+"
)
_LITERAL = pattern(r"""(?P<quote>["'])(?P<text>(?:[^"'\\]|\\.)*)["']""", re.DOTALL)
_NUMBER = pattern(r"[0-9]+|true|false|[0-9]+[KMGT]i?B?", re.IGNORECASE)
_LONGEST_VALUE = 63
# A number of so many digits counts nothing.
_SERIAL = 6
_STORAGE_CLASS = ".storageclass.storage.k8s.io/"


def is_known_attribute(name: str) -> bool:
    """Whether an attribute describes the model of a device, not the single device."""
    return name.rpartition("/")[2].lower() in _MODEL


def is_known_key(key: str) -> bool:
    """Whether a label key, taint key or resource name is common to all clusters."""
    domain, slash, _ = key.rpartition("/")
    if not slash:
        # resources of Kubernetes and of quotas have no domain: cpu, requests.memory, hugepages-2Mi
        return key in _KEYS or key.partition("-")[0].rpartition(".")[2] in _RESOURCES
    return any(domain == known or domain.endswith(f".{known}") for known in _DOMAINS)


def is_known_value(key: str) -> bool:
    """Whether the values of a label describe a node's hardware or system, and are not names given by a user."""
    return key in _VALUES or is_gpu_label(key) or key.startswith(_HARDWARE)


class Pseudonyms:
    """The pseudonyms of all words in some objects, in the order of the words."""

    def __init__(self, objects: Iterable[dict[str, Any]]) -> None:
        self._seen: set[str] | None = set()
        self._names: dict[str, str] = {}
        # The drivers of devices, which stay.
        self._drivers: set[str] = set()
        # Words of the models of devices, which stay, and numbers that tell one device from all others, which do not.
        self._models: set[str] = set()
        self._numbers: set[str] = set()
        objects = tuple(objects)
        for value in objects:
            self._learn(value)
        for value in objects:
            self.renamed(value)
        words = sorted(self._seen or ())
        width = len(str(len(words)))
        self._names = {word: f"w{number:0{width}}" for number, word in enumerate(words, 1)}
        self._seen = None

    def renamed(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return an object with pseudonyms in place of names; unchanged if no inventory has its kind."""
        shape = shape_of(value)
        return value if shape is None else self._renamed(value, {**shape, "apiVersion": Role.PLAIN, "kind": Role.PLAIN})

    def text(self, text: str) -> str:
        """Return a name, or text built from names, under pseudonyms."""
        return _WORD().sub(lambda match: self._word(match[0]), text)

    def _word(self, word: str) -> str:
        if word in WORDS or (_NUMBER().fullmatch(word) and word not in self._numbers):
            return word
        if self._seen is not None:
            self._seen.add(word)
        # a word that was in none of the objects is nobody's secret, and is like none of the pseudonyms
        return self._names.get(word, word)

    def _key(self, key: str) -> str:
        if _STORAGE_CLASS in key:
            name, _, rest = key.partition(_STORAGE_CLASS)
            return f"{self.text(name)}{_STORAGE_CLASS}{rest}"
        return key if is_known_key(key) else self.text(key)

    def _value(self, key: str, value: Any) -> Any:
        if not isinstance(value, str) or is_known_value(key) or _NUMBER().fullmatch(value):
            return value
        name = self.text(value)
        if len(name) <= _LONGEST_VALUE or len(value) > _LONGEST_VALUE:
            return name
        return self._word(value)

    def _renamed(self, value: Any, shape: Shape) -> Any:
        if isinstance(value, list):
            return [self._renamed(element, shape) for element in value]
        if isinstance(shape, Mapping):
            if not isinstance(value, dict):
                return value
            return {key: self._renamed(found, shape.get(key, Role.PLAIN)) for key, found in value.items()}
        if isinstance(value, str):
            return self._said(value, shape)
        if isinstance(value, dict):
            return self._mapping(value, shape)
        return value

    def _said(self, text: str, shape: Role) -> str:
        if shape is Role.NAME:
            return self.text(text)
        if shape is Role.KEY:
            return self._key(text)
        return _LITERAL().sub(self._literal, text) if shape is Role.EXPRESSION else text

    def _literal(self, match: re.Match[str]) -> str:
        """Return a string literal of an expression under pseudonyms; known drivers and attribute domains stay."""
        if match["text"] in self._drivers or is_known_key(f"{match['text']}/"):
            return match[0]
        words = _WORD().sub(
            lambda word: word[0] if self._is_of_model(word[0].lower()) else self._word(word[0]), match["text"]
        )
        return f"{match['quote']}{words}{match['quote']}"

    def _is_of_model(self, word: str) -> bool:
        """Whether a word of a model begins with this word."""
        return any(known.startswith(word) for known in self._models)

    def _learn(self, value: Any) -> None:
        """Collect drivers, models and serial numbers from a ResourceSlice."""
        spec = value.get("spec")
        if value.get("kind") != "ResourceSlice" or not isinstance(spec, dict):
            return
        if isinstance(spec.get("driver"), str):
            self._drivers.add(spec["driver"])
        devices = spec.get("devices")
        for device in devices if isinstance(devices, list) else ():
            for part in (device, device.get("basic")) if isinstance(device, dict) else ():
                attributes = part.get("attributes") if isinstance(part, dict) else None
                for name, said in attributes.items() if isinstance(attributes, dict) else ():
                    text = said.get("string") if isinstance(said, dict) else None
                    words = [word[0] for word in _WORD().finditer(text)] if isinstance(text, str) else []
                    if is_known_attribute(str(name)):
                        self._models.update(word.lower() for word in words)
                    else:
                        self._numbers.update(word for word in words if len(word) >= _SERIAL and word.isdigit())

    def _attributes(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return attributes under pseudonyms; models stay, and numbers that could be serial numbers are left out."""
        changed: dict[str, Any] = {}
        for name, said in value.items():
            if is_known_attribute(name) or not isinstance(said, dict):
                changed[name] = said
            elif len(str(said.get("int", ""))) < _SERIAL:
                changed[name] = {
                    key: self.text(found) if isinstance(found, str) and key != "version" else found
                    for key, found in said.items()
                }
        return changed

    def _mapping(self, value: dict[str, Any], shape: Role) -> dict[str, Any]:
        if shape is Role.ATTRIBUTES:
            return self._attributes(value)
        if shape is Role.LABELS:
            return {self._key(key): self._value(key, found) for key, found in value.items()}
        if shape is Role.AMOUNTS:
            return {self._key(key): found for key, found in value.items()}
        if shape is not Role.REQUIREMENT:
            return value
        key = value.get("key")
        key = key if isinstance(key, str) else ""
        changed: dict[str, Any] = {}
        if "key" in value:
            changed["key"] = self._key(key)
        if "value" in value:
            changed["value"] = self._value(key, value["value"])
        if isinstance(value.get("values"), list):
            changed["values"] = [self._value(key, each) for each in value["values"]]
        return {**value, **changed}
