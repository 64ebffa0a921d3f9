"""What a witness shows besides errors: the pitfalls that the real engine was seen to run into.

`onlooker.py` sees calls of the engine, optimizers and flags; each other file reads one kind of
pitfall from them. Only witnesses are watched so: it costs too much for a program that is traced.
"""
