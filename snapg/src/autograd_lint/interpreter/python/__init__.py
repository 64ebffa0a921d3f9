"""Python itself: statements, expressions, calls, objects, its own library."""
