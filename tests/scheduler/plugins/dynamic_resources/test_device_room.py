"""What bounds count of devices says no more than the search through all states, and decides where that is too long."""

from __future__ import annotations

from random import Random

import pytest
from device_objects import CLASS, DRIVER, IN_PLACE, RECREATE, SURGE, asking, by, claim, plain, slices, template
from left_out import only_search
from rollout_objects import workload

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load
from kubelint_gpu.kube.dra.claim import AllocatedDevice, Allocation, ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.scheduler.plugins.dynamic_resources.device_room import device_rooms
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.analysis import RolloutAnalysis
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def alike(count, split=False):
    """Claims to devices of one model, of one request or of several."""
    requests = asking(count)["devices"]["requests"]
    if split:
        requests = [{**asking()["devices"]["requests"][0], "name": f"r{number}"} for number in range(count)]
    return {"devices": {"requests": requests, "constraints": [{"matchAttribute": f"{DRIVER}/model"}]}}


TEMPLATES = [template("one", asking()), template("two", asking(2)), template("h", asking(model="H"))]
ALIKE = [template(f"alike-{count}", alike(count)) for count in (2, 3)]


def cluster(*objects, version="1.34"):
    return read_cluster([CLASS, *TEMPLATES, *ALIKE, *objects], version=version)


def room(found, asked):
    return device_rooms([created_pod(by("w", template=asked), "new")], (), found, 4)


@pytest.mark.parametrize(
    ("models", "asked", "price"),
    [("AAAAHHHH", "two", 7), ("AAAAHHHH", "alike-2", 6), ("AAAAHHHH", "alike-3", 4), ("AAHH", "alike-3", 0)],
)
def test_so_many_devices_of_a_node_have_to_go_before_a_claim_finds_too_few(models, asked, price):
    (found,) = room(cluster(plain("n1"), slices("n1", *models)), asked).values()
    assert (dict(found.prices), found.alike) == ({"n1": price}, True)


@pytest.mark.parametrize(
    "objects",
    [
        [slices("s", "A", "A", allNodes=True)],
        [slices("n1", "A"), slices("n2", "A", pool="n1")],
        [slices("n1", "")],
    ],
)
def test_devices_that_are_no_mere_number_are_not_counted(objects):
    found = cluster(plain("n1"), plain("n2"), *objects)
    assert room(found, "h") == {}


def test_of_requests_that_choose_among_other_devices_each_way_has_to_be_closed():
    spec = {
        "devices": {"requests": [{**asking(model=model)["devices"]["requests"][0], "name": model} for model in "AH"]}
    }
    (found,) = room(cluster(plain("n1"), slices("n1", *"AHAAH"), template("both", spec)), "both").values()
    assert (found.most, dict(found.prices), found.alike) == (2, {"n1": 2}, False)


def test_a_claim_without_requests_finds_its_devices_always():
    found = cluster(plain("n1"), slices("n1", "A"), template("none", {"devices": {"requests": []}}))
    workload = by("w", 2, SURGE, template="none")
    assert judge([Transition(workload, workload)], found)[0].verdict is Verdict.COMPLETES


def shared(*memory, amounts=("15Gi",), consumes=False):
    """A node with devices of so much memory that give it away in steps of 10Gi, and templates for amounts of it."""
    steps = {"default": "10Gi", "validRange": {"min": "10Gi", "step": "10Gi"}}
    found = slices("n1", *("A" * len(memory)))
    for one, has in zip(found["spec"]["devices"], memory, strict=True):
        one.update(allowMultipleAllocations=True, capacity={"memory": {"value": has, "requestPolicy": steps}})
        if consumes:
            one["consumesCounters"] = [{"counterSet": "c", "counters": {"k": {"value": "1"}}}]
    made = []
    for number, amount in enumerate(amounts):
        spec = asking()
        spec["devices"]["requests"][0]["exactly"]["capacity"] = {"requests": {"memory": amount}}
        made.append(template(f"share-{number}", spec))
    return cluster(plain("n1"), found, *made, version="1.36")


@pytest.mark.parametrize(("memory", "amount", "price"), [("80Gi", "15Gi", 4), ("80Gi", "80Gi", 1), ("50Gi", "20Gi", 2)])
def test_shares_of_a_device_count_as_devices(memory, amount, price):
    (found,) = room(shared(memory, memory, amounts=(amount,)), "share-0").values()
    assert (found.most, dict(found.prices), found.alike) == (1, {"n1": 2 * price}, False)


