"""Why the spans of a run do not cover the text they claim: systematic faults of offsets, named and put right."""
