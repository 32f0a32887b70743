"""What admission and neighbouring controllers add to a pod."""
