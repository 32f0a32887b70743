"""What a check does grows with the lists of a pod no faster than they do."""

from __future__ import annotations

import json
import sys

import pytest
from click.testing import CliRunner
from crowds import deployment, inventory

from kubelint_gpu.cli.main import main
from kubelint_gpu.engine import registry

HOST = "kubernetes.io/hostname"
FEW = 100


def container(number, **more):
    return {"name": f"c{number}", "image": "a:1", "resources": {"limits": {"cpu": "1m", "memory": "1Mi"}}, **more}


def one_container(**more):
    return {"containers": [container(0, **more)]}


def affinity(kind, entries):
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": entries}}}


def terms(count, app="other{}", key=HOST):
    return [
        {"topologyKey": key.format(one), "labelSelector": {"matchLabels": {"app": app.format(one)}}}
        for one in range(count)
    ]


def expressions(count):
    return [{"key": f"k{one}", "operator": "DoesNotExist"} for one in range(count)]


def node_terms(entries):
    return affinity("nodeAffinity", {"nodeSelectorTerms": entries})


def spread(count):
    selector = {"matchLabels": {"app": "a"}}
    rule = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    return {"topologySpreadConstraints": [{**rule, "topologyKey": f"k{one}"} for one in range(count)]}


def spread_by_one_key(count):
    """Constraints of one key: the API server refuses all but the first, and each gets a finding."""
    rules = spread(count)["topologySpreadConstraints"]
    return {"topologySpreadConstraints": [{**rule, "topologyKey": HOST} for rule in rules]}


def volumes(count, **source):
    return [{"name": f"v{one}", **(source or {"emptyDir": {}})} for one in range(count)]


def claims(count):
    return {
        "resourceClaims": [{"name": f"v{one}", "resourceClaimTemplateName": "t"} for one in range(count)],
        **one_container(resources={"claims": [{"name": f"v{one}"} for one in range(count)]}),
    }


LISTS = {
    "tolerations": lambda n: {"tolerations": [{"key": f"odd{one}", "operator": "Exists"} for one in range(n)]},
    "terms of others": lambda n: affinity("podAntiAffinity", terms(n)),
    "terms of its own": lambda n: affinity("podAntiAffinity", terms(n, app="a")),
    "terms by other keys": lambda n: affinity("podAntiAffinity", terms(n, app="a", key="k{}")),
    "terms to be near": lambda n: affinity("podAffinity", terms(n)),
    "node terms": lambda n: node_terms([{"matchExpressions": [one]} for one in expressions(n)]),
    "expressions": lambda n: node_terms([{"matchExpressions": expressions(n)}]),
    "values": lambda n: node_terms(
        [{"matchExpressions": [{"key": "a", "operator": "NotIn", "values": [f"v{one}" for one in range(n)]}]}]
    ),
    "node selector": lambda n: {"nodeSelector": {f"k{one}": "v" for one in range(n)}},
    "containers": lambda n: {"containers": [container(one) for one in range(n)]},
    "bare containers": lambda n: {"containers": [{"name": f"c{one}", "image": "a"} for one in range(n)]},
    "containers with GPUs": lambda n: {
        "containers": [container(one, resources={"limits": {"nvidia.com/gpu": 1}}) for one in range(n)]
    },
    "init containers": lambda n: {"initContainers": [container(one) for one in range(n)]},
    "sidecars": lambda n: {"initContainers": [container(one, restartPolicy="Always") for one in range(n)]},
    "volumes": lambda n: {"volumes": volumes(n)},
    "volumes of a claim": lambda n: {"volumes": volumes(n, persistentVolumeClaim={"claimName": "c"})},
    "claims": claims,
    "spread": spread,
    "spread by one key": spread_by_one_key,
    "claims of other templates": lambda n: {
        "resourceClaims": [{"name": f"v{one}", "resourceClaimTemplateName": f"t{one}"} for one in range(n)]
    },
    "env": lambda n: one_container(env=[{"name": f"E{one}", "value": "x"} for one in range(n)]),
    "ports": lambda n: one_container(ports=[{"containerPort": one + 1} for one in range(n)]),
    "host ports": lambda n: one_container(ports=[{"containerPort": one + 1, "hostPort": one + 1} for one in range(n)]),
    "resources": lambda n: one_container(resources={"limits": {f"e.com/r{one}": 1 for one in range(n)}}),
}


def calls(pod, folder, text=""):
    """How often a function is called while a Deployment with such a pod is checked."""
    found = deployment("a", 2)
    found["spec"]["template"]["spec"] |= pod
    (folder / "m.yaml").write_text(json.dumps(found) + text)
    (folder / "i.yaml").write_text(json.dumps(inventory(2)))
    count = 0

    def told(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    arguments = [
        "check",
        str(folder / "m.yaml"),
        "--isolated",
        "-i",
        str(folder / "i.yaml"),
        "--output-format",
        "json",
    ]
    before = sys.getprofile()
    sys.setprofile(told)
    try:
        done = CliRunner().invoke(main, arguments)
    finally:
        sys.setprofile(before)
    assert done.exit_code in (0, 1), done.output
    return count


@pytest.fixture(scope="module", autouse=True)
def loaded():
    registry.checks(), registry.world_checks(), registry.closing_checks()


def grows_linearly(work):
    """Fail where what is four times as long costs much more than twice what is twice as long; the first time loads modules."""
    work(4 * FEW + 1)
    none, some, twice, more = (work(number) for number in (1, FEW, 2 * FEW, 4 * FEW))
    assert more - twice < 3 * max(twice - some, none / 4), (none, some, twice, more)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_a_pod_costs_what_it_is_long(name, tmp_path):
    grows_linearly(lambda number: calls(LISTS[name](number), tmp_path))


def test_suppressions_cost_what_they_are_many(tmp_path):
    """Those of two codes have no fix: fixes are tried for a bounded number of characters."""
    line = "\n# kubelint-gpu: ignore[KLG101, KLG102] x"
    grows_linearly(lambda number: calls({}, tmp_path, line * number))
