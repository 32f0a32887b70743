"""Choose the controller of a workload. Only this module knows all of them."""

from __future__ import annotations

from kubelint_gpu.kube.objects.rolling import (
    DaemonSetStrategy,
    DeploymentStrategy,
    JobStrategy,
    StatefulSetStrategy,
    WrittenStrategy,
)
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.controller import Controller
from kubelint_gpu.simulation.controllers.deployment import DeploymentController
from kubelint_gpu.simulation.controllers.job import JobController
from kubelint_gpu.simulation.controllers.replica_set import CustomController, PodController, ReplicaSetController

OF_CUSTOM_RESOURCES: dict[str, type[CustomController]] = {}
"""The controllers of custom resources that replace their pods unlike any kind of Kubernetes, by `update` of the row."""


def controller_of(workload: Workload) -> Controller:
    """The controller of a workload. Without a strategy, it only recreates lost pods."""
    strategy = workload.strategy
    if isinstance(strategy, DeploymentStrategy):
        return DeploymentController(workload, strategy)
    if isinstance(strategy, StatefulSetStrategy):
        from kubelint_gpu.simulation.controllers.stateful_set import StatefulSetController

        return StatefulSetController(workload, strategy)
    if isinstance(strategy, DaemonSetStrategy):
        from kubelint_gpu.simulation.controllers.daemon_set import DaemonSetController

        return DaemonSetController(workload, strategy)
    if isinstance(strategy, JobStrategy):
        return JobController(workload, strategy)
    if isinstance(strategy, WrittenStrategy):
        return OF_CUSTOM_RESOURCES[strategy.update](workload)
    return PodController(workload) if workload.kind == "Pod" else ReplicaSetController(workload)
