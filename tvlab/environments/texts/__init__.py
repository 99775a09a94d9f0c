"""What an environment says of itself: published schemas and descriptions that are true of it."""
