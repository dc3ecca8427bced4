"""Analyses of runs and corpora beyond their scores."""
