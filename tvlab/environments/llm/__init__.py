"""The llm writer: a model writes the functions of single tools, and keeps what passes every check."""
