"""What `--help` adds to each command: examples and exit codes."""

from __future__ import annotations

CHECKED = (
    ("0", "nothing was found that fails: no error and no warning (notes do not fail)"),
    ("1", "there are findings"),
    ("2", "the run itself failed: bad usage, a missing file, an inventory that cannot be used, or not all of it"),
    ("130", "interrupted"),
)

EXITS: dict[str, tuple[tuple[str, str], ...]] = {
    "cache clean": (("0", "it is empty"), ("2", "something cannot be taken away")),
    "cache dir": (("0", "printed, where there is one"),),
    "check": CHECKED,
    "explain": (("0", "it was explained"), ("2", "there is no such rule or workload, or something cannot be read")),
    "inventory capture": (("0", "written"), ("2", "the cluster cannot be asked, or what it says cannot be used")),
    "inventory diff": (("0", "they are the same"), ("1", "they differ"), ("2", "one of the two cannot be used")),
    "inventory show": (("0", "shown"), ("2", "it cannot be used, or not all of it")),
    "inventory validate": (("0", "valid"), ("1", "there are warnings"), ("2", "it cannot be used, or not all of it")),
    "report merge": (("0", "merged, whatever was found"), ("2", "the reports cannot be read, or are not of one kind")),
    "lsp": (("0", "the editor said goodbye"), ("2", "the libraries of the language server are missing")),
}

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("Check the manifests of a directory against a declared cluster:", "PROGRAM check deploy/ -i cluster.yaml"),
        ("Say what a finding means, and what to do:", "PROGRAM explain KLG101"),
        ("Say on which nodes a workload fits, and why not on the others:", "PROGRAM explain deployment/chat deploy/"),
    ),
    "cache clean": (("Forget what earlier runs have found:", "PROGRAM cache clean"),),
    "cache dir": (("Where results are kept:", "PROGRAM cache dir"),),
    "check": (
        (
            "Check a directory, and make the fixes that are proven to help:",
            "PROGRAM check deploy/ -i cluster.yaml --fix",
        ),
        (
            "What does this branch roll out that cannot end?",
            "PROGRAM check deploy/ -i cluster.yaml --against origin/main",
        ),
        ("Only deadlocks of rollouts, and only certain ones:", "PROGRAM check . --select KLG1 --min-severity error"),
        ("What if a node were gone?", "PROGRAM check deploy/ -i cluster.yaml --without-node gpu-3"),
        (
            "What another program renders, from standard input:",
            "helm template chart/ | PROGRAM check - -i cluster.yaml",
        ),
        ("For code scanning and for editors:", "PROGRAM check . --output-format sarif --output-file found.sarif"),
    ),
    "explain": (
        ("The page of a rule, by its code or its name:", "PROGRAM explain rollout-deadlock"),
        ("Why a workload fits where it fits:", "PROGRAM explain deployment/chat deploy/ -i cluster.yaml"),
    ),
    "inventory capture": (
        ("Write down the cluster that kubectl talks to:", "PROGRAM inventory capture -o cluster.yaml"),
        ("The same without its names, to show to others:", "PROGRAM inventory capture --anonymize -o cluster.yaml"),
    ),
    "inventory diff": (("What has changed since it was written down:", "PROGRAM inventory diff old.yaml new.yaml"),),
    "config schema": (
        ("Keep the schema where an editor finds it:", "PROGRAM config schema > kubelint-gpu.schema.json"),
    ),
    "inventory schema": (
        ("Keep the schema where an editor finds it:", "PROGRAM inventory schema > inventory.schema.json"),
    ),
    "inventory show": (("Node classes, GPUs, and what is free:", "PROGRAM inventory show cluster.yaml"),),
    "inventory validate": (
        ("One cluster that two files declare:", "PROGRAM inventory validate nodes.yaml running.yaml"),
        ("Two clusters:", "PROGRAM inventory validate --each east.yaml west.yaml"),
    ),
    "lsp": (
        ("What an editor starts; docs/editors.md says how to tell it:", "PROGRAM lsp --stdio"),
        ("With a cluster that no configuration names:", "PROGRAM lsp --inventory cluster.yaml"),
    ),
    "report merge": (
        (
            "What the jobs of a matrix found, as one log:",
            "PROGRAM report merge shard-1.sarif shard-2.sarif > all.sarif",
        ),
    ),
    "rules": (("Codes, names and severities for a program:", "PROGRAM rules --output-format json"),),
}

ENVIRONMENT = (
    ("NO_COLOR", "no colours, whatever the terminal can"),
    ("FORCE_COLOR", "colours, also where the output is no terminal"),
    ("COLUMNS", "how wide the text is"),
    ("KUBELINT_GPU_NO_CACHE", "1 uses no results of earlier runs, and keeps none"),
    ("KUBELINT_GPU_TRACEBACK", "1 shows where an internal error comes from"),
)

FILES = ((".kubelint-gpu.yaml", "settings, the nearest one upward within the repository"),)
