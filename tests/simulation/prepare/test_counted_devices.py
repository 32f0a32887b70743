"""Where devices only count, counting says what the search through all states says."""

from __future__ import annotations

from random import Random

import pytest
from device_objects import CLASS, IN_PLACE, RECREATE, SURGE, asking, by, plain, slices, template

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.prepare.counted_devices import with_counted_devices
from kubelint_gpu.simulation.questions.analysis import RolloutAnalysis
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.explorer import Verdict
from kubelint_gpu.simulation.transition import Transition

TEMPLATES = [template("one", asking()), template("two", asking(2)), template("h", asking(model="H"))]


def cluster(*objects):
    return read_cluster([CLASS, *TEMPLATES, *objects], version="1.34")


@pytest.mark.parametrize("seed", range(24))
def test_counting_and_the_search_agree(seed):
    random = Random(seed)
    nodes = [f"n{number}" for number in range(random.randint(1, 2))]
    found = cluster(*map(plain, nodes), *(slices(name, *["A"] * random.randint(1, 3)) for name in nodes))
    replicas, update = random.randint(1, 3), random.choice((SURGE, IN_PLACE, RECREATE))
    old, new = (by("w", replicas, update, template=random.choice(("one", "two"))) for _ in range(2))
    transition = Transition(new, old)
    (told,) = judge([transition], found)
    (searched,) = RolloutAnalysis([transition], found, 20_000).judge()
    assert (told.verdict, told.placed) == (searched.verdict, searched.placed)
    assert told.workload is new


def alike(count, split):
    """Claims to devices of one model, of one request or of several."""
    spec = asking(count)
    if split:
        spec = {
            "devices": {"requests": [{**asking()["devices"]["requests"][0], "name": f"r{n}"} for n in range(count)]}
        }
    return {"devices": {**spec["devices"], "constraints": [{"matchAttribute": "gpu.example.com/model"}]}}


@pytest.mark.parametrize("seed", range(24))
def test_groups_of_devices_are_counted_as_the_search_finds_them(seed):
    random = Random(seed)
    nodes = [f"n{number}" for number in range(random.randint(1, 2))]
    models = [[random.choice(("A", "A", "H", "")) for _ in range(random.randint(2, 6))] for _ in nodes]
    group = template("alike", alike(random.randint(1, 3), random.random() < 0.5))
    found = cluster(*map(plain, nodes), *map(lambda name, has: slices(name, *has), nodes, models), group)
    workload = by("w", random.randint(1, 3), random.choice((SURGE, IN_PLACE, RECREATE)), template="alike")
    transition = Transition(workload, workload)
    assert with_counted_devices([transition], found) is not None
    (told,) = judge([transition], found)
    (searched,) = RolloutAnalysis([transition], found, 20_000).judge()
    assert (told.verdict, told.placed) == (searched.verdict, searched.placed)


@pytest.mark.parametrize(("models", "counted"), [("AAAA", True), ("AAAH", False), (["A", "A", "A", ""], False)])
def test_groups_of_unequal_sizes_are_counted_only_where_all_devices_are_one_group(models, counted):
    found = cluster(
        plain("n1"), slices("n1", *models), template("pair", alike(2, False)), template("any", alike(1, False))
    )
    pair, lone = by("p", template="pair"), by("o", template="any")
    assert with_counted_devices([Transition(pair, pair)], found) is not None
    assert (with_counted_devices([Transition(pair, pair), Transition(lone, lone)], found) is not None) is counted


PARTITIONS = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.36"
nodes:
- {name: n1, allocatable: {cpu: 64, memory: 512Gi}, devices: [{model: H100, mig: dynamic, count: 2}]}
"""


def partition(name, profile):
    of_profile = f"device.attributes['gpu.nvidia.com'].profile == '{profile}'"
    exactly = {"deviceClassName": "mig.nvidia.com", "selectors": [{"cel": {"expression": of_profile}}]}
    return template(name, {"devices": {"requests": [{"name": "mig", "exactly": exactly}]}})


@pytest.mark.parametrize(
    ("replicas", "verdict"), [(12, Verdict.COMPLETES), (13, Verdict.COMPLETES), (14, Verdict.STUCK)]
)
def test_partitions_count_where_counters_are_enough_for_all_of_them(replicas, verdict):
    inventory, _ = load([read("inventory.yaml", PARTITIONS.encode())])
    small, large = partition("small", "1g.10gb"), partition("large", "3g.40gb")
    found = read_cluster([*(one.value for one in inventory.objects), small, large], version="1.36")
    workload = by("w", replicas, SURGE, template="small")
    assert judge([Transition(workload, workload)], found)[0].verdict is verdict
    others = by("v", 1, template="large")
    assert with_counted_devices([Transition(one, one) for one in (workload, others)], found) is None


def test_a_rollout_on_many_nodes_is_decided_without_a_search():
    nodes = [f"n{number:02}" for number in range(40)]
    found = cluster(*map(plain, nodes), *(slices(name, *["A"] * 8) for name in nodes))
    workload = by("w", 300, template="one")
    (told,) = judge([Transition(workload, workload)], found)
    assert (told.verdict, told.states) == (Verdict.COMPLETES, 0)


@pytest.mark.parametrize(
    "objects",
    [
        [slices("n1", "A", "H")],
        [slices("s", "A", "A", allNodes=True)],
        [slices("n1", "A"), slices("n2", "A", pool="n1")],
    ],
)
def test_devices_that_are_no_number_are_not_counted(objects):
    workloads = [by("w", template="one"), by("v", template="h")]
    found = cluster(plain("n1"), plain("n2"), *objects)
    assert with_counted_devices([Transition(one, one) for one in workloads], found) is None


def test_devices_are_not_counted_where_a_pod_that_has_one_could_be_evicted():
    found = cluster(plain("n1"), slices("n1", "A", "A"))
    low, high = by("low", template="one"), by("high", template="one", priority=10)
    assert with_counted_devices([Transition(low, low)], found) is not None
    assert with_counted_devices([Transition(low, low), Transition(high, high)], found) is None
