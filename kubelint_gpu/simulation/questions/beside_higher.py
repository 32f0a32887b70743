"""How many pods of a workload run at best beside others that preempt any of them in their way."""

from __future__ import annotations

from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.bounds.question import Question
from kubelint_gpu.simulation.prepare.workload_change import pods_of_others
from kubelint_gpu.simulation.questions.most_pods import placeable
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace


def beside_higher(question: Question, found: Judgement) -> Judgement:
    """The judgement of a workload that lacks room, with how many of its pods run if the others have all their pods.

    A pod of higher priority with no larger requests never waits while one of these pods runs on a node that it can use.
    Source: DefaultPreemption of kube-scheduler, 1.34.
    """
    situation, one = question.situation, question.participant
    mine = situation.demands[question.position]
    short = found.verdict is None and found.placed < found.wanted and not found.refusal
    if not short or one.daemons or one.temporary or situation.cluster.quotas or situation.grown or not mine.simple:
        return found
    higher = [
        other.new
        for other, demand in zip(situation.participants, situation.demands, strict=True)
        if preconditions.gives_way(one.new.spec, other.new.spec)
        and demand.simple
        and mine.nodes <= demand.nodes
        and all(amount <= mine.least.get(name, 0) for name, amount in demand.each.items())
        and not (other.daemons or other.temporary or other.new.custom)
    ]
    if not higher:
        return found
    cluster = replace(situation.cluster, pods=pods_of_others(higher, situation.cluster.pods))
    best = placeable(one.new, cluster, found.wanted, beside=higher)
    if best is None or best >= (found.wanted if found.at_best is None else found.at_best):
        return found
    return replace(found, placed=min(best, found.placed), at_best=best)
