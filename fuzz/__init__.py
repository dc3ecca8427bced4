"""Fuzzing harnesses; see README.md in this folder."""
