"""The schema is what these migrations build."""
