"""Datasets: folders, shards, official splits and permutation files; and the source that feeds training."""
