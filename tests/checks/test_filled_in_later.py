"""What something fills in later narrows certainty, and silences nothing that is known."""

from __future__ import annotations

from zlib import crc32

import pytest
from checks_units import GPU_NODE, deployment, findings

from docs.catalogue.example import examples, outcome
from kubelint_gpu.documents import encode, read
from kubelint_gpu.documents.editing import NotEditable, apply, replace_scalar
from kubelint_gpu.findings.catalogue import folders
from kubelint_gpu.workspace.manifest import manifests

TOO_MANY = "{nvidia.com/gpu: 4}"
_EVERY = 24


def codes(found):
    return {one.code: one.severity for one in found if one.code not in ("KLG003", "KLG301")}


@pytest.mark.parametrize(
    "parts",
    [
        {"spec": "replicas: ${N}"},
        {"spec": "replicas: ENC[AES256_GCM,data:MQ==,iv:x,tag:y,type:int]"},
        {"spec": "strategy: {type: '${TYPE}'}"},
        {"pod": "nodeSelector: {zone: '${ZONE}'}"},
        {"pod": "nodeName: ${NODE}"},
        {"pod": "runtimeClassName: ${RUNTIME}"},
        {"pod": "tolerations: [{key: '${KEY}'}]"},
        {
            "pod": "topologySpreadConstraints:\n"
            "  - {maxSkew: 1, topologyKey: '${K}', whenUnsatisfiable: '${W}', labelSelector: {matchLabels: {app: chat}}}"
        },
        {"name": "'${NAME}'"},
    ],
)
def test_too_many_gpus_are_told_whatever_is_filled_in(parts):
    assert codes(findings(deployment(limits=TOO_MANY, **parts))) == {"KLG503": "error"}


def test_of_a_class_that_is_not_known_what_no_class_mends_is_certain():
    text = deployment().replace("priorityClassName: serving", "priorityClassName: ${CLASS}")
    assert codes(findings(text)) == {"KLG101": "error"}
    few = deployment(spec="replicas: 3").replace("priorityClassName: serving", "priorityClassName: ${CLASS}")
    assert codes(findings(few)) == {"KLG109": "error"}


def test_a_selector_as_a_whole_selects_the_template():
    text = deployment().replace("selector: {matchLabels: {app: chat}}", "selector: ${SELECTOR}")
    assert "${SELECTOR}" in text
    assert codes(findings(text)) == {"KLG101": "error"}


def test_cluster_objects_are_named_too():
    quota = "\n---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: '${PODS}'}}\n"
    (told,) = findings(deployment() + quota, code="KLG003")
    assert told.message.startswith('spec.hard.pods is "${PODS}", which something fills in later')


def test_where_a_class_may_evict_others_nothing_is_said_of_it():
    running = (
        GPU_NODE % 2 + "running:\n  - {name: low, namespace: lab, node: gpu-1, gpus: 1, owner: Deployment/lab/low}\n"
    )
    assert codes(findings(deployment(), running)) == {"KLG108": "warning"}
    text = deployment().replace("priorityClassName: serving", "priorityClassName: ${CLASS}")
    assert codes(findings(text, running)) == {}


def test_a_rollout_that_rests_on_what_is_not_known_says_so():
    (found,) = findings(deployment(spec="replicas: ${N}"), code="KLG101")
    assert found.message.startswith("depending on spec.replicas, the rollout may never end")
    assert (found.severity, found.certainty) == ("note", "possible")
    (found,) = findings(deployment(limits="{nvidia.com/gpu: '${GPUS}'}"), code="KLG101")
    assert (found.severity, found.certainty) == ("warning", "possible")
    assert "each pod takes at least 1 nvidia.com/gpu" in [one.message for one in found.related]


def test_without_nodes_an_error_about_a_rollout_rests_on_what_replaces_it():
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, namespace: serving}\n"
    claim += "spec: {accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}\n---\n"
    pod = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]"
    assert codes(findings(claim + deployment(pod=pod), "")) == {"KLG104": "error"}
    assert codes(findings(claim + deployment(pod=pod, spec="replicas: ${N}"), "")) == {"KLG104": "note"}


def templated(text):
    return text.replace("name: chat", "name: '${NAME}'").replace("app: chat", "app: '${NAME}'")


def test_what_its_pods_are_called_decides_nothing_where_none_is_seen():
    assert codes(findings(templated(deployment()))) == {"KLG101": "error"}
    own = "running:\n  - {name: chat-1, namespace: serving, node: gpu-1, gpus: 1, owner: Deployment/serving/chat}\n"
    assert "error" not in codes(findings(templated(deployment()), GPU_NODE % 1 + own)).values()


def test_a_class_of_the_manifests_is_there_whatever_its_value():
    low = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: %s\n---\n"
    text = deployment(limits="{cpu: 1}").replace("priorityClassName: serving", "priorityClassName: low")
    assert codes(findings(low % "'${V}'" + text)) == {}
    assert codes(findings(text)) == {"KLG302": "error"}


