"""The language server: findings while the text is written (needs the extra `server`)."""
