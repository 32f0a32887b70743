"""Pods that are never made, and whom that helps."""

from __future__ import annotations

import pytest
from checks_units import GPU_NODE, deployment, findings

from kubelint_gpu.kube.admission.pod_refusal import violations

NAMESPACE = (
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: serving, labels: {pod-security.kubernetes.io/enforce: %s}}\n"
)


def told(text):
    return {
        one.object.rpartition("/")[2]: (one.code, one.severity)
        for one in findings(text, GPU_NODE % 1)
        if one.severity != "note"
    }


def test_pods_that_the_namespace_refuses_are_an_error_at_the_field_and_hold_nothing():
    level = NAMESPACE % "baseline"
    text = f"{level}---\n{deployment(pod='hostIPC: true')}---\n{deployment(name='other', spec='strategy: {type: Recreate}')}"
    found = findings(text, GPU_NODE % 1, code="KLG003")
    (refused,) = found
    assert refused.message.startswith('admission refuses the pods: they violate PodSecurity "baseline:latest": host')
    assert text.splitlines()[refused.place.line - 1].strip() == "hostIPC: true"
    assert told(text) == {"chat": ("KLG003", "error")}
    assert told(text.replace("enforce: baseline", "warn: baseline"))["other"][0] == "KLG109"


@pytest.mark.parametrize(("length", "refused"), [(54, False), (55, True)])
def test_a_stateful_set_whose_revision_is_no_label_value_has_no_pods(length, refused):
    name = "s" * length
    text = deployment(name=name).replace("kind: Deployment", "kind: StatefulSet")
    assert (told(text).get(name) == ("KLG003", "error")) is refused
    assert name not in {
        key for key, (code, _) in told(text.replace("StatefulSet", "Deployment")).items() if code == "KLG003"
    }


@pytest.mark.parametrize(
    ("replicas", "severity", "waits"), [(2, None, True), (1, "warning", True), (3, "error", False)]
)
def test_pods_that_run_since_before_the_namespace_refused_them_stay(replicas, severity, waits):
    """Seen on a control plane 1.34."""
    old = deployment(pod="hostIPC: true", spec="replicas: 2\nstrategy: {type: Recreate}")
    after = old.replace("replicas: 2", f"replicas: {replicas}")
    other = deployment(name="other", spec="replicas: 2\nstrategy: {type: Recreate}")
    found = findings(f"{NAMESPACE % 'baseline'}---\n{after}---\n{other}", GPU_NODE % 2, before=old)
    refused = {one.object.rpartition("/")[2]: one.severity for one in found if one.code == "KLG003"}
    assert refused == ({"chat": severity} if severity else {})
    assert any(one.code == "KLG109" and one.object.endswith("/other") for one in found) is waits


SAFE = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def pod(context=None, container=None, **spec):
    main = {"name": "main", **({} if context is None else {"securityContext": context}), **(container or {})}
    return {"containers": [main], **spec}


def checks(level, spec):
    return [one.check for one in violations(level, spec)]


@pytest.mark.parametrize(
    ("spec", "check"),
    [
        (pod(SAFE, hostIPC=True), "host namespaces"),
        (pod(SAFE, volumes=[{"name": "v", "hostPath": {"path": "/"}}]), "hostPath volumes"),
        (pod(SAFE, {"ports": [{"containerPort": 80, "hostPort": 80}]}), "hostPort"),
        (pod({**SAFE, "privileged": True}), "privileged"),
        (pod({**SAFE, "seccompProfile": {"type": "Unconfined"}}), "seccompProfile"),
        (pod({**SAFE, "procMount": "Unmasked"}), "procMount"),
        (pod({**SAFE, "windowsOptions": {"hostProcess": True}}), "hostProcess"),
        (pod({**SAFE, "seLinuxOptions": {"user": "u"}}), "seLinuxOptions"),
        (pod({**SAFE, "capabilities": {"drop": ["ALL"], "add": ["SYS_ADMIN"]}}), "non-default capabilities"),
        (pod(SAFE, securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}), "forbidden sysctls"),
    ],
)
def test_what_baseline_forbids_is_refused_at_both_levels(spec, check):
    assert checks("baseline", spec) == checks("restricted", spec) == [check]
    assert checks("privileged", spec) == checks("", spec) == []


@pytest.mark.parametrize(
    ("context", "check"),
    [
        ({**SAFE, "allowPrivilegeEscalation": True}, "allowPrivilegeEscalation != false"),
        ({**SAFE, "runAsNonRoot": None}, "runAsNonRoot != true"),
        ({**SAFE, "runAsUser": 0}, "runAsUser=0"),
        ({**SAFE, "seccompProfile": {}}, "seccompProfile"),
        ({**SAFE, "capabilities": {"drop": ["KILL"]}}, "unrestricted capabilities"),
    ],
)
def test_what_restricted_asks_for_is_refused_there_only(context, check):
    assert checks("restricted", pod(context)) == [check]
    assert checks("baseline", pod(context)) == []


def test_the_context_of_the_pod_serves_its_containers():
    mine = {name: SAFE[name] for name in ("allowPrivilegeEscalation", "capabilities")}
    whole = {name: SAFE[name] for name in ("runAsNonRoot", "seccompProfile")}
    assert checks("restricted", pod(mine, securityContext=whole)) == []


def test_a_volume_of_another_type_is_restricted():
    spec = pod(SAFE, volumes=[{"name": "v", "nfs": {"server": "s", "path": "/"}}, {"name": "w", "emptyDir": {}}])
    found = [(one.check, one.pointer) for one in violations("restricted", spec)]
    assert found == [("restricted volume types", ("volumes", 0, "nfs"))]
    assert checks("baseline", spec) == []


def test_placeholders_are_taken_to_be_allowed():
    context = {**SAFE, "allowPrivilegeEscalation": "${APE}", "runAsNonRoot": "${NON_ROOT}", "privileged": "${P}"}
    context["capabilities"] = {"drop": ["ALL"], "add": ["${CAP}"]}
    assert checks("restricted", pod(context, volumes=["${VOLUME}"])) == []


@pytest.mark.parametrize(
    "spec",
    [
        pod("${CONTEXT}"),
        pod(securityContext="${CONTEXT}"),
        pod({**SAFE, "seccompProfile": "${PROFILE}"}),
        pod({**SAFE, "capabilities": "${CAPABILITIES}"}),
        pod({**SAFE, "capabilities": {"drop": ["${CAP}"]}}),
        {"containers": ["${CONTAINER}"]},
    ],
)
def test_a_part_that_is_filled_in_as_a_whole_is_taken_to_be_allowed(spec):
    assert checks("restricted", spec) == checks("baseline", spec) == []