def test_shares_of_several_sizes_and_of_counters_are_not_counted():
    found = shared("80Gi", amounts=("10Gi", "40Gi"))
    pods = [created_pod(by("w", template=f"share-{number}"), "new") for number in range(2)]
    assert device_rooms(pods, (), found, 4) == {}
    assert device_rooms(pods[:1], (), found, 4)[0].prices == {"n1": 8}


@pytest.mark.parametrize(("held", "counted"), [("share-0", True), ("share-1", False), ("", False)])
def test_shares_count_beside_pods_that_run_where_these_have_shares_of_that_size(held, counted):
    found = shared("80Gi", amounts=("10Gi", "40Gi"))
    specs = {one.meta.name: one.spec for one in found.claim_templates}
    pod = created_pod(by("w", template="share-0"), "new")
    old = replace(pod, spec=replace(pod.spec, node_name="n1"), allocations=(("d/c", Allocation(())),))
    claims = (ResourceClaim(Meta("c", "d"), specs[held]),) if held else ()
    assert bool(device_rooms([pod], (), replace(found, pods=(old,), resource_claims=claims), 4)) is counted


def test_a_rollout_of_many_pods_that_share_devices_is_decided_without_a_search():
    found = shared("80Gi", "80Gi", "80Gi", "80Gi")
    for replicas, told in ((5, (Verdict.COMPLETES, 0)), (17, (None, 0))):
        workload = by("w", replicas, SURGE, template="share-0")
        one = judge([Transition(workload, workload)], found)[0]
        assert (one.verdict, one.runs.states, one.room.placed) == (*told, min(replicas, 16))


def test_a_new_pod_gets_the_device_that_its_old_one_kept_from_another_claim():
    found = cluster(plain("n1"), slices("n1", "H", "A"))
    workloads = [by(name, 1, RECREATE, template=asked) for name, asked in (("h", "h"), ("any", "one"))]
    after = [replace(one, spec=replace(one.spec, termination_grace_period_seconds=7)) for one in workloads]
    told = judge([Transition(new, old) for new, old in zip(after, workloads, strict=True)], found)
    assert [one.verdict for one in told] == [Verdict.COMPLETES] * 2


@pytest.mark.parametrize("seed", range(16))
def test_bounds_and_the_search_agree(seed):
    random = Random(seed)
    nodes = [f"n{number}" for number in range(random.randint(1, 2))]
    models = [[random.choice("AAH") for _ in range(random.randint(2, 4))] for _ in nodes]
    found = cluster(*map(plain, nodes), *map(lambda name, has: slices(name, *has), nodes, models))
    asked = [random.choice(("one", "two", "h", "alike-2")) for _ in range(2)]
    workloads = [by(name, random.randint(1, 2), random.choice((SURGE, IN_PLACE, RECREATE)), template=one)
                 for name, one in zip("wv", asked, strict=True)]  # fmt: skip
    transitions = [Transition(one, one) for one in workloads]
    told = judge(transitions, found)
    again = cluster(*map(plain, nodes), *map(lambda name, has: slices(name, *has), nodes, models))
    with only_search():
        searched = RolloutAnalysis(transitions, again, 20_000).judge()
    for one, other in zip(told, searched, strict=True):
        assert one.verdict is other.verdict or other.room.placed < other.room.wanted


def test_rollouts_of_unequal_claims_on_many_nodes_are_decided_without_a_search():
    nodes = [f"n{number:02}" for number in range(40)]
    found = cluster(*map(plain, nodes), *(slices(name, *"AAAAHHHH") for name in nodes))
    workloads = [by("one", 40, template="one"), by("two", 10, IN_PLACE, template="alike-2"),
                 by("three", 10, IN_PLACE, template="alike-3")]  # fmt: skip
    told = judge([Transition(one, one) for one in workloads], found)
    assert [(one.verdict, one.runs.states) for one in told] == [(Verdict.COMPLETES, 0)] * 3


@pytest.mark.parametrize("replicas", [9, 60])
def test_many_pods_share_a_claim(replicas):
    found = cluster(plain("n1", cpu="256"), slices("n1", "A", *"HHHHHHH"), claim("pool", asking(model="A")))
    shared, own = by("w", replicas, claim="pool"), by("v", 5, template="h")
    told = judge([Transition(shared, shared), Transition(own, own)], found)
    assert [one.verdict for one in told] == [Verdict.COMPLETES] * 2


