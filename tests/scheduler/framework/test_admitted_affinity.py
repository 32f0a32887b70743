"""Terms of pod affinity as the API server stores them."""

from __future__ import annotations

from plugin_objects import HOST, REQUIRED, pod

from kubelint_gpu.scheduler import (
    merged,
    read_pod,
)


def test_the_keys_that_the_api_server_folds_into_pod_affinity():
    def term(**more):
        return {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "web"}}, **more}

    both = {"matchLabelKeys": ["hash", "absent"], "mismatchLabelKeys": ["team"]}
    spec = {
        "affinity": {
            "podAffinity": {
                REQUIRED: [term(**both), {"topologyKey": HOST, "matchLabelKeys": ["hash"]}],
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term(**both)}],
            },
            "podAntiAffinity": {REQUIRED: [term(**both)]},
        }
    }
    found = merged(read_pod(pod(labels={"app": "web", "hash": "1", "team": "a"}, **spec))).spec
    expected = ["app In [web]", "hash In [1]", "team NotIn [a]"]
    for one in (found.pod_affinity[0], found.pod_anti_affinity[0], found.preferred_pods[0].term):
        assert [str(requirement) for requirement in one.selector.requirements] == expected
        assert (one.match_label_keys, one.mismatch_label_keys) == ((), ())
    assert found.pod_affinity[1].selector is None
    plain = read_pod(pod())
    assert merged(plain) is plain
