"""Exports filings from the service at ADDRESS with KEY, opens the files as people do, and prints what it found: the rows of
each form as JSON lists of [id, owner, filingAmount, filingDate, categories], or, with an argument, what requests makes of a
file that breaks off."""

import csv
import json
import os
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet
import requests

FIELDS = ["id", "owner", "filingAmount", "filingDate", "categories"]


def fetch(form: str) -> bytes:
    """Returns an export in a form."""
    response = requests.get(
        os.environ["ADDRESS"] + "/v1/filings/export",
        params={"format": form},
        headers={"X-API-Key": os.environ["KEY"]},
        verify=os.environ["SSL_CERT_FILE"],
        timeout=60,
    )
    response.raise_for_status()
    return response.content


def rows(table: list[tuple[Any, ...]]) -> list[list[Any]]:
    """Writes values as JSON has them."""
    return [[v.isoformat() if hasattr(v, "isoformat") else v for v in row] for row in table]


def main() -> None:
    if len(sys.argv) > 1:
        try:
            fetch("ndjson")
        except requests.exceptions.ChunkedEncodingError as error:
            print(json.dumps(type(error).__name__))
        return
    for form in ["ndjson", "csv", "parquet"]:
        Path(f"filings.{form}").write_bytes(fetch(form))
    names = ", ".join(f'"{name}"' for name in FIELDS)
    read = {
        "ndjson": "read_ndjson('filings.ndjson', sample_size=-1)",
        "csv": "read_csv('filings.csv', header=true, all_varchar=true)",
        "parquet": "'filings.parquet'",
    }
    database = duckdb.connect()
    got = {
        f"duckdb {form}": rows(database.execute(f"SELECT {names} FROM {source}").fetchall()) for form, source in read.items()
    }
    with open("filings.csv", encoding="utf-8", newline="") as file:
        got["csv"] = [[row[name] for name in FIELDS] for row in csv.DictReader(file)]
    table = pyarrow.parquet.read_table("filings.parquet")
    got["pyarrow"] = rows(list(zip(*(table[name].to_pylist() for name in FIELDS))))
    got["types"] = [[str(table.schema.field(name).type) for name in FIELDS]]
    print(json.dumps(got))


main()
