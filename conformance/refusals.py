"""What the linter says about objects that the API server has accepted or refused."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from conformance.api_client import Object
from conformance.linter import CRASH, check
from conformance.processes import scratch

_CODES = (CRASH, "KLG001", "KLG002", "KLG003", "KLG004", "KLG008", "KLG303", "KLG501", "KLG704", "KLG705", "KLG706")
_INVENTORY = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "{}"
"""
EVERY = "every field that is named"
SOME = "some of the fields that are named"
ANOTHER = "another field"
_ACCEPTED = "the API server accepts it"
"""What findings about objects that only come to nothing later say."""
_MOVED: dict[tuple[str, ...], tuple[str, ...]] = {
    ("spec", "template", "spec", "volumes", "name"): ("spec", "volumeClaimTemplates", "name")
}
"""Fields of what the API server derives, and where the linter says it instead: where it is written."""
_UNKNOWN = re.compile(r'(?:unknown|duplicate) field "([^"]+)"')
_UNMARSHALLED = re.compile(r"Go struct field \w+\.(\S+) of type")
_EMBEDDED = re.compile(r"\b[A-Z]\w*\.")
"""The name of a struct that is embedded in another one: it stands for no field."""
_KEY = re.compile(r'\s*"((?:[^"\\]|\\.)*)":')
PATCH = "an object that lacks it is taken for a patch"
ELSEWHERE = "concerns neither scheduling nor rollout nor resources"
BY_PROGRAM = "a program writes it, and its fields are only read"
BEHAVIOR = "how fast an autoscaler scales is not checked"
_CLUSTER = "depends on what else the cluster holds"
_KNOWN = (
    (r"Invalid \S*\b(containers|initContainers)(\[\])?(\.image)?: Required value", PATCH),
    (r"Invalid spec\.(selector|schedule|accessModes|resources\[storage\]): Required value", PATCH),
    (
        r"Invalid spec\.(scaleTargetRef\.(kind|name)|maxReplicas): (Required value|Invalid value: 0: must be greater)",
        PATCH,
    ),
    (r"Invalid metadata\.name: Required value", PATCH),
    (r"Invalid \S*template\.metadata\.labels: Invalid value: .*`selector` does not match", PATCH),
    (r"Invalid \S*template\.spec\.restartPolicy: Required value", PATCH),
    (r"Invalid \S*containers\[\]\.(image|imagePullPolicy|env\[\]\.name|ports\[\]\.name)", ELSEWHERE),
    (r"Invalid \S*\.(dnsPolicy|schedule|timeZone)\b", ELSEWHERE),
    (r"(Forbidden|NotFound) |Invalid \S*adminAccess: Forbidden", _CLUSTER),
    (r"BadRequest .*(no kind|does not match the expected API version)", "another path of the API than its kind's"),
    (r"Invalid \S*resources: Forbidden: HugePages require cpu or memory", "cpu or memory of the whole pod may do"),
    (r"Invalid spec\.behavior\b", BEHAVIOR),
    (r"InternalError ", "the API server's own failure"),
    (r"Invalid \S*cel\.expression: Forbidden: too complex", "what an expression costs is not estimated"),
)
"""What the linter may let pass, as reason, field and message of the API server, and why."""


@dataclass(frozen=True, slots=True)
class Said:
    """A finding about an object.

    Attributes:
        code: the rule.
        message: its words.
        pointer: the keys down to where it stands, without indices.
    """

    code: str
    message: str
    pointer: tuple[str, ...]


def compared(records: Sequence[Object], answers: dict[str, list[Said]] | None = None) -> tuple[Counter[str], list[str]]:
    """How often they agree, and each object about which they do not; `answers` where the linter was asked already."""
    answers = told(records) if answers is None else answers
    counts: Counter[str] = Counter()
    for record in records:
        said = answers.get(record["id"], [])
        if record["accepted"]:
            counts["accepted, the linter finds nothing" if not said else "accepted, the linter calls it invalid"] += 1
        elif said:
            counts[f"refused ({record['reason']}), the linter too: {agreement(record, said)}"] += 1
        else:
            why = known(record) or "for no known reason"
            counts[f"refused ({record['reason']}), the linter finds nothing: {why}"] += 1
    return counts, [f"{name}: {text}" for name, text in sorted(_disagreements(records, answers).items())]


def disagreements(records: Sequence[Object]) -> dict[str, str]:
    """Each object about which they disagree, and how.

    That is an accepted object that the linter calls invalid, a refused one that it lets pass for no known reason or
    finds for none of the fields that the API server names, and one on which a rule failed.
    """
    return _disagreements(records, told(records))


def _disagreements(records: Sequence[Object], answers: dict[str, list[Said]]) -> dict[str, str]:
    found = {}
    for record in records:
        said = answers.get(record["id"], [])
        crash = next((one for one in said if one.code == CRASH), None)
        if crash is not None:
            found[record["id"]] = crash.message
        elif record["accepted"] and said:
            found[record["id"]] = f"accepted, the linter says {said[0].message}"
        elif said and agreement(record, said) == ANOTHER and not known(record):
            found[record["id"]] = f"refused, {record['message']}; the linter says only {said[0].message}"
        elif not record["accepted"] and not said and not known(record):
            found[record["id"]] = f"refused, {record['message']}"
    return found


