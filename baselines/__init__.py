"""Taggers that train on documents and give documents back; one toolkit a module.

Each has `train`, which makes a model of documents, and `predict`, which makes documents of a model and texts.
"""
