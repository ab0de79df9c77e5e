"""Speeds, as ratios: `python -m benchmarks` (or `make bench`)."""
