"""Which pods a workload must be near to or away from: affinity, anti-affinity, spreading and their topology keys."""
