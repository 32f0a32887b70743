"""Files of one text are judged once: each comes to what it comes to by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks_units import deployment, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.judged import judged_unit
from kubelint_gpu.engine.results.equal_units import judged_once
from kubelint_gpu.engine.suppressing import Suppression
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.shared_objects import NOTHING_BESIDE, Beside, SharedObjects

RULES = Path(__file__).parents[3] / "rules"
WORLD = world()
BAD = {one.parents[1]: one for one in sorted(RULES.glob("KLG*/bad/*.yaml")) if ".inventory" not in one.name}
PORT = deployment(more="ports: [{containerPort: 80, hostPort: 80}]")


def of(*files, cluster=WORLD, **more):
    return [ApplySet([read(path, text.encode())], cluster, **more) for path, text in files]


def by_itself(unit):
    return judged_unit(unit, Suppression(), fixes=True, pictures=False)


def once(units):
    """What comes of units, and the paths of those that were judged."""
    asked = []

    def work(some):
        asked.extend(unit.readings[0].source.path for unit in some)
        return [by_itself(unit) for unit in some]

    return judged_once(work, units), asked


def told(judged):
    """All of it, also what findings are not compared by."""
    return repr([(one, one.finding.refusals, one.finding.shared, one.finding.part) for one in judged.found]), judged


def test_files_of_one_text_are_judged_once_and_say_the_same_of_their_own_places():
    files = ("b.yaml", PORT), ("a.yaml", deployment()), ("c/b.yaml", PORT), ("d.yaml", PORT)
    found, asked = once(of(*files))
    assert asked == ["b.yaml", "a.yaml"]
    assert [told(one) for one in found] == [told(by_itself(unit)) for unit in of(*files)]
    assert {one.finding.place.path for one in found[2].found} == {"c/b.yaml"}
    assert len({one.finding.fingerprint for judged in found for one in judged.found}) == sum(
        len(judged.found) for judged in found
    )


@pytest.mark.parametrize("path", BAD.values(), ids=[folder.name for folder in BAD])
def test_what_a_rule_finds_in_a_file_it_finds_in_another_of_its_text(path):
    text, own, common = path.read_text(), path.with_suffix(".inventory.yaml"), path.parents[1] / "inventory.yaml"
    declared = next((one.read_text() for one in (own, common) if one.exists()), "")
    files = ("first.yaml", text), ("other/second.yaml", text)
    found, _ = once(of(*files, cluster=world(declared)))
    assert [told(one) for one in found] == [told(by_itself(unit)) for unit in of(*files, cluster=world(declared))]


def test_what_a_file_is_compared_with_or_shares_with_others_has_it_judged_by_itself():
    neighbour = manifests([read("n.yaml", deployment(name="n").encode())])
    for more in ({"neighbours": neighbour}, {"gone": neighbour}, {"made": {"a"}}, {"before": {"a": neighbour[0]}}):
        assert once(of(("a.yaml", PORT), ("b.yaml", PORT), **more))[1] == ["a.yaml", "b.yaml"], more
    shared = SharedObjects(neighbour, (), ("a.yaml", "b.yaml"))
    chart = "apiVersion: v2\nname: a\n"
    assert once(of(("a/Chart.yaml", chart), ("b/Chart.yaml", chart)))[1] == ["a/Chart.yaml", "b/Chart.yaml"]
    for text, beside in (("a: b: c", NOTHING_BESIDE), (PORT, Beside(shared, frozenset()))):
        assert once(of(("a.yaml", text), ("b.yaml", text), beside=beside))[1] == ["a.yaml", "b.yaml"]


def test_other_clusters_encodings_and_texts_are_told_apart():
    (one,), other = of(("a.yaml", PORT)), ApplySet([read("b.yaml", PORT.encode())], ClusterContext())
    marked = ApplySet([read("c.yaml", b"\xef\xbb\xbf" + PORT.encode())], WORLD)
    assert once([one, other, marked])[1] == ["a.yaml", "b.yaml", "c.yaml"]


def test_units_without_a_file_are_judged_each():
    found = judged_once(lambda some: [by_itself(unit) for unit in some], [ApplySet([], WORLD) for _ in range(2)])
    assert [told(one) for one in found] == [told(by_itself(ApplySet([], WORLD)))] * 2


def test_a_finding_whose_words_hold_the_path_is_found_anew():
    files = ("80", PORT), ("b.yaml", PORT)
    found, asked = once(of(*files))
    assert any("80" in one.finding.message for one in found[0].found)
    assert asked == ["80", "b.yaml"]
    assert [told(one) for one in found] == [told(by_itself(unit)) for unit in of(*files)]
