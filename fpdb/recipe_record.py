"""A recipe as a database's file holds it: with its key, or with the digest of the key file that holds the key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from fpdb.errors import BadKeyFile, RecipeMismatch
from fpdb.fingerprint import KEY_DIGEST, Recipe


@dataclass(frozen=True)
class StoredRecipe:
    """A database's recipe.

    Attributes:
        recipe: The recipe; its key is None if the key file was not given.
        key_digest: The digest of the key file, if the key is in a file of its own.
        key_exposed: Whether others than its owner may read the key file.
    """

    recipe: Recipe
    key_digest: str | None = None
    key_exposed: bool = False

    @classmethod
    def from_record(
        cls, record: Mapping[str, Any], path: str = "", key_file: str | os.PathLike[str] | None = None
    ) -> Self:
        """Read the record of the database at path. Raises BadRecipe, BadKeyFile."""
        fields = dict(record)
        key_digest = fields.pop(KEY_DIGEST, None)
        if key_digest is None:
            return cls(Recipe.from_record(fields))
        if key_file is None:
            return cls(Recipe.from_record(fields | {"key": None}), key_digest)
        from fpdb import keys

        file_key = keys.read(key_file)
        if file_key.digest != key_digest:
            raise BadKeyFile(f"{os.fspath(key_file)!r} is the key file of another database than {path!r}")
        return cls(Recipe.from_record(fields | {"key": file_key.key}), key_digest, file_key.exposed)

    def check_given(self, recipe: Recipe, path: str) -> None:
        """Raise RecipeMismatch if the database at path, of this recipe, is opened with another one."""
        if self.key_digest is not None:
            recipe = replace(recipe, key=self.recipe.key)
        if recipe != self.recipe:
            raise RecipeMismatch(
                f"{path!r} was created with another recipe; open it without one, or make a new database"
            )

    def check_same(self, other: StoredRecipe, path: str, other_path: str) -> None:
        """Raise RecipeMismatch if the other recipe makes other fingerprints, and say why."""
        differences = self.recipe.differences(other.recipe)
        if self.key_digest is not None and other.key_digest is not None:
            if self.key_digest != other.key_digest:
                differences.insert(0, "the key file")
        elif self.recipe.key is None or other.recipe.key is None:
            differences.insert(0, "where the key is: in a file of its own here or there only")
        elif self.recipe.key != other.recipe.key:
            differences.insert(0, "the key")
        if differences:
            raise RecipeMismatch(f"{path!r} and {other_path!r} have different recipes: {'; '.join(differences)}")


def recipe_record(recipe: Recipe, key_file: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Return the record of a new database; key_file: what holds its key instead. Raises BadKeyFile."""
    record = recipe.to_record()
    if key_file is not None:
        from fpdb import keys

        del record["key"]
        record[KEY_DIGEST] = keys.read(key_file).digest
    return record
