"""Command lines about whole databases: what is in them, transfer, merging, care, damage, and the command itself."""

from .lines_adding import CORPUS
from .lines_asking import ESSAYS
from .recorder import Base, Group, How

COMMANDS = (
    *("init", "add", "remove", "query", "pairs", "drop-list", "spans", "common", "explain", "fingerprint", "list"),
    *("show", "info", "rotate", "check", "compact", "backup", "publish", "export", "import", "merge", "adopt", "spark"),
    *("spark build", "spark drop-list", "spark pairs"),
)

HELP = Group(
    Base(),
    (
        "--help",
        "-h",
        "--version",
        *(f"{command} --help" for command in COMMANDS),
        "",
        "spark",
        "frobnicate",
        "--frobnicate",
        "list --frobnicate",
        "lst",
        "list extra",
        "show",
        "spark frobnicate",
        "spark pairs x",
        "--db",
        *(f"_FPDB_COMPLETE={shell}_source " for shell in ("bash", "zsh", "fish")),
        "_FPDB_COMPLETE=bash_complete COMP_WORDS='fpdb ' COMP_CWORD=1 ",
        "_FPDB_COMPLETE=bash_complete COMP_WORDS='fpdb query --by ' COMP_CWORD=3 ",
        "_FPDB_COMPLETE=bash_complete COMP_WORDS='fpdb init --pre' COMP_CWORD=2 ",
        "COLUMNS=60 query --help",
    ),
)

CATALOGUE = Group(
    ESSAYS,
    (
        "list",
        "list --format json",
        "list --format csv",
        "list --names",
        "list --names -0",
        "list -0",
        "list --glob 'essays/d*'",
        "list --glob '*[ab]*.txt' --names",
        "list --glob nothing",
        "list --label term=2024",
        "list --label term=2024 --label owner=north --names",
        "list --label term",
        "list --since 2023-11-16 --names",
        "list --before 2023-11-16T22:13:20 --names",
        "list --since 2023-11-15 --before 2023-11-17 --format csv",
        "show essays/ann.txt",
        "show essays/ann.txt --format json",
        "show essays/carl.txt --format csv",
        "show essays/carl.txt --text",
        "show essays/carl.txt --text --format json",
        "show essays/ann.txt --text",
        "show template.txt",
        "show nobody",
        "info",
        "info --format json",
        "info --format csv",
        "--db nowhere.fpdb list",
        "--db nowhere.fpdb info",
        "--db template.txt info",
        "--db essays list",
        "remove essays/ann.txt ; list --names ; query draft.txt --top 2 ; add essays/ann.txt ; info",
        "remove essays/ann.txt nobody ; list --names",
        "remove --glob 'essays/d*' ; list --names",
        "remove --glob 'nothing*'",
        "remove",
        "remove --from nowhere",
        "list --names --glob '*a*' | remove --from - ; info",
        "list --names -0 --label term=2024 | remove --from - -0 ; list",
        "remove -0 essays/ann.txt",
        "remove essays/ann.txt essays/ann.txt",
        "rotate",
        "--db nowhere.fpdb remove x",
    ),
)

CARE = Group(
    Base(("essays",), CORPUS),
    (
        "check",
        "check --quick --format json",
        "check --repair saved.fpdb",
        "compact ; info ; query draft.txt --top 1",
        "remove --glob '*a*' ; compact ; info --format json ; list --names",
        "backup copy.fpdb ; --db copy.fpdb query draft.txt --top 1",
        "backup template.txt",
        "backup corpus.fpdb",
        "backup nowhere/copy.fpdb",
        "publish corpus.fpdb live.fpdb ; remove essays/ann.txt ; publish corpus.fpdb live.fpdb ; "
        "--db live.fpdb query draft.txt --top 1 --regions",
        "publish corpus.fpdb corpus.fpdb",
        "publish nowhere.fpdb live.fpdb",
        "publish corpus.fpdb template.txt",
        "--db other.fpdb init -k 20 ; publish other.fpdb corpus.fpdb",
        "--db corpus.fpdb publish corpus.fpdb live.fpdb",
        "export",
        "export out.jsonl ; --db new.fpdb import out.jsonl ; --db new.fpdb query draft.txt --top 2",
        "export --texts out.jsonl ; --db new.fpdb import out.jsonl ; --db new.fpdb show essays/carl.txt --text",
        "export | --db new.fpdb import ; --db new.fpdb export again.jsonl",
        "export out.jsonl ; import out.jsonl ; remove essays/ann.txt ; import out.jsonl",
        "export corpus.fpdb",
        "export nowhere/out.jsonl",
        "export out.jsonl ; --db other.fpdb init -k 20 ; --db other.fpdb import out.jsonl",
        "export out.jsonl ; !lines out.jsonl 1 4 ; --db new.fpdb import out.jsonl ; --db new.fpdb list --names",
        "export out.jsonl ; !sub out.jsonl essays/bob.txt essays/rob.txt ; --db new.fpdb import out.jsonl",
        "export out.jsonl ; !sub out.jsonl fpdb-export other-export ; --db new.fpdb import out.jsonl",
        "export out.jsonl ; !sub out.jsonl '\"version\":1' '\"version\":2' ; --db new.fpdb import out.jsonl",
        "--db new.fpdb import template.txt",
        "--db new.fpdb import nowhere.jsonl",
        "--db new.fpdb import < essays/empty.txt",
        "--db nowhere.fpdb check",
        "--db nowhere.fpdb compact",
        "--db nowhere.fpdb backup copy.fpdb",
        "--db nowhere.fpdb export",
        "--db template.txt check",
    ),
)

