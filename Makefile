# The real control plane is the judge: see conformance/README.md.
.PHONY: conformance conformance-all conformance-newest
conformance conformance-all conformance-newest:
	$(MAKE) -C conformance $@

# What each decider of a rollout decides: CORPUS and INCIDENTS are folders, if there are any.
.PHONY: ablate
ablate:
	.venv/bin/python -m tools.ablate $(if $(CORPUS),--corpus $(CORPUS)) $(if $(INCIDENTS),--incidents $(INCIDENTS)) $(ARGUMENTS)
