"""What `tools/house.py` counts: modules, imports, names, and what is known in more places than one."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cached_property
from pathlib import Path

from tools.house_functions import COMPLEX, PARAMETERS, complexity, functions, parameters
from tools.house_modules import (
    BUDGET,
    CONTROLLERS,
    CORE,
    KUBERNETES_NUMBERS,
    LONG,
    OWN_TEXT,
    PACKAGE,
    PLUGINS,
    PRODUCT,
    READ_FILES,
    READING,
    RULES,
    SEARCHING,
    SHORT,
    TALKS,
    WORDS,
    Module,
    Place,
    foreign,
    is_number,
    looped,
    modules,
    name_of,
    root_of,
    strings,
    texts,
)
from tools.house_tricks import tricks


class House:
    """The product and its tests, and what is counted of them: each measure is a method that gives the places."""

    def __init__(self, root: Path) -> None:
        self.product = modules(root, PRODUCT)
        self.tests = modules(root, ["tests"])
        if not any(one.is_in(PLUGINS) for one in self.product) or not any(one.is_in(CORE) for one in self.product):
            raise SystemExit(f"{root}: no folder of plugins, or none of the core: name its new place in {__file__}")
        self.names = {one.name: one for one in self.product}
        self.imports = {one.name: self._imports(one) for one in self.product}

    def _imports(self, module: Module) -> set[str]:
        """The modules of the product that a module imports, at its top or inside of functions."""
        found = set()
        for node in module.nodes:
            if isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
            elif isinstance(node, ast.ImportFrom):
                source = node.module or ""
                if node.level:
                    parts = module.name.split(".")
                    up = node.level - module.is_package
                    source = ".".join([*parts[: len(parts) - up], *([node.module] if node.module else [])])
                found |= {
                    f"{source}.{one.name}" if f"{source}.{one.name}" in self.names else source for one in node.names
                }
        return (found & set(self.names)) - {module.name}

    def packages(self) -> dict[str, int]:
        """The number of modules in each folder, folders of rules aside."""
        return Counter(str(Path(one.path).parent) for one in self.product if not one.is_in(RULES))

    @cached_property
    def cycles(self) -> list[list[str]]:
        """Groups of modules that import each other (strongly connected components of more than one)."""
        reach: dict[str, set[str]] = {}
        for start in self.names:
            seen: set[str] = set()
            todo = [start]
            while todo:
                for other in self.imports[todo.pop()] - seen:
                    seen.add(other)
                    todo.append(other)
            reach[start] = seen
        groups = {tuple(sorted(two for two in reach[one] if one in reach[two])) for one in reach if one in reach[one]}
        return [list(group) for group in sorted(groups)]

    def for_one(self) -> list[Place]:
        """The short modules that only one other module imports."""
        importers = Counter(name for names in self.imports.values() for name in names)
        own = (one for one in self.product if not one.is_package and not one.is_in(RULES))
        return [(one.path, one.lines) for one in own if one.lines <= SHORT and importers[one.name] == 1]

    def complex_functions(self) -> list[Place]:
        """The functions with too many decisions."""
        return [
            (module.path, one.lineno)
            for module in self.product
            for one in functions(module)
            if complexity(one) > COMPLEX
        ]

    def long_signatures(self) -> list[Place]:
        """The functions with too many parameters."""
        return [
            (module.path, one.lineno)
            for module in self.product
            for one in functions(module)
            if parameters(one) > PARAMETERS
        ]

    def plugin_names(self) -> list[Place]:
        """Modules outside the plugins in which a string is the name of a plugin; tables of wordings aside."""
        names = {
            node.value.value
            for module in self.product
            if module.is_in(PLUGINS)
            for node in module.tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            if [one.id for one in node.targets if isinstance(one, ast.Name)] == ["NAME"]
        }
        if not names:
            raise SystemExit("no module of a plugin has a constant NAME: say in house.py how plugins are named now")
        found = []
        for module in self.product:
            if not module.is_in((*PLUGINS, *WORDS)):
                lines = [line for text, line in strings(module) if text in names]
                found += [(module.path, lines[0])] if lines else []
        return found

    def strategies(self) -> list[Place]:
        """Calls of `isinstance`, and patterns of `match`, that ask for a class `...Strategy`."""
        found = []
        for module in self.product:
            for node in module.nodes if not module.is_in(CONTROLLERS) else ():
                asked: list[ast.AST] = []
                if isinstance(node, ast.Call) and name_of(node.func) == "isinstance" and len(node.args) == 2:
                    asked = list(ast.walk(node.args[1]))
                elif isinstance(node, ast.MatchClass):
                    asked = [node.cls]
                if any(
                    name_of(one).endswith("Strategy") for one in asked if isinstance(one, (ast.Name, ast.Attribute))
                ):
                    found.append((module.path, node.lineno))  # type: ignore[attr-defined]
        return sorted(found)

    def identities(self) -> list[Place]:
        """Calls of `id()`."""
        return [
            (module.path, node.lineno)
            for module in self.product
            for node in module.nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "id"
        ]

    def tricks(self) -> list[Place]:
        """What `house_tricks` finds."""
        return [place for module in self.product for place in tricks(module)]

    def parsed_texts(self) -> list[Place]:
        """Where a text that the program wrote is read again, as far as the syntax tells.

        Counted in the core and the rules: `"literal" in text`, methods such as `startswith`, searches of regular
        expressions. The text must be of the program: it has a name of `OWN_TEXT`; or the literal is a part of a
        sentence elsewhere in the product, and has several words or is looked for in something named `text`.
        """
        written = [text for one in self.product for text, _ in strings(one) if " " in text.strip()]
        joined = "\n".join(written)

        def is_own(node: ast.AST, literals: list[str]) -> bool:
            """Whether the literals are looked for in a text of the program."""
            name = name_of(node)
            parts = [one for one in literals if len(one.strip()) >= 6 and joined.count(one) > written.count(one)]
            return name in OWN_TEXT or any(name == "text" or " " in one.strip() for one in parts)

        found = []
        for module in self.product:
            if not module.is_in(TALKS) or module.base in READ_FILES:
                continue
            loops = looped(module)
            for node in module.nodes:
                hit = False
                if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                    literals = loops.get(name_of(node.left)) or texts(node.left)
                    among = node.comparators[0]
                    is_text = not isinstance(among, (ast.Tuple, ast.List, ast.Set, ast.Dict))
                    hit = bool(literals) and is_text and is_own(among, literals)
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    literals = [text for one in node.args[:1] for text in texts(one)]
                    hit = node.func.attr in READING and is_own(node.func.value, literals)
                    hit |= node.func.attr in SEARCHING and any(name_of(one) in {*OWN_TEXT, "text"} for one in node.args)
                if hit:
                    found.append((module.path, node.lineno))  # type: ignore[attr-defined]
        return sorted(set(found))

    def classes(self) -> dict[str, list[str]]:
        """Names of classes that several modules define."""
        found = defaultdict(list)
        for module in self.product:
            for node in module.tree.body:
                if isinstance(node, ast.ClassDef):
                    found[node.name].append(module.path)
        return {name: paths for name, paths in sorted(found.items()) if len(paths) > 1}

    def namesakes(self) -> dict[str, list[str]]:
        """Names of modules that are in several packages; those of packages do not count."""
        found = defaultdict(list)
        for module in self.product:
            if not module.is_package:
                found[module.base].append(module.path)
        return {name: paths for name, paths in sorted(found.items()) if len(paths) > 1}

    def thresholds(self) -> list[Place]:
        """Constants of modules of the core that are numbers: what limits a search belongs into one module."""
        found = []
        for module in self.product:
            for node in module.tree.body if module.is_in(CORE) and not module.is_in(BUDGET) else ():
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                name = name_of(target) if isinstance(target, ast.Name) else ""
                value = getattr(node, "value", None)
                if name.isupper() and name not in KUBERNETES_NUMBERS and value is not None and is_number(value):
                    found.append((module.path, node.lineno))
        return found

    def untested(self, *, exact: bool) -> tuple[list[str], int]:
        """Modules of more than `LONG` lines without a test file of their name, and how many modules are that long.

        The test of `wait.py` is `test_wait.py`, anywhere in tests/; where not `exact`, `test_checks_wait.py`, too.
        One test file serves one module: of several modules with one name as many are tested as there are such files.
        The examples in its folder are the tests of a rule: it is left out here.
        """
        names = [Path(one.path).stem.removeprefix("test_") for one in self.tests if "/test_" in one.path]
        by_base = defaultdict(list)
        for module in self.product:
            if module.lines > LONG and not module.is_in(RULES):
                by_base[module.base.strip("_")].append(module.path)
        missing: list[str] = []
        for base, paths in sorted(by_base.items()):
            known = sum(name == base or (not exact and name.endswith(f"_{base}")) for name in names)
            missing += paths[known:]
        return missing, sum(map(len, by_base.values()))

    def patches(self) -> list[Place]:
        """Where a test replaces something inside of the product: `monkeypatch.setattr`, or a write to `__dict__`.

        What is patched in a module that is none of the product's (`os`, `gc`) does not count.
        """
        found = []
        for module in self.tests:
            others = set(foreign(module))
            for node in module.nodes:
                hit = False
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    target = node.args[0] if node.args else node
                    named = target.value if isinstance(target, ast.Constant) else None
                    ours = str(named).startswith(PACKAGE) if named is not None else root_of(target) not in others
                    hit = (
                        node.func.attr in ("setattr", "delattr") and name_of(node.func.value) == "monkeypatch" and ours
                    )
                    hit |= node.func.attr in ("update", "__setitem__") and name_of(node.func.value) == "__dict__"
                    hit |= node.func.attr == "__setattr__" and name_of(node.func.value) == "object"
                elif isinstance(node, (ast.Assign, ast.Delete)):
                    hit = any(
                        isinstance(one, ast.Subscript) and name_of(one.value) == "__dict__" for one in node.targets
                    )
                if hit:
                    found.append((module.path, node.lineno))  # type: ignore[attr-defined]
        return sorted(found)
