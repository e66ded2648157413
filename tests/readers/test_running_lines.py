"""Headers and footers are left out of pages, and nothing else."""

from hypothesis import example, given
from hypothesis import strategies as st

from fpdb.readers.running_lines import drop_running_lines

BODY = st.lists(st.integers(0, 10**9), min_size=1, max_size=6, unique=True)


def words(number):
    """Return a line of letters that no other number has."""
    return "line " + "".join(chr(ord("a") + int(digit)) for digit in str(number))


@given(
    st.integers(3, 9),
    st.lists(st.sampled_from(["A Book", "Chapter {page}", "{page}", "page {page} of 9"]), max_size=2),
    st.lists(st.sampled_from(["{page}", "Printed on paper", "- {page} -"]), max_size=2),
    st.booleans(),
    st.data(),
)
@example(6, ["A Book"], ["{page}"], True, None)
def test_running_lines_are_left_out(count, header, footer, alternates, data):
    """Also if headers stand on every second page, of which there are three then."""
    count = 2 * count if alternates else count
    bodies = [[words(100 * page), words(100 * page + 1), words(100 * page + 2)] for page in range(count)]
    if data is not None:
        bodies = [[words(1000 * page + number % 997) for number in data.draw(BODY)] for page in range(count)]
    pages, expected = [], 0
    for number, body in enumerate(bodies, 1):
        edges = [[] if alternates and number % 2 else lines for lines in (header, footer)]
        head, foot = ([line.format(page=number) for line in lines] for lines in edges)
        pages.append("\n".join([*head, *body, *foot]))
        expected += len(head) + len(foot)
    assert drop_running_lines(pages) == (["\n".join(body) for body in bodies], expected)


def test_other_lines_are_kept():
    unlike = [f"{words(page)}\n{words(page + 50)}" for page in range(9)]
    few = ["A Book\none", "A Book\ntwo"]
    alone = ["A Book"] * 9
    numbers = [f"{page} {page + 1} {page + 2}\n{words(page)}" for page in range(9)]
    inside = [f"{words(page)}\n{words(page + 20)}\n{words(page + 40)}\nA Book\n" * 2 + words(page) for page in range(9)]
    for pages in ([], [""], unlike, few, alone, numbers, inside):
        assert drop_running_lines(pages) == (pages, 0)
