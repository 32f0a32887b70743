"""What is kept of an expression is what compiling it gives; what is made of a manifest is not kept."""

import re
import sys

import pytest

from kubelint_gpu import expressions
from kubelint_gpu.patterns import pattern

TEXTS = [
    (r"(?P<number>[+-]?\d+)(?:(?P<rest>[a-z])|x)*?$", re.IGNORECASE),
    (rb"(__libc_init)|(GLIBC_([0-9.]+))", 0),
    ("(?i)ä|[^\u0100-\uffff]\\w+(?<=b)", re.MULTILINE),
    ("(a)(?P<b>b)\\1(?P=b)", re.VERBOSE),
]
pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="compiles by another module before Python 3.11")


@pytest.fixture
def watched(monkeypatch):
    known = expressions._known
    before = {**known}
    known.clear()
    monkeypatch.setattr(re._compiler, "compile", re._compiler.compile)
    re.purge()
    expressions.use({})
    yield known
    re.purge()
    known.clear()
    known |= before


@pytest.mark.parametrize(("text", "flags"), TEXTS)
def test_what_is_kept_is_what_compiling_gives(watched, monkeypatch, text, flags):
    expected = re.compile(text, flags)
    watched[(type(text).__name__, text, int(flags))] = expressions._compiled(text, int(flags))
    monkeypatch.setattr(re._compiler, "_code", None)
    re.purge()
    found = re.compile(text, flags)
    assert found == expected
    assert (found.flags, found.groups, found.groupindex) == (expected.flags, expected.groups, expected.groupindex)
    with pytest.raises(TypeError):
        re.compile("of this nothing is kept")


@pytest.mark.usefixtures("watched")
def test_kept_is_what_a_module_compiles_when_it_is_imported_and_what_the_program_names():
    exec("import re\nre.compile('of a module')", {})  # noqa: S102
    pattern("of the program").match("")
    re.compile("of a call")
    with pytest.raises(re.error):
        pattern("(").match("")
    assert {text for _, text, _ in expressions.compiled()} == {"of a module", "of the program"}
    assert not any(one is None for one in expressions.compiled().values())
