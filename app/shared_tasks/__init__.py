"""Shared tasks: their definition, the documents of their splits, and their phases."""
