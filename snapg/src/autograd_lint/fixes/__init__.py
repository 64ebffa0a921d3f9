"""Edits to the user's files: fixes, and comments that silence."""
