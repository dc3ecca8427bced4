"""Is it the same for everyone? Groups, synthetic templates, names in context, categories."""
