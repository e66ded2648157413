"""Pairs as `Database.pairs` finds them: joined by hash, after the hashes that too many documents hold are left out.

Document frequencies alone decide which hashes are left out; they are counted where the documents are, before anything
is joined. Documents that hold the same hashes are joined by these as a whole, see `spark.duplicates`. The
measures are those of `pairs.counting`, and of `pairs.certainty` where no text can be read.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from fpdb.errors import BadQuery
from fpdb.fingerprint import KINDS
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owners import OwnerRule
from fpdb.search.rarity import weigh
from fpdb.spark.duplicates import as_duplicates, find_duplicates, links_of, pairs_of
from fpdb.spark.fingerprints import readable
from fpdb.spark.frames import frozen, prefixed, sort_merged

COLUMNS: Final = ("a", "b", "shared", "containment_a", "containment_b", "resemblance")
EVIDENCE: Final = "evidence"
WEIGHTED: Final = ("weighted_containment_a", "weighted_containment_b", "weighted_resemblance", "similarity")
MAX_SENT: Final = 5_000_000  # common hashes that are sent to all workers, so that none of their postings is moved
UNKNOWN: Final = ("since", "by_owner")  # options that only a database has


def pairs(fingerprinted: DataFrame, boilerplate: DataFrame | None = None, **options: Any) -> DataFrame:
    """Compare all documents with all.

    Args:
        fingerprinted: Of `fingerprints`.
        boilerplate: Likewise, made with purpose="discard"; its hashes are left out everywhere.
        options: See `PairOptions`, but for `since` and `by_owner`. The default of `by` is mean_containment.

    Returns:
        The pairs that share hashes, in the order and with the columns of `pairs.ranking.Pair`.

    Raises:
        BadQuery: An option is not what it should be.
    """
    checked = check_options({"by": "mean_containment", **options})
    columns = [*COLUMNS, *(WEIGHTED if checked.weighted else ()), EVIDENCE]
    joined = PairJoin(fingerprinted, boilerplate, checked).pairs()
    ranked = joined.orderBy(F.desc("score"), F.desc("shared"), "a", "b").select(*columns)
    return ranked if checked.top is None else ranked.limit(checked.top)


def check_options(options: dict[str, Any]) -> PairOptions:
    """Return the options, checked. Raises BadQuery."""
    given = [name for name in UNKNOWN if options.get(name)]
    if given:
        raise BadQuery(f"on Spark there is no {' and no '.join(given)}: build a database, and ask that")
    return PairOptions(**{name: value for name, value in options.items() if name not in UNKNOWN}).told_by_hashes()


class PairJoin:
    """The join of all documents with all by their hashes."""

    def __init__(self, fingerprinted: DataFrame, boilerplate: DataFrame | None, options: PairOptions) -> None:
        """Count the documents, and the hashes if there is a cap."""
        self.documents = readable(fingerprinted)
        self.options = options
        self._boilerplate = boilerplate
        count = self.documents.count()
        cap = options.frequency_cap(count)
        everything = self._postings()
        common = None
        if cap:
            common = frozen(everything.groupBy("hash").count().where(F.col("count") >= cap))
        self.postings = everything if common is None else self._leave_out(everything, common)
        """Hashes with the documents that hold them, each once: id, hash and, if hashes are weighed, weight."""
        if options.weighted:
            keys = self.documents.select("id", owner_key(options.owners).alias("owner"))
            owners = keys.select("owner").distinct().count()
            self._owners = keys if owners < count else None
            count = owners
            self.postings = self._weigh(self.postings, count, cap)
        weigh_all = partial(self._weigh, owners=count, cap=0) if options.weighted else None
        described = self.documents.select("id", "digest", is_complete(), (F.size("hashes") == 0).alias("without"))
        self.duplicates = find_duplicates(everything, common, described, options.few, weigh_all)
        """Groups of documents that hold the same hashes, of which some are left out; see `find_duplicates`."""

    def pairs(self) -> DataFrame:
        """Return the pairs that pass, a before b in the order of names: a_id, b_id, all measures, and the score."""
        pairs = self.pairs_without_duplicates()
        if self.duplicates is None:
            return pairs
        return pairs.unionByName(self.select(self.measure(self._uncounted(pairs_of(self.duplicates)))))

    def pairs_without_duplicates(self) -> DataFrame:
        """Return those pairs that are not of `duplicates`."""
        a, b = prefixed(self.postings, "a"), prefixed(self.postings, "b")
        shared = a.join(sort_merged(b), (a["a_hash"] == b["b_hash"]) & (a["a_id"] < b["b_id"]))
        counted = self.count_shared(shared).where(F.col("shared") >= self.options.min_shared)
        return self.select(self.measure(counted).where("not equal"))

    def links(self) -> DataFrame:
        """Return pairs that connect what `pairs` connects, likewise; `pairs` is the number that each stands for."""
        links = self.pairs_without_duplicates().withColumn("pairs", F.lit(1))
        if self.duplicates is None:
            return links
        linked = links_of(self.duplicates, self._described())
        measured = self.select(self.measure(self._uncounted(linked)))  # which puts a and b in the order of names
        low, high = F.least(measured["a_id"], measured["b_id"]), F.greatest(measured["a_id"], measured["b_id"])
        numbers = linked.select(F.col("a_id").alias("low"), F.col("b_id").alias("high"), "pairs")
        counted = measured.withColumns({"low": low, "high": high}).join(numbers, ["low", "high"]).drop("low", "high")
        return links.unionByName(counted)

    def select(self, measured: DataFrame) -> DataFrame:
        """Return those of the pairs that pass."""
        options = self.options
        return (
            measured.where(shares_enough(options.min_shared))
            .where("a_new or b_new")
            .where("a_owner is null or b_owner is null or a_owner <> b_owner")
            .where(F.col("score") >= float(options.min or 0))
        )

    def _uncounted(self, pairs: DataFrame) -> DataFrame:
        """Return pairs of duplicates in the form of `count_shared`; `measure` knows what they share."""
        columns = {"shared": F.lit(0).cast("long"), **({"weight": F.lit(0.0)} if self.options.weighted else {})}
        return pairs.select("a_id", "b_id", *(column.alias(name) for name, column in columns.items()))

    def count_shared(self, shared: DataFrame) -> DataFrame:
        """Count a row for each hash that two documents share: a_id, b_id, shared and, if weighed, its weight."""
        weight = [F.sum("a_weight").alias("weight")] if self.options.weighted else []
        return shared.groupBy("a_id", "b_id").agg(F.count("*").alias("shared"), *weight)

    def measure(self, counted: DataFrame) -> DataFrame:
        """Add names, all measures, and the score to what `count_shared` counted; a before b in the order of names."""
        options = self.options
        documents = self._described()
        turned = F.col("a_name") > F.col("b_name")
        sides = [
            F.when(turned, F.col(f"{other}_{column}")).otherwise(F.col(f"{side}_{column}")).alias(f"{side}_{column}")
            for side, other in (("a", "b"), ("b", "a"))
            for column in documents.columns
        ]
        both = counted.join(prefixed(documents, "a"), "a_id").join(prefixed(documents, "b"), "b_id")
        both = both.select(*sides, "shared", *(["weight"] if options.weighted else []))
        sizes = common_sizes(F.col("shared").cast("double"), "size")
        known = [F.col(f"{side}_complete") | F.col("copies") for side in "ab"]
        enough = [surely | (size >= options.few) for surely, size in zip(known, sizes, strict=True)]
        certain = enough[0] & enough[1]
        union = sizes[0] + sizes[1] - F.col("shared")
        factors = [
            F.when(surely, 1.0).otherwise(F.least(size / max(options.few, 1), F.lit(1.0)))
            for surely, size in ((known[0], sizes[0]), (known[1], sizes[1]), (certain, union))
        ]
        columns = dict(zip(COLUMNS[3:], measures(F.col("shared").cast("double"), sizes, factors), strict=True))
        if options.weighted:
            totals = common_sizes(F.col("weight"), "total")
            of_a, of_b, of_both = measures(F.col("weight"), totals, factors)
            columns |= dict(zip(WEIGHTED, (of_a, of_b, of_both, (of_a + of_b) / 2), strict=True))
        evidence = F.when(F.col("copies"), "content").when(certain, "fingerprints").otherwise("few")
        both = both.withColumn("copies", F.col("a_digest") == F.col("b_digest"))
        both = as_duplicates(both, weighted=options.weighted)
        both = both.withColumns({"a": F.col("a_name"), "b": F.col("b_name"), EVIDENCE: evidence, **columns})
        return both.withColumn("score", score(options.by))

    def _described(self) -> DataFrame:
        """Return a row a document: id, name, share, owner, new, size and, if hashes are weighed, total."""
        weight = [F.sum("weight").alias("total")] if self.options.weighted else []
        sizes = self.postings.groupBy("id").agg(F.count("*").alias("size"), *weight)
        owner = owner_column(self.options.owners).alias("owner")
        new = is_new(self.options).alias("new")
        named = self.documents.select("id", "name", "share", "digest", is_complete(), owner, new)
        sized = named.join(sizes, "id", "left")
        sized = sized.fillna(0, ["size", *(["total"] if self.options.weighted else [])])
        if self.duplicates is None:
            nothing = {"set": "long", "whole_size": "long", "whole_total": "double"}
            return sized.withColumns({name: F.lit(None).cast(kind) for name, kind in nothing.items()})
        return sized.join(self.duplicates, "id", "left")

    def _postings(self) -> DataFrame:
        """Return which document holds which hash: id, hash; each once."""
        postings = self.documents.select("id", F.explode(F.array_distinct("hashes")).alias("hash"))
        if self._boilerplate is not None:
            discarded = readable(self._boilerplate).select(F.explode("hashes").alias("hash")).distinct()
            postings = postings.join(discarded, "hash", "left_anti")
        return postings

    def _leave_out(self, postings: DataFrame, common: DataFrame) -> DataFrame:
        """Return the postings without common hashes."""
        count = common.count()
        if not count:
            return postings
        hashes = common.select("hash")
        return postings.join(F.broadcast(hashes) if count <= MAX_SENT else hashes, "hash", "left_anti")

    def _weigh(self, postings: DataFrame, owners: int, cap: int) -> DataFrame:
        """Add the weight of each hash among so many owners.

        The weights come in a table: they are then the same to the last bit.
        """
        frequencies = np.arange(1, min(cap or owners + 1, owners + 1))
        table = pa.table({"df": frequencies, "weight": weigh(frequencies, owners)})
        weights = postings.sparkSession.createDataFrame(table)
        if self._owners is None:
            counted = postings.withColumn("df", F.count("*").over(Window.partitionBy("hash")))
        else:
            held = postings.join(self._owners, "id").groupBy("hash").agg(F.countDistinct("owner").alias("df"))
            counted = postings.join(held, "hash")
        return counted.join(F.broadcast(weights), "df").select("id", "hash", "weight")


def is_complete() -> Column:
    """Return the column `complete`: all k-grams are kept, or the hashes are the caller's own."""
    own = ~F.col("kind").isin(*KINDS)
    return (own | (F.size("hashes") >= F.col("kgrams"))).alias("complete")