SEVERAL = Group(
    Base(
        ("essays",),
        (
            "--db mon.fpdb add essays/ann.txt essays/bob.txt essays/dora.txt --label day=mon --keep-text",
            "--db mon.fpdb add --boilerplate template.txt",
            "--db tue.fpdb add essays/carl.txt essays/bob.txt essays/emma.txt --label day=tue",
            "--db tue.fpdb add essays/finn.txt --name essays/ann.txt",
            "--db short.fpdb init -k 20 -w 11",
            "--db capped.fpdb init --set max_df=2",
            "--db capped.fpdb add essays/deep",
        ),
    ),
    (
        *(
            f"query --db mon.fpdb --db tue.fpdb draft.txt --format {form}"
            for form in ("table", "json", "csv", "parquet")
        ),
        "--db mon.fpdb query --db tue.fpdb own.txt --include-self",
        "--db mon.fpdb --db tue.fpdb query draft.txt --regions",
        "query --db mon.fpdb --db tue.fpdb draft.txt --format sarif",
        "query --db mon.fpdb --db tue.fpdb draft.txt --by weighted-containment --format csv",
        "query --db mon.fpdb --db tue.fpdb draft.txt --by document-coverage --max-df 2",
        "query --db mon.fpdb --db tue.fpdb essays --top 1 --format csv",
        "query --db mon.fpdb --db mon.fpdb draft.txt",
        "query --db mon.fpdb --db short.fpdb draft.txt",
        "query --db mon.fpdb --db capped.fpdb draft.txt",
        "query --db mon.fpdb --db nowhere.fpdb draft.txt",
        "query --db mon.fpdb --db tue.fpdb draft.txt --report page.html",
        "--db mon.fpdb --db tue.fpdb pairs",
        "--db mon.fpdb merge tue.fpdb ; --db mon.fpdb list --names",
        "--db mon.fpdb merge tue.fpdb --on-collision skip ; --db mon.fpdb pairs",
        "--db mon.fpdb merge tue.fpdb --on-collision replace ; --db mon.fpdb list --format csv",
        "--db mon.fpdb merge tue.fpdb --prefix tue/ ; --db mon.fpdb pairs --owner-from label:day",
        "--db all.fpdb init ; --db all.fpdb merge mon.fpdb ; --db all.fpdb merge mon.fpdb",
        "--db mon.fpdb merge capped.fpdb ; --db mon.fpdb info --format json",
        "--db mon.fpdb merge short.fpdb",
        "--db mon.fpdb merge mon.fpdb",
        "--db mon.fpdb merge nowhere.fpdb",
        "--db mon.fpdb merge template.txt",
        "--db nowhere.fpdb merge mon.fpdb",
        "--db mon.fpdb merge tue.fpdb --on-collision fight",
        "--db mon.fpdb adopt essays",
        "--db mon.fpdb adopt nowhere",
        "--db short.fpdb adopt template.txt",
    ),
)

PROCESSES = Group(
    Base(("essays", "programs"), CORPUS),
    (
        "--version",
        "query draft.txt --regions --format json",
        "--db new.fpdb add essays programs ; --db new.fpdb list --names",
        "drop-list --min 0.1 --names -0 | remove --from - -0",
        "query nowhere.txt",
        "query --frobnicate",
        "spans draft.txt --format parquet",
    ),
    How.APART,
)

MISSING = Group(
    Base(("essays", "kinds", "programs", "stubs"), CORPUS),
    (
        "PYTHONPATH=stubs/pyarrow pairs --format parquet",
        "PYTHONPATH=stubs/zstandard show essays/carl.txt --text",
        "PYTHONPATH=stubs/jinja2 pairs --report page.html",
        "PYTHONPATH=stubs/tree_sitter fingerprint programs/tools.py --preset code",
        "PATH=/nowhere add paper.ps",
    ),
    How.APART,
)
"""Without packages and programs that need not be there."""

TERMINAL = Group(
    ESSAYS,
    ("query draft.txt --top 3", "list", "pairs --format parquet", "show essays/carl.txt --text"),
    How.TERMINAL,
)
