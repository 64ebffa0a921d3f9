"""Training frameworks that call the tracer: a callback for Lightning, a tracker for Accelerate."""
