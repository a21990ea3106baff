"""Whether a score could be chance: permutations, surrogates, and the maximum over all candidates."""
