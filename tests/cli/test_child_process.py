"""A command with `--immutable` runs in a child process, and ends as the child does."""

import signal
import sys

import pytest

import fpdb
from tests.cli.processes import run
from tests.storage.processes import hear, running

PROGRAM = """
import fpdb.cli
parent = os.getpid()

def in_child():
    if os.getppid() == parent:
        {work}

os.register_at_fork(after_in_child=in_child)
sys.argv = ["fpdb", "--immutable", "--db", path, "list"]
fpdb.cli.main()
"""
WAIT = 'signal.pthread_sigmask(signal.SIG_SETMASK, []), say("there"), signal.pause()'


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "t.fpdb"
    with fpdb.open(path) as db:
        db.add_fingerprints("a", [1])
    return str(path)


def test_the_status_is_that_of_the_command(database):
    assert run("--immutable", "--db", database, "list", "--names").stdout == "a\n"
    for arguments, status in (("show", "b"), 1), (("remove", "a"), 2):
        assert run("--immutable", "--db", database, *arguments, status=status).stderr.startswith(("fpdb: ", "Usage: "))


@pytest.mark.parametrize("name", ["SIGABRT", "SIGBUS", "SIGSEGV"])
def test_what_ends_the_reader_is_said(database, capfd, name):
    with running(PROGRAM.format(work=f"os.kill(os.getpid(), signal.{name})"), database) as process:
        assert process.wait() == 1
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 1
    assert said[0].startswith(f"fpdb: {name} ended the process that read the database")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_command(database, number):
    with running(PROGRAM.format(work=WAIT), database) as process:
        assert hear(process) == "there"
        process.send_signal(number)
        assert process.stdout.read() == ""  # the child has ended, too
        assert process.wait() == -number


@pytest.mark.parametrize(("ignored", "sent"), [("SIGHUP", signal.SIGHUP), ("SIGCHLD", signal.SIGCONT)])
def test_signals_that_are_ignored_stay_so(database, ignored, sent):
    """As nohup ignores SIGHUP."""
    program = PROGRAM.replace("import fpdb.cli", f"import fpdb.cli\nsignal.signal(signal.{ignored}, signal.SIG_IGN)")
    with running(program.format(work=WAIT), database) as process:
        assert hear(process) == "there"
        process.send_signal(sent)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == ""
        assert process.wait() == -signal.SIGTERM


@pytest.mark.skipif(sys.platform != "linux", reason="of the terminal's signals")
def test_the_terminal_interrupts_the_command(database):
    """The terminal sends it to both processes: the child's is the answer."""
    work = WAIT.replace("say", "signal.signal(signal.SIGINT, lambda *_: os._exit(7)), say")
    with running(PROGRAM.format(work=work), database) as process:
        assert hear(process) == "there"
        process.send_signal(signal.SIGINT)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait() == -signal.SIGTERM
