"""Training: the task protocol, the loop over `accelerate`, checkpoints, export."""
