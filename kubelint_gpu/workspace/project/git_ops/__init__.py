"""Objects of Argo CD and Flux: what they apply from the repository that they lie in."""
