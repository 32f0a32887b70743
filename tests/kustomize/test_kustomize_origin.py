"""Which line set a field of a rendered object: for every way in which Kustomize sets one."""

from __future__ import annotations

from textwrap import indent

import pytest

from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
  labels: {tier: front}
spec:
  replicas: 1
  selector: {matchLabels: {app: chat}}
  template:
    metadata:
      labels: {app: chat}
    spec:
      nodeSelector:
        zone: a
      tolerations:
        - key: one
          operator: Exists
      containers:
        - name: side
          image: example.com/side:1
        - name: server
          image: example.com/server:1
          command: [serve]
          env:
            - {name: MODEL, value: small}
          ports:
            - containerPort: 80
              name: http
          resources:
            limits:
              nvidia.com/gpu: 1
      volumes:
        - name: data
          emptyDir: {}
"""
BASE = {"base/kustomization.yaml": "resources: [deployment.yaml]\n", "base/deployment.yaml": DEPLOYMENT}
GPU = ("spec", "template", "spec", "containers", "server", "resources", "limits", "nvidia.com/gpu")
POD = ("spec", "template", "spec")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory, program):
    """Renders `top` of some files, the same ones once."""
    known = {}

    def made(**files):
        key = tuple(sorted(files.items()))
        if key not in known:
            known[key] = built(tmp_path_factory.mktemp("repository"), files)
        return known[key]

    def built(tmp_path, files):
        for name, text in {**BASE, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = render(tmp_path / "top", Renderer(Program((program, "build"))), root=tmp_path, cwd=tmp_path)
        assert found.reading is not None, found.problems
        return found

    return made


def asked(found, pointer, kind="Deployment", role="value"):
    """The origin's answer, and what stands there."""
    for document, origin in zip(found.reading.documents, found.origins, strict=True):
        if document.value["kind"] == kind:
            value, steps = document.value, []
            for one in pointer:
                step = one
                if isinstance(value, list) and isinstance(one, str):
                    step = next(index for index, element in enumerate(value) if element.get("name") == one)
                steps.append(step)
                value = value[step] if isinstance(value, list) or step in value else None
            answer = origin.answer(tuple(steps), role)
            source = next(one.source for one in found.sources if one.source.path == answer.spot.path)
            line = source.line(answer.spot.span.line)
            return f"{answer.spot.path}: {line.strip()}", answer
    raise AssertionError(kind)


STRATEGIC = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  template:
    spec:
      nodeSelector:
        zone: b
      tolerations:
        - key: two
      containers:
        - name: server
          env:
            - {name: MODEL, value: large}
            - {name: MORE, value: yes-it-is}
          resources:
            limits:
              nvidia.com/gpu: 4
      volumes:
        - name: cache
          emptyDir: {}
"""
TOP = "resources: [../base]\n"


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        (GPU, "top/patch.yaml: nvidia.com/gpu: 4"),
        ((*POD, "nodeSelector", "zone"), "top/patch.yaml: zone: b"),
        ((*POD, "tolerations", 0, "key"), "top/patch.yaml: - key: two"),
        ((*POD, "containers", "server", "env", "MODEL", "value"), "top/patch.yaml: - {name: MODEL, value: large}"),
        ((*POD, "containers", "server", "env", "MORE", "value"), "top/patch.yaml: - {name: MORE, value: yes-it-is}"),
        ((*POD, "containers", "server", "image"), "base/deployment.yaml: image: example.com/server:1"),
        ((*POD, "containers", "side", "image"), "base/deployment.yaml: image: example.com/side:1"),
        ((*POD, "volumes", "cache", "name"), "top/patch.yaml: - name: cache"),
        ((*POD, "volumes", "data", "name"), "base/deployment.yaml: - name: data"),
        (("spec", "replicas"), "base/deployment.yaml: replicas: 1"),
        (("metadata", "name"), "base/deployment.yaml: name: chat"),
    ],
)
@pytest.mark.parametrize("form", ["patches", "patchesStrategicMerge", "component"])
def test_a_strategic_merge_patch(rendered, pointer, line, form):
    files = {
        "patches": {"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": STRATEGIC},
        "patchesStrategicMerge": {
            "top/kustomization.yaml": f"{TOP}patchesStrategicMerge: [patch.yaml]\n",
            "top/patch.yaml": STRATEGIC,
        },
        "component": {
            "top/kustomization.yaml": f"{TOP}components: [../part]\n",
            "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [path: patch.yaml]\n",
            "part/patch.yaml": STRATEGIC,
        },
    }[form]
    got, answer = asked(rendered(**files), pointer)
    assert got == line.replace("top/", "part/" if form == "component" else "top/")
    assert answer.certain


def test_an_inline_patch_has_its_line_in_the_kustomization(rendered):
    text = f"{TOP}patches:\n  - patch: |\n" + "".join(f"      {line}\n" for line in STRATEGIC.splitlines())
    got, answer = asked(rendered(**{"top/kustomization.yaml": text}), GPU)
    assert (got, answer.certain) == ("top/kustomization.yaml: nvidia.com/gpu: 4", True)
    span = answer.spot.span
    assert text.splitlines()[span.line - 1][span.column - 1 : span.end_column - 1] == "4"


JSON_PATCH = """\
- op: replace
  path: /spec/template/spec/containers/1/resources/limits/nvidia.com~1gpu
  value: 2