def shares_enough(min_shared: int) -> Column:
    """Return a predicate on measured pairs; copies without hashes pass as if they shared one."""
    without = F.col("equal") & (F.col("a_whole_size") == 0)
    return F.when(without, 1).otherwise(F.col("shared")) >= min_shared


def common_sizes(value: Column, size: str) -> tuple[Column, Column]:
    """Return the sizes of two samples within what both are samples of, as `pairs.measures` computes them."""
    shares = [F.col(f"{side}_share").cast("double") + 1 for side in ("a", "b")]
    common = F.least(*shares)
    size_a, size_b = (
        F.greatest(F.col(f"{side}_{size}").cast("double") * (common / share), value)
        for side, share in zip(("a", "b"), shares, strict=True)
    )
    return size_a, size_b


def measures(value: Column, sizes: Sequence[Column], factors: Sequence[Column]) -> tuple[Column, Column, Column]:
    """Return the containment of a, that of b, and the resemblance, as `pairs.measures` computes them."""
    nothing = F.col("equal") & (F.col("a_whole_size") == 0)
    wholes = sizes[0], sizes[1], sizes[0] + sizes[1] - value
    of_a, of_b, of_both = (
        F.when(nothing, 1.0).otherwise(ratio(value, whole) * factor)
        for whole, factor in zip(wholes, factors, strict=True)
    )
    return of_a, of_b, of_both


