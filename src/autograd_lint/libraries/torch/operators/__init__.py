"""From a call in the program to an operator of the engine: facts, arguments, forms, refusals."""
