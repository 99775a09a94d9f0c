"""The rules writer: one plain function a tool, written from its meaning."""
