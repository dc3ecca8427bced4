"""Runs: taken, checked, scored, published."""
