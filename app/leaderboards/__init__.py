"""Boards: the public one of a phase and the private one of a team."""
