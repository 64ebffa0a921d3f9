"""Custom Functions and operators: their bodies, contexts, and what autograd asks of them."""
