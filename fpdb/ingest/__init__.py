"""Turn paths, records and contents into committed documents."""
