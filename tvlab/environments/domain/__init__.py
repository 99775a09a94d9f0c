"""The domain dictionary of a server: entities, keys, fields, parents, references, and what is expected of each tool."""
