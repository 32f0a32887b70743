"""Every regular expression of the program against input made to slow it down: twice the input, at most 2.5 times the time."""

import ast
import functools
import importlib
import itertools
import json
import pkgutil
import re
import string
import warnings
from pathlib import Path
from time import process_time

import pytest

import kubelint_gpu
from kubelint_gpu import patterns

try:
    from re import _parser as parser
except ImportError:  # before Python 3.11
    import sre_parse as parser

_ROOT = Path(kubelint_gpu.__file__).parent
_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "sub", "subn", "split")
# What walks over a text from place to place costs as much in each of its forms.
_SEARCHES = frozenset(("search", "finditer", "findall", "sub", "subn", "split"))
_LEAST = 0.02
PARTS = 8
_MARKS = frozenset(string.punctuation)
# How often a text is repeated; few times first, for what doubles with each of them would never end on many.
_REPEATED = (24, 36, 60, 400, 12_000)
_FACTOR = 2.5
_NAMED = re.compile(r"\bre\.")


def _modules():
    for found in pkgutil.walk_packages([str(_ROOT)], "kubelint_gpu."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def _held(value, name):
    """The expressions that a module's variable holds, with the name of the variable."""
    if isinstance(value, re.Pattern):
        yield name, value
    elif hasattr(value, "cache_info") and getattr(value, "__module__", "") == patterns.__name__:
        yield name, value()
    elif isinstance(value, (list, tuple, set, frozenset)):
        for entry in value:
            yield from _held(entry, name)
    elif isinstance(value, dict):
        for entry in value.items():
            yield from _held(entry, name)


def _inline(tree):
    """Calls such as `re.search("…", text)` with the expression written in place, each with the function's name."""
    for node in ast.walk(tree):
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re":
            yield node, function.attr


def _uses(tree, name):
    """The methods by which a module uses an expression of this name; all of them where that cannot be seen."""
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _named(node.value) == name}
    return found & set(_METHODS) or _looped(tree, name)


