"""Why a pod fits or does not fit, and what would help."""
