"""What to read: discovery, source files, suppressions, imports across files."""
