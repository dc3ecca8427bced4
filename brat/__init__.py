"""BRAT standoff in and out. Standard library only; knows nothing of scoring, the web or a database."""
