"""Why the API server refuses every pod of an accepted template.

Source of what Pod Security admission refuses: staging/src/k8s.io/pod-security-admission/policy, Kubernetes 1.34.
Exemptions and defaults of the API server's own configuration are not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.plain import mapping, sequence, whole, written
from kubelint_gpu.values import Value

_CAPABILITIES = frozenset(("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"))
_CAPABILITIES |= {"NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"}
_VOLUMES = frozenset(("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim"))
_VOLUMES |= {"projected", "secret"}
_SELINUX_TYPES = ("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t")
_SYSCTLS = frozenset(
    (
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.ping_group_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_wmem",
    )
)
_PROFILES = ("RuntimeDefault", "Localhost")
_ENFORCE = "pod-security.kubernetes.io/enforce"
_LONGEST = 54
"""With a dash and the hash of its revision, a name of more characters is no value of a label."""


class Violation(Value):
    """A violation of a Pod Security level: the name of the check, what is wrong, and the field in the pod's spec."""

    check: str
    detail: str
    pointer: Pointer


def violations(level: str, spec: Mapping[str, Any]) -> tuple[Violation, ...]:
    """Return how pods with a spec violate a level: `baseline` or `restricted`; any other level forbids nothing.

    Placeholders count as allowed.
    """
    if level not in ("baseline", "restricted"):
        return ()
    return tuple(_baseline(spec)) + (tuple(_restricted(spec)) if level == "restricted" else ())


def _name(part: Any) -> str:
    return written(mapping(part).get("name"))


def _containers(spec: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Pointer]]:
    for part in ("initContainers", "containers", "ephemeralContainers"):
        for index, one in enumerate(sequence(spec.get(part))):
            if isinstance(one, dict):
                yield one, (part, index)


def _contexts(spec: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], Pointer]]:
    """Yield the security contexts of the pod and of its containers, each with its owner."""
    yield "pod", mapping(spec.get("securityContext")), ("securityContext",)
    for one, route in _containers(spec):
        yield f"container {_name(one)}", mapping(one.get("securityContext")), (*route, "securityContext")


def _baseline(spec: Mapping[str, Any]) -> Iterator[Violation]:
    for name in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(name) is True:
            yield Violation("host namespaces", f"{name}=true", (name,))
    for index, volume in enumerate(sequence(spec.get("volumes"))):
        if "hostPath" in mapping(volume):
            yield Violation("hostPath volumes", f"volume {_name(volume)}", ("volumes", index, "hostPath"))
    for index, one in enumerate(sequence(mapping(spec.get("securityContext")).get("sysctls"))):
        if _name(one) not in {"", *_SYSCTLS}:
            yield Violation("forbidden sysctls", _name(one), ("securityContext", "sysctls", index))
    for one, route in _containers(spec):
        yield from _open_ports(one, route)
    for who, context, route in _contexts(spec):
        yield from _of_context(who, context, route)


def _open_ports(container: dict[str, Any], route: Pointer) -> Iterator[Violation]:
    for index, port in enumerate(sequence(container.get("ports"))):
        number = whole(mapping(port).get("hostPort"))
        if number:
            told = f"container {_name(container)} uses hostPort {number}"
            yield Violation("hostPort", told, (*route, "ports", index, "hostPort"))


def _of_context(who: str, context: dict[str, Any], route: Pointer) -> Iterator[Violation]:
    """Yield the violations of baseline in one security context."""
    if context.get("privileged") is True:
        yield Violation("privileged", who, (*route, "privileged"))
    added = sequence(mapping(context.get("capabilities")).get("add"))
    more = [one for one in map(written, added) if one not in {"", *_CAPABILITIES}]
    if more:
        yield Violation("non-default capabilities", f"{who} adds {', '.join(more)}", (*route, "capabilities", "add"))
    for name in ("seccompProfile", "appArmorProfile"):
        if mapping(context.get(name)).get("type") == "Unconfined":
            yield Violation(name, f"{who} is Unconfined", (*route, name, "type"))
    if context.get("procMount") == "Unmasked":
        yield Violation("procMount", f"{who} is Unmasked", (*route, "procMount"))
    if mapping(context.get("windowsOptions")).get("hostProcess") is True:
        yield Violation("hostProcess", who, (*route, "windowsOptions", "hostProcess"))
    options = mapping(context.get("seLinuxOptions"))
    if options.get("type", "") not in _SELINUX_TYPES or options.get("user") or options.get("role"):
        yield Violation("seLinuxOptions", who, (*route, "seLinuxOptions"))


