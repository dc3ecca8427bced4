"""Taggers that train on documents and give documents back: one method a module, one protocol (`baselines.protocol`)."""
