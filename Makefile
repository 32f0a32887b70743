# The real control plane is the judge: see conformance/README.md.
.PHONY: conformance conformance-all
conformance conformance-all:
	$(MAKE) -C conformance $@
