"""The program without some of its deciders."""

from kubelint_gpu.simulation.asked import arranged


def without(*names):
    """Within, these deciders and helpers are not asked; the search always is."""
    return arranged(lambda ones: [one for one in ones if getattr(one, "name", one) not in names])


def only_search():
    """Within, the search is asked and nobody else."""
    return arranged(lambda ones: [one for one in ones if getattr(one, "name", "search") == "search"])
