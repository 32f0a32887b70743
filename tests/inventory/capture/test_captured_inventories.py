"""What a captured inventory keeps decides as the cluster itself does, under its own names and under pseudonyms."""

from __future__ import annotations

import importlib.util
import json
import lzma
from pathlib import Path

import pytest

from kubelint_gpu.cli.commands.inventory_capture import captured
from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.inventory import sentences as schema_module
from kubelint_gpu.inventory.capture.pruning import pruned
from kubelint_gpu.inventory.capture.pseudonyms import Pseudonyms
from kubelint_gpu.sources.kubectl import Answers

TESTS = Path(__file__).parents[2]
RECORDED = Path(__file__).parents[1] / "recorded"
GOLDEN = sorted((TESTS / "golden" / "scheduler").glob("*.xz"))


def replaying():
    spec = importlib.util.spec_from_file_location("replay", TESTS / "conformance" / "replay.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


replay = replaying()


def objects(scenario):
    return [(key, {"kind": kind, **value}) for key, kind in replay.OBJECTS.items() for value in scenario.get(key) or ()]


def scenario_of(scenario, kept, pod):
    changed = {key: value for key, value in scenario.items() if key not in replay.OBJECTS} | {"pod": pod}
    for key, value in kept:
        changed.setdefault(key, []).append(value)
    return changed


def _looks_into_names(kept):
    """Whether an expression may compute with a text letter by letter: pseudonyms change what it finds."""
    return any("expression" in json.dumps(value) for _, value in kept)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.name.partition(".")[0])
def test_what_is_pruned_and_how_things_are_called_changes_no_verdict_of_the_recorded_scheduler(path):
    """Every third recorded scenario: the same nodes fit, the same plugins reject, as many pods are evicted."""
    assert GOLDEN, "the recordings are there"
    for line in list(replay.lines(path))[::3]:
        expected, _ = replay.answer(line)
        kept = [(key, pruned(value)) for key, value in objects(line["scenario"])]
        kept = [(key, value) for key, value in kept if value is not None]
        pod = line["scenario"]["pod"]
        found, _ = replay.answer({**line, "scenario": scenario_of(line["scenario"], kept, pod)})
        assert found == expected, line["id"]

        if _looks_into_names(kept):
            continue
        names = Pseudonyms([*(value for _, value in kept), {"kind": "Pod", **pod}])
        renamed = [(key, names.renamed(value)) for key, value in kept]
        other = names.renamed({"kind": "Pod", **pod})
        found, _ = replay.answer({**line, "scenario": scenario_of(line["scenario"], renamed, other)})
        assert found["fits"] == sorted(map(names.text, expected["fits"])), line["id"]
        assert verdicts(found) == {names.text(name): what for name, what in verdicts(expected).items()}, line["id"]
        assert len(found.get("victims", ())) == len(expected.get("victims", ())), line["id"]


def verdicts(found):
    return {name: (entry["code"], entry.get("plugin")) for name, entry in (found.get("nodes") or {}).items()}


@pytest.fixture(scope="module")
def answers():
    with lzma.open(RECORDED / "get.json.xz") as stream:
        return Answers(tuple(json.load(stream)["items"]), "v1.34.1", "prod", ())


def inventory(text):
    found, errors = load((read("cluster.yaml", text.encode()),))
    assert errors == ()
    return found


@pytest.mark.parametrize("anonymize", [False, True])
def test_a_capture_is_an_inventory_and_holds_nothing_private(answers, anonymize):
    text = captured(answers, anonymize=anonymize)
    assert text.startswith("# yaml-language-server: $schema=https://")
    found = inventory(text)
    assert found.kubernetes_version == "1.34"
    for private in ("hunter2", "PASSWORD", "registry", "secret", "token", "10.0.0.1", "annotations", "told nobody"):
        assert private not in text, private
    for name in ("alice", "tracker", "namespace: vision", "eu-1a", "name: prod\n"):
        assert (name in text) is not anonymize, name


def test_editors_are_given_a_schema_that_every_document_of_a_capture_meets(answers):
    from jsonschema import Draft7Validator
    from referencing import Registry, Resource

    folder = Path(schema_module.__file__).parent
    assert "kubelint_gpu/inventory/file.schema.json\n" in captured(answers).partition("apiVersion")[0]
    whole = Resource.from_contents(json.loads((folder / "schema.json").read_text()))
    schema = json.loads((folder / "file.schema.json").read_text())
    validator = Draft7Validator(schema, registry=Registry().with_resource("schema.json", whole))
    documents = [document.value for document in read("cluster.yaml", captured(answers).encode()).documents]
    assert len(documents) > 20
    assert [error for document in documents for error in validator.iter_errors(document)] == []
    assert not validator.is_valid({**documents[0], "nods": []})


def test_the_places_of_live_pods_are_those_of_the_cluster(answers):
    live = {
        (value["metadata"]["namespace"], value["metadata"]["name"]): value["spec"]["nodeName"]
        for value in answers.objects
        if value["kind"] == "Pod"
    }
    found = {
        (each.namespace, each.name): each.typed.spec.node_name for each in inventory(captured(answers)).of_kind("Pod")
    }
    assert found == live
    assert len(live) == 10


@pytest.mark.parametrize("anonymize", [False, True])
def test_the_order_of_the_answers_does_not_matter(answers, anonymize):
    turned = Answers(answers.objects[::-1], answers.version, answers.context, ())
    assert captured(turned, anonymize=anonymize) == captured(answers, anonymize=anonymize)


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n", "labels": {"karpenter.sh/nodepool": "gpu"}}},
        {
            "kind": "Pod",
            "apiVersion": "v1",
            "metadata": {"name": "p", "labels": {"app.kubernetes.io/name": "cluster-autoscaler"}},
        },
    ],
)
def test_a_cluster_that_something_adds_nodes_to_is_not_called_complete(answers, value):
    assert "complete:" not in captured(answers)
    assert "\ncomplete: false\n" in captured(Answers((*answers.objects, value), "", "", ()))
