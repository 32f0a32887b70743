"""Why a pod fits where it fits, and what would help."""
