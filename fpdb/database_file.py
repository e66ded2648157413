"""Create the file of a database, refuse one that is damaged, and give its figures."""

import os
from typing import Any

from fpdb.errors import Corrupt, DatabaseExists
from fpdb.fingerprint import DEFAULT_KEY, Recipe
from fpdb.recipe_record import StoredRecipe, recipe_record
from fpdb.storage.store import Store


def create(path: str, recipe: Recipe, key_file: str | os.PathLike[str] | None, *, is_shared: bool) -> None:
    """Create a file, unless is_shared and another process has just done so. Raises DatabaseExists, BadKeyFile."""
    record = recipe_record(recipe, key_file)
    try:
        Store.create(path, record)
    except DatabaseExists:
        if not is_shared:
            raise


def refuse_damage(path: str, immutable: bool) -> None:
    """Raise Corrupt if anything in a database is wrong."""
    from fpdb.maintenance import check

    problems = check(path, immutable=immutable).problems
    if problems:
        raise Corrupt(f"{path!r} was not opened, as it is damaged or forged: {problems[0]}; see 'fpdb check'")


def figures(store: Store, stored_recipe: StoredRecipe) -> dict[str, Any]:
    """Return the figures of `Database.info`."""
    from fpdb.storage.environment.network import file_system
    from fpdb.storage.environment.readers import pid_namespace

    used_bytes, readers = store.env.usage()
    with store.snapshot() as snapshot:
        state, text_file_bytes = snapshot.state, snapshot.texts.file_bytes()
    file_bytes = store.file_bytes()
    recipe = stored_recipe.recipe.to_record()
    recipe["secret_key"] = recipe.pop("key") != DEFAULT_KEY
    recipe["key_file"] = stored_recipe.key_digest is not None
    recipe["reader_version"] = stored_recipe.recipe.reader_version
    return {
        "path": store.path,
        "documents": state.documents,
        "boilerplate_documents": state.boilerplate_documents,
        "postings": state.postings,
        "dead_postings": sum(run.dead for run in state.runs),
        "runs": len(state.runs),
        "texts": state.texts,
        "text_bytes": state.text_bytes,
        "text_file_bytes": text_file_bytes,
        "file_bytes": file_bytes,
        "free_bytes": max(file_bytes - used_bytes, 0),
        "readers": [reader.to_dict() for reader in readers],
        "file_system": file_system(os.stat(store.path).st_dev),
        "pid_namespace": pid_namespace(),
        "format_version": store.env.format_version,
        "recipe": recipe,
    }
