"""Modules of `torch.nn`, known and unknown: members, methods, hooks, checkpoints, wrappers."""
