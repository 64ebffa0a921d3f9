"""How sure a finding is, and why: what assumptions say, and what they are worth."""
