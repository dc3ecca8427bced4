"""How certain the scores of runs are, and which runs can be told apart."""
