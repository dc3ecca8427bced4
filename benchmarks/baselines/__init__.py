"""What the baselines reach on real corpora, and how fast: `python -m benchmarks.baselines NAME`."""
