"""`check` as users run it: workloads that are applied together, and a cluster in a file."""

from __future__ import annotations

import pytest
from command_line import check_json

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 16, memory: 64Gi}
    gpus: {model: L4, count: 1}
"""
POD = 'containers: [{name: main, image: "registry.example.com/main:1", resources: {limits: {nvidia.com/gpu: 1}}}]'
SERVING = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: chat}}
spec:
  strategy: {{rollingUpdate: {{maxSurge: 0, maxUnavailable: 1}}}}
  selector: {{matchLabels: {{app: chat}}}}
  template:
    metadata: {{labels: {{app: chat}}}}
    spec: {{{POD}}}
"""
NIGHTLY = f"""\
---
apiVersion: batch/v1
kind: CronJob
metadata: {{name: nightly}}
spec:
  schedule: "0 3 * * *"
  SUSPENDED
  concurrencyPolicy: Forbid
  jobTemplate: {{spec: {{template: {{spec: {{restartPolicy: Never, {POD}}}}}}}}}
"""


@pytest.mark.parametrize(("line", "codes"), [("suspend: true", []), ("suspend: false", ["KLG109"])])
def test_a_cron_job_waits_behind_a_deployment_unless_it_is_suspended(line, codes, tmp_path):
    (tmp_path / "nodes.yaml").write_text(NODES)
    (tmp_path / "all.yaml").write_text(SERVING + NIGHTLY.replace("SUSPENDED", line))
    assert check_json("all.yaml", "-i", "nodes.yaml", "--select", "KLG1", cwd=tmp_path).codes == codes
