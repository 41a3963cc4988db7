"""Judges what clients saw: see README.md beside this."""
