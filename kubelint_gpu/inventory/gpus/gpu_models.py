"""Known properties of GPU models: product label, family, compute capability, memory, MIG profiles and layouts.

Product labels are those of GPU feature discovery: the driver's name with spaces as `-`. Memory is the amount that NVML
reports for a GPU in its usual form, with drivers that the DRA driver supports: a little less than its name says, and
less again with ECC. MIG profiles: NVIDIA's MIG user guide, each with the most devices of it that one GPU holds.
Resource names of MIG devices: NVIDIA device plugin and GPU feature discovery, `migStrategy` single and mixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from kubelint_gpu.inventory.declarations.did_you_mean import nearest
from kubelint_gpu.kube.gpu.gpu_labels import MODEL
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.values.quantity import parse_quantity
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_RESOURCES = ("nvidia.com/gpu", "nvidia.com/gpu.shared", "amd.com/gpu", "habana.ai/gaudi", "google.com/tpu")
_FAMILIES = (
    "nvidia.com/mig-",
    "amd.com/spx_",
    "amd.com/dpx_",
    "amd.com/qpx_",
    "amd.com/cpx_",
    "gpu.intel.com/i915",
    "gpu.intel.com/xe",
    "npu.intel.com/accel",
    "aws.amazon.com/neuron",
    "huawei.com/Ascend",
)
# Handles that give access to all devices, and amounts of memory, are no devices.
_NO_DEVICES = ("_monitoring", "-memory", "-core")
# A second view of devices that are counted under another name.
_VIEWS = ("aws.amazon.com/neuroncore", "aws.amazon.com/neurondevice")
Profiles = tuple[tuple[str, int], ...]


def is_accelerator(resource: str) -> bool:
    """Whether a resource counts GPUs, parts of GPUs, or accelerators that are scheduled like GPUs."""
    if resource in _VIEWS or resource.endswith(_NO_DEVICES):
        return False
    return resource in _RESOURCES or resource.startswith(_FAMILIES)


def has_accelerators(allocatable: Mapping[str, int]) -> bool:
    """Whether the amounts include any accelerator."""
    return any(amount and is_accelerator(name) for name, amount in allocatable.items())


def gpus_in(amounts: Mapping[str, int]) -> int:
    """Return the number of GPUs, or parts of GPUs, among the amounts."""
    return sum(amount for name, amount in amounts.items() if is_accelerator(name))


def accelerators_of(node: Node) -> list[str]:
    """The resources of a node that count its GPUs or parts of them, sorted."""
    return sorted(name for name, amount in node.allocatable.items() if amount and is_accelerator(name))


def model_of(node: Node) -> str:
    """The GPU model of a node as its labels call it; without one the resources that count its GPUs."""
    named = [node.labels[key] for key in MODEL if node.labels.get(key)]
    return named[0] if named else ", ".join(accelerators_of(node))


class GpuModel(Value):
    """A GPU model.

    `names` are further spellings, compared without case, spaces and dashes; if several models share a spelling, the
    first of them is assumed. `compute` is (major, minor). `memory` is in MiB; `exact` says whether NVML reports exactly
    this amount for every such GPU.
    """

    product: str
    names: tuple[str, ...]
    compute: tuple[int, int]
    memory: int
    profiles: Profiles = ()
    arch: str = "amd64"
    exact: bool = True

    @property
    def family(self) -> str:
        """Return the architecture as in the label `nvidia.com/gpu.family`."""
        return _family(self.compute)

    @property
    def slices(self) -> int:
        """Return the most compute slices into which MIG can divide the GPU; 0 without MIG."""
        return max((int(profile.split("g.")[0]) for profile, _ in self.profiles), default=0)


def _family(compute: tuple[int, int]) -> str:
    if compute == (8, 9):
        return "ada-lovelace"
    if compute == (7, 5):
        return "turing"
    families = {3: "kepler", 5: "maxwell", 6: "pascal", 7: "volta", 8: "ampere", 9: "hopper", 13: "rubin"}
    return "blackwell" if compute[0] in (10, 12) else families.get(compute[0], "undefined")


def _seven(one: int, two: int, three: int, seven: int, *, media: bool = True) -> Profiles:
    # The profiles of GPUs with seven slices differ only in their sizes.
    return (
        (f"1g.{one}gb", 7),
        *(((f"1g.{one}gb+me", 1),) if media else ()),
        (f"1g.{two}gb", 4),
        (f"2g.{two}gb", 3),
        (f"3g.{three}gb", 2),
        (f"4g.{three}gb", 1),
        (f"7g.{seven}gb", 1),
    )


_A30 = (("1g.6gb", 4), ("1g.6gb+me", 1), ("2g.12gb", 2), ("2g.12gb+me", 1), ("4g.24gb", 1))
_PRO_6000 = (
    ("1g.24gb", 4),
    ("1g.24gb-me", 4),
    ("1g.24gb+me.all", 1),
    ("2g.48gb", 2),
    ("2g.48gb-me", 2),
    ("2g.48gb+gfx", 2),
    ("2g.48gb+me.all", 1),
    ("4g.96gb", 1),
    ("4g.96gb+gfx", 1),
)
_40, _80, _94 = _seven(5, 10, 20, 40), _seven(10, 20, 40, 80), _seven(12, 24, 47, 94)
_96, _141, _144 = _seven(12, 24, 48, 96), _seven(18, 35, 71, 141), _seven(18, 36, 72, 144, media=False)
_B200, _GB200 = _seven(23, 45, 90, 180), _seven(24, 47, 95, 189)
_B300 = _seven(34, 67, 135, 269, media=False)

MODELS = (
    GpuModel("NVIDIA-A100-SXM4-80GB", ("A100", "A100-80GB", "A100-SXM", "A100-SXM4"), (8, 0), 81920, _80),
    GpuModel("NVIDIA-A100-SXM4-40GB", ("A100", "A100-40GB", "A100-SXM", "A100-SXM4"), (8, 0), 40960, _40),
    GpuModel("NVIDIA-A100-80GB-PCIe", ("A100", "A100-80GB", "A100-PCIE", "A100-PCIE-80GB"), (8, 0), 81920, _80),
    GpuModel("NVIDIA-A100-PCIE-40GB", ("A100", "A100-40GB", "A100-PCIE"), (8, 0), 40960, _40),
    GpuModel("NVIDIA-A30", (), (8, 0), 24576, _A30),
    GpuModel("NVIDIA-A10", (), (8, 6), 23028, exact=False),
    GpuModel("NVIDIA-A10G", (), (8, 6), 23028),
    GpuModel("NVIDIA-A40", (), (8, 6), 46068),
    GpuModel("NVIDIA-RTX-A6000", ("A6000",), (8, 6), 49140, exact=False),
    GpuModel("NVIDIA-GeForce-RTX-3090", (), (8, 6), 24576),
    GpuModel("NVIDIA-GeForce-RTX-4090", (), (8, 9), 24564),
    GpuModel("NVIDIA-L4", (), (8, 9), 23034),
    GpuModel("NVIDIA-L40", (), (8, 9), 46068, exact=False),
    GpuModel("NVIDIA-L40S", (), (8, 9), 46068),
    GpuModel("NVIDIA-H100-80GB-HBM3", ("H100", "H100-80GB", "H100-SXM", "H100-SXM5"), (9, 0), 81559, _80),
    GpuModel("NVIDIA-H100-PCIe", ("H100", "H100-80GB", "H100-PCIE-80GB"), (9, 0), 81559, _80),
    GpuModel("NVIDIA-H100-NVL", ("H100", "H100-94GB", "H100-NVL-94GB"), (9, 0), 95830, _94),
    GpuModel("NVIDIA-H200", ("H200-141GB", "H200-SXM"), (9, 0), 143771, _141),
    GpuModel("NVIDIA-H200-NVL", (), (9, 0), 143771, _141),
    GpuModel("NVIDIA-H20", (), (9, 0), 97871, _96),
    GpuModel("NVIDIA-GH200-480GB", ("GH200", "GH200-96GB"), (9, 0), 97871, _96, "arm64"),
    GpuModel("NVIDIA-GH200-144G-HBM3e", ("GH200", "GH200-144GB"), (9, 0), 147456, _144, "arm64", exact=False),
    GpuModel("NVIDIA-B200", (), (10, 0), 183359, _B200),
    GpuModel("NVIDIA-GB200", (), (10, 0), 189471, _GB200, "arm64"),
    GpuModel("NVIDIA-B300", (), (10, 3), 275040, _B300),
    GpuModel(
        "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition",
        ("RTX-PRO-6000", "RTX-PRO-6000-Blackwell", "RTX-PRO-6000-Server-Edition"),
        (12, 0),
        97887,
        _PRO_6000,
    ),
    GpuModel("Tesla-T4", (), (7, 5), 15360),
    GpuModel("Tesla-V100-SXM2-16GB", ("V100", "V100-16GB", "V100-SXM2"), (7, 0), 16384),
    GpuModel("Tesla-V100-SXM2-32GB", ("V100", "V100-32GB", "V100-SXM2"), (7, 0), 32768),
    GpuModel("Tesla-V100-PCIE-16GB", ("V100", "V100-16GB", "V100-PCIE"), (7, 0), 16384),
    GpuModel("Tesla-V100-PCIE-32GB", ("V100", "V100-32GB", "V100-PCIE"), (7, 0), 32768),
    GpuModel("Tesla-P100-PCIE-16GB", ("P100", "P100-16GB"), (6, 0), 16384),
    GpuModel("Tesla-P100-SXM2-16GB", ("P100", "P100-16GB"), (6, 0), 16384),
    GpuModel("Tesla-P4", (), (6, 1), 7680),
    GpuModel("Tesla-K80", (), (3, 7), 12288, exact=False),
)

_NOISE = pattern(r"[^a-z0-9]+", re.ASCII)
_BRANDS = ("nvidia", "tesla", "geforce", "quadro")


@lru_cache(maxsize=1024)
def models_called(spelling: str) -> tuple[GpuModel, ...]:
    """Return the models that a spelling may mean, the likeliest first; empty if unknown.

    A product label means exactly one.
    """
    bare = _bare(spelling)
    exact = [model for model in MODELS if _bare(model.product) == bare]
    return tuple(exact or [model for model in MODELS if any(_bare(name) == bare for name in model.names)])


def product_label(spelling: str) -> str:
    """Return a model's name as a label value, as GPU feature discovery writes the driver's name."""
    return re.sub(r"[^A-Za-z0-9\-_. ]", "", spelling).strip().replace(" ", "-")


def similar_model(spelling: str) -> str | None:
    """Return the known spelling closest to an unknown one; None if none is close."""
    spellings = {_bare(name): name for model in MODELS for name in (*model.names, model.product)}
    found = nearest(_bare(spelling), spellings)
    return spellings[found] if found else None


def mebibytes(memory: int | str | None) -> int | None:
    """Return a GPU's memory in MiB, from a number of MiB or a quantity; None if not declared."""
    return memory if memory is None or isinstance(memory, int) else int(parse_quantity(memory) // 2**20)


def _bare(spelling: str) -> str:
    text = spelling.casefold()
    for brand in _BRANDS:
        text = text.replace(brand, "")
    return _NOISE().sub("", text)


_PREFIX = "nvidia.com/mig-"
_PROFILE = pattern(r"(?P<slices>[0-9]{1,3})g\.(?P<memory>[0-9]{1,5})gb(?P<attributes>.*)", re.ASCII)


def mig_resource(profile: str) -> str:
    """Return the resource name of a profile: `nvidia.com/mig-1g.5gb.me` for `1g.5gb+me`."""
    return "nvidia.com/mig-" + profile.replace("+", ".")


def profile_of(model: GpuModel, resource: str) -> str | None:
    """Return the model's profile that a resource name means, memory compared with a tolerance of 1; None if none."""
    return next(
        (name for name, _ in model.profiles if _is_same_profile(name.replace("+", "."), _bare_resource(resource))), None
    )


def near_resource(resource: str, others: Iterable[str]) -> str | None:
    """Return the MIG resource among `others` closest in slices and memory; None if there is none."""
    bare = {name: _bare_resource(name) for name in others if name.startswith(_PREFIX)}
    found = _nearest(_bare_resource(resource), sorted(bare.values()))
    return next((name for name in sorted(bare) if bare[name] == found), None)


def _bare_resource(resource: str) -> str:
    return resource.removeprefix(_PREFIX).removesuffix(".shared").replace("+", ".")


def impossible(model: GpuModel, profiles: dict[str, int]) -> Iterator[tuple[str, str, str]]:
    """Yield why one GPU of a model cannot hold a layout: profile, sentence, hint.

    Only necessary conditions are checked, not which start positions are free.
    The driver rounds the memory in a profile's name, so a difference of 1 is ignored.
    """
    if not model.profiles:
        first = next(iter(profiles))
        yield first, f"{model.product} cannot be divided by MIG", "use timeSlicing or mps"
        return
    known = dict(model.profiles)
    slices = 0
    for profile, count in profiles.items():
        most = next((most for name, most in known.items() if _is_same_profile(name, profile)), None)
        if most is None:
            near = _nearest(profile, known)
            hint = f'did you mean "{near}"?' if near else f"it has {', '.join(known)}"
            yield profile, f'{model.product} has no MIG profile "{profile}"', hint
            continue
        if count > most:
            yield profile, f"{model.product} holds at most {most} of {profile}, not {count}", ""
        slices += _parts(profile)[0] * count
    if slices > model.slices:
        last = next(reversed(profiles))
        yield last, f"the layout takes {slices} compute slices, {model.product} has {model.slices}", ""


def _nearest(profile: str, known: Iterable[str]) -> str | None:
    # With as many slices, and memory as near as can be: people remember the slices.
    slices, memory, attributes = _parts(profile)
    alike = [name for name in known if _parts(name)[0] == slices and _parts(name)[2] == attributes]
    return min(alike, key=lambda name: abs(_parts(name)[1] - memory), default=None)


def _parts(profile: str) -> tuple[int, int, str]:
    found = _PROFILE().fullmatch(profile)
    return (int(found["slices"]), int(found["memory"]), found["attributes"]) if found else (0, 0, profile)


def _is_same_profile(one: str, other: str) -> bool:
    (slices, memory, attributes), (slices2, memory2, attributes2) = _parts(one), _parts(other)
    return slices == slices2 and attributes == attributes2 and abs(memory - memory2) <= 1
