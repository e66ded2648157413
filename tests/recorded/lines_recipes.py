"""Command lines about recipes: presets, schemes, parameters, keys and key files, and fingerprints themselves."""

from .recorder import Base, Group

ROUND = "add essays programs ; query draft.txt new.py --format csv --top 3 ; pairs --top 5 ; info"
"""Commands for a database of any recipe."""

RECIPES = Group(
    Base(("essays", "programs")),
    (
        "init ; info ; info --format json ; list ; pairs ; query draft.txt ; drop-list ; common ; spans",
        *(f"init --preset {preset} ; {ROUND}" for preset in ("text", "code", "web", "koala", "sample")),
        *(
            f"init --scheme {scheme} ; {ROUND}"
            for scheme in (
                *("winnow", "robust-winnow", "mod-winnow", "mod", "safe-mod", "smallest --set n=20"),
                *(
                    "koala --set stored=10 --set search=40 --set skip=50",
                    "distinct --set guarantee=60",
                    "full",
                    "random",
                ),
            )
        ),
        "init -k 20 -w 11 ; add essays ; pairs",
        "init --preset code -k 10 -w 5 ; add programs ; pairs --by similarity",
        "init --set hash_bits=24 ; add essays ; pairs --top 3 ; info --format json",
        "init --set positions=0 ; add essays ; query draft.txt --regions ; pairs --regions --top 1",
        "init --set max_df=3 --set max_ignored=2 ; add essays ; query draft.txt ; info --format json",
        "init --key 12345 ; add essays/ann.txt ; query essays/ann.txt --include-self ; info --format json",
        "init --key 0x10 ; info",
        "init --preset sample --set n=30 ; add essays ; query draft.txt --by resemblance ; pairs --by resemblance",
        "init --preset koala --set stored=20 --set search=60 --set skip=50 ; add essays ; rotate ; list --format csv",
        "init --preset koala --set stored=20 --set search=60 --set skip=50 ; add essays --rarity corpus ; "
        "query draft.txt --rarity corpus --format json",
        "init --preset koala --set stored=20 --set search=60 --set skip=50 ; add essays/ann.txt essays/bob.txt ; "
        "rotate essays/ann.txt --rotation 3 ; rotate --glob '*bob*' ; show essays/ann.txt ; rotate nobody",
        "init --preset koala ; add essays/ann.txt --contact 'the clerk' ; !append essays/ann.txt x ; rotate",
        "add essays/ann.txt ; rotate",
        "init ; init",
        "init --preset poem",
        "init --scheme best",
        "init -k 0",
        "init -k many",
        "init -w 0",
        "init --preset koala -w 10",
        "init --set w=99999999999",
        "init --set speed=3",
        "init --set w=wide",
        "init --set w",
        "init --set k=5",
        "init --set hash_bits=4",
        "init --set positions=2",
        "init --key -1",
        "init --key secret",
        "init --key 18446744073709551616",
        "init --secret ; info ; add essays/short.txt ; query essays/short.txt",
        "init --secret --key 5",
    ),
)

FINGERPRINTS = Group(
    Base(("essays", "programs")),
    (
        "fingerprint essays/finn.txt",
        "fingerprint essays/finn.txt --format json",
        "fingerprint essays/finn.txt --format csv",
        "fingerprint essays/finn.txt -k 20 -w 10 --format csv",
        "fingerprint essays/finn.txt --set positions=0 --format csv",
        "fingerprint essays/finn.txt --key 7 --set hash_bits=32 --format csv",
        *(
            f"fingerprint essays/finn.txt --format csv --scheme {scheme}"
            for scheme in (
                *("winnow -w 40", "mod-winnow -w 25", "mod --set p=60", "safe-mod -w 40", "smallest --set n=12"),
                *("koala --set stored=10 --set search=30", "distinct --set guarantee=80", "full", "random"),
            )
        ),
        "fingerprint essays/finn.txt --preset web",
        "fingerprint programs/tools.py --preset code",
        *(
            f"fingerprint programs/more.{language} --preset code --format csv"
            for language in ("cpp", "cs", "go", "java", "js", "rb", "sql", "ts")
        ),
        "fingerprint programs/tools.c programs/noname --preset code --kind code",
        "fingerprint programs/tools.py --kind text",
        "fingerprint - --format csv < essays/dora.txt",
        "fingerprint - --kind code < programs/tools.py",
        "fingerprint essays/short.txt essays/empty.txt",
        "fingerprint nowhere.txt",
        "fingerprint essays/ann.txt --preset code",
        "fingerprint essays/ann.txt --scheme smallest -w 10",
        "fingerprint",
    ),
)

KEYS = Group(
    Base(("essays", "keys")),
    (
        "--key-file secret.key init ; info ; --key-file secret.key add essays ; --key-file secret.key query draft.txt",
        "--key-file secret.key init ; add essays/ann.txt",
        "--key-file secret.key init ; --key-file secret.key add essays ; query draft.txt ; list ; pairs --top 2 ; "
        "drop-list ; export ; check ; remove essays/ann.txt ; compact ; backup copy.fpdb ; "
        "explain essays/bob.txt draft.txt",
        "--key-file secret.key init ; --key-file other.key add essays/ann.txt",
        "--key-file bad.key init",
        "--key-file none.key init",
        "--key-file essays init",
        "--key-file secret.key init --key 5",
        "--key-file secret.key init --secret",
        "--key-file secret.key init --secret-file new.key",
        "--key-file open.key init ; --key-file open.key add essays/ann.txt",
        "FPDB_KEY_FILE=secret.key init ; FPDB_KEY_FILE=secret.key add essays/ann.txt ; info --format json",
        "init --secret-file new.key ; --key-file new.key add essays/short.txt ; info",
        "init --secret-file secret.key",
        "init --secret-file new.key --secret",
        "init --secret-file nowhere/new.key",
        "--key-file secret.key fingerprint essays/finn.txt --format csv",
        "--key-file secret.key fingerprint essays/finn.txt --key 5",
        "--key-file secret.key init ; --key-file secret.key add essays ; --key-file secret.key --db b.fpdb init ; "
        "--key-file secret.key --db b.fpdb add draft.txt ; --db b.fpdb merge corpus.fpdb ; "
        "--key-file secret.key query --db corpus.fpdb --db b.fpdb own.txt",
        "--key-file secret.key init ; add --db x . ; --db b.fpdb add essays/ann.txt ; merge b.fpdb",
        "--key-file secret.key add essays ; info",
        "--key-file secret.key add secret.key . ; list --names",
    ),
)
