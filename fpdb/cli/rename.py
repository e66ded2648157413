"""`fpdb rename`."""

from fpdb.cli.arguments import argument, argument_group, command
from fpdb.cli.similar_names import require_document
from fpdb.cli.target import Target


@argument_group
class _Arguments:
    name: str = argument()
    new_name: str = argument()


@command(_Arguments)
def rename(target: Target, arguments: _Arguments) -> None:
    """Give a document another name.

    All else stays as it is, and the reviews of its pairs follow it; the document is still read again from the file that
    it came from.

    Example: fpdb rename essays/a.txt essays/ann.txt
    """
    with target.open("r+") as db:
        require_document(db, arguments.name)
        db.rename(arguments.name, arguments.new_name)