@pytest.mark.parametrize("update", [SURGE, IN_PLACE, RECREATE])
@pytest.mark.parametrize(("replicas", "ends"), [(255, True), (256, False)])
def test_the_places_of_a_claim_that_many_pods_share_are_counted(replicas, ends, update):
    found = cluster(small("n1", 1000), slices("n1", "A"), claim("pool", asking()))
    shared = by("w", replicas, update, claim="pool")
    (told,) = judge([Transition(shared, shared)], found)
    assert told.verdict is (Verdict.COMPLETES if ends or update is not SURGE else Verdict.STUCK)
    many = replace(shared, replicas=257)
    assert [one.room.placed for one in judge([Transition(many, many)], found)] == [256]


def uses(name):
    pod = {
        "metadata": {"name": name, "namespace": "d", "uid": name},
        "spec": {
            "nodeName": "n1",
            "containers": [{"name": "c", "image": "i"}],
            "resourceClaims": [{"name": "c", "resourceClaimName": "pool"}],
        },
        "status": {"phase": "Running"},
    }
    return {"apiVersion": "v1", "kind": "Pod", **pod}


@pytest.mark.parametrize("seed", range(8))
def test_places_of_a_claim_that_others_take_are_counted_as_the_search_finds_them(seed):
    random = Random(seed)
    staying = random.randint(252, 254)
    objects = [small("n1", 1000), slices("n1", "A"), claim("pool", asking()), *map(uses, map(str, range(staying)))]
    updates = SURGE, IN_PLACE, RECREATE
    names = "wv"[: random.randint(1, 2)]
    workloads = [by(name, random.randint(1, 3), random.choice(updates), claim="pool") for name in names]
    agrees_with_the_search(workloads, objects)


def agrees_with_the_search(workloads, objects):
    transitions = [Transition(one, one) for one in workloads]
    told = judge(transitions, cluster(*objects))
    with only_search():
        searched = RolloutAnalysis(transitions, cluster(*objects), 20_000).judge()
    for one, other in zip(told, searched, strict=True):
        assert (
            one.verdict is other.verdict or other.room.placed < other.room.wanted or other.verdict is Verdict.UNDECIDED
        )


def small(name, pods):
    found = plain(name)
    found["status"]["allocatable"]["pods"] = str(pods)
    return found


@pytest.mark.parametrize("seed", range(14))
def test_pods_that_share_a_claim_go_to_one_of_the_nodes_that_may_serve_it(seed):
    random = Random(seed)
    sizes = {f"n{number}": random.randint(2, 6) for number in range(random.randint(2, 3))}
    objects = [*(small(*one) for one in sizes.items()), *(slices(name, "A") for name in sizes), claim("pool", asking())]
    updates = SURGE, IN_PLACE, RECREATE
    workloads = [by("w", random.randint(1, 3), random.choice(updates), claim="pool")]
    if random.random() < 0.6:
        workloads.append(workload("Deployment", "v", random.randint(1, 3), 0, update=random.choice(updates)))
    agrees_with_the_search(workloads, objects)


def test_pods_that_share_a_claim_are_decided_on_many_nodes_without_a_search():
    nodes = [f"n{number:02}" for number in range(40)]
    found = cluster(*map(plain, nodes), *(slices(name, "A") for name in nodes), claim("pool", asking()))
    shared = by("w", 10, claim="pool")
    (told,) = judge([Transition(shared, shared)], found)
    assert (told.verdict, told.runs.states) == (Verdict.COMPLETES, 0)


def test_what_somebody_else_may_have_is_not_kept_for_a_claim_that_pods_share():
    found = cluster(plain("n1"), slices("n1", "A", "A"), claim("pool", asking()))
    shared, own = by("w", claim="pool"), by("v", template="one")
    told = judge([Transition(shared, shared), Transition(own, own)], found)
    assert told[1].verdict is Verdict.STUCK
    assert told[0].verdict is not Verdict.STUCK


