"""Which line is told of a field that several have set."""

from __future__ import annotations

from accumulated import TOP, asked
from fields_set import FIELDS


def test_who_set_it_before_is_known_too(rendered):
    _, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), ("spec", "replicas"))
    assert [(writer.by, value) for writer, value in answer.before] == [("resource", 1)]
    _, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), ("metadata", "name"))
    assert [writer.by for writer, _ in answer.before if writer.by.startswith("name")] == ["namePrefix", "nameSuffix"]


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
