"""Inputs that are made to hurt."""
