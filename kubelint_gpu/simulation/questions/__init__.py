"""Questions about rollouts, drains, gangs and quotas."""
