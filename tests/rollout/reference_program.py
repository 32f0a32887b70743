"""The same cases for the program."""

from __future__ import annotations

from reference_case import Case, Node, Template, Work

from kubelint_gpu.values import replace


def node_object(node: Node) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, "labels": {"kubernetes.io/hostname": node.name, "zone": node.zone}},
        "status": {
            "allocatable": {
                "nvidia.com/gpu": str(node.gpu),
                "cpu": str(node.cpu),
                "memory": "64Gi",
                "pods": str(node.pods),
            }
        },
    }


def template_object(work: Work, template: Template) -> dict:
    labels = {"app": work.name}
    resources = {}
    if template.gpu:
        resources["nvidia.com/gpu"] = str(template.gpu)
    if template.cpu:
        resources["cpu"] = str(template.cpu)
    container = {"name": "c", "image": "i", "resources": {"limits": resources, "requests": resources}}
    if template.port:
        container["ports"] = [{"containerPort": template.port, "hostPort": template.port}]
    spec = {"containers": [container], "priority": template.priority}
    if template.never:
        spec["preemptionPolicy"] = "Never"
    if template.pool:
        spec["nodeSelector"] = {"zone": template.pool}
    revision = "pod-template-hash" if work.kind == "Deployment" else "controller-revision-hash"
    keys = {"matchLabelKeys": [revision]} if template.by_revision else {}
    topology = {"host": "kubernetes.io/hostname", "zone": "zone"}
    selector = {"labelSelector": {"matchLabels": labels}}

    def term(key, app, **more):
        return {"topologyKey": topology[key], "labelSelector": {"matchLabels": {"app": app}}, **more}

    apart = [term(template.anti, work.name, **keys)] if template.anti else []
    apart += [term(template.away, f"w{template.away_to}")] if template.away else []
    near = [term(template.near, work.name if template.near_to < 0 else f"w{template.near_to}")] if template.near else []
    for kind, terms in (("podAntiAffinity", apart), ("podAffinity", near)):
        if terms:
            spec.setdefault("affinity", {})[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    if template.claim:
        claim = {"claimName": f"{template.claim}-{work.name}"}
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": claim}]
    if template.spread:
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": template.skew,
                **({"minDomains": template.domains} if template.domains else {}),
                "topologyKey": topology[template.spread],
                "whenUnsatisfiable": "DoNotSchedule",
                **selector,
                **keys,
            }
        ]
    return {"metadata": {"labels": labels}, "spec": spec}


def work_object(work: Work, template: Template, replicas: int, *, before: bool = False) -> dict:
    if work.kind == "Job":
        body = template_object(work, template)
        body["spec"]["restartPolicy"] = "Never"
        spec = {"parallelism": work.replicas, "completions": work.replicas, "template": body}
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": work.name, "namespace": "d"},
            "spec": spec,
        }
    spec = {"selector": {"matchLabels": {"app": work.name}}, "template": template_object(work, template)}
    if work.kind == "Deployment":
        surge, unavailable = (f"{each}%" if work.shares else each for each in (work.surge, work.unavailable))
        spec["replicas"] = replicas
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
        spec["strategy"] = {"type": "Recreate"} if work.recreate != (before and work.other) else rolling
    elif work.kind == "StatefulSet":
        spec["replicas"] = replicas
        spec["podManagementPolicy"] = "Parallel" if work.parallel else "OrderedReady"
        spec["updateStrategy"] = {
            "type": "RollingUpdate",
            "rollingUpdate": {
                "maxUnavailable": f"{work.unavailable}%" if work.shares else max(1, work.unavailable),
                "partition": work.partition,
            },
        }
    else:
        rolling = {"maxSurge": work.surge, "maxUnavailable": 0 if work.surge else max(1, work.unavailable)}
        spec["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": rolling}
    return {"apiVersion": "apps/v1", "kind": work.kind, "metadata": {"name": work.name, "namespace": "d"}, "spec": spec}


def named(version: str, kind: str, name: str, **more: object) -> dict:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "d"}, **more}


def claim_objects(claim: str, work: str) -> list[dict]:
    modes = ["ReadWriteOncePod" if claim == "rwop" else "ReadWriteOnce"]
    volume = {
        "accessModes": modes,
        "capacity": {"storage": "1Gi"},
        "csi": {"driver": "disk", "volumeHandle": claim},
        "claimRef": {"namespace": "d", "name": f"{claim}-{work}"},
    }
    wanted = {"accessModes": modes, "volumeName": f"pv-{claim}-{work}", "resources": {"requests": {"storage": "1Gi"}}}
    bound = {"phase": "Bound"}
    return [
        named("v1", "PersistentVolumeClaim", f"{claim}-{work}", spec=wanted, status=bound),
        named("v1", "PersistentVolume", f"pv-{claim}-{work}", spec=volume, status=bound),
    ]


def growth_of(case: Case):
    from kubelint_gpu.kube.objects.node import read_node
    from kubelint_gpu.simulation.growth import Growth

    if case.pool is None:
        return []
    template = read_node(node_object(case.pool))
    return [Growth(template.name, template, 0, case.most)]


