"""Shared tasks as data: one folder a task, no code."""
