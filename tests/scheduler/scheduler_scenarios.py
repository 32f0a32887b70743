"""Random clusters and pods for property tests, small enough that everything gets in everything's way."""

from __future__ import annotations

from hypothesis import strategies as st
from plugin_objects import HOST, ZONE

APPS = ("web", "batch", "llm")
SPACES = ("vision", "nlp")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"

keys = st.sampled_from((ZONE, HOST, "pool"))
selectors = st.one_of(
    st.sampled_from(APPS).map(lambda app: {"matchLabels": {"app": app}}),
    st.sampled_from(APPS).map(lambda app: {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [app]}]}),
    st.just({}),
)
requests = st.fixed_dictionaries(
    {"cpu": st.sampled_from(("500m", "1", "2", "3"))}, optional={"nvidia.com/gpu": st.sampled_from(("1", "2"))}
)
pod_terms = st.lists(
    st.fixed_dictionaries(
        {"topologyKey": keys, "labelSelector": selectors},
        optional={"namespaces": st.lists(st.sampled_from(SPACES), min_size=1, max_size=2)},
    ),
    min_size=1,
    max_size=2,
)
tolerations = st.lists(st.sampled_from(({"operator": "Exists"}, {"key": "gpu", "operator": "Exists"})), max_size=1)
spreads = st.lists(
    st.fixed_dictionaries(
        {
            "maxSkew": st.sampled_from((1, 2)),
            "topologyKey": keys,
            "whenUnsatisfiable": st.just("DoNotSchedule"),
            "labelSelector": selectors,
        },
        optional={"minDomains": st.sampled_from((2, 4)), "nodeTaintsPolicy": st.sampled_from(("Honor", "Ignore"))},
    ),
    min_size=1,
    max_size=2,
)
node_terms = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {
                "matchExpressions": st.lists(
                    st.sampled_from(
                        (
                            {"key": ZONE, "operator": "In", "values": ["a", "b"]},
                            {"key": "pool", "operator": "Exists"},
                            {"key": "pool", "operator": "Gt", "values": ["1"]},
                            {"key": HOST, "operator": "NotIn", "values": ["n1", "n3"]},
                        )
                    ),
                    min_size=1,
                    max_size=2,
                )
            }
        ),
        st.sampled_from(("In", "NotIn")).map(
            lambda operator: {"matchFields": [{"key": "metadata.name", "operator": operator, "values": ["n2"]}]}
        ),
    ),
    min_size=1,
    max_size=2,
)


@st.composite
def nodes(draw, names):
    return [draw(node(name)) for name in names]


@st.composite
def node(draw, name):
    labels = {HOST: name}
    if draw(st.booleans()):
        labels[ZONE] = draw(st.sampled_from("ab"))
    if draw(st.booleans()):
        labels["pool"] = draw(st.sampled_from("12"))
    taints = [{"key": "gpu", "effect": "NoSchedule"}] if draw(st.integers(0, 4)) == 0 else []
    amounts = {"cpu": draw(st.sampled_from("24")), "pods": draw(st.sampled_from(("2", "5")))}
    if draw(st.booleans()):
        amounts["nvidia.com/gpu"] = draw(st.sampled_from("12"))
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"taints": taints, "unschedulable": draw(st.integers(0, 9)) == 0},
        "status": {"allocatable": amounts},
    }


@st.composite
def pod(draw, name, places=(), *, together=True):
    affinity = {}
    if together and draw(st.integers(0, 3)) == 0:
        affinity["podAntiAffinity"] = {REQUIRED: draw(pod_terms)}
    if together and not places and draw(st.integers(0, 3)) == 0:
        affinity["podAffinity"] = {REQUIRED: draw(pod_terms)}
    if not places and draw(st.integers(0, 3)) == 0:
        affinity["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": draw(node_terms)}}
    spec = {
        "priority": draw(st.sampled_from((0, 5, 10))),
        "containers": [{"name": "main", "resources": {"requests": draw(requests)}}],
        "tolerations": draw(tolerations),
        "affinity": affinity,
    }
    if draw(st.integers(0, 5)) == 0:
        spec["containers"][0]["ports"] = [{"hostPort": draw(st.sampled_from((80, 81)))}]
    if together and not places and draw(st.integers(0, 3)) == 0:
        spec["topologySpreadConstraints"] = draw(spreads)
    found = {
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": draw(st.sampled_from(SPACES)),
            "labels": {"app": draw(st.sampled_from(APPS))},
        },
        "spec": spec,
    }
    if places:
        spec["nodeName"] = draw(st.sampled_from(places))
        minute = draw(st.integers(0, 3))
        found["status"] = {"phase": "Running", "startTime": f"2026-01-01T00:0{minute}:00Z"}
    return found


@st.composite
def budgets(draw):
    return [
        {
            "kind": "PodDisruptionBudget",
            "metadata": {"name": f"budget-{number}", "namespace": draw(st.sampled_from(SPACES))},
            "spec": {"minAvailable": 1, "selector": draw(selectors)},
            "status": {"disruptionsAllowed": draw(st.integers(0, 1))},
        }
        for number in range(draw(st.integers(0, 1)))
    ]


@st.composite
def scenarios(draw, *, together=True, most=6):
    """A cluster's objects and an incoming pod; `together` lets pods care for each other."""
    names = [f"n{number}" for number in range(draw(st.integers(1, most)))]
    found = draw(nodes(names))
    placed = [draw(pod(f"p{number}", names, together=together)) for number in range(draw(st.integers(0, 8)))]
    return [*found, *placed, *draw(budgets())], draw(pod("incoming", together=together))


@st.composite
def alike(draw):
    """A cluster in which nodes come in equal copies, so that classes have many members."""
    objects, incoming = draw(scenarios())
    copies = draw(st.integers(2, 5))
    found = []
    for value in objects:
        if value["kind"] not in ("Node", "Pod"):
            found.append(value)
            continue
        for copy in range(copies):
            other = {**value, "metadata": {**value["metadata"], "name": f"{value['metadata']['name']}-{copy}"}}
            if value["kind"] == "Node":
                labels = {**value["metadata"]["labels"], HOST: other["metadata"]["name"]}
                other["metadata"]["labels"] = labels
            else:
                other["spec"] = {**value["spec"], "nodeName": f"{value['spec']['nodeName']}-{copy}"}
            found.append(other)
    return found, incoming
