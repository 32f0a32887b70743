"""The sections of what Helm prints, and where they are in what a template prints."""

from __future__ import annotations

from kubelint_gpu.sources.helm.sections import Chunks, Sections


def test_each_object_is_a_section_with_its_template():
    found = Sections("---\n# Source: c/templates/a.yaml\nkind: A\n---\n# Source: c/templates/a.yaml\nkind: B\n")
    assert [(one.template, one.number, one.value()) for one in found.every] == [
        ("c/templates/a.yaml", 0, {"kind": "A"}),
        ("c/templates/a.yaml", 1, {"kind": "B"}),
    ]
    assert found.at(0) is None
    assert found.at(found.every[1].start) is found.every[1]


def test_a_section_is_found_in_what_its_template_prints():
    section = Sections("---\n# Source: c/templates/a.yaml\nkind: B\nname: b\ndigest: 1\n").every[0]
    whole = "kind: A\n---\nkind: B\nname: b\ndigest: 2\n"
    found = Chunks(whole).aligned(section)
    assert found is not None
    assert whole[found.printed(section.text.index("digest")) :] == "digest: 2\n"


def test_a_section_that_is_not_printed_so_is_not_found():
    section = Sections("---\n# Source: c/templates/a.yaml\nkind: B\n").every[0]
    assert Chunks("kind: A\nname: b\n").aligned(section) is None
