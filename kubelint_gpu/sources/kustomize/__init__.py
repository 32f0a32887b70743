"""Kustomize: kustomizations, built by the user's own program and traced back to the lines that wrote them."""
