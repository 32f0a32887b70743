"""Manifests in the proportions of real repositories: definitions of custom resources are one file in ten and most bytes."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

# Counted over 11,274 files of 28 public repositories: 96.5 of 111.5 MB are custom resource definitions.
_KINDS = ("Deployment",) * 30 + ("Service",) * 22 + ("ConfigMap",) * 18 + ("StatefulSet",) * 8 + ("Job",) * 12
_KINDS += ("PersistentVolumeClaim",) * 4 + ("PodDisruptionBudget",) * 3 + ("Namespace",) * 2
_KINDS += ("ResourceQuota", "PriorityClass")
_DEFINITIONS = 10
_WORDS = (
    "the number of desired pods that must be ready for at least this many seconds before it counts as available "
    "defaults to one this field is immutable once set and cannot be changed see the documentation for more"
).split()


def corpus(folder: Path, count: int) -> Path:
    """`count` manifests in a folder, a file each; made once, the same bytes every time."""
    target = folder / f"manifests-{count}"
    if target.exists():
        return target
    random = Random(count)
    made = target.with_suffix(".new")
    for number in range(count):
        place = made / f"group-{number // 100:03}"
        place.mkdir(parents=True, exist_ok=True)
        kind = "CustomResourceDefinition" if number % _DEFINITIONS == _DEFINITIONS - 1 else random.choice(_KINDS)
        (place / f"{kind.lower()}-{number:05}.yaml").write_text(_text(kind, number, random))
    made.rename(target)
    return target


def _text(kind: str, number: int, random: Random) -> str:
    name = f"{kind.lower()}-{number}"
    if kind == "CustomResourceDefinition":
        return _definition(number, random)
    if kind == "ConfigMap":
        data = "".join(f"  key-{index}: |\n    {_sentence(random)}\n    {_sentence(random)}\n" for index in range(8))
        return (
            f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: team-{number % 7}\ndata:\n{data}"
        )
    if kind == "Service":
        return (
            f"apiVersion: v1\nkind: Service\nmetadata:\n  name: {name}\n  namespace: team-{number % 7}\nspec:\n"
            f"  selector:\n    app: app-{number}\n  ports:\n  - name: http\n    port: 80\n    targetPort: 8080\n"
        )
    if kind in _OBJECTS:
        version, rest = _OBJECTS[kind]
        space = "" if kind in ("Namespace", "PriorityClass") else f"\n  namespace: team-{number % 7}"
        rest = rest.format(number=number)
        return f"apiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {name}{space}\n{rest}"
    return _workload(kind, name, number, random)


_OBJECTS = {
    "PersistentVolumeClaim": (
        "v1",
        "spec:\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: 10Gi\n",
    ),
    "PodDisruptionBudget": (
        "policy/v1",
        "spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app: app-{number}\n",
    ),
    "Namespace": ("v1", ""),
    "ResourceQuota": ("v1", "spec:\n  hard:\n    pods: 1000\n    requests.cpu: 500\n"),
    "PriorityClass": ("scheduling.k8s.io/v1", "value: {number}\ndescription: made for a measurement\n"),
}


def _workload(kind: str, name: str, number: int, random: Random) -> str:
    group = "batch/v1" if kind == "Job" else "apps/v1"
    gpus = random.choice((0, 0, 0, 1, 2))
    lines = [
        f"apiVersion: {group}",
        f"kind: {kind}",
        "metadata:",
        f"  name: {name}",
        f"  namespace: team-{number % 7}",
        "  labels:",
        f"    app: app-{number}",
        "spec:",
    ]
    if kind != "Job":
        lines += [f"  replicas: {random.randint(1, 4)}", "  selector:", "    matchLabels:", f"      app: app-{number}"]
    if kind == "StatefulSet":
        lines += [f"  serviceName: app-{number}"]
    lines += ["  template:", "    metadata:", "      labels:", f"        app: app-{number}", "    spec:"]
    if kind == "Job":
        lines += ["      restartPolicy: Never"]
    lines += ["      containers:"]
    for index in range(random.randint(1, 2)):
        lines += [
            f"      - name: container-{index}",
            f"        image: registry.example.com/team/app:{number}",
            "        ports:",
            f"        - containerPort: {8080 + index}",
            "        env:",
        ]
        for entry in range(random.randint(3, 12)):
            lines += [f"        - name: SETTING_{entry}", f'          value: "{_sentence(random)}"']
        lines += ["        resources:", "          requests:", f"            cpu: {random.choice((100, 250, 500))}m"]
        lines += [
            f"            memory: {random.choice((128, 256, 512))}Mi",
            "          limits:",
            "            memory: 1Gi",
        ]
        if gpus and not index:
            lines += [f"            nvidia.com/gpu: {gpus}"]
    return "\n".join(lines) + "\n"


def _definition(number: int, random: Random) -> str:
    """A definition of about 65 kB, written as controller-gen writes them."""
    lines = [
        "apiVersion: apiextensions.k8s.io/v1",
        "kind: CustomResourceDefinition",
        "metadata:",
        "  annotations:",
        "    controller-gen.kubebuilder.io/version: v0.16.1",
        f"  name: widgets{number}.example.com",
        "spec:",
        "  group: example.com",
        "  names:",
        f"    kind: Widget{number}",
        f"    listKind: Widget{number}List",
        f"    plural: widgets{number}",
        f"    singular: widget{number}",
        "  scope: Namespaced",
        "  versions:",
        "  - name: v1",
        "    schema:",
        "      openAPIV3Schema:",
        "        type: object",
        "        properties:",
    ]
    size = 0
    while size < 60_000:
        group = [f"          group{len(lines)}:", "            type: object", "            properties:"]
        for index in range(random.randint(4, 12)):
            group += [
                f"              field{index}:",
                "                description: |-",
                *(f"                  {_sentence(random)}" for _ in range(random.randint(1, 6))),
                f"                type: {random.choice(('string', 'integer', 'boolean'))}",
            ]
        lines += group
        size += sum(map(len, group))
    lines += ["    served: true", "    storage: true", "    subresources:", "      status: {}"]
    return "\n".join(lines) + "\n"


def _sentence(random: Random) -> str:
    return " ".join(random.choices(_WORDS, k=random.randint(6, 14)))


def kustomization(folder: Path) -> Path:
    """A base and ten overlays, each with a patch."""
    target = folder / "kustomize-tree"
    if target.exists():
        return target
    made = target.with_suffix(".new")
    (made / "base").mkdir(parents=True)
    random = Random(0)
    names = []
    for number in range(10):
        kind = ("Deployment", "Service")[number % 2]
        (made / "base" / f"{number}.yaml").write_text(_text(kind, number, random))
        names.append(f"{number}.yaml")
    (made / "base/kustomization.yaml").write_text(f"resources: {json.dumps(names)}\n")
    for number in range(10):
        overlay = made / "overlays" / f"stage-{number}"
        overlay.mkdir(parents=True)
        patch = "- {op: replace, path: /spec/replicas, value: 2}"
        (overlay / "kustomization.yaml").write_text(
            f"resources: [../../base]\nnamePrefix: stage-{number}-\npatches:\n- target: {{kind: Deployment}}\n"
            f"  patch: |\n    {patch}\n"
        )
    made.rename(target)
    return target
