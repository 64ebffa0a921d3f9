"""Who calls what nothing calls: harnesses, and the arguments and state that they begin with."""
