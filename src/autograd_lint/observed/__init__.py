"""What the functions of a project were given and gave back while it ran: facts of a run.

A traced run writes them (`live/observing`), an analysis takes them as calls that were seen
(`scenarios/observed_calls.py`). They hold no contents: of a tensor only what autograd goes by, of
numbers and texts only that they are some.
"""
