"""What the levels of Pod Security admission refuse."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.admission.pod_security import violations

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
