"""What parts of a cluster have too little room for several workloads."""
