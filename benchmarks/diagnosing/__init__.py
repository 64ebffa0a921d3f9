"""Whether `diagnose` leads from an error to its cause."""