def test_a_quota_refuses_what_it_counts_whatever_else_it_comes_to_count():
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
    quota += "spec: {hard: {pods: 1, requests.cpu: '${CPU}'}}\n---\n"
    assert codes(findings(quota + deployment(limits="{cpu: 1}"))) == {"KLG105": "error"}
    scoped = quota.replace("}}\n---", "}, scopes: ['${SCOPE}']}\n---")
    assert scoped != quota
    assert codes(findings(scoped + deployment(limits="{cpu: 1}"))) == {}


@pytest.mark.parametrize(
    ("toleration", "told"),
    [
        ("'${T}'", {}),
        ("[{key: nvidia.com/gpu, operator: Exists, effect: '${E}'}]", {}),
        ("[{key: nvidia.com/gpu, value: '${V}'}]", {}),
        ("[{key: '${K}', operator: Exists}]", {}),
        ("[{key: other, value: '${V}'}]", {"KLG202": "error"}),
    ],
)
def test_a_toleration_covers_what_it_may_come_to_cover(toleration, told):
    taint = "taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]"
    tainted = (GPU_NODE % 2).replace("    gpus:", f"    {taint}\n    gpus:")
    assert codes(findings(deployment(pod=f"tolerations: {toleration}"), tainted)) == told


def test_no_fix_is_verified_where_something_is_filled_in_later():
    (found,) = findings(deployment(), code="KLG101")
    assert any(fix.verified for fix in found.fixes)
    (found,) = findings(deployment(spec="replicas: ${N}"), code="KLG101")
    assert found.fixes
    assert not any(fix.verified for fix in found.fixes)


@pytest.mark.parametrize("rolling", ["{maxSurge: '${S}', maxUnavailable: 0}", "{maxSurge: 1, maxUnavailable: '${U}'}"])
def test_numbers_of_a_strategy_may_come_to_go_together(rolling):
    text = deployment(limits="{cpu: 1}", spec=f"updateStrategy: {{rollingUpdate: {rolling}}}")
    assert codes(findings(text.replace("kind: Deployment", "kind: DaemonSet"))) == {}
    late = "minReadySeconds: 700\nprogressDeadlineSeconds: '${P}'"
    assert [one.severity for one in findings(deployment(limits="{cpu: 1}", spec=late))] == ["note"]


def test_pods_are_apart_by_a_key_that_nodes_may_lack():
    term = "{topologyKey: '${KEY}', labelSelector: {matchLabels: {app: chat}}}"
    pod = f"affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{term}]}}}}"
    assert codes(findings(deployment(limits="{cpu: 1}", spec="replicas: 9", pod=pod))) == {}


def test_a_selector_may_come_to_match():
    text = deployment(limits="{cpu: 1}").replace("{matchLabels: {app: chat}}", "{matchLabels: {app: '${APP}'}}")
    assert codes(findings(text)) == {}
    assert codes(findings(text.replace("${APP}", "other"))) == {"KLG008": "error"}
    labels = deployment(limits="{cpu: 1}").replace("labels: {app: chat}", "labels: '${LABELS}'")
    assert codes(findings(labels)) == {}


def test_what_is_not_known_is_no_change_of_what_may_not_change():
    job = """\
    apiVersion: batch/v1
    kind: Job
    metadata: {name: j}
    spec:
      completions: %s
      template:
        spec:
          restartPolicy: Never
          containers: [{name: c, image: i, resources: {limits: {cpu: 1}}}]
    """
    assert codes(findings(job % "'${N}'", before=job % 2)) == {}
    assert codes(findings(job % 3, before=job % 2)) == {"KLG009": "error"}


def leaves(value, at=()):
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if entries is None:
        yield at
    for key, child in entries or ():
        yield from leaves(child, (*at, key))


def variants(example, every):
    """The example with one scalar of a workload that its judgement rests on as a placeholder, for some of these."""
    reading = read(example.path, example.data)
    for manifest in manifests((reading,)):
        for pointer in leaves(manifest.item.value) if manifest.workload is not None or manifest.templates else ():
            if crc32(f"{example}{pointer}".encode()) % every:
                continue
            try:
                edit = replace_scalar(manifest.item, pointer, '"${x}"')
            except NotEditable:
                continue
            data = encode(reading.source, apply(reading.source, [edit]))
            changed = [one for one in manifests((read(example.path, data),)) if one.object == manifest.object]
            if any(one.unknown for each in changed for one in (each, *each.templates)):
                yield pointer, data


def certain(found):
    return {(one.code, one.object) for one in found.findings if one.severity == "error" and one.code != "KLG003"}


def unsound(every):
    tried, wrong = 0, []
    for folder in folders().values():
        for example in (*examples(folder, "bad"), *examples(folder, "good")):
            if example.is_kustomization:
                continue
            filled_in = None
            for pointer, data in variants(example, every):
                tried += 1
                filled_in = filled_in or {(one.code, one.object) for one in outcome(example).findings}
                wrong += [(str(example), pointer, one) for one in sorted(certain(outcome(example, data)) - filled_in)]
    return tried, wrong


def test_an_error_holds_for_what_the_example_fills_in():
    tried, wrong = unsound(_EVERY)
    assert tried > 60
    assert wrong == []


@pytest.mark.thorough
def test_an_error_holds_for_what_any_example_fills_in():
    tried, wrong = unsound(2)
    assert tried > 1000
    assert wrong == []
