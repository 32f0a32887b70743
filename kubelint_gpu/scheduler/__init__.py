"""The filter and preemption core: pure functions over immutable values.

```python
from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster, read_pod
```

No I/O, no clock, no randomness, no state outside the values: what kube-scheduler decides for a pod, and what it says.
"""

from __future__ import annotations

from kubelint_gpu.kube.objects.cluster import Cluster, read_cluster
from kubelint_gpu.kube.objects.node import Node, read_node
from kubelint_gpu.kube.objects.pod import Pod, read_pod
from kubelint_gpu.kube.objects.priority import UnknownPriorityClass
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.scheduler.attempt import Attempt, assume, attempt, merged, message, note, resolved
from kubelint_gpu.scheduler.fit import FitResult, fit, fit_on
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.release import Behaviour, behaviour
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.preemption import Candidate, Preemption, preempt
from kubelint_gpu.scheduler.relations import likeness

__all__ = [
    "Attempt",
    "Behaviour",
    "Candidate",
    "Cluster",
    "Code",
    "FitResult",
    "InvalidObject",
    "Node",
    "Pod",
    "Preemption",
    "Snapshot",
    "Status",
    "UnknownPriorityClass",
    "assume",
    "attempt",
    "behaviour",
    "fit",
    "fit_on",
    "likeness",
    "merged",
    "message",
    "note",
    "preempt",
    "read_cluster",
    "read_node",
    "read_pod",
    "resolved",
]
