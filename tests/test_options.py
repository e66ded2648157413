"""The keywords that calls pass on are the parameters of what takes them."""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import fpdb
from fpdb import options
from fpdb.pairs.options import PairOptions
from fpdb.search.options import QueryOptions


def test_keywords_are_those_of_what_they_become() -> None:
    def parameters(function: Callable[..., Any]) -> set[str]:
        return set(inspect.signature(function).parameters)

    hints = {name: set(get_type_hints(value)) for name, value in vars(options).items() if name.endswith("Keywords")}
    assert hints["RankingKeywords"] == parameters(QueryOptions)
    assert hints["PairKeywords"] == parameters(PairOptions)
    assert hints["AddKeywords"] == parameters(fpdb.WriteBatch.add) - {"self", "name", "content"}
    assert hints["FileKeywords"] == hints["AddKeywords"] - {"source"}
    assert hints["HashKeywords"] == parameters(fpdb.WriteBatch.add_fingerprints) - {
        "self",
        "name",
        "hashes",
        "positions",
    }
    own = {"self", "content", "name", "kind", "texts", "options"}
    assert hints["QueryKeywords"] == hints["RankingKeywords"] | parameters(fpdb.Database.query) - own
    shape = {"regions", "gap", "shortest"}
    assert hints["SpanKeywords"] == hints["PairKeywords"] | (
        hints["QueryKeywords"] - shape - {"with_labels", "with_total"}
    )
    assert hints["ExplainKeywords"] == hints["PairKeywords"] - {"top", "new", "since", "by_owner"}