def _restricted(spec: Mapping[str, Any]) -> Iterator[Violation]:
    pod, windows = mapping(spec.get("securityContext")), mapping(spec.get("os")).get("name") == "windows"
    for index, volume in enumerate(sequence(spec.get("volumes"))):
        kinds = [one for one in mapping(volume) if one not in ("name", "hostPath") and one not in _VOLUMES]
        if kinds:
            told = f"volume {_name(volume)} is of type {kinds[0]}"
            yield Violation("restricted volume types", told, ("volumes", index, kinds[0]))
    if whole(pod.get("runAsUser")) == 0:
        yield Violation("runAsUser=0", "pod", ("securityContext", "runAsUser"))
    for one, route in _containers(spec):
        if not any(map(is_placeholder, (spec.get("securityContext"), one.get("securityContext")))):
            yield from _of_container(one, route, pod, windows=windows)


def _of_container(one: dict[str, Any], route: Pointer, pod: dict[str, Any], *, windows: bool) -> Iterator[Violation]:
    """Yield the requirements of restricted that one container does not meet, directly or through its pod's context."""
    context, who = mapping(one.get("securityContext")), f"container {_name(one)}"
    own: Pointer = (*route, "securityContext") if "securityContext" in one else route
    if not context.get("runAsNonRoot", pod.get("runAsNonRoot")):
        yield Violation("runAsNonRoot != true", who, own)
    if whole(context.get("runAsUser")) == 0:
        yield Violation("runAsUser=0", who, (*own, "runAsUser"))
    if windows:
        return
    if context.get("allowPrivilegeEscalation", True) is True:
        yield Violation("allowPrivilegeEscalation != false", who, own)
    profile = context.get("seccompProfile", pod.get("seccompProfile"))
    if not is_placeholder(profile) and mapping(profile).get("type") is None:
        yield Violation("seccompProfile", f"{who} has neither {' nor '.join(_PROFILES)}", own)
    capabilities = context.get("capabilities")
    drop = mapping(capabilities).get("drop")
    if any(map(is_placeholder, (capabilities, drop, *sequence(drop)))):
        return
    more = [one for one in sequence(mapping(capabilities).get("add")) if one in _CAPABILITIES - {"NET_BIND_SERVICE"}]
    if "ALL" not in sequence(drop) or more:
        yield Violation("unrestricted capabilities", f"{who} must drop ALL", own)


class PodRefusal(Value):
    """What is wrong with the pods, and the field in their spec; an empty `pointer` is the object's name."""

    text: str
    pointer: Pointer = ()


def pod_refusal(workload: Workload, namespace: Mapping[str, str], spec: dict[str, Any]) -> PodRefusal | None:
    """Why no pod of a workload is ever created in a namespace with these labels; None if no reason is known.

    Source: `newVersionedStatefulSetPod` of pkg/controller/statefulset/stateful_set_utils.go gives pods the label
    `controller-revision-hash`, with the name and up to ten digits (1.34).
    """
    if workload.kind == "StatefulSet" and len(workload.meta.name) > _LONGEST:
        more = len(workload.meta.name) - _LONGEST + 2
        told = "their label controller-revision-hash, this name with a hash, has more than 63 characters"
        return PodRefusal(f"{told}: leave out {more}")
    if _ENFORCE not in namespace:
        return None

    found = violations(namespace[_ENFORCE], spec)
    if not found:
        return None
    level, first = f"{namespace[_ENFORCE]}:{namespace.get(f'{_ENFORCE}-version', 'latest')}", found[0]
    others = list(dict.fromkeys(one.check for one in found if one.check != first.check))
    also = f", and {len(others)} more ({', '.join(others[:3])})" if others else ""
    return PodRefusal(f'they violate PodSecurity "{level}": {first.check} ({first.detail}){also}', first.pointer)
