"""The key of a unit: what is decisive is in it, and what has no digest has no key."""

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.kube.kinds.custom_workload import declare_rows
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.shared_objects import Beside, SharedObjects, needs_of, outline
from kubelint_gpu.workspace.unit_key import unit_key

TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
POD = "kind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: n\n"
OTHER = TEXT.replace("name: a", "name: b")


def file(text=TEXT, path="a.yaml"):
    return read(path, text.encode())


def key(text=TEXT, world=None, further=(), **more):
    return unit_key(ApplySet([file(text)], world or ClusterContext(), **more), further)


def test_everything_that_decides_makes_another_key():
    before = {"ConfigMap/a": manifests([file(OTHER, "old.yaml")])[0]}
    keys = [
        key(),
        key(OTHER),
        key(further=("x",)),
        key(before=before),
        key(made=["ConfigMap/a"]),
        key(gone=manifests([file(OTHER)])),
        key(neighbours=manifests([file(OTHER)])),
        key(budget=7),
        key(followed={("a.yaml", 0): ""}),
        key(followed={("a.yaml", 0): "its source is another repository"}),
        key(world=ClusterContext(name="x")),
        key(world=ClusterContext(what_if="x")),
        key(world=ClusterContext(readings=[file(OTHER, "i.yaml")])),
        key(beside=Beside(SharedObjects((), [("Namespace/default", "x")]), frozenset())),
    ]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert key() == keys[0]


def test_rows_of_the_configuration_make_another_key():
    before = key()
    declare_rows([{"kind": "Flow", "groups": ["flows.example.com"], "ends": False, "templates": []}])
    try:
        assert key() not in (None, before)
    finally:
        declare_rows([])
    assert key() == before


def test_what_is_not_known_has_no_key():
    assert key("a: b: c") is None
    assert unit_key(ApplySet([read("a.yaml", b"\0")], ClusterContext()), ()) is None
    assert key(world=ClusterContext(readings=[file("a: b: c", "i.yaml")])) is None


def held(text, path="a.yaml"):
    return outline(file(text, path)).held


def test_only_documents_with_shared_objects_and_their_places_are_seen_by_others():
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n"
    assert held(TEXT) == held("kind: [Namespace]\n") == ()
    ((name, _),) = held(space)
    assert name == "Namespace/x"
    assert held(f"{space}---\n{TEXT}") == held(f"{space}---\n{OTHER}") != ()
    assert held(f"\n{space}") != held(space) != held(space, "b.yaml")
    assert [key for key, _ in held("kind: Namespace\n---\nkind: RuntimeClass\nmetadata: {generateName: r-}\n")] == [
        "Namespace",
        "RuntimeClass/r-",
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (TEXT, "Namespace/default"),
        (TEXT.replace("{name", "{namespace: team, name"), "Namespace/team"),
        (TEXT.replace("{name", "{namespace: 5, name"), "Namespace"),
        (TEXT + "data: {a: b\\u0070}\n", "Namespace Namespace/default PriorityClass RuntimeClass StorageClass"),
        (POD, "Namespace/default PriorityClass"),
        (POD + "  runtimeClassName: nvidia\n", "Namespace/default PriorityClass RuntimeClass"),
        (
            POD + "  volumes: [{persistentVolumeClaim: {claimName: c}}]\n",
            "Namespace/default PriorityClass StorageClass",
        ),
        (POD + "  namespaceSelector: {}\n", "Namespace Namespace/default PriorityClass"),
        ("kind: Namespace\nmetadata: {name: x}\n", "Namespace/default Namespace/x"),
    ],
)
def test_a_file_needs_what_its_words_may_ask_for(text, kinds):
    assert outline(file(text)).needs == tuple(kinds.split())


def test_an_object_that_is_added_changes_the_key_of_those_that_need_it():
    def keys(*objects, world=None):
        beside = Beside(SharedObjects((), objects), frozenset())
        return [
            key(text, world, beside=beside) for text in (TEXT, TEXT.replace("{name", "{namespace: team, name"), POD)
        ]

    def changed(*objects, world=None):
        return [one != other for one, other in zip(keys(world=world), keys(*objects, world=world), strict=True)]

    assert changed(("Namespace/other", "1")) == changed(("RuntimeClass/nvidia", "1")) == [False, False, False]
    assert changed(("Namespace/team", "1")) == [False, True, False]
    assert changed(("Namespace/default", "1")) == [True, False, True]
    assert changed(("PriorityClass/high", "1")) == [False, False, True]
    runs = ClusterContext(readings=[file(POD + "  runtimeClassName: nvidia\n", "i.yaml")])
    assert changed(("RuntimeClass/nvidia", "1"), world=runs) == [True, True, True]
    assert changed(("PriorityClass/high", "1"), world=runs) == [False, False, True]
    assert keys(("PriorityClass/a", "1"), ("PriorityClass/b", "2")) != keys(
        ("PriorityClass/b", "2"), ("PriorityClass/a", "1")
    )
    assert needs_of("") == frozenset()
