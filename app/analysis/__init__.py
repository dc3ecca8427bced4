"""What is found of splits and runs in the background: what splits share, and the scores of every run by stratum and group."""
