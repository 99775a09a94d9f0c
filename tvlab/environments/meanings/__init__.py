"""What each tool means: its operation, and the role of each of its parameters."""
