"""One file a cause: each reads from a failure and the record what led to it."""
