"""The marks of boilerplate by the rule, symbol by symbol."""


def plain_marks(positions, k, symbols):
    """Return the symbols in k-grams at the positions, and fewer than k between two of these."""
    marked = {symbol for start in positions for symbol in range(start, start + k)}
    for start in range(symbols):
        for end in range(start + 1, start + k):
            if {start - 1, end} <= marked:
                marked |= set(range(start, end))
    return marked


def plain_seams(fingerprints, boilerplate, k, symbols):
    """Return the hashes, none of boilerplate, of which all fingerprints (hash, position) are mostly marked."""
    marked = plain_marks([at for hash_, at in fingerprints if hash_ in boilerplate], k, symbols)
    covered = {}
    for hash_, at in fingerprints:
        if hash_ not in boilerplate:
            covered.setdefault(hash_, []).append(2 * len(marked & set(range(at, at + k))) > k)
    return {hash_ for hash_, each in covered.items() if all(each)}
