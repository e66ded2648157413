"""A reference database for tests: a dict of sets, and the definitions of the measures written plainly."""

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
    {"by": "similarity"},
    {"by": "similarity", "min": 0.2, "top": 3, "max_df": 3},
    {"by": "similarity", "smallest": 5},
    {"by": "weighted_containment", "min": 0.1},
    {"by": "weighted_containment", "top": 3},
    {"by": "weighted_containment", "max_df": 3},
    {"by": "similarity", "smallest": 9, "max_df": 2, "max_ignored": 1},
    {"by": "weighted_containment", "smallest": 5, "max_df": 4},
    {"by": "weighted_containment", "smallest": 1},
]


class ReferenceDatabase:
    """Documents by name: the set of hashes, and True if it is boilerplate."""

    def __init__(self):
        self.documents = {}
        self._counts = None

    def add(self, name, hashes, boilerplate=False):
        self._counts = None
        self.documents[name] = ({int(hash_) for hash_ in hashes}, boilerplate)

    def remove(self, name):
        self._counts = None
        del self.documents[name]

    def __contains__(self, name):
        return name in self.documents

    def __len__(self):
        return sum(not boilerplate for _, boilerplate in self.documents.values())

    def names(self, glob="*"):
        return sorted((name for name in self.documents if fnmatchcase(name, glob)), key=name_bytes)

    def _count(self):
        """Return the boilerplate hashes, the other hashes of each ordinary document, and document frequencies."""
        discarded = set().union(*(hashes for hashes, boilerplate in self.documents.values() if boilerplate))
        ordinary = {
            name: hashes - discarded for name, (hashes, boilerplate) in self.documents.items() if not boilerplate
        }
        return discarded, ordinary, Counter(hash_ for hashes in ordinary.values() for hash_ in hashes)

    def answer(self, hashes, *, name=None, itself=None, copies=(), **options):
        """Return what `Answer.to_dict` must return.

        Args:
            hashes: hashes of the query.
            name: name of the query.
            itself: name of the document that is the query, which is left out.
            copies: names of documents of the query's digest and kind; nothing is ignored between these and the query.
            **options: options of the query.
        """
        discarded, ordinary, frequency = self._counts = self._counts or self._count()
        hashes = [int(hash_) for hash_ in hashes]
        query = set(hashes) - discarded
        asked = sorted(query)[: options.get("smallest")]
        common = set()
        if "max_df" in options:
            frequent = [hash_ for hash_ in asked if frequency[hash_] >= options["max_df"]]
            frequent.sort(key=lambda hash_: (-frequency[hash_], hash_))
            common = set(frequent[: options.get("max_ignored")])
        query_hashes = set(asked) - common
        by = options.get("by", "containment")
        matches = []
        is_found = False
        for candidate, document in ordinary.items():
            is_copy = candidate in copies and common
            counted = set(asked) if is_copy else query_hashes
            shared = len(counted & document)
            if not shared or candidate == itself:
                continue
            is_found |= bool(is_copy)
            document_size = max(len(document) * len(asked) / len(query), shared)
            matches.append(
                {
                    "name": candidate,
                    "shared": shared,
                    "containment": shared / len(counted),
                    "reverse_containment": shared / document_size,
                    "resemblance": shared / (len(counted) + document_size - shared),
                }
            )
            if by == "weighted_containment":
                weights = (self._weight(hashes, counted, itself) for hashes in (counted & document, counted))
                matches[-1][by] = share(*weights)
            if by == "similarity":
                size = len(document) * len(asked) / len(query)
                matches[-1] |= {by: 1.0} if is_copy else self._similarity(counted, document, itself, size)
        matches = [match for match in matches if match[by] >= options.get("min", 0)]
        matches.sort(key=lambda match: (-match[by], -match["shared"], name_bytes(match["name"])))
        note = None
        if not hashes:
            note = "too short to have a fingerprint"
        elif not query:
            note = "all of its fingerprints are boilerplate"
        elif not query_hashes and not is_found:
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
                **({"max_df": options["max_df"]} if common else {}),
            },
            "matches": matches[: options.get("top")],
        }

    def _weight(self, hashes, query, itself):
        """Return the weight of hashes; `itself` names the document that is the query, if there is one."""
        _, ordinary, frequency = self._counts
        documents = len(ordinary) + (itself is None)
        known = ordinary.get(itself, set())
        return sum(
            rarity(documents, 1 + frequency[hash_] - (hash_ in known) if hash_ in query else frequency[hash_])
            for hash_ in hashes
        )

    def _similarity(self, query, document, itself, size):
        """Return the mean of two weighted containments, of a document of this size, with the query's mean weight."""
        shared, query_weight = (self._weight(hashes, query, itself) for hashes in (query & document, query))
        reverse = share(shared, max(size * (query_weight / len(query)), shared))
        return {"similarity": (share(shared, query_weight) + reverse) / 2}


def rarity(documents, frequency):
    """Return the weight of a hash with this document frequency, in units of 2**-28."""
    return round((math.log((documents + 20) / frequency) / math.log(documents + 20)) ** 3 * 2**28)


def share(part, whole):
    """Return part / whole, or 0 if the whole is 0."""
    return part / whole if whole else 0.0


def name_bytes(name):
    return name.encode("utf-8", "surrogateescape")


def as_json(answer):
    """Return the JSON bytes of an answer."""
    return json.dumps(answer if isinstance(answer, dict) else answer.to_dict()).encode()


def shared_by_name(db, hashes):
    """Return how many of the hashes each match of a database shares."""
    return {match.name: match.shared for match in db.query_fingerprints(hashes).matches}
