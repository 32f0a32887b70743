"""What is kept of a unit: for which steps it stands, and that it holds nothing but plain values."""

import pytest
from click.testing import CliRunner
from counted_calls import calls_of

from kubelint_gpu.budget import Effort
from kubelint_gpu.cli.main import main
from kubelint_gpu.documents import read
from kubelint_gpu.engine.executors.executor import ALONE
from kubelint_gpu.engine.judged import judged_unit
from kubelint_gpu.engine.results.kept_results import KeptResults, unit_key
from kubelint_gpu.engine.results.shares import within_budget
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.kube.kinds.custom_workload import declare_rows
from kubelint_gpu.work import charge, part
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.shared_objects import Beside, SharedObjects, needs_of, outline

TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
POD = "kind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: n\n"
OTHER = TEXT.replace("name: a", "name: b")


class Kept(dict):
    def put(self, key, text):
        self[key] = text.encode()


def results(store, lasting=lambda _: True):
    return KeptResults(store, ("x",), "2026-01-01", {"Place": Place}, lasting)


def unit(name, text="kind: A\n"):
    return ApplySet([read(f"{name}.yaml", text.encode())], ClusterContext())


def test_what_was_not_cut_off_stands_for_more_steps_and_not_for_fewer():
    kept = results(Kept())
    kept.keep("k", 100, (Place("a", 1, 1, 1, 1), 40, False))
    assert kept.recall("k", 100) == (Place("a", 1, 1, 1, 1), 40, False)
    assert kept.recall("k", 150) == (Place("a", 1, 1, 1, 1), 90, False)
    assert kept.recall("k", 99) is None


def test_what_was_cut_off_stands_for_as_many_steps_alone():
    kept = results(Kept())
    kept.keep("k", 100, ("short", 0, True))
    kept.keep("k", 500, ("long", 20, False))
    assert [kept.recall("k", steps) for steps in (100, 101, 500)] == [("short", 0, True), None, ("long", 20, False)]


def test_what_does_not_last_or_is_not_plain_is_not_kept():
    store = Kept()
    results(store, lasting=lambda _: False).keep("k", 1, ("a", 0, False))
    results(store).keep("k", 1, (object(), 0, False))
    assert store == {}


def test_the_day_counts_only_where_a_suppression_may_have_an_end():
    days = ("2026-01-01", "2026-01-02")
    for text, depends in (("kind: A\n", False), ("# until=2026-01-01\n", True), ('a: "\\x75ntil"\n', True)):
        keys = {KeptResults(Kept(), (), day, {}, bool).key(unit("a", text)) for day in days}
        assert (len(keys) == 2) is depends


def test_a_budget_that_is_too_small_is_shared_out_the_same_way():
    effort, store, asked = Effort(run=1_000, group=1_000, least=10), Kept(), []

    def work(one):
        name = one.readings[0].source.path
        asked.append(name)
        done = 0
        try:
            with part(1, 2):
                for _ in range({"a": 20, "b": 700, "c": 40, "d": 5_000}[name[0]]):
                    charge(1)
                    done += 1
        except Exception:  # noqa: BLE001 - used up
            return (name, "cut", done)
        return (name, "whole", done)

    units = [unit(name) for name in "abcd"]
    first = within_budget(work, units, ALONE, effort=effort, kept=results(store))
    assert first == within_budget(work, units, ALONE, effort=effort)
    assert {kind for _, kind, _ in first} == {"cut", "whole"}
    asked.clear()
    assert within_budget(work, units, ALONE, effort=effort, kept=results(store)) == first
    assert asked == []


def test_a_file_more_is_the_only_one_that_is_judged_anew(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBELINT_GPU_NO_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "manifests"
    folder.mkdir()
    for number in range(100):
        (folder / f"{number}.yaml").write_text(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: pod-{number}}}\n")

    def judged_units():
        with calls_of(judged_unit) as found:
            CliRunner().invoke(
                main, ["check", "--isolated", "--exit-zero", "--unit", "file", str(folder)], standalone_mode=False
            )
        return len(found)

    assert [judged_units(), judged_units()] == [100, 0]
    (folder / "more.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n")
    assert judged_units() == 1


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
