"""How much a file may hold."""

import pytest
from problems import problem

from kubelint_gpu.documents import read

both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


@both
def test_aliases_of_aliases_cost_no_memory_and_end_in_a_problem(pure):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    found = problem("\n".join(lines), pure=pure)
    assert "aliases" in found.message
    assert found.span.line < 8


def test_the_bound_on_aliases_is_that_of_the_file_and_not_of_a_document():
    text = "a: &a [" + "x, " * 1000 + "]\nb: [" + "*a, " * 150 + "]\n"
    assert read("a.yaml", text.encode()).problems == ()
    assert len(read("a.yaml", (text + "---\n" + text).encode()).problems) == 1
