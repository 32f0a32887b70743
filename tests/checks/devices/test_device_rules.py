"""A run without claims."""

from __future__ import annotations

import subprocess
import sys

from claim_findings import GPUS, HEAD


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
