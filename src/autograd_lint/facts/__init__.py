"""What the text of a project tells without a run: definitions, callers, roles, constants."""
