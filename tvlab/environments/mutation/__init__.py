"""Mutants of generated code, to see whether verification can fail."""
