"""Scoring without an object for every annotation: bytes to columns of numbers, a block of documents at a time."""
