"""Doubts: a decided meaning is held against name, description and schema once more, and refused if it fails."""