- op: add
  path: /spec/template/spec/nodeSelector/pool
  value: gpu
- op: add
  path: /spec/template/spec/tolerations/-
  value: {key: two}
- op: remove
  path: /spec/template/spec/nodeSelector/zone
"""


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        (GPU, "top/patch.yaml: value: 2"),
        ((*POD, "nodeSelector", "pool"), "top/patch.yaml: value: gpu"),
        ((*POD, "tolerations", 1, "key"), "top/patch.yaml: value: {key: two}"),
        ((*POD, "tolerations", 0, "key"), "base/deployment.yaml: - key: one"),
    ],
)
@pytest.mark.parametrize("field", ["patches", "patchesJson6902"])
def test_a_json_patch(rendered, pointer, line, field):
    target = "target: {group: apps, version: v1, kind: Deployment, name: chat}"
    files = {"top/kustomization.yaml": f"{TOP}{field}:\n- path: patch.yaml\n  {target}\n", "top/patch.yaml": JSON_PATCH}
    got, answer = asked(rendered(**files), pointer)
    assert (got, answer.certain) == (line, True)


@pytest.mark.parametrize(
    "patch",
    [
        "|-\n    - op: replace\n      path: %s\n      value: «2»\n    - op: remove\n      path: /spec/replicas\n",
        "|2\n    - {op: replace, path: %s, value: «2»}\n    - op: remove\n      path: /spec/replicas\n",
        """'[{"op": "replace", "path": "%s", "value": «2»}, {"op": "remove", "path": "/spec/replicas"}]'\n""",
        '>-\n    «[{"op": "replace", "path": "%s", "value": 2},\n    {"op": "remove", "path": "/spec/replicas"}]»\n',
    ],
)
def test_a_json_patch_inside_of_a_text_has_its_column(rendered, patch):
    path = "/spec/template/spec/containers/1/resources/limits/nvidia.com~1gpu"
    marked = f"{TOP}patches:\n- target: {{kind: Deployment}}\n  patch: {patch % path}"
    text = marked.replace("«", "").replace("»", "")
    found = rendered(**{"top/kustomization.yaml": text})
    _, answer = asked(found, GPU)
    span = answer.spot.span
    wanted = marked.partition("«")[2].partition("»")[0]
    if ">-" in patch:
        # what is folded is not taken apart: the whole text is the place
        assert text[span.start : span.end].startswith(">-")
    else:
        assert (text[span.start : span.end], span.start) == (wanted, marked.index("«"))
        [removal] = found.origins[0].removals()
        gone = removal.writer.spot().span
        assert "remove" in text[gone.start : gone.end]
        assert "value" not in text[gone.start : gone.end]
    assert answer.certain


def test_directives_of_a_patch(rendered):
    patch = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n"
        "      nodeSelector:\n        $patch: replace\n        pool: gpu\n"
        "      containers:\n        - name: side\n          $patch: delete\n"
        "      tolerations: null\n"
    )
    found = rendered(**{"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": patch})
    assert asked(found, (*POD, "nodeSelector", "pool"))[0] == "top/patch.yaml: pool: gpu"
    assert asked(found, (*POD, "nodeSelector", "zone"))[1].spot.path == "top/patch.yaml"
    assert asked(found, GPU)[0] == "base/deployment.yaml: nvidia.com/gpu: 1"
    assert asked(found, (*POD, "tolerations"))[0] == "base/deployment.yaml: spec:"


FIELDS = """\
resources: [../base]
namespace: prod
namePrefix: a-
nameSuffix: -z
replicas:
  - name: chat
    count: 3
images:
  - name: example.com/server
    newTag: "2"
labels:
  - pairs: {team: ml}
    includeTemplates: true
commonLabels:
  part: of
commonAnnotations:
  owner: us
