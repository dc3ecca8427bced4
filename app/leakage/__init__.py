"""What the splits of a task share, and the scores of every run by what they share."""
