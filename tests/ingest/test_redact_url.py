"""Sources that are URLs are stored without credentials, by whichever way they come."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fpdb.fingerprint import Recipe, content_digest
from fpdb.ingest.files import InputDocument
from fpdb.ingest.loading import load
from fpdb.ingest.prepare import PrepareOptions, ReadDocument, prepare
from fpdb.ingest.redact_url import CREDENTIALS, redact_url
from tests.ingest.record_files import read_records

SECRET = "s3cr3t"  # noqa: S105 (not one of ours)
NAMES = [
    *sorted(CREDENTIALS),
    "access_token", "accessToken", "AccessToken", "accesstoken", "api-key", "APIKey", "X-Amz-Signature", "x-amz-date",
    "X-Goog-Credential", "AWSAccessKeyId", "PHPSESSID", "jsessionid", "%74oken", "%2574oken", "token[]", "id_token",
    "client_secret", "Key-Pair-Id", "user.password", " token",
]  # fmt: skip
OTHERS = [
    "id", "page", "q", "v", "title", "keywords", "monkey", "author", "design", "assign", "passage", "tokenizer", "date",
    "course", "lang", "class", "compass", "signal",
]  # fmt: skip
schemes = st.sampled_from(["http", "https", "HTTPS", "ftp", "sftp", "s3", "git+ssh", "jdbc:postgresql"])
plain = st.text("abcXYZ019-._~ é%", max_size=8)
parameters = st.lists(st.tuples(st.sampled_from(OTHERS), plain), max_size=3)


@st.composite
def urls(draw):
    """(with credentials, the same without them)."""
    user = draw(st.sampled_from(["", f"{SECRET}@", f"ann:{SECRET}@", f"ann@x:{SECRET}@", f":{SECRET}@"]))
    before, host, path = draw(schemes), draw(st.sampled_from(["h.org", "h:81", "[::1]:8"])), draw(plain)
    separator, mark = draw(st.sampled_from("&;")), draw(st.sampled_from("?#"))
    kept = [f"{name}={value}" for name, value in draw(parameters)]
    given_ = list(kept)
    for name in draw(st.lists(st.sampled_from(NAMES), max_size=3)):
        given_.insert(draw(st.integers(0, len(given_))), f"{name}={SECRET}")
    tail = "" if not given_ else mark + separator.join(given_)
    left = "" if not kept else mark + separator.join(kept)
    session = draw(st.sampled_from(["", f";jsessionid={SECRET}"]))
    return f"{before}://{user}{host}/{path}{session}{tail}", f"{before}://{host}/{path}{left}"


@given(urls())
def test_credentials_go_and_all_else_stays(url):
    with_them, without = url
    assert redact_url(with_them) == without


@given(st.one_of(st.text(), st.text("htps:/\\@?#&;=.a%\n ").map("http://".__add__)))
def test_to_strip_again_changes_nothing_and_nothing_is_refused(source):
    once = redact_url(source)
    assert redact_url(once) == once
    assert len(once) <= len(source)


@given(st.text())
def test_paths_stay(path):
    for prefix in ("/", "./", "../"):
        assert redact_url(prefix + path) == prefix + path


@pytest.mark.parametrize(
    "source", ["C:\\users\\a@b?token=1", "a.txt", "", "doi:10.1/2?token=1", "a@b.org", "x?token=1", "urn:a:b@c"]
)
def test_what_is_no_url_stays(source):
    assert redact_url(source) == source


def test_whichever_way_a_source_comes(db, tmp_path, monkeypatch):
    url, stored = f"https://ann:{SECRET}@h.org/x?id=7&token={SECRET}#part", "https://h.org/x?id=7#part"
    db.add("a", "text", source=url)
    assert db.add("a", "text", source=url) == "unchanged"
    db.add("a", "text", source="/somewhere/a")
    assert db.add("a", "text", source=url) == "updated"
    db.add_fingerprints("b", [1, 2], source=url)
    (tmp_path / "l").write_text(json.dumps({"name": "c", "text": "text", "source": url}))
    assert load(db, read_records([str(tmp_path / "l")])).added == 1
    monkeypatch.setattr(Recipe, "fingerprint", None)  # is not called: what is stored is known to be the same
    assert load(db, read_records([str(tmp_path / "l")])).unchanged == 1
    monkeypatch.undo()
    with db.batch() as batch:
        document = ReadDocument(InputDocument("d", source=url), "text", content_digest("text"))
        batch.put(prepare(db.recipe, document, "text", PrepareOptions()))
    assert [document.source for document in db.documents()] == [stored] * 4
    with open(db.path, "rb") as file:
        assert SECRET.encode() not in file.read()
