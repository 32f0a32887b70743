"""MIG partitions: the possible places of each profile on a GPU, and the slices that each takes.

Source: NVIDIA's MIG user guide; the counters are those of the DRA driver for NVIDIA GPUs with dynamic MIG.
"""

from __future__ import annotations

import re

from kubelint_gpu.inventory.gpus.gpu_models import GpuModel
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_PROFILE = pattern(r"([0-9]+)g\.([0-9]+)gb(.*)", re.ASCII)
_IDS = {1: 19, 2: 14, 3: 9, 4: 5, 7: 0}
_WITH_MEDIA, _WITH_MEMORY = 20, 15
# By the compute slices of the GPU and of the profile, and whether that has twice the memory of a slice: the memory
# slices that a device takes, and where it may begin.
_PLACES: dict[tuple[int, int, bool], tuple[int, tuple[int, ...]]] = {
    (7, 1, False): (1, (0, 1, 2, 3, 4, 5, 6)),
    (7, 1, True): (2, (0, 2, 4, 6)),
    (7, 2, False): (2, (0, 2, 4)),
    (7, 3, False): (4, (0, 4)),
    (7, 4, False): (4, (0,)),
    (7, 7, False): (8, (0,)),
    (4, 1, False): (1, (0, 1, 2, 3)),
    (4, 2, False): (2, (0, 2)),
    (4, 4, False): (4, (0,)),
}
# Of a GPU of each major version of compute capability: the multiprocessors of a device by its compute slices, the most
# of which is the whole GPU. Those of other forms of a model differ by a few.
_MULTIPROCESSORS = {8: (14, 28, 42, 56, 98), 9: (16, 32, 60, 64, 132), 10: (18, 36, 70, 74, 148), 12: (46, 92, 0, 188)}
_SLICES = (1, 2, 3, 4, 7)
# What NVML tells of the memory of a profile, in MiB: as in slices that the driver published, or as nvidia-smi lists it.
_A100_40GB = {"1g.5gb": 4864, "1g.10gb": 9856, "2g.10gb": 9856, "3g.20gb": 19968, "4g.20gb": 19968, "7g.40gb": 40192}
_A100_80GB = {"1g.10gb": 9728, "2g.20gb": 19968}
_MEMORY = {
    "NVIDIA-A30": {"1g.6gb": 5952, "2g.12gb": 11968},
    "NVIDIA-A100-SXM4-40GB": _A100_40GB,
    "NVIDIA-A100-PCIE-40GB": _A100_40GB,
    "NVIDIA-A100-SXM4-80GB": _A100_80GB,
    "NVIDIA-A100-80GB-PCIe": _A100_80GB,
    "NVIDIA-H100-80GB-HBM3": {"1g.10gb": 9856, "3g.40gb": 40448, "4g.40gb": 40448},
}
_AMPERE = 8
_DECODERS = {7: {1: 0, 2: 1, 3: 2, 4: 2, 7: 5}, 4: {1: 0, 2: 2, 4: 4}}
MEDIA = "media-extensions"
COMPUTE = "compute-slices"


class MigPartition(Value):
    """A possible MIG device.

    Attributes:
        profile: its MIG profile, for example `1g.10gb`.
        start: the first memory slice.
        size: the number of memory slices.
        compute: the number of compute slices.
        memory: in MiB, as the driver publishes it; if that is unknown, from the profile's name.
        media: whether it takes the GPU's media extensions.
    """

    profile: str
    start: int
    size: int
    compute: int
    memory: int
    media: bool

    @property
    def name(self) -> str:
        """Return the part of the device's name that is unique on its GPU."""
        number = _WITH_MEDIA if self.media else _WITH_MEMORY if self.size > self.compute == 1 else 0
        return (
            f"mig-{self.profile.replace('.', '').replace('+', '-')}-{number or _IDS.get(self.compute, 0)}-{self.start}"
        )

    @property
    def takes(self) -> dict[str, str]:
        """Return the amounts that it takes from its GPU's counters."""
        slices = {f"memory-slice-{number}": "1" for number in range(self.start, self.start + self.size)}
        return {**slices, COMPUTE: str(self.compute), **({MEDIA: "1"} if self.media else {})}


def memory_slices(model: GpuModel) -> int:
    """Return the number of memory slices of a GPU: eight for seven compute slices, else as many; 0 without MIG."""
    return 8 if model.slices == 7 else model.slices


def partitions(model: GpuModel, profile: str, most: int) -> tuple[MigPartition, ...]:
    """Return every possible place of a profile on a GPU; `most` is how many of the profile fit on one GPU."""
    found = _PROFILE().fullmatch(profile)
    if found is None or not model.slices:
        return ()
    compute, memory = int(found[1]), published_memory(model, profile) or int(found[2]) * 1024
    media = found[3].startswith("+me")
    double = compute == 1 and not media and most < model.slices
    size, starts = _PLACES.get((model.slices, compute, double), (0, ()))
    return tuple(MigPartition(profile, start, size, compute, memory, media) for start in starts)


def published_memory(model: GpuModel, profile: str) -> int | None:
    """Return the memory that the driver publishes for a profile of a model, in MiB; None if unknown.

    Media extensions do not change it.
    """
    return _MEMORY.get(model.product, {}).get(profile.partition("+")[0])


def engines(model: GpuModel, place: MigPartition) -> dict[str, int]:
    """Return the capacities of a MIG device besides its memory, as the driver publishes them for a model's usual form.

    Source: CommonCapacitiesMig of the DRA driver for NVIDIA GPUs; the MIG profiles that nvidia-smi lists.
    """
    major = model.compute[0]
    counts = _MULTIPROCESSORS.get(major, _MULTIPROCESSORS[max(_MULTIPROCESSORS)])
    whole = place.compute == model.slices
    all_of_it = place.media or whole
    decoders = place.compute
    if major == _AMPERE:
        wider = place.compute == 1 and (place.media or place.size > 1)
        decoders = int(wider) or _DECODERS.get(model.slices, {}).get(place.compute, place.compute)
    return {
        "multiprocessors": dict(zip(_SLICES, counts, strict=False)).get(place.compute, 0),
        "copyEngines": place.compute,
        "decoders": decoders,
        "encoders": 0,
        "jpegEngines": int(all_of_it) if major == _AMPERE else place.compute,
        "ofaEngines": int(all_of_it),
    }


def layout(model: GpuModel, profiles: dict[str, int]) -> tuple[MigPartition, ...]:
    """Return places for the devices of one GPU that do not overlap; as many as possible if not all fit."""
    known = dict(model.profiles)
    wanted = [partitions(model, profile, known.get(profile, 1)) for profile, n in profiles.items() for _ in range(n)]
    wanted.sort(key=lambda places: -max((place.size for place in places), default=0))
    best: list[MigPartition] = []
    seen: set[tuple[int, frozenset[int]]] = set()

    def search(number: int, taken: frozenset[int], found: list[MigPartition]) -> bool:
        if len(found) > len(best):
            best[:] = found
        if number == len(wanted):
            return len(found) == len(wanted)
        if (number, taken) in seen:
            return False
        seen.add((number, taken))
        for place in wanted[number]:
            slices = frozenset(range(place.start, place.start + place.size))
            if not slices & taken and search(number + 1, taken | slices, [*found, place]):
                return True
        return search(number + 1, taken, found)

    search(0, frozenset(), [])
    return tuple(sorted(best, key=lambda place: place.start))
