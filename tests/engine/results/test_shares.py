"""The budget of a run: shared out among its units, and spent where it is needed."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks_units import deployment, world

from kubelint_gpu.budget import Effort
from kubelint_gpu.documents import read
from kubelint_gpu.engine.executors.executor import ALONE
from kubelint_gpu.engine.judged import judged_unit
from kubelint_gpu.engine.results.shares import coarse, judged_once, within_budget
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.work import UsedUp, charge, part
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.shared_objects import NOTHING_BESIDE, Beside, SharedObjects

SMALL = Effort(run=1_000, group=1_000, least=10)

RULES = Path(__file__).parents[3] / "rules"
WORLD = world()
BAD = {one.parents[1]: one for one in sorted(RULES.glob("KLG*/bad/*.yaml")) if ".inventory" not in one.name}
PORT = deployment(more="ports: [{containerPort: 80, hostPort: 80}]")


class Some:
    """A unit that needs so many steps."""

    readings = ()

    class world:  # noqa: N801
        node_count = 0

    def __init__(self, needs):
        self.needs = needs
        self.asked = 0

    def forget(self):
        pass


def asked(one):
    one.asked += 1
    try:
        with part(1, 1):
            charge(one.needs)
    except UsedUp:
        return None
    return one.needs


def test_each_unit_has_an_equal_share():
    units = [Some(100) for _ in range(10)]
    assert within_budget(asked, units, ALONE, effort=SMALL) == [100] * 10
    assert {one.asked for one in units} == {1}


def test_what_some_leave_goes_to_those_that_need_more():
    units = [Some(800), *(Some(1) for _ in range(9))]
    assert within_budget(asked, units, ALONE, effort=SMALL) == [800, *[1] * 9]
    assert units[0].asked == 2


def test_no_more_is_spent_than_the_budget():
    units = [Some(800) for _ in range(10)]
    assert within_budget(asked, units, ALONE, effort=SMALL) == [None] * 10


def test_every_unit_has_a_little_however_many_there_are():
    assert within_budget(asked, [Some(10) for _ in range(5_000)], ALONE, effort=SMALL) == [10] * 5_000


def test_shares_are_alike_in_repositories_of_nearly_the_same_size():
    shares = [coarse((200_000 + 10_000 * count) // count) for count in range(400, 600)]
    assert len(set(shares)) == 1
    assert all(steps * 15 // 16 <= coarse(steps) <= steps for steps in range(1, 5_000))


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
