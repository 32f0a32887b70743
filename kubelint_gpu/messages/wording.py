"""Names for amounts, nodes and workloads in messages."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.label_algebra import NumberBound
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import is_placeholder
from kubelint_gpu.kube.values.quantity import shown
from kubelint_gpu.scheduler.framework.node_reason import NodeReason

NO_WORK = "the work of one run was used up"
NOT_OFFERED = "no fix is offered"
CUT_OFF = "the search ended before it saw everything"
NOT_KNOWN = "what decides it is not known"
USED_UP = "the work that one run may do was used up; --effort high does more"
FEW = 4
"""So many names are told in full."""
MADE_ANEW = "where its pods are made anew, "
_LONG, _MOST_LETTERS = 5, 60
_UNITS = (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10))
_BYTES = ("memory", "ephemeral-storage")


def counted(number: int, noun: str) -> str:
    """`1 pod`, `2 pods`, `3 classes`."""
    ending = "" if number == 1 else "es" if noun.endswith(("s", "x", "ch")) else "s"
    return f"{number} {noun}{ending}"


def bare(resource: str, number: int) -> str:
    """An amount without its resource: `2`, `1500m`, `16Gi`; bytes without a short exact form are cut to two digits."""
    exact = shown(resource, number)
    if resource not in _BYTES or len(exact.rstrip("KMGTPEi")) <= _LONG:
        return exact
    suffix, unit = next((suffix, unit) for suffix, unit in _UNITS if number >= unit)
    return f"{number * 100 // unit / 100:g}{suffix}"


def amount(resource: str, number: int) -> str:
    """`1 nvidia.com/gpu`, `16Gi of memory`, `6 cpu`."""
    if resource == "pods":
        return counted(number, "pod slot")
    return f"{bare(resource, number)} {'of ' if resource in _BYTES else ''}{resource}"


def some(names: Sequence[str], noun: str = "node", word: str = "and", *, kind: bool = False, most: int = FEW) -> str:
    """A few names in full, many by number: `gpu-1`, `gpu-1 and gpu-2`, `17 nodes (gpu-1, gpu-2, ...)`.

    With `kind` the noun comes before names, too: `node gpu-1`, `nodes gpu-1 and gpu-2`. If the word is "or", many are
    `one of 17 nodes (gpu-1, gpu-2, ...)`. More than `most` are many.
    """
    if len(names) <= most:
        return f"{counted(len(names), noun).partition(' ')[2]} {listed(names, word)}" if kind else listed(names, word)
    several = f"{counted(len(names), noun)} ({', '.join(names[:2])}, ...)"
    return f"one of {several}" if word == "or" else several


def foremost(names: Sequence[str]) -> str:
    """A few names in full, the first two of many: `a`, `a and b`, `a, b and 8 others`."""
    return listed(names if len(names) < FEW else [*names[:2], f"{len(names) - 2} others"])


def begun(texts: Sequence[str], noun: str, separator: str = ", ", most: int = 3) -> str:
    """The first few of some texts, and how many more there are: `a, b, c, and there are 2 more values`."""
    rest = len(texts) - most
    more = f"{separator}and there {'is' if rest == 1 else 'are'} {rest} more {noun}{'' if rest == 1 else 's'}"
    return separator.join(texts[:most]) + (more if rest > 0 else "")


def listed(names: Sequence[str], word: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} {word} {names[-1]}"


def replicas_text(pods: int, group: int = 1) -> str:
    """`2 replicas`; `2 groups of 3 pods` if a replica is a group of pods."""
    return f"{counted(pods // group, 'group')} of {group} pods" if group > 1 else counted(pods, "replica")


def can_run(placed: int, wanted: int, *, group: int = 1, sets: str = "") -> str:
    """How many pods run: `only 2 of 3 replicas can run`, `none of its 3 replicas can run`.

    `group` is the number of pods of one replica, and `sets` says who sets the number of replicas.
    """
    number, whole = wanted // group, f"{replicas_text(wanted, group)}{f' that {sets}' if sets else ''}"
    whole += f" ({placed} of {wanted} pods)" if group > 1 and placed else ""
    if placed < group:
        return f"none of its {whole} can run" if number > 1 else f"its {whole} cannot run"
    return f"only {placed // group} of {'the ' * bool(sets)}{whole} can run"


def workload_name(workload: Workload) -> str:
    """`Deployment vision/object-tracker`."""
    return f"{workload.kind} {workload.meta.namespace}/{workload.meta.name}"


def workload_names(workloads: Sequence[Workload]) -> str:
    """A few workloads by their names, many by their number and the first two names."""
    return some(list(dict.fromkeys(map(workload_name, workloads))), "workload")


def budget_names(names: Sequence[str]) -> str:
    """`PodDisruptionBudget a`, `PodDisruptionBudgets a and b`."""
    return f"PodDisruptionBudget{'' if len(names) == 1 else 's'} {listed(names)}"


def verb(word: str, number: int) -> str:
    """A verb in the form for this number: `finds` for 1, `find` otherwise."""
    return f"{word}s" if number == 1 else word


def without_class(name: str) -> str:
    """Return the fate of pods whose PriorityClass does not exist, or is not known yet."""
    if is_placeholder(name):
        return f"PriorityClass {name} is filled in later: its pods count as of the highest priority"
    return f"there is no PriorityClass {name}: admission refuses the pod"


def cut_off(states: int) -> str:
    """Why a search of so many states gives no answer."""
    if not states:
        return USED_UP
    return f"{counted(states, 'state')} {'was' if states == 1 else 'were'} looked at and there are more"


def why_open(states: int) -> str:
    """Why a search of so many states gives no answer, in the words of the closing line."""
    return CUT_OFF if states else NO_WORK


def owner_name(key: str) -> str:
    """`kind/namespace/name` in the form that a sentence uses."""
    kind, _, rest = key.partition("/")
    return f"{kind} {rest}"


def owner_names(keys: Sequence[str]) -> str:
    """`Deployments ml/a and ml/b`, `48 Deployments (ml/a, ml/b, ...)`; each with its kind if these differ."""
    kinds = {key.partition("/")[0] for key in keys}
    if len(kinds) != 1:
        return some(list(dict.fromkeys(map(owner_name, keys))), "object")
    names = list(dict.fromkeys(key.partition("/")[2] for key in keys))
    return some(names, *kinds, kind=True, most=FEW if sum(map(len, names)) <= _MOST_LETTERS else 2)


def requirement_name(bound: NumberBound) -> str:
    """A requirement as written: an entry of nodeSelector, or an expression."""
    requirement = bound.requirement
    return f"{requirement.key}={requirement.values[0]}" if bound.pointer[0] == "nodeSelector" else str(requirement)


def named_ports(ports: Sequence[int]) -> str:
    """Return `host ports 80 and 443`."""
    return f"host port{'s' if len(ports) > 1 else ''} {listed(list(map(str, ports)))}"


_SHORTAGES = {"cannot allocate all claims": "too few devices are left for its claims"}


def said(reason: str, nodes: str) -> str:
    """The scheduler's reason with the names of the nodes instead of their number."""
    told = about(reason)
    return f"{_SHORTAGES.get(reason, reason)} on {nodes}" if told == reason else f"{nodes} {told}"


def about(reason: str) -> str:
    """The scheduler's reason in the form that follows the name of a node."""
    return reason.told if isinstance(reason, NodeReason) else reason
