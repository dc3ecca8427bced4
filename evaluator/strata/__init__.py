"""Ways to cut a test set, and what each run scores on every part of it: ChEMU 2020, section 9."""
