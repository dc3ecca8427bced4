"""Formats other than BRAT, in and out: one module a format, each imported only when it is asked for."""
