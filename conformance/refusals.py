"""What the linter says about objects that the API server has accepted or refused."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from conformance.api_client import Object
from conformance.linter import check

_CODES = ("KLG001", "KLG002", "KLG003", "KLG004", "KLG008", "KLG303", "KLG501")
_INVENTORY = """apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "{}"
"""
PATCH = "an object that lacks it is taken for a patch"
ELSEWHERE = "concerns neither scheduling nor rollout nor resources"
_CLUSTER = "depends on what else the cluster holds"
_KNOWN = (
    (r"Invalid \S*\b(containers|initContainers)(\[\])?(\.image)?: Required value", PATCH),
    (r"Invalid spec\.(selector|schedule|accessModes|resources\[storage\]): Required value", PATCH),
    (r"Invalid metadata\.name: Required value", PATCH),
    (r"Invalid \S*template\.metadata\.labels: Invalid value: .*`selector` does not match", PATCH),
    (r"Invalid \S*template\.spec\.restartPolicy: Required value", PATCH),
    (r"Invalid \S*containers\[\]\.(image|imagePullPolicy|env\[\]\.name|ports\[\]\.name)", ELSEWHERE),
    (r"Invalid \S*\.(dnsPolicy|schedule|timeZone)\b", ELSEWHERE),
    (r"(Forbidden|NotFound) ", _CLUSTER),
    (r"BadRequest .*(no kind|does not match the expected API version)", "another path of the API than its kind's"),
    (r"BadRequest .*cannot unmarshal number", "numbers that no 32 bits hold are not looked at"),
    (r"Invalid \S*resources: Forbidden: HugePages require cpu or memory", "cpu or memory of the whole pod may do"),
    (r"InternalError ", "the API server's own failure"),
)
"""What the linter may let pass, as reason, field and message of the API server, and why."""


def compared(records: Sequence[Object]) -> tuple[Counter[str], list[str]]:
    """How often they agree, and each object about which they do not."""
    answers = told(records)
    counts: Counter[str] = Counter()
    for record in records:
        said = answers.get(record["id"], [])
        if record["accepted"]:
            counts["accepted, the linter finds nothing" if not said else "accepted, the linter calls it invalid"] += 1
        elif said:
            counts[f"refused ({record['reason']}), the linter too: {_agreement(record, said)}"] += 1
        else:
            why = known(record) or "for no known reason"
            counts[f"refused ({record['reason']}), the linter finds nothing: {why}"] += 1
    return counts, [f"{name}: {text}" for name, text in sorted(_disagreements(records, answers).items())]


def disagreements(records: Sequence[Object]) -> dict[str, str]:
    """Each object about which they disagree, and how.

    That is an accepted object that the linter calls invalid, and a refused one that it lets pass for no known reason.
    """
    return _disagreements(records, told(records))


def _disagreements(records: Sequence[Object], answers: dict[str, list[str]]) -> dict[str, str]:
    found = {}
    for record in records:
        said = answers.get(record["id"], [])
        if record["accepted"] and said:
            found[record["id"]] = f"accepted, the linter says {said[0]}"
        elif not record["accepted"] and not said and not known(record):
            found[record["id"]] = f"refused, {record['message']}"
    return found


def passed(records: Sequence[Object]) -> Counter[tuple[str, str]]:
    """The fields of refused objects that the linter lets pass, each with why."""
    answers = told(records)
    found: Counter[tuple[str, str]] = Counter()
    for record in records:
        if not record["accepted"] and not answers.get(record["id"]):
            for field in sorted({_generic(each.get("field", "")) for each in record["causes"]} or {record["reason"]}):
                found[field, known(record) or "for no known reason"] += 1
    return found


def known(record: Object) -> str:
    """Why the linter may let a refused object pass: the reason of the first of its causes, where all have one."""
    causes = [f"{_generic(each.get('field', ''))}: {each.get('message', '')}" for each in record["causes"]]
    texts = [f"{record['reason']} {each}" for each in causes or [record["message"]]]
    reasons = [next((why for pattern, why in _KNOWN if re.match(pattern, text)), "") for text in texts]
    if PATCH in reasons:
        # of a patch nothing is judged
        return PATCH
    return reasons[0] if all(reasons) else ""


def _agreement(record: Object, said: Sequence[str]) -> str:
    fields = [each["field"] for each in record["causes"] if each.get("field")]
    same = any(field in text or text.startswith(field) for field in fields for text in said)
    return "the same field" if same else "another field or wording"


def _generic(field: str) -> str:
    return re.sub(r"\[\d+\]", "[]", field)


def told(records: Sequence[Object]) -> dict[str, list[str]]:
    """What the linter says of each object, told which release the cluster has."""
    found: dict[str, list[str]] = defaultdict(list)
    for version in sorted({record["kubernetes"] for record in records}):
        with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as name:
            folder = Path(name)
            inventory = folder / "inventory.yaml"
            inventory.write_text(_INVENTORY.format(version), encoding="utf-8")
            (folder / "objects").mkdir()
            for record in records:
                if record["kubernetes"] == version:
                    path = folder / "objects" / f"{record['id']}.json"
                    path.write_text(json.dumps(record["object"], indent=1), encoding="utf-8")
            options = ["--inventory", str(inventory), "--isolated", "--output-format", "json"]
            report = check(folder, ["objects", *options])
        for finding in report["findings"]:
            if finding["code"] in _CODES and finding["severity"] == "error":
                found[Path(finding["path"]).stem].append(finding["message"])
    return found