def passed(records: Sequence[Object], answers: dict[str, list[Said]]) -> Counter[tuple[str, str]]:
    """The fields of refused objects that the linter lets pass, each with why."""
    found: Counter[tuple[str, str]] = Counter()
    for record in records:
        if not record["accepted"] and not answers.get(record["id"]):
            why, fields = known(record), {_generic(each.get("field", "")) for each in record["causes"]}
            for field in [record["object"]["kind"]] if why == BY_PROGRAM else sorted(fields or {record["reason"]}):
                found[field, why or "for no known reason"] += 1
    return found


def known(record: Object) -> str:
    """Why the linter may let a refused object pass: the reason of the first of its causes, where all have one."""
    causes = [f"{_generic(each.get('field', ''))}: {each.get('message', '')}" for each in record["causes"]]
    texts = [f"{record['reason']} {each}" for each in causes or [record["message"]]]
    reasons = [next((why for pattern, why in _KNOWN if re.match(pattern, text)), "") for text in texts]
    if PATCH in reasons:
        # of a patch nothing is judged
        return PATCH
    if all(reasons):
        return reasons[0]
    return BY_PROGRAM if record.get("object", {}).get("kind") in ("ResourceSlice", "DeviceTaintRule") else ""


def agreement(record: Object, said: Sequence[Said]) -> str:
    """Whether the linter found the fields that the API server names; beside, below or above counts as the same."""
    fields = named(record)
    if not fields:
        return "no field is named"
    found = [any(_alike(field, one) for one in said) for field in fields]
    return EVERY if all(found) else SOME if any(found) else ANOTHER


def named(record: Object) -> list[tuple[str, ...]]:
    """The fields that a refusal names, in its causes or, where it could not be decoded, in its words."""
    causes = [each["field"] for each in record["causes"] if each.get("field")]
    decoded = [_EMBEDDED.sub("", path) for path in _UNMARSHALLED.findall(record["message"])]
    words = _UNKNOWN.findall(record["message"]) or decoded
    return [_parts(field) for field in dict.fromkeys(causes or words) if field != "<nil>"]


def _alike(field: tuple[str, ...], said: Said) -> bool:
    """Whether a finding stands at a field, beside it, or at what it belongs to.

    Of bounds that contradict each other either may be named: fields that differ in one part are alike, too.
    """
    for other in (said.pointer, _parts(said.message.partition(": ")[0])):
        for wanted in (field, _MOVED.get(field, field)):
            common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(wanted, other, strict=False)))
            apart = sum(one != another for one, another in zip(wanted, other, strict=False))
            if common >= max(1, min(len(wanted), len(other)) - 1) or (len(wanted) == len(other) > 3 and apart == 1):
                return True
    return False


def _parts(field: str) -> tuple[str, ...]:
    parts = [part for part in re.split(r"[.\[\]]+", field) if part and not part.isdigit()]
    # the API server leaves it out here and there
    return tuple(part for index, part in enumerate(parts) if index == 0 or part != "metadata")


def _generic(field: str) -> str:
    return re.sub(r"\[\d+\]", "[]", field)


def told(records: Sequence[Object]) -> dict[str, list[Said]]:
    """What the linter says of each object, told which release the cluster has."""
    found: dict[str, list[Said]] = defaultdict(list)
    for version in sorted({record["kubernetes"] for record in records}):
        lines: dict[str, list[str]] = {}
        with scratch() as folder:
            inventory = folder / "inventory.yaml"
            inventory.write_text(_INVENTORY.format(version), encoding="utf-8")
            (folder / "objects").mkdir()
            for record in records:
                if record["kubernetes"] == version:
                    path = folder / "objects" / f"{record['id']}.json"
                    text = json.dumps(record["object"], indent=1)
                    path.write_text(text, encoding="utf-8")
                    lines[record["id"]] = text.splitlines()
            options = ["--inventory", str(inventory), "--isolated", "--output-format", "json"]
            report = check(folder, ["objects", *options], crashes=True)
        for finding in report["findings"]:
            refused = _ACCEPTED not in finding["message"]
            if finding["code"] in _CODES and finding["severity"] == "error" and refused:
                name = Path(finding["path"]).stem
                at = _pointer(lines[name], finding["line"])
                found[name].append(Said(finding["code"], finding["message"], at))
    return found


def _pointer(lines: Sequence[str], number: int) -> tuple[str, ...]:
    """The keys above a line of indented JSON, outermost first, and its own."""
    keys: list[str] = []
    deep = len(lines[number - 1]) + 1
    for line in reversed(lines[:number]):
        indent = len(line) - len(line.lstrip())
        if indent < deep and (match := _KEY.match(line)):
            keys.append(match[1])
            deep = indent
    return tuple(part for key in reversed(keys) for part in _parts(key))