def _named(node):
    """The variable of an expression, which a call compiles: `_WORD` of `_WORD()`."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.id if isinstance(node, ast.Name) else ""


def _looped(tree, name):
    """Methods of the loops over a table of expressions: `for form, base in _INTEGERS: form.fullmatch(…)`."""
    for node in ast.walk(tree):
        loops = (node.generators if isinstance(node, ast.GeneratorExp) else ()) or (
            (node,) if isinstance(node, ast.For) else ()
        )
        for loop in loops:
            if isinstance(loop.iter, ast.Name) and loop.iter.id == name:
                used = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)} & set(_METHODS)
                if used:
                    return used
    return set(_METHODS)


@functools.cache
def _expressions():
    found = {}
    for module in _modules():
        text = Path(module.__file__).read_text(encoding="utf-8")
        held = [each for variable, value in vars(module).items() for each in _held(value, variable)]
        if not held and not _NAMED.search(text):
            continue
        tree = ast.parse(text)
        short = module.__name__.removeprefix("kubelint_gpu.")
        names = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)}
        for name, pattern in held:
            if f"{name}" in names:
                found.setdefault((short, name, pattern.pattern, pattern.flags), set()).update(_uses(tree, name))
        for node, function in _inline(tree):
            text = node.args[0] if node.args else None
            if function in _METHODS and isinstance(text, ast.Constant):
                pattern = re.compile(text.value)
                found.setdefault((short, f"line{node.lineno}", pattern.pattern, pattern.flags), set()).add(function)
    for path in [*sorted(_ROOT.rglob("*.schema.json")), _ROOT / "inventory" / "schema.json"]:
        for pattern in _in_schema(json.loads(path.read_text(encoding="utf-8"))):
            found[(path.name, "pattern", pattern, re.compile(pattern).flags)] = {"search"}
    return found


def _in_schema(value):
    """What `pattern` demands anywhere in a JSON schema; jsonschema searches for it."""
    if isinstance(value, dict):
        if isinstance(value.get("pattern"), str):
            yield value["pattern"]
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from _in_schema(entry)


def test_every_expression_is_one_that_the_test_below_sees():
    """Inside of a function an expression is written in place, or it is a quoted text; nothing compiles what is read."""
    seen = {pattern for _, _, pattern, _ in _expressions()}
    unseen = []
    for path in sorted({*_ROOT.rglob("*.py")} - {Path(patterns.__file__)}):
        source = path.read_text(encoding="utf-8")
        if not _NAMED.search(source):
            continue
        tree = ast.parse(source)
        functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda))]
        inside = {id(node) for function in functions for node in ast.walk(function)}
        for node, function in _inline(tree):
            if function not in (*_METHODS, "compile") or (function == "compile" and id(node) not in inside):
                continue
            text = node.args[0]
            known = isinstance(text, ast.Constant) and text.value in seen
            if not known and "re.escape(" not in ast.unparse(text):
                unseen.append(f"{path.relative_to(_ROOT)}:{node.lineno}: {ast.unparse(node)}")
    assert not unseen, "\n".join(unseen)
    assert len(_expressions()) > 100


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_time_grows_with_the_input(part):
    for (module, name, pattern, flags), used in sorted(_expressions().items())[part::PARTS]:
        slow = next(_slow(re.compile(pattern, flags), used), None)
        assert slow is None, f"{module}:{name}: {slow}"


def _slow(compiled, used):
    run = {
        "match": compiled.match,
        "fullmatch": compiled.fullmatch,
        "search": lambda text: sum(1 for _ in compiled.finditer(text)),
    }
    methods = sorted({"search" if method in _SEARCHES else method for method in used})
    prefixes, pumps = _material(compiled)
    for prefix, pump, suffix in itertools.product(prefixes, pumps, ("", "\0", "!\n")):

        def cost(count, method, prefix=prefix, pump=pump, suffix=suffix):
            text = prefix + pump * count + suffix
            before = process_time()
            run[method](text)
            return process_time() - before

        for method in methods:
            for count in _REPEATED:
                if cost(count, method) < _LEAST:
                    continue
                times = [(cost(count // 2, method), cost(count, method)) for _ in range(3)]
                if min(after / max(before, 1e-7) for before, after in times) > _FACTOR:
                    text = f"{prefix!r} + {pump!r} * n + {suffix!r}"
                    yield f"{compiled.pattern!r}.{method}: {text} costs {times[0]} for n = {count // 2} and {count}"
                break


def _material(compiled):
    """Texts that lead to each repetition of an expression, and texts to repeat there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = parser.parse(compiled.pattern, compiled.flags)
    prefixes, pumps = {""}, set()
    letters = set()

    def sample(items):
        text = ""
        for operation, value in items:
            text += one(operation, value, text)
        return text

    def one(operation, value, before):
        name = str(operation)
        if name == "LITERAL":
            letters.add(chr(value))
            return chr(value)
        if name == "NOT_LITERAL":
            return "a" if value != ord("a") else "b"
        if name == "ANY":
            return "a"
        if name == "IN":
            return _member(value)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, items = value
            inner = sample(items)
            if inner and most > 20:
                prefixes.add(before)
                pumps.update({inner, before, before + inner} - {""})
                letters.add(inner[0])
            return inner * max(least, 1)
        if name == "SUBPATTERN":
            return sample(value[-1])
        if name == "ATOMIC_GROUP":
            return sample(value)
        if name == "BRANCH":
            samples = [sample(branch) for branch in value[1]]
            return samples[0]
        if name in ("ASSERT", "ASSERT_NOT"):
            sample(value[1])
        return ""

    sample(tree)
    letters |= {"a", "0", " ", "\n"}
    pumps |= {*letters, "a ", "\r\n", *(letter + other for letter in letters for other in " a" if letter in _MARKS)}
    return sorted({*prefixes, *(prefix + "a" for prefix in prefixes)}), sorted(pumps)


def _member(items):
    """A character of a class."""
    excluded = any(str(operation) == "NEGATE" for operation, _ in items)
    for letter in [*string.ascii_lowercase, *string.digits, " ", "\n", "\r", "\t", *string.punctuation, "\x80"]:
        if _inside(items, letter) != excluded:
            return letter
    return chr(items[0][1][0] if str(items[0][0]) == "RANGE" else items[0][1])


def _inside(items, letter):
    for operation, value in items:
        name = str(operation)
        if name == "LITERAL" and ord(letter) == value:
            return True
        if name == "RANGE" and value[0] <= ord(letter) <= value[1]:
            return True
        if name == "CATEGORY":
            category = {"DIGIT": r"\d", "WORD": r"\w", "SPACE": r"\s"}[str(value).rpartition("_")[2]]
            negated = "NOT" in str(value)
            if (re.match(category, letter) is None) == negated:
                return True
    return False
