"""Findings that somebody has read, and what they teach."""
