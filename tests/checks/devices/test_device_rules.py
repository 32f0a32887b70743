"""Findings about claims: on which line, how certain, and above all where there are none."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

HEAD = 'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "{version}"\n'
H100 = "nodes:\n  - name: h-1\n    allocatable: {cpu: 96, memory: 900Gi}\n    devices: [{model: H100-80GB-HBM3, count: 4}]\n"
GPUS = "nodes:\n  - name: h-1\n    allocatable: {cpu: 96, memory: 900Gi}\n    gpus: {model: H100-80GB-HBM3, count: 4}\n"


def found(text, nodes=H100, version="1.36"):
    """Code, severity, line and message of what rules say of devices."""
    world = ClusterContext()
    if nodes:
        readings = (read("inventory.yaml", (HEAD.format(version=version) + nodes).encode()),)
        inventory, errors = load(readings)
        assert [error for error in errors if error.severity == "error"] == []
        world = ClusterContext(inventory, readings, errors)
    unit = ApplySet((read("a.yaml", dedent(text).encode()),), world)
    told = check((unit,), world, fixes=False).findings
    return [(one.code, one.severity, one.place.line, one.message) for one in told if one.code.startswith("KLG7")]


def codes(*args, **more):
    return [one[0] for one in found(*args, **more)]


def claim(requests, *, kind="ResourceClaim", constraints="", name="c", version="v1"):
    inner = f"requests: {requests}{constraints and ', constraints: '}{constraints}"
    spec = f"spec: {{spec: {{devices: {{{inner}}}}}}}" if kind != "ResourceClaim" else f"spec: {{devices: {{{inner}}}}}"
    head = f"apiVersion: resource.k8s.io/{version}\nkind: {kind}\nmetadata: {{name: {name}, namespace: ns}}\n"
    return f"{head}{spec}\n"


def gpu(*selectors, count=1, of="gpu.nvidia.com", more=""):
    cel = ", ".join(f'{{cel: {{expression: "{one}"}}}}' for one in selectors)
    return f"{{name: gpu, exactly: {{deviceClassName: {of}, count: {count}, selectors: [{cel}]{more}}}}}"


def pod(entry="resourceClaimName: c", *, resources="claims: [{name: gpu}]", replicas=0):
    inner = (
        f"{{resourceClaims: [{{name: gpu, {entry}}}], restartPolicy: Never, "
        f"containers: [{{name: m, image: i, resources: {{{resources}}}}}]}}"
    )
    meta = "metadata: {name: p, namespace: ns}"
    if not replicas:
        return f"apiVersion: v1\nkind: Pod\n{meta}\nspec: {inner}\n"
    spec = f"{{parallelism: {replicas}, completions: {replicas}, template: {{spec: {inner}}}}}"
    return f"apiVersion: batch/v1\nkind: Job\n{meta}\nspec: {spec}\n"


def objects(*texts):
    return "---\n".join(texts)


MODEL = "device.attributes['gpu.nvidia.com'].productName"


def test_the_nearest_value_is_told_on_the_line_of_a_block():
    text = """
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaim
    metadata: {name: c, namespace: ns}
    spec:
      devices:
        requests:
          - name: gpu
            exactly:
              deviceClassName: gpu.nvidia.com
              selectors:
                - cel:
                    expression: >-
                      device.driver == 'gpu.nvidia.com' &&
                      device.attributes['gpu.nvidia.com'].productName == 'H100 80GB HBM3'
    """
    (one,) = found(text)
    assert one[:3] == ("KLG703", "error", 15)
    assert (
        one[3] == "no device of class gpu.nvidia.com has productName 'H100 80GB HBM3'; 4 have 'NVIDIA H100 80GB HBM3'"
    )


@pytest.mark.parametrize(
    ("requests", "constraints", "told"),
    [
        (gpu(count=5), "", "the largest node, h-1, has 4"),
        (gpu(f"{MODEL}.startsWith('NVIDIA A')"), "", "satisfies it; 4 devices are left by then"),
        (gpu(f"{MODEL}.startsWith('NVIDIA')", f"{MODEL} == 'x'"), "", "that the selectors before it leave has"),
        (gpu(count=2), "[{matchAttribute: gpu.nvidia.com/uuid}]", "the most are 1"),
        (gpu(count=2), "[{matchAttribute: gpu.nvidia.com/numa}]", "has the attribute gpu.nvidia.com/numa"),
        (gpu(of="mig.nvidia.com"), "", "no device of the cluster is of class mig.nvidia.com"),
        ("{name: r, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com, count: 5}]}", "", "any of its"),
    ],
)
def test_the_part_that_fails_is_named(requests, constraints, told):
    (one,) = found(claim(f"[{requests}]", constraints=constraints))
    assert one[:2] == ("KLG703", "error")
    assert told in one[3]


def test_requests_that_only_fail_together_are_told_at_the_last():
    first, second = gpu(count=3), gpu(count=2).replace("name: gpu,", "name: more,")
    (one,) = found(claim(f"[{first}, {second}]"))
    assert one[3] == "no node has devices for more beside those for gpu"


def test_claims_that_only_fail_together_are_told_at_the_pod():
    text = objects(
        claim(f"[{gpu(count=3)}]", kind="ResourceClaimTemplate", name="three"),
        claim(f"[{gpu(count=2)}]", kind="ResourceClaimTemplate", name="two"),
        pod("resourceClaimTemplateName: three}, {name: more, resourceClaimTemplateName: two").replace(
            "{name: gpu}]", "{name: gpu}, {name: more}]"
        ),
    )
    (one,) = found(text)
    assert one[0] == "KLG703"
    assert "all of its claims gpu and more" in one[3]


def test_more_nodes_may_have_what_is_missing():
    open_ended = "complete: false\n" + H100
    assert [one[:2] for one in found(claim(f"[{gpu(count=5)}]"), open_ended)] == [("KLG703", "warning")]


@pytest.mark.parametrize("nodes", ["", GPUS])
def test_without_devices_of_the_cluster_nothing_is_unsatisfiable(nodes):
    assert codes(objects(claim(f"[{gpu(count=30)}]"), pod()), nodes) == []


def test_a_missing_claim_is_told_without_an_inventory_only_where_it_is_a_slip():
    assert codes(pod(), "") == []
    (one,) = found(objects(claim(f"[{gpu()}]", name="gpu-claim"), pod("resourceClaimName: gpu-claims")), "")
    assert one[:2] == ("KLG701", "warning")


def test_a_like_name_in_another_namespace_is_no_claim_of_the_pod():
    other = claim(f"[{gpu()}]").replace("namespace: ns", "namespace: other")
    (one,) = found(objects(other, pod()))
    assert one[0] == "KLG701"
    assert "it is in other" in one[3]


def test_an_expression_is_tried_on_what_the_driver_publishes_where_nothing_is_declared():
    index = "device.attributes['gpu.nvidia.com'].index == 0"
    text = claim(f"[{gpu(index)}]")
    assert [one[:2] for one in found(text, "")] == [("KLG704", "warning")]
    assert codes(text, GPUS) == ["KLG704"]
    published = f"{MODEL}.lowerAscii().matches('^.*a100.*$')"
    assert codes(claim(f"[{gpu(published)}]"), "") == []
    assert codes(claim(f"[{gpu(index, of='other.example.com')}]"), "") == []


def test_an_expression_is_asked_only_about_nodes_that_the_filters_before_let_pass():
    index = "device.attributes['gpu.nvidia.com'].index == 0"
    text = objects(claim(f"[{gpu(index)}]"), pod())
    assert "KLG704" in codes(text)
    assert "KLG704" not in codes(text, H100.replace("devices:", "unschedulable: true\n    devices:"))
    assert "KLG704" not in codes(text, H100.replace("devices:", 'taints: ["a=b:NoSchedule"]\n    devices:'))


def test_a_claim_of_v1beta1_is_read_in_its_own_shape():
    text = claim("[{name: gpu, deviceClassName: gpu.nvidia.com, count: 5}]", version="v1beta1")
    (one,) = found(text)
    assert one[0] == "KLG703"


def test_the_published_example_with_four_partitions_and_one_parent_is_silent():
    profiles = ["1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"]
    requests = ", ".join(
        gpu(f"device.attributes['gpu.nvidia.com'].profile == '{profile}'", of="mig.nvidia.com").replace(
            "name: gpu,", f"name: mig-{number},"
        )
        for number, profile in enumerate(profiles)
    )
    text = claim(f"[{requests}]", constraints="[{matchAttribute: gpu.nvidia.com/parentUUID}]")
    mig = "{model: H100-80GB-HBM3, count: 1, mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}"
    nodes = H100.replace("{model: H100-80GB-HBM3, count: 4}", mig)
    assert codes(text, nodes) == []
    (one,) = found(text, nodes.replace("2g.20gb: 1, ", "").replace("1g.10gb: 2", "1g.10gb: 3"))
    assert "profile '2g.20gb'" in one[3]


def test_two_pods_that_share_one_claim_are_silent():
    assert codes(objects(claim(f"[{gpu()}]"), pod(), pod().replace("name: p,", "name: q,"))) == []


def test_one_claim_for_more_pods_than_can_reserve_it():
    assert "KLG706" in codes(objects(claim(f"[{gpu()}]"), pod(replicas=257)))
    assert "KLG706" not in codes(objects(claim(f"[{gpu()}]"), pod(replicas=256)))


def test_fields_of_later_gates_are_dropped():
    text = claim(f"[{gpu(more=', capacity: {requests: {memory: 1Gi}}')}]")
    assert [one[:2] for one in found(text, version="1.34")] == [("KLG706", "warning")]
    assert "KLG706" not in codes(text)


def test_a_worst_case_ends():
    names = [f"r{number}" for number in range(8)]
    requests = ", ".join(gpu(count=4).replace("name: gpu,", f"name: {name},") for name in names)
    same = "[{matchAttribute: example.com/a}, {matchAttribute: example.com/b}]"
    a, b = ([number % most for number in range(64)] for most in (31, 13))
    attributes = f"{{type: gpu, example.com/a: {a}, example.com/b: {b}}}"
    devices = f"{{driver: gpu.nvidia.com, count: 64, attributes: {attributes}}}"
    nodes = H100.replace("{model: H100-80GB-HBM3, count: 4}", devices)
    assert set(codes(claim(f"[{requests}]", constraints=same), nodes)) <= {"KLG703"}


def test_a_run_without_claims_loads_no_library_of_expressions(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w, namespace: n}\nspec:\n"
        "  selector: {matchLabels: {a: w}}\n  template:\n    metadata: {labels: {a: w}}\n"
        "    spec: {containers: [{name: c, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
    )
    (tmp_path / "i.yaml").write_text(HEAD.format(version="1.36") + GPUS)
    program = (
        "import sys\n"
        "from kubelint_gpu.cli.main import main\n"
        f"sys.argv = ['kubelint-gpu', 'check', {str(tmp_path / 'a.yaml')!r}, '-i', {str(tmp_path / 'i.yaml')!r}, "
        "'--isolated', '--output-file', '/dev/null']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = ('lark', 're2', 'celpy', 'kubelint_gpu.kube.cel', 'kubelint_gpu.kube.dra.claim')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


CLASS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: served}
spec: {extendedResourceName: example.com/gpu}
"""
ASKING = """
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ns}
spec:
  containers:
    - {name: m, image: i, resources: {limits: {example.com/gpu: 5}}}
"""


@pytest.mark.parametrize(("count", "told"), [(4, []), (5, ["DeviceClass served serves example.com/gpu"])])
def test_a_resource_that_a_class_serves_lacks_devices(count, told):
    readings = (read("inventory.yaml", (HEAD.format(version="1.36") + H100).encode()),)
    inventory, errors = load(readings)
    world = ClusterContext(inventory, readings, errors)
    text = objects(CLASS, ASKING.replace("gpu: 5", f"gpu: {count}")).encode()
    unit = ApplySet((read("a.yaml", text),), world)
    found = [one.message for one in check((unit,), world, fixes=False).findings if one.severity == "error"]
    assert [one.partition(",")[0] for one in found] == told
