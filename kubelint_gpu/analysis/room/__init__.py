"""Parts of a cluster that have too little room for several workloads."""
