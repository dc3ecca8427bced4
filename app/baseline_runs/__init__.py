"""Baselines that an organiser starts: trained by a worker, and on the board as the team Baseline."""
