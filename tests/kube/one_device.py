"""A device that expressions look at."""

from kubelint_gpu.kube.dra.device import Attribute, Capacity, Device
from kubelint_gpu.kube.dra.sight import subject_of
from kubelint_gpu.kube.values.frozen import FrozenMap

DEVICE = Device(
    "d0",
    FrozenMap(
        {
            "model": Attribute("string", "A"),
            "other.com/numa": Attribute("int", 1),
            "v": Attribute("version", "1.2.3"),
        }
    ),
    FrozenMap({"memory": Capacity(40 * 2**30)}),
    shareable=True,
)
SUBJECT = subject_of(DEVICE, "d.e")
