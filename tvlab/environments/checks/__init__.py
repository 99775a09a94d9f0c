"""Verification by meaning: what a tool does is compared with what its name, schema and text promise."""
