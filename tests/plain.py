"""The database written plainly: a dict of sets, and DESIGN's definitions word for word. The oracle of storage tests."""

import json
import math
from collections import Counter
from fnmatch import fnmatchcase

OPTIONS = [
    {},
    {"by": "resemblance"},
    {"by": "reverse_containment", "top": 3},
    {"by": "shared", "min": 3, "top": 5},
    {"min": 0.2},
    {"smallest": 1},
    {"smallest": 9, "by": "resemblance", "min": 0.1},
    {"smallest": 40, "max_df": 3},
    {"max_df": 1},
    {"max_df": 4, "max_ignored": 10},
    {"max_df": 2, "max_ignored": 1, "by": "shared"},
    {"max_df": 20, "max_ignored": 0},
    {"max_df": 6, "by": "resemblance", "top": 1},
    {"by": "weighted_containment", "min": 0.1},
    {"by": "weighted_reverse_containment", "top": 3},
    {"by": "weighted_resemblance", "max_df": 3},
    {"by": "weighted_resemblance", "smallest": 9, "max_df": 2, "max_ignored": 1},
    {"by": "weighted_containment", "smallest": 5, "max_df": 4},
]


class Plain:
    """Documents by name: a set of hashes, and whether it is boilerplate."""

    def __init__(self):
        self.documents = {}
        self._seen = None

    def add(self, name, hashes, boilerplate=False):
        self._seen = None
        self.documents[name] = ({int(hash_) for hash_ in hashes}, boilerplate)

    def remove(self, name):
        self._seen = None
        del self.documents[name]

    def __contains__(self, name):
        return name in self.documents

    def __len__(self):
        return sum(not boilerplate for _, boilerplate in self.documents.values())

    def names(self, glob="*"):
        return sorted((name for name in self.documents if fnmatchcase(name, glob)), key=name_bytes)

    def _see(self):
        """The discarded hashes, what is left of each ordinary document, and each hash's document frequency."""
        discarded = set().union(*(held for held, boilerplate in self.documents.values() if boilerplate))
        ordinary = {name: held - discarded for name, (held, boilerplate) in self.documents.items() if not boilerplate}
        return discarded, ordinary, Counter(hash_ for held in ordinary.values() for hash_ in held)

    def answer(self, hashes, *, name=None, itself=None, **options):
        """What Answer.to_dict gives. itself: the name of the document that is the query, which is left out."""
        discarded, ordinary, frequency = self._seen = self._seen or self._see()
        hashes = [int(hash_) for hash_ in hashes]
        query = set(hashes) - discarded
        asked = sorted(query)[: options.get("smallest")]
        common = set()
        if "max_df" in options:
            frequent = [hash_ for hash_ in asked if frequency[hash_] >= options["max_df"]]
            frequent.sort(key=lambda hash_: (-frequency[hash_], hash_))
            common = set(frequent[: options.get("max_ignored")])
        kept = set(asked) - common
        by = options.get("by", "containment")
        matches = []
        for candidate, held in ordinary.items():
            shared = len(kept & held)
            if not shared or candidate == itself:
                continue
            reached = max(len(held) * len(asked) / len(query), shared)
            matches.append(
                {
                    "name": candidate,
                    "shared": shared,
                    "containment": shared / len(kept),
                    "reverse_containment": shared / reached,
                    "resemblance": shared / (len(kept) + reached - shared),
                }
            )
            if by.startswith("weighted"):
                seen = held if len(asked) == len(query) else {hash_ for hash_ in held if hash_ <= asked[-1]}
                matches[-1] |= self._weighted(kept, seen, itself, every=by != "weighted_containment")
        matches = [match for match in matches if match[by] >= options.get("min", 0)]
        matches.sort(key=lambda match: (-match[by], -match["shared"], name_bytes(match["name"])))
        note = None
        if not hashes:
            note = "too short to have a fingerprint"
        elif not query:
            note = "all of its fingerprints are boilerplate"
        elif not kept:
            note = "all of its fingerprints are common, and ignored"
        return {
            "query": {
                "name": name,
                "kind": "hashes",
                "fingerprints": len(hashes),
                "looked_up": len(asked),
                "ignored_boilerplate": len(set(hashes)) - len(query),
                "ignored_common": len(common),
                **({"note": note} if note else {}),
            },
            "matches": matches[: options.get("top")],
        }

    def _weighted(self, query, held, itself, *, every):
        """The weighted measures of two sets, the first of which is one of the documents, if there as `itself`."""
        _, ordinary, frequency = self._seen
        documents = len(ordinary) + (itself is None)

        def weight(hashes):
            known = ordinary.get(itself, set())
            return sum(
                rarity(documents, 1 + frequency[hash_] - (hash_ in known) if hash_ in query else frequency[hash_])
                for hash_ in hashes
            )

        shared, of_query = weight(query & held), weight(query)
        measures = {"weighted_containment": share(shared, of_query)}
        if every:
            of_document = weight(held)
            measures["weighted_reverse_containment"] = share(shared, of_document)
            measures["weighted_resemblance"] = share(shared, of_query + of_document - shared)
        return measures


def rarity(documents, frequency):
    """What a hash weighs that so many of the documents hold, in units of 2**-28."""
    return round(math.log(documents / frequency) * 2**28)


def share(part, whole):
    """0 of nothing."""
    return part / whole if whole else 0.0


def name_bytes(name):
    return name.encode("utf-8", "surrogateescape")


def as_json(answer):
    """The bytes that an answer prints as."""
    return json.dumps(answer if isinstance(answer, dict) else answer.to_dict()).encode()