def status_object(number: int, case: Case) -> dict:
    ready = "False" if number in case.unready else "True"
    return {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}


def program_input(case: Case):
    from kubelint_gpu.kube.objects.workload import read_workload
    from kubelint_gpu.scheduler import read_cluster
    from kubelint_gpu.simulation.transition import Transition

    objects = [node_object(node) for node in case.nodes]
    for key, number in (("requests.nvidia.com/gpu", case.quota), ("pods", case.quota_pods)):
        if number >= 0:
            objects.append(named("v1", "ResourceQuota", f"q-{len(objects)}", spec={"hard": {key: str(number)}}))
    for owner, kind, number in case.budgets:
        share = {"minAvailable" if kind == "min" else "maxUnavailable": number}
        selector = {"matchLabels": {"app": case.works[owner].name}}
        objects.append(named("policy/v1", "PodDisruptionBudget", f"b{owner}", spec={"selector": selector, **share}))
    for work in case.works:
        for claim in sorted({work.old.claim, work.new.claim} - {""}):
            objects += claim_objects(claim, work.name)
    for number, (owner, name) in enumerate(case.known):
        work = case.works[owner]
        if work.kind == "StatefulSet":
            ordinal = sum(1 for one, _ in case.known[:number] if one == owner)
            found = template_object(work, work.old)
            reference = {"kind": "StatefulSet", "name": work.name, "uid": "u", "controller": True}
            found["metadata"] |= {"name": f"{work.name}-{ordinal}", "namespace": "d", "ownerReferences": [reference]}
            found["spec"]["nodeName"] = name
            objects.append({"apiVersion": "v1", "kind": "Pod", **found, "status": status_object(number, case)})
            continue
        if work.kind == "Outside":
            found = template_object(work, work.old)
            reference = {"kind": "ReplicaSet", "name": f"{work.name}-x", "uid": "u", "controller": True}
            meta = {"name": f"{work.name}-{number}", "namespace": "d", "ownerReferences": [reference]}
            found["metadata"] |= meta
            found["spec"]["nodeName"] = name
            objects.append({"apiVersion": "v1", "kind": "Pod", **found, "status": {"phase": "Running"}})
            continue
        pod = template_object(work, work.old)
        pod["metadata"] = {"name": f"{work.name}-known-{number}", "namespace": "d", "labels": pod["metadata"]["labels"]}
        pod["spec"]["nodeName"] = name
        objects.append({"apiVersion": "v1", "kind": "Pod", **pod, "status": status_object(number, case)})
    for work in case.works:
        for index in range(work.started if work.kind == "Queued" else 0):
            found = template_object(work, work.old)
            reference = {"kind": "ReplicaSet", "name": f"{work.name}-x", "uid": "u", "controller": True}
            found["metadata"] |= {"name": f"{work.name}-{index}", "namespace": "d", "ownerReferences": [reference]}
            objects.append({"apiVersion": "v1", "kind": "Pod", **found, "status": {"phase": "Pending"}})
    cluster = read_cluster(objects, version="1.35.0" if case.gate else "1.34")
    transitions = [
        Transition(
            batched(number, work, read_workload(work_object(work, work.new, work.replicas))),
            batched(number, work, read_workload(work_object(work, work.old, work.started, before=True))),
            rolls=work.rolls,
            known=case.at_once or (work.changes and work.started > 0),
            existing=work.started > 0,
            whole=work.whole,
        )
        for number, work in enumerate(case.works)
        if work.kind not in ("Outside", "Queued")
    ]
    return transitions, cluster


def batched(number: int, work: Work, workload):
    """The workload as a template of the one object of which all works with batches are."""
    from kubelint_gpu.kube.objects.rolling import IntOrPercent

    if not work.batch:
        return workload
    strategy = replace(workload.strategy, batch=IntOrPercent(work.batch))
    return replace(workload, meta=replace(workload.meta, name="whole"), part=number + 1, strategy=strategy)


def program_verdict(case: Case, budget: int = 60_000):
    """The program's verdict, and whether a bound gave it."""
    from kubelint_gpu.simulation.questions.rollouts import judge, judge_together

    transitions, cluster = program_input(case)
    if len(case.judged) > 1:
        found = judge_together(transitions, cluster, budget=budget, growth=growth_of(case))
        everybody = len(found) == 1 and len(found[0].workloads) == len(case.judged)
        return (found[0].verdict, not found[0].runs.searched) if everybody else ("apart", False)
    found = judge(transitions, cluster, budget=budget, growth=growth_of(case))[case.judged[0]]
    return found.verdict, not found.runs.searched


def program_rolled_back(case: Case) -> bool:
    """Whether the program tells of a forced rollback."""
    from kubelint_gpu.simulation.questions.forced_rollback import forced_rollback

    (transition,), cluster = program_input(case)
    return forced_rollback(transition.old, transition.new, cluster) is not None
