"""What the English words of names and descriptions mean: verbs, nouns, sentences, units, and word lists."""
