"""MIG layouts: the resource names of MIG devices, and whether one GPU can hold a layout.

Behaviour: NVIDIA device plugin and GPU feature discovery, `migStrategy` single and mixed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from kubelint_gpu.patterns import pattern

if TYPE_CHECKING:
    from kubelint_gpu.inventory.gpus.gpu_models import GpuModel


_PREFIX = "nvidia.com/mig-"
_PROFILE = pattern(r"(?P<slices>[0-9]{1,3})g\.(?P<memory>[0-9]{1,5})gb(?P<attributes>.*)", re.ASCII)


def mig_resource(profile: str) -> str:
    """Return the resource name of a profile: `nvidia.com/mig-1g.5gb.me` for `1g.5gb+me`."""
    return "nvidia.com/mig-" + profile.replace("+", ".")


def profile_of(model: GpuModel, resource: str) -> str | None:
    """Return the model's profile that a resource name means, memory compared with a tolerance of 1; None if none."""
    return next((name for name, _ in model.profiles if _is_same_profile(name.replace("+", "."), _bare(resource))), None)


def near_resource(resource: str, others: Iterable[str]) -> str | None:
    """Return the MIG resource among `others` closest in slices and memory; None if there is none."""
    bare = {name: _bare(name) for name in others if name.startswith(_PREFIX)}
    found = _nearest(_bare(resource), sorted(bare.values()))
    return next((name for name in sorted(bare) if bare[name] == found), None)


def _bare(resource: str) -> str:
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
