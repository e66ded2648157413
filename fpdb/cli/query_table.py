"""Print the answer to a query for people."""

from typing import TYPE_CHECKING

from fpdb.cli.table import write_ranked
from fpdb.cli.terminal import bar, count_text, write_line
from fpdb.columns import MATCH, ResultColumn, named, score_heading

if TYPE_CHECKING:
    from fpdb import Answer, Query


NO_COPIES = "a query finds no copies of a text this short: use 'fpdb explain', or add it, and use 'fpdb pairs'"


def show_answer(answer: "Answer", measure: str, top: int, *, left_out: bool, why: str = "") -> None:
    """Print a query and the first matches.

    Args:
        answer: The answer.
        measure: The measure that ranks the matches.
        top: The number of matches to print.
        left_out: Whether the database contains the query itself, and it was left out.
        why: Why there is no match, if that is known.
    """
    write_line(f"{answer.query.name or '-'}: {_counts_text(answer.query)}")
    if answer.query.signs is not None:
        write_line(f"signs of a disguise: {answer.query.signs.text()}")
    matches = answer.matches
    if not matches:
        note = f": {answer.query.note or why}" if answer.query.note or why else ""
        itself = " but itself, see --include-self" if left_out and answer.query.looked_up else ""
        hidden = ", apart from what was ignored" if answer.query.ignored_common and not answer.query.note else ""
        is_short = not answer.query.fingerprints and answer.query.kind != "pdf"
        write_line(f"no match{itself}{note}{hidden}{f'; {NO_COPIES}' if is_short else ''}")
        return
    heading, bar_measure = score_heading(measure), "containment" if measure == "shared" else measure
    columns = [
        *named(MATCH, "name", *([] if matches[0].database is None else ["database"])),
        *named(MATCH, "shared", "containment", "reverse_containment", "resemblance"),
        *([] if heading is None else [ResultColumn(measure, float, heading)]),
        ResultColumn("bar", str, "", lambda match: bar(getattr(match, bar_measure))),
        *([] if matches[0].labels is None else named(MATCH, "labels")),
        ResultColumn("identical", str, "", lambda match: "the same content" if match.identical else ""),
        ResultColumn(
            "part", str, "", lambda match: "" if match.part is None else f"about {match.part:.0%} of the shorter"
        ),
    ]
    write_ranked(tuple(columns), matches[:top])
    is_limited = matches[0].query_coverage is not None  # to one match more than is shown
    more = len(matches) - top if is_limited or answer.total is None else answer.total - top
    if more > 0:
        write_line(f"{'more' if is_limited else f'{more:,} more'}; see them with --top")


def _counts_text(query: "Query") -> str:
    counts = [count_text(query.fingerprints, "fingerprint"), f"{query.looked_up:,} looked up"]
    if query.ignored_boilerplate:
        counts.append(f"{query.ignored_boilerplate:,} ignored as boilerplate")
    if query.ignored_common:
        common = "" if query.max_df is None else f", in {query.max_df:,} or more documents each"
        counts.append(f"{query.ignored_common:,} ignored as common{common}")
    return ", ".join(counts)
