# The real control plane is the judge: see conformance/README.md.
.PHONY: conformance conformance-all conformance-newest
conformance conformance-all conformance-newest:
	$(MAKE) -C conformance $@
