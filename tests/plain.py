"""The database written plainly: a dict of sets, and DESIGN's definitions word for word. The oracle of storage tests."""

import json
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

    def answer(self, hashes, *, name=None, without=None, **options):
        """What Answer.to_dict gives. without: the name of a document to leave out."""
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
        matches = []
        for candidate, held in ordinary.items():
            shared = len(kept & held)
            if not shared or candidate == without:
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
        by = options.get("by", "containment")
        matches = [match for match in matches if match[by] >= options.get("min", 0)]
        matches.sort(key=lambda match: (-match[by], -match["shared"], name_bytes(match["name"])))
        return {
            "query": {
                "name": name,
                "kind": "hashes",
                "fingerprints": len(hashes),
                "looked_up": len(asked),
                "ignored_boilerplate": len(set(hashes)) - len(query),
                "ignored_common": len(common),
            },
            "matches": matches[: options.get("top")],
        }


def name_bytes(name):
    return name.encode("utf-8", "surrogateescape")


def as_json(answer):
    """The bytes that an answer prints as."""
    return json.dumps(answer if isinstance(answer, dict) else answer.to_dict()).encode()
