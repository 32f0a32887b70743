"""Where a workload has to be beside which other pods: affinity, anti-affinity, spreading and their topology keys."""
