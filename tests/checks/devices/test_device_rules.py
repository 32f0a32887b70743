"""Runs without claims, and what devices serve beside a device plugin."""

from __future__ import annotations

import subprocess
import sys

import pytest
from claim_findings import GPUS, HEAD, findings, pod


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
        "heavy = ('lark', 're2', 'celpy', 'kubelint_gpu.kube.cel')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def rolled_out(more=""):
    """A Deployment whose pods ask for one nvidia.com/gpu."""
    asks = pod("", resources="limits: {nvidia.com/gpu: 1}").replace("[{name: gpu, }]", "[]")
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: d, namespace: ns}}
spec:
  selector: {{matchLabels: {{a: d}}}}
  template:
    metadata: {{labels: {{a: d}}}}
    spec: {{{more}{asks.partition("spec: {")[2].replace("restartPolicy: Never, ", "")}"""


def test_what_devices_serve_beside_a_plugin_is_open_where_a_quota_counts_claims_with_advice_that_can_be_followed():
    beside = GPUS + "  - name: d-1\n    devices: [{model: H100-80GB-HBM3}]\n"
    rolled = rolled_out()
    assert not {"KLG101", "KLG107"} & {one.code for one in findings(rolled, beside)}
    counted = (
        f"{beside}resourceQuotas: [{{name: q, namespace: ns, hard: {{count/resourceclaims.resource.k8s.io: 9}}}}]\n"
    )
    (open_end,) = [one for one in findings(rolled, counted) if one.code == "KLG107"]
    assert open_end.help == ("bind the pods to nodes that serve it in one of these ways: then it is judged",)
    bound = rolled.replace("{resourceClaims", "{nodeSelector: {kubernetes.io/hostname: d-1}, resourceClaims")
    assert "KLG101" in [one.code for one in findings(bound, beside)]


def test_what_a_node_has_too_few_devices_for_is_told_beside_a_plugin_on_another_one():
    nodes = GPUS + "  - name: d-1\n    devices: [{model: H100-80GB-HBM3}]\n"
    asks = pod("", resources="limits: {nvidia.com/gpu: 3}").replace("[{name: gpu, }]", "[]")
    bound = asks.replace("{resourceClaims", "{nodeSelector: {kubernetes.io/hostname: d-1}, resourceClaims")
    (found,) = [one for one in findings(bound, nodes) if one.code == "KLG502"]
    assert found.message == (
        "no node that may take the pod has 3 devices of DeviceClass gpu.nvidia.com: the largest has 1; it serves "
        "nvidia.com/gpu"
    )
    assert not any("did you mean" in one for one in found.help)


@pytest.mark.parametrize("version", ["1.33", "1.34", "1.35", "1.36"])
def test_devices_of_another_node_hide_no_rollout_that_a_device_plugin_holds_up(version):
    bound = rolled_out("nodeSelector: {kubernetes.io/hostname: p-1}, ")
    nodes = (
        "nodes:\n  - {name: p-1, gpus: {model: L4, count: 1}}\n"
        "  - {name: d-1, devices: [{driver: gpu.nvidia.com, count: 2}]}\n"
    )
    assert "KLG101" in [one.code for one in findings(bound, nodes, version=version)]