"""


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        (("spec", "replicas"), "top/kustomization.yaml: count: 3"),
        ((*POD, "containers", "server", "image"), 'top/kustomization.yaml: newTag: "2"'),
        (("metadata", "namespace"), "top/kustomization.yaml: namespace: prod"),
        (("metadata", "name"), "base/deployment.yaml: name: chat"),
        (("metadata", "labels", "team"), "top/kustomization.yaml: - pairs: {team: ml}"),
        (("spec", "template", "metadata", "labels", "team"), "top/kustomization.yaml: - pairs: {team: ml}"),
        (("spec", "template", "metadata", "labels", "part"), "top/kustomization.yaml: part: of"),
        (("spec", "selector", "matchLabels", "part"), "top/kustomization.yaml: part: of"),
        (("spec", "selector", "matchLabels", "app"), "base/deployment.yaml: selector: {matchLabels: {app: chat}}"),
        (("spec", "template", "metadata", "annotations", "owner"), "top/kustomization.yaml: owner: us"),
    ],
)
def test_the_fields_of_a_kustomization(rendered, pointer, line):
    got, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), pointer)
    assert (got, answer.certain) == (line, True)


def test_who_set_it_before_is_known_too(rendered):
    _, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), ("spec", "replicas"))
    assert [(writer.by, value) for writer, value in answer.before] == [("resource", 1)]
    _, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), ("metadata", "name"))
    assert [writer.by for writer, _ in answer.before if writer.by.startswith("name")] == ["namePrefix", "nameSuffix"]


REPLACED = """\
resources: [../base]
configMapGenerator:
  - name: settings
    envs: [settings.env]
    literals: [ZONE=c]
replacements:
  - source: {kind: ConfigMap, name: settings, fieldPath: data.GPUS}
    targets:
      - select: {kind: Deployment}
        fieldPaths: ["spec.template.spec.containers.[name=server].resources.limits.[nvidia.com/gpu]"]
  - source: {kind: ConfigMap, name: settings, fieldPath: data.ZONE}
    targets:
      - select: {kind: Deployment}
        fieldPaths: [spec.template.spec.nodeSelector.zone]
"""


def test_a_replacement_leads_to_where_its_value_comes_from(rendered):
    files = {"top/kustomization.yaml": REPLACED, "top/settings.env": "# how many\nGPUS=2\n"}
    found = rendered(**files)
    got, answer = asked(found, GPU)
    assert (got, answer.certain) == ("top/settings.env: GPUS=2", True)
    assert [(writer.by, value) for writer, value in answer.before] == [("resource", 1), ("replacement", None)]
    assert asked(found, (*POD, "nodeSelector", "zone"))[0] == "top/kustomization.yaml: literals: [ZONE=c]"
    assert asked(found, ("data", "GPUS"), "ConfigMap")[0] == "top/settings.env: GPUS=2"
    assert asked(found, ("metadata", "name"), "ConfigMap")[0] == "top/kustomization.yaml: - name: settings"


def test_lists_of_unknown_kinds_are_replaced_whole(rendered):
    custom = (
        "apiVersion: example.com/v1\nkind: Fleet\nmetadata: {name: f}\nspec:\n  containers:\n  - {name: a, gpus: 1}\n"
    )
    patch = custom.replace("gpus: 1", "gpus: 2")
    files = {
        "top/kustomization.yaml": "resources: [fleet.yaml]\npatches: [path: patch.yaml]\n",
        "top/fleet.yaml": custom,
        "top/patch.yaml": patch,
    }
    got, answer = asked(rendered(**files), ("spec", "containers", 0, "gpus"), "Fleet")
    assert (got, answer.certain) == ("top/patch.yaml: - {name: a, gpus: 2}", True)


def test_what_the_model_does_not_know_is_not_certain(rendered):
    files = {
        "top/kustomization.yaml": f"{TOP}transformers: [replicas.yaml]\n",
    }
    files["top/replicas.yaml"] = (
        "apiVersion: builtin\nkind: ReplicaCountTransformer\nmetadata: {name: r}\n"
        "replica: {name: chat, count: 7}\nfieldSpecs: [{path: spec/minReadySeconds, create: true, kind: Deployment}]\n"
    )
    got, answer = asked(rendered(**files), ("spec", "minReadySeconds"))
    assert (got, answer.certain) == ("base/deployment.yaml: spec:", False)
    got, answer = asked(rendered(**files), ("spec", "replicas"))
    assert answer.certain is False


PLUGINS = """\
apiVersion: builtin
kind: ReplicaCountTransformer
metadata: {name: r}
replica: {name: chat, count: 7}
fieldSpecs: [{path: spec/replicas, kind: Deployment}]
---
apiVersion: builtin
kind: PatchTransformer
metadata: {name: p}
target: {kind: Deployment}
patch: |-
  - op: replace
    path: /spec/template/spec/containers/1/resources/limits/nvidia.com~1gpu
    value: 3
