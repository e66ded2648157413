"""Pairs as `Database.pairs` finds them: joined by hash, after the hashes that too many documents hold are left out.

Document frequencies alone decide which hashes are left out; they are counted where the documents are, before anything
is joined. Documents that hold the same hashes are joined by these as a whole, see `spark.duplicates`.
"""

from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.types import DoubleType, StructField, StructType

from fpdb.errors import BadQuery
from fpdb.fingerprint import KINDS
from fpdb.pairs.options import PairOptions
from fpdb.pairs.owners import OwnerRule
from fpdb.search.rarity import weigh
from fpdb.spark import measuring, workers
from fpdb.spark.duplicates import find_duplicates, links_of, pairs_of
from fpdb.spark.fingerprints import readable
from fpdb.spark.frames import POSTINGS, frozen, in_arrow, prefixed, sort_merged

COLUMNS: Final = ("a", "b", "shared", *measuring.MEASURES)
MAX_SENT: Final = 5_000_000  # common hashes that are sent to all workers, so that none of their postings is moved
UNKNOWN: Final = ("since", "by_owner")  # options that only a database has


def pairs(fingerprinted: DataFrame, boilerplate: DataFrame | None = None, **options: Any) -> DataFrame:
    """Compare all documents with all.

    Args:
        fingerprinted: Of `fingerprints`.
        boilerplate: Likewise, made with purpose="discard"; its hashes are left out everywhere, and sent to all workers.
        options: See `PairOptions`, but for `since` and `by_owner`. The default of `by` is mean_containment.

    Returns:
        The pairs that share hashes, in the order and with the columns of `pairs.ranking.Pair`.

    Raises:
        BadQuery: An option is not what it should be.
    """
    checked = check_options({"by": "mean_containment", **options})
    columns = [*COLUMNS, *(measuring.WEIGHTED if checked.weighted else ()), "evidence"]
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
        equal = self._uncounted(pairs_of(self.duplicates))
        return pairs.unionByName(self.select(self.measure(equal)))

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
        linked = self._uncounted(links_of(self.duplicates, self.described))
        return links.unionByName(self.select(self.measure(linked)))

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
        return pairs.withColumns(columns)

    def count_shared(self, shared: DataFrame) -> DataFrame:
        """Count a row for each hash that two documents share: a_id, b_id, shared and, if weighed, its weight."""
        weight = [F.sum("a_weight").alias("weight")] if self.options.weighted else []
        return shared.groupBy("a_id", "b_id").agg(F.count("*").alias("shared"), *weight)

    def measure(self, counted: DataFrame) -> DataFrame:
        """Add names, all measures, and the score to what `count_shared` counted; a before b in the order of names."""
        options = self.options
        documents = self.described
        turned = F.col("a_name") > F.col("b_name")
        sides = [
            F.when(turned, F.col(f"{other}_{column}")).otherwise(F.col(f"{side}_{column}")).alias(f"{side}_{column}")
            for side, other in (("a", "b"), ("b", "a"))
            for column in documents.columns
        ]
        both = counted.join(prefixed(documents, "a"), "a_id").join(prefixed(documents, "b"), "b_id")
        both = both.select(*sides, *(name for name in counted.columns if name not in ("a_id", "b_id")))
        names = [*measuring.ADDED, *(measuring.WEIGHTED if options.weighted else ())]
        added = [StructField(name, measuring.TYPES.get(name, DoubleType())) for name in names]
        schema = StructType([*both.schema.fields, *added])
        return in_arrow(both, partial(measuring.measure, by=options.by, few=options.few, names=schema.names), schema)

    @cached_property
    def described(self) -> DataFrame:
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
            return frozen(sized.withColumns({name: F.lit(None).cast(kind) for name, kind in nothing.items()}))
        return frozen(sized.join(self.duplicates, "id", "left"))

    def _postings(self) -> DataFrame:
        """Return which document holds which hash: id, hash; each once."""
        if self._boilerplate is None:
            return self.documents.select("id", F.explode(F.array_distinct("hashes")).alias("hash"))
        discarded = readable(self._boilerplate).select(F.explode("hashes").alias("hash")).distinct()
        hashes = np.sort(discarded.toArrow().column("hash").to_numpy().view(np.uint64) ^ workers.SIGN)
        stage = partial(workers.leave_out_boilerplate, boilerplate=hashes)
        columns = "id", "kind", "symbols", "kgrams", "hashes", "positions"
        return frozen(in_arrow(self.documents.select(*columns), stage, POSTINGS))

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
