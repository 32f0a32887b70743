"""What `kubelint-gpu inventory validate` prints of the files of one cluster."""

from __future__ import annotations

from kubelint_gpu.cli.exit_codes import FAILED, FINDINGS, NOTHING
from kubelint_gpu.cli.outputs import write
from kubelint_gpu.engine.run import check
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import Summary
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.printing import say
from kubelint_gpu.report.content import assemble
from kubelint_gpu.version import __version__
from kubelint_gpu.workspace.project.worlds import read_world


def validate_files(files: tuple[str, ...], color: str) -> int:
    """Say what is wrong with them: the exit code."""
    world, failed = read_world(files)
    outcome = check((), world)
    kinds = [finding.severity for finding in outcome.findings]
    summary = Summary(
        files=len(world.readings),
        documents=sum(len(reading.documents) for reading in world.readings),
        nodes=len(world.base.nodes),
        errors=kinds.count("error"),
        warnings=kinds.count("warning"),
        notes=kinds.count("note"),
    )
    sources = {reading.source.path: reading.source for reading in world.readings if reading.source is not None}
    rules = {finding.code: rule(finding.code) for finding in outcome.findings}
    if outcome.findings:
        write(assemble(outcome.findings, summary, rules, sources, __version__), [("text", "-")], color)
    elif not failed:
        nodes = len(world.base.nodes)
        say(f"{visible(', '.join(files))}: a valid inventory of {nodes} node{'' if nodes == 1 else 's'}")
    if failed or outcome.failed:
        return FAILED
    return FINDINGS if outcome.findings else NOTHING