---
apiVersion: builtin
kind: ImageTagTransformer
metadata: {name: i}
imageTag: {name: example.com/server, newTag: "9"}
fieldSpecs: [{path: spec/template/spec/containers/image, kind: Deployment}]
---
apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {team: ml}
fieldSpecs: [{path: spec/template/metadata/labels, create: true, kind: Deployment}]
---
apiVersion: builtin
kind: PatchStrategicMergeTransformer
metadata: {name: s}
paths: [zone.yaml]
---
apiVersion: builtin
kind: PatchJson6902Transformer
metadata: {name: j}
target: {kind: Deployment, name: chat}
jsonOp: |-
  - op: add
    path: /spec/minReadySeconds
    value: 4
---
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: x}
prefix: a-
fieldSpecs: [{path: metadata/name}]
"""
ZONE = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec: {template: {spec: {nodeSelector: {zone: c}}}}\n"
GENERATOR = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: cm}\nliterals:\n- GPUS=2\n"


@pytest.mark.parametrize(
    ("kind", "pointer", "line"),
    [
        ("Deployment", ("spec", "replicas"), "replica: {name: chat, count: 7}"),
        ("Deployment", GPU, "value: 3"),
        ("Deployment", (*POD, "containers", "server", "image"), 'imageTag: {name: example.com/server, newTag: "9"}'),
        ("Deployment", ("spec", "template", "metadata", "labels", "team"), "labels: {team: ml}"),
        ("Deployment", (*POD, "nodeSelector", "zone"), "top/zone.yaml: " + ZONE.splitlines()[-1]),
        ("Deployment", ("spec", "minReadySeconds"), "value: 4"),
        ("Deployment", ("metadata", "name"), "base/deployment.yaml: name: chat"),
        ("ConfigMap", ("data", "GPUS"), "- GPUS=2"),
    ],
)
@pytest.mark.parametrize("form", ["file", "text"])
def test_built_in_transformers_and_generators_with_a_configuration_of_their_own(rendered, kind, pointer, line, form):
    files = {"top/zone.yaml": ZONE}
    if form == "file":
        files |= {"top/t.yaml": PLUGINS, "top/g.yaml": GENERATOR}
        files["top/kustomization.yaml"] = f"{TOP}generators: [g.yaml]\ntransformers: [t.yaml]\n"
        home = "top/g.yaml" if kind == "ConfigMap" else "top/t.yaml"
    else:
        texts = "".join(f"- |\n{indent(one, '  ')}" for one in PLUGINS.split("---\n"))
        generator = f"- |\n{indent(GENERATOR, '  ')}"
        files["top/kustomization.yaml"] = f"{TOP}generators:\n{generator}transformers:\n{texts}"
        home = "top/kustomization.yaml"
    got, answer = asked(rendered(**files), pointer, kind)
    if form == "text" and line.startswith("value: "):
        line = {GPU: "patch: |-"}.get(pointer, "jsonOp: |-")
    assert (got, answer.certain) == (line if line.startswith(("top/", "base/")) else f"{home}: {line}", True)


def test_variables_are_filled_in(rendered):
    deployment = DEPLOYMENT.replace("command: [serve]", "command: [serve, --pods=$(PODS), $(PODS), $(OTHER)]")
    files = {
        "base/deployment.yaml": deployment,
        "top/kustomization.yaml": f"{TOP}vars:\n- name: PODS\n  objref: {{kind: Deployment, name: chat, apiVersion: apps/v1}}\n"
        "  fieldref: {fieldpath: spec.replicas}\n",
    }
    found = rendered(**files)
    for index in (1, 2, 3):
        got, answer = asked(found, (*POD, "containers", "server", "command", index))
        assert (got.partition(":")[0], answer.certain) == ("base/deployment.yaml", True)
    _, answer = asked(found, (*POD, "containers", "server", "command", 1))
    assert [writer.by for writer, _ in answer.before] == ["variable"]


def test_one_base_twice(rendered):
    files = {
        "top/kustomization.yaml": "resources: [../a, ../b]\n",
        "a/kustomization.yaml": "resources: [../base]\nnamePrefix: a-\nreplicas: [{name: chat, count: 2}]\n",
        "b/kustomization.yaml": "resources: [../base]\nnamePrefix: b-\n",
    }
    found = rendered(**files)
    lines = {
        document.value["metadata"]["name"]: origin.answer(("spec", "replicas")).spot.path
        for document, origin in zip(found.reading.documents, found.origins, strict=True)
    }
    assert lines == {"a-chat": "a/kustomization.yaml", "b-chat": "base/deployment.yaml"}


def test_the_annotations_that_were_asked_for_are_gone(rendered):
    found = rendered(**{"top/kustomization.yaml": f"{TOP}commonAnnotations: {{owner: us}}\n"})
    assert found.reading.documents[0].value["metadata"]["annotations"] == {"owner": "us"}
    assert "annotations" not in rendered(**{"top/kustomization.yaml": TOP}).reading.documents[0].value["metadata"]


def test_a_list_that_is_replaced_has_the_lines_of_its_elements(rendered):
    """`$patch: replace` is an element too: the others keep their own lines."""
    patch = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n      containers:\n"
        "        - $patch: replace\n        - name: one\n          image: example.com/same\n          command: [same]\n"
        "        - name: server\n          image: example.com/same\n          command: [same]\n"
        "          env: [{$patch: replace}, {name: A, value: a}, {name: B, $patch: delete}]\n"
        "      initContainers:\n        - name: gone\n          $patch: delete\n        - name: kept\n          image: null\n"
    )
    found = rendered(**{"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": patch})
    lines = patch.splitlines()
    for name, line in (("one", 10), ("server", 13)):
        got, answer = asked(found, (*POD, "containers", name, "image"))
        assert (got, answer.certain) == (f"top/patch.yaml: {lines[line - 1].strip()}", True)
        assert answer.spot.span.line == line
    assert asked(found, (*POD, "containers", "server", "env", "A", "value"))[1].spot.span.line == 15
    got, answer = asked(found, (*POD, "initContainers", "kept", "name"))
    assert (answer.spot.span.line, answer.certain) == (19, True)
    assert not any(one.traced.at("spec", "template", "spec", "initContainers").elements()[1:] for one in found.objects)


@pytest.mark.parametrize(
    ("body", "line", "entries"),
    [
        ("      nodeSelector: {zone: null}\n", "nodeSelector: {zone: null}", (("zone", "a"),)),
        ("      nodeSelector:\n        $patch: delete\n", "$patch: delete", (("nodeSelector", {"zone": "a"}),)),
        (
            "      volumes:\n      - $patch: delete\n",
            "- $patch: delete",
            (("volumes", [{"name": "data", "emptyDir": {}}]),),
        ),
        (
            "      volumes:\n      - $patch: delete\n        name: data\n",
            "- $patch: delete",
            ((None, {"name": "data", "emptyDir": {}}),),
        ),
        (
            "      tolerations: [{key: two}]\n",
            "tolerations: [{key: two}]",
            ((None, {"key": "one", "operator": "Exists"}),),
        ),
        ("      nodeSelector: {$patch: replace, a: b}\n", "nodeSelector: {$patch: replace, a: b}", (("zone", "a"),)),
    ],
)
def test_what_a_patch_takes_away_is_known_with_its_line(rendered, body, line, entries):
    head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n"
    found = rendered(**{"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": head + body})
    assert taken(found) == [(f"top/patch.yaml: {line}", entries)]


def test_what_a_json_patch_takes_away_is_known_with_its_operation(rendered):
    target = "target: {kind: Deployment, name: chat}"
    files = {
        "top/kustomization.yaml": f"{TOP}patches:\n- path: patch.yaml\n  {target}\n",
        "top/patch.yaml": JSON_PATCH + "- op: remove\n  path: /spec/template/spec/tolerations/0\n",
    }
    assert taken(rendered(**files)) == [
        ("top/patch.yaml: - op: remove", (("zone", "a"),)),
        ("top/patch.yaml: - op: remove", ((None, {"key": "one", "operator": "Exists"}),)),
    ]


def test_what_comes_back_is_not_taken_away(rendered):
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n      nodeSelector: {zone: %s}\n"
    files = {
        "top/kustomization.yaml": f"{TOP}patches: [path: one.yaml, path: two.yaml]\n".replace(
            "[path: one.yaml, path: two.yaml]", "[{path: one.yaml}, {path: two.yaml}]"
        ),
        "top/one.yaml": patch % "null",
        "top/two.yaml": patch % "a",
    }
    assert taken(rendered(**files)) == []


def taken(found):
    """What was taken out of the only Deployment, each with the line that did it."""
    told = []
    for removal in found.origins[0].removals():
        spot = removal.writer.spot()
        source = next(one.source for one in found.sources if one.source.path == spot.path)
        told.append((f"{spot.path}: {source.line(spot.span.line).strip()}", removal.entries))
    return told
