"""The shapes and strides of results, by families of operators."""