PARTITIONS = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.36"
nodes:
- {name: n1, allocatable: {cpu: 64, memory: 512Gi}, devices: [{model: H100, mig: dynamic, count: 2}]}
"""


def partition(name, *profiles):
    """A claim for MIG devices of such profiles, all of one GPU."""
    requests = []
    for number, profile in enumerate(profiles):
        of_profile = f"device.attributes['gpu.nvidia.com'].profile == '{profile}'"
        exactly = {"deviceClassName": "mig.nvidia.com", "selectors": [{"cel": {"expression": of_profile}}]}
        requests.append({"name": f"mig-{number}", "exactly": exactly})
    constraints = [{"matchAttribute": "gpu.nvidia.com/parentUUID"}]
    return template(name, {"devices": {"requests": requests, "constraints": constraints}})


def partitioned(*templates, gpus=2):
    text = PARTITIONS.replace("count: 2", f"count: {gpus}")
    inventory, _ = load([read("inventory.yaml", text.encode())])
    return read_cluster([*(one.value for one in inventory.objects), *templates], version="1.36")


@pytest.mark.parametrize(
    ("replicas", "verdict"), [(12, Verdict.COMPLETES), (13, Verdict.COMPLETES), (14, Verdict.STUCK)]
)
def test_partitions_count_where_counters_are_enough_for_all_of_them(replicas, verdict):
    workload = by("w", replicas, SURGE, template="small")
    found = partitioned(partition("small", "1g.10gb"))
    assert judge([Transition(workload, workload)], found)[0].verdict is verdict


def test_partitions_of_one_gpu_count_as_one_device_where_counters_are_not_enough_for_all_of_them():
    found = partitioned(partition("small", "1g.10gb"), partition("large", "3g.40gb", "1g.10gb"))
    pods = [created_pod(by("w", template=name), "new") for name in ("small", "large")]
    rooms = device_rooms(pods, (), found, 40)
    assert [(one.most, dict(one.prices), one.alike) for one in rooms.values()] == [(1, {"n1": 2}, False)] * 2


@pytest.mark.parametrize(("gpus", "decided"), [(4, False), (5, True)])
def test_claims_for_several_partitions_of_one_gpu_are_decided_without_a_search(gpus, decided):
    workload = by("w", 4, SURGE, template="four")
    found = partitioned(partition("four", "1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"), gpus=gpus)
    (told,) = judge([Transition(workload, workload)], found)
    assert (told.verdict is Verdict.COMPLETES and not told.runs.states) is decided


@pytest.mark.parametrize("seed", range(10))
def test_bounds_and_the_search_agree_about_partitions(seed):
    random = Random(seed)
    sizes = [("1g.10gb",), ("3g.40gb",), ("1g.10gb", "4g.40gb"), ("2g.20gb", "2g.20gb")]
    templates = [partition(f"t{number}", *random.choice(sizes)) for number in range(2)]
    workloads = [by(f"w{number}", random.randint(1, 2), random.choice((SURGE, IN_PLACE, RECREATE)),
                    template=f"t{number}") for number in range(random.randint(1, 2))]  # fmt: skip
    transitions, gpus = [Transition(one, one) for one in workloads], random.randint(2, 3)
    told = judge(transitions, partitioned(*templates, gpus=gpus))
    with only_search():
        searched = RolloutAnalysis(transitions, partitioned(*templates, gpus=gpus), 20_000).judge()
    for one, other in zip(told, searched, strict=True):
        assert (
            one.verdict is other.verdict or other.room.placed < other.room.wanted or other.verdict is Verdict.UNDECIDED
        )


def test_devices_are_not_counted_where_a_pod_that_has_one_could_be_evicted():
    found = cluster(plain("n1"), slices("n1", "A", "A"))
    low, high = by("low", template="one"), by("high", template="one", priority=10)
    holding = created_pod(low, "old")
    device = AllocatedDevice("r", DeviceID(DRIVER, "n1", "gpu-0"))
    spec = replace(holding.spec, node_name="n1")
    rest = replace(holding, spec=spec, allocations=(("d/c", Allocation((device,))),))
    assert device_rooms([created_pod(low, "new")], (rest,), found, 4)
    assert device_rooms([created_pod(high, "new")], (rest,), found, 4) == {}


@pytest.mark.parametrize(("models", "verdict"), [("A", Verdict.STUCK), ("AA", Verdict.COMPLETES)])
def test_a_daemon_set_that_surges_needs_devices_for_both_pods_of_a_node(models, verdict):
    agent = by("agent", kind="DaemonSet", template="one")
    found = judge([Transition(agent, agent)], cluster(plain("n1"), slices("n1", *models)))
    assert found[0].verdict is verdict
