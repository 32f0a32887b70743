"""Every threshold of the searches: how much is built, and how much is looked at."""

from __future__ import annotations

from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may cost, in steps as `work` counts them.

    Attributes:
        replicas: so many pods of a workload are built whatever the nodes hold.
        run: the steps of a run without documents and nodes, `document` and `node` those that each adds, `most` those
            of any run.
        least: the steps that each unit may take in any case.
    """

    replicas: int = 64
    run: int = 1_000_000
    document: int = 10_000
    node: int = 100
    most: int = 3_000_000
    least: int = 1_000

    def run_of(self, documents: int, nodes: int) -> int:
        """The steps of a run that reads so many documents, against so many nodes."""
        return min(self.most, self.run + self.document * documents + self.node * nodes)


BUDGET = Budget()
