"""What rules say of claims and the pods that use them."""

from textwrap import dedent

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

HEAD = 'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "{version}"\n'
H100 = "nodes:\n  - name: h-1\n    allocatable: {cpu: 96, memory: 900Gi}\n    devices: [{model: H100-80GB-HBM3, count: 4}]\n"
GPUS = "nodes:\n  - name: h-1\n    allocatable: {cpu: 96, memory: 900Gi}\n    gpus: {model: H100-80GB-HBM3, count: 4}\n"


def findings(text, nodes=H100, version="1.36"):
    """What rules say."""
    world = ClusterContext()
    if nodes:
        readings = (read("inventory.yaml", (HEAD.format(version=version) + nodes).encode()),)
        inventory, errors = load(readings)
        assert [error for error in errors if error.severity == "error"] == []
        world = ClusterContext(inventory, readings, errors)
    unit = ApplySet((read("a.yaml", dedent(text).encode()),), world)
    return check((unit,), world, fixes=False).findings


def found(*args, **more):
    """Code, severity, line and message of what rules say of devices."""
    told = findings(*args, **more)
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
