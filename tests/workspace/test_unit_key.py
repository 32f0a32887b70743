"""The key of a unit: what is decisive is in it, and what has no digest has no key."""

from kubelint_gpu.documents import read
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.shared_objects import Beside, SharedObjects, shared_documents
from kubelint_gpu.workspace.unit_key import unit_key

TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
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
        key(world=ClusterContext(name="x")),
        key(world=ClusterContext(what_if="x")),
        key(world=ClusterContext(readings=[file(OTHER, "i.yaml")])),
        key(beside=Beside(SharedObjects((), "x"), frozenset())),
    ]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert key() == keys[0]


def test_what_is_not_known_has_no_key():
    assert key("a: b: c") is None
    assert unit_key(ApplySet([read("a.yaml", b"\0")], ClusterContext()), ()) is None
    assert key(world=ClusterContext(readings=[file("a: b: c", "i.yaml")])) is None


def test_only_documents_with_shared_objects_and_their_places_are_seen_by_others():
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n"
    assert shared_documents(file()) == ""
    alone = shared_documents(file(space))
    assert alone
    assert shared_documents(file(f"{space}---\n{TEXT}")) == shared_documents(file(f"{space}---\n{OTHER}")) != ""
    assert shared_documents(file(f"\n{space}")) != alone
    assert shared_documents(file(space, "b.yaml")) != alone
    assert shared_documents(file("kind: [Namespace]\n")) == ""
