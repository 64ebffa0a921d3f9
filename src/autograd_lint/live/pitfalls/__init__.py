"""What raises nothing and is wrong all the same, seen while a program runs.

`onlooker.py` is told of calls of the engine, of optimizers and of the grad mode; each other file
knows one family. Only what is certain is told: a fault says what was seen to happen, and where.
"""
