"""The initial state: plausible records that agree with the schemas, the descriptions and one another."""
