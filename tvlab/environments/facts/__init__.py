"""Tools that tell facts: keyed records, dated rows and ranked lists as seeded tables that no tool changes."""
