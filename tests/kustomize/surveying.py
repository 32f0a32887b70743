"""What is found in a kustomization."""

from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles
from kubelint_gpu.sources.kustomize.files.surveyor import survey

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: chat}\n"


def found(tree, folder="top", allowed=None):
    return survey(tree, folder, str, allowed or AllowedFiles())


def told(tree, folder="top", allowed=None):
    return [(one.path, one.span.line, one.message, one.withheld) for one in found(tree, folder, allowed).obstacles]
