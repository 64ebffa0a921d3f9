"""The real engine: tracer, confirmation, witnesses, sandbox."""