def ratio(part: Column, whole: Column) -> Column:
    """Return a share as `search.scoring.ratio` does: 0 of nothing."""
    return F.when(whole > 0, part / whole).otherwise(0.0)


def score(by: str) -> Column:
    """Return the measure to rank by."""
    if by == "shared":
        return F.col("shared").cast("double")
    if by == "mean_containment":
        return (F.col("containment_a") + F.col("containment_b")) / 2
    if by == "similarity" or by.endswith("resemblance"):
        return F.col(by)
    return F.greatest(f"{by}_a", f"{by}_b")


def is_new(options: PairOptions) -> Column:
    """Return a predicate: the document has the label of new ones; all are new where none is given."""
    if options.new is None:
        return F.lit(True)
    return F.coalesce(F.col("labels")[options.new[0]] == options.new[1], F.lit(False))


def owner_column(text: str) -> Column:
    """Return the owner by an `OwnerRule`: null for none."""
    rule = OwnerRule.parse(text)
    if rule.label is not None:
        return F.col("labels")[rule.label]

    def owner_by_name(name: str) -> str | None:
        (owner,) = rule.owners([name.encode()], ())
        return None if owner is None else owner.decode()

    return F.udf(owner_by_name, "string", useArrow=False)("name")


def owner_key(rule: str) -> Column:
    """Return what differs for documents that are not of one owner: the owner, or else the id."""
    owner = owner_column(rule)
    return F.when(owner.isNull(), F.concat(F.lit("id "), F.col("id"))).otherwise(F.concat(F.lit("owner "), owner))
