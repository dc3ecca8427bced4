"""Scoring and analysis of BRAT documents. No web, no database, no files."""
