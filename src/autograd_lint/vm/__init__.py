"""Python as a machine: values, frames, statements, expressions, calls, objects and paths."""
