"""What the user sees: findings as text, and in the formats of other programs."""
