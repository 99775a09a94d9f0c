"""Joined environments: left-over tools of several small servers side by side in one state."""
