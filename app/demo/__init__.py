"""The demonstration: a seeded corpus with planted properties, runs of known quality, and the loop that uploads them."""
