"""Workloads under quotas that count objects."""

from __future__ import annotations

from checks_units import findings, unit

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import manifests

NODE = """
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: n1
    allocatable: {cpu: 64, memory: 64Gi}
    gpus: {model: L4, count: 8}
priorityClasses:
  - {name: serving, value: 1000}
"""


def quota(key, most, used=None, scopes="", namespace="serving"):
    status = "" if used is None else f'status: {{used: {{{key}: "{used}"}}}}\n'
    return (
        f"---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: q, namespace: {namespace}}}\n"
        f'spec: {{hard: {{{key}: "{most}"}}{scopes}}}\n{status}'
    )


def job(name="train", pods=1, *, more="", limits="{nvidia.com/gpu: 1}", completions=None):
    return (
        f"---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n"
        f"  parallelism: {pods}\n  completions: {completions or pods}\n{more}  template:\n    spec:\n"
        "      restartPolicy: Never\n      priorityClassName: serving\n"
        f"      containers: [{{name: main, image: i:1, resources: {{limits: {limits}}}}}]\n"
    )


def cron(name="nightly", *, spec="", more="", limits="{nvidia.com/gpu: 1}", completions=1):
    return (
        f"---\napiVersion: batch/v1\nkind: CronJob\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n"
        f"  schedule: '0 * * * *'\n{spec}  jobTemplate:\n    spec:\n      completions: {completions}\n{more}"
        "      template:\n        spec:\n          restartPolicy: Never\n          priorityClassName: serving\n"
        f"          containers: [{{name: main, image: i:1, resources: {{limits: {limits}}}}}]\n"
    )


def made(text, code="KLG105"):
    """The findings where nothing of the text was there before."""
    plain = unit(text, NODE)
    names = [one.object for one in manifests((read("a.yaml", text.encode()),))]
    new = ApplySet(plain.readings, plain.world, made=names)
    return [(one.object, one.message) for one in check((new,), new.world).findings if one.code == code]


def stateful_set(replicas, name="db", *, size="1Gi", more=""):
    return (
        f"---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n"
        f"  replicas: {replicas}\n  serviceName: {name}\n{more}  selector: {{matchLabels: {{app: {name}}}}}\n"
        f"  template:\n    metadata: {{labels: {{app: {name}}}}}\n    spec:\n      priorityClassName: serving\n"
        "      containers: [{name: main, image: i:1, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
        "  volumeClaimTemplates:\n    - metadata: {name: data}\n"
        f"      spec: {{accessModes: [ReadWriteOnce], storageClassName: fast, resources: {{requests: {{storage: {size}}}}}}}\n"
    )


def short_of_claims(text, before="", inventory=NODE):
    found = findings(text.removeprefix("---\n"), inventory, "KLG109", before=before.removeprefix("---\n"))
    return [(one.object.rpartition("/")[2], one.certainty, one.message.partition(":")[0]) for one in found]
