"""The Kubernetes version of the cluster."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE
from kubelint_gpu.patterns import pattern

_VERSION = pattern(r"v?(?P<major>1)\.(?P<minor>[0-9]{1,4})(?:[.+-].*)?", re.ASCII | re.DOTALL)


def minor_version(text: str) -> tuple[int, int] | None:
    """Return major and minor of a version as Kubernetes writes it (`v1.34.1+k3s1`), None if it is no version."""
    found = _VERSION().fullmatch(text)
    return (int(found["major"]), int(found["minor"])) if found else None


def devices_minor(version: str | None) -> int:
    """Return the minor version for judging devices; if unknown, a version with all betas on by default."""
    found = minor_version(version) if version is not None else None
    return found[1] if found is not None else BETAS_SINCE


def cluster_version(declared: str | None, kubelets: Iterable[str]) -> str | None:
    """Return the version of the control plane: the declared one, else that of the newest kubelet.

    A kubelet is never newer than its control plane (Kubernetes version skew policy).
    """
    if declared is not None:
        found = minor_version(declared)
    else:
        versions = (minor_version(text) for text in set(kubelets))
        found = max((version for version in versions if version is not None), default=None)
    return f"{found[0]}.{found[1]}" if found else None
