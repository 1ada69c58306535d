"""Writes Parquet files by pyarrow, and beside each the records that pyarrow itself reads from it: the golden files of
TestX21_ParquetAsPyarrow.

    pip install pyarrow==26.0.1
    python parquet.py .                        # the files in this folder: each form once, few rows
    python parquet.py /tmp/tables 200          # as many random tables, up to 5,000 rows
    TEST_PARQUET=/tmp/tables go test -count=1 -run TestX21_ParquetAsPyarrow ./reindexer/source/parquet

Every value is made up.
"""

import datetime
import decimal
import json
import os
import random
import sys
import uuid

import numpy
import pyarrow as pa
import pyarrow.parquet as pq

WORDS = ["", "a", "Orange, FL", 'say "no"', "back\\slash", "tab\tline\n", "é€𝄞", "x" * 40, "NULL", "0012"]
CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]
ENCODINGS = {
    "int": ["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"],
    "float": ["PLAIN", "BYTE_STREAM_SPLIT"],
    "text": ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"],
    "fixed": ["PLAIN", "BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY"],
    "bool": ["PLAIN", "RLE"],
}


def whole(bits, signed):
    low = -(1 << (bits - 1)) if signed else 0
    high = low + (1 << bits) - 1
    return lambda r: r.choice([low, high, 0, r.randint(low, high), r.randint(max(low, -5), 5)])


def real(r):
    return r.choice([0.0, -0.0, 1.5, 1e-7, 1e21, float("nan"), float("inf"), -float("inf"), r.gauss(0, 1e4), round(r.uniform(0, 1e6), 2)])


def single(r):
    return float(numpy.float32(real(r)))


def half(r):
    return numpy.float16(r.choice([0.0, -0.0, 1.5, 6e-8, 65504.0, 0.1, -7.25, float("inf"), float("nan")]))


def fraction(digits, scale):
    most = 10**digits - 1
    return lambda r: decimal.Decimal(r.choice([0, most, -most, r.randint(-most, most), r.randint(-99, 99)])).scaleb(-scale, decimal.Context(100))


def text(r):
    return r.choice(WORDS + [str(r.randint(0, 10**9)), "".join(r.choices("abcdefgh ", k=r.randint(0, 60)))])


def octets(r):
    return r.choice([b"", b"plain", b"\xff\x00", bytes(r.randrange(256) for _ in range(r.randint(0, 20)))])


def date(r):
    return datetime.date.fromordinal(r.randint(1, 3652059))


def moment(first, last):
    return lambda r: r.choice([r.randint(first, last), r.randint(first, last) // 1000 * 1000, 0, -1, 1])


def clock(per_second):
    return lambda r: r.choice([0, 86400 * per_second - 1, r.randrange(86400) * per_second, r.randrange(86400 * per_second)])


# Each type with what makes a value of it, and the kind of encodings that may be asked for it.
KINDS = (
    [(pa.bool_(), lambda r: r.random() < 0.5, "bool")]
    + [(t, whole(t.bit_width, str(t)[0] == "i"), "int" if t.bit_width >= 32 else None)
       for t in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())]
    + [(pa.float32(), single, "float"), (pa.float64(), real, "float"), (pa.float16(), half, None)]
    + [(pa.decimal128(7, 2), fraction(7, 2), None), (pa.decimal128(18, 0), fraction(18, 0), None),
       (pa.decimal128(38, 10), fraction(38, 10), None), (pa.decimal256(60, 20), fraction(60, 20), None)]
    + [(pa.string(), text, "text"), (pa.large_string(), text, "text"), (pa.dictionary(pa.int32(), pa.string()), text, None)]
    + [(pa.binary(), octets, "text"), (pa.binary(4), lambda r: r.choice([b"abcd", b"\xff\x00\x00\x01"]), "fixed")]
    + [(pa.date32(), date, "int"), (pa.date64(), date, None)]
    + [(pa.timestamp("s"), moment(-10**10, 10**11), None), (pa.timestamp("ms", "UTC"), moment(-10**13, 10**14), "int"),
       (pa.timestamp("us"), moment(-10**16, 10**17), "int"), (pa.timestamp("us", "America/New_York"), moment(-10**16, 10**17), "int"),
       (pa.timestamp("ns"), moment(-8 * 10**18, 9 * 10**18), None)]
    + [(pa.time32("s"), clock(1), None), (pa.time32("ms"), clock(10**3), None), (pa.time64("us"), clock(10**6), None),
       (pa.time64("ns"), clock(10**9), None)]
    + [(pa.duration("ms"), whole(40, True), None), (pa.null(), lambda r: None, None)]
)


def list_of(kind):
    t, make, encoding = kind
    return pa.list_(t), lambda r: [make(r) if r.random() < 0.8 else None for _ in range(r.choice([0, 0, 1, 2, 5]))], encoding


def column(r, kind, rows):
    """Returns an array of the kind, all of one value, of few, or of many, with some or no missing ones."""
    t, make, _ = kind
    missing = r.choice([0, 0, 0.1, 0.9, 1 if r.random() < 0.1 else 0])
    few = [make(r) for _ in range(r.choice([1, 3, 20]))]
    many = r.random() < 0.5
    values = [None if r.random() < missing else make(r) if many else r.choice(few) for _ in range(rows)]
    if pa.types.is_timestamp(t) or pa.types.is_time(t) or pa.types.is_duration(t):
        bits = pa.int32() if pa.types.is_time32(t) else pa.int64()
        return pa.array(values, bits).cast(t)
    if pa.types.is_list(t) and (pa.types.is_timestamp(t.value_type) or pa.types.is_time(t.value_type) or pa.types.is_duration(t.value_type)):
        bits = pa.int32() if pa.types.is_time32(t.value_type) else pa.int64()
        return pa.array(values, pa.list_(bits)).cast(t)
    if pa.types.is_dictionary(t):
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, t)


def quoted(s):
    return json.dumps(s, ensure_ascii=False).replace("\x7f", "\\u007f")


def fractional(whole_part, nanos):
    return whole_part + (("." + "%09d" % nanos).rstrip("0") if nanos else "")


PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def shown(v):
    """Returns a value that pyarrow read as the load has it."""
    t = v.type
    if not v.is_valid or pa.types.is_null(t):
        return "null"
    if pa.types.is_dictionary(t):
        return shown(v.as_py() if isinstance(v.as_py(), pa.Scalar) else pa.scalar(v.as_py(), t.value_type))
    if pa.types.is_list(t):
        return "[" + ",".join(shown(item) for item in v.values) + "]"
    if pa.types.is_boolean(t):
        return "true" if v.as_py() else "false"
    if pa.types.is_duration(t):
        return str(v.value)
    if pa.types.is_integer(t):
        return str(v.as_py())
    if pa.types.is_floating(t):
        number = numpy.dtype(t.to_pandas_dtype()).type(v.as_py())
        if numpy.isnan(number):
            return '"NaN"'
        if numpy.isinf(number):
            return '"+Inf"' if number > 0 else '"-Inf"'
        if t == pa.float16():
            number = numpy.float32(number)
        return numpy.format_float_positional(number, unique=True, trim="-")
    if pa.types.is_decimal(t):
        return format(v.as_py(), "f")
    if pa.types.is_date32(t):
        return quoted(v.as_py().strftime("%Y-%m-%d").rjust(10, "0"))
    if pa.types.is_date64(t):
        return quoted(v.as_py().strftime("%Y-%m-%d").rjust(10, "0"))
    if pa.types.is_timestamp(t):
        seconds, part = divmod(v.value, PER_SECOND[t.unit])
        at = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        return quoted(fractional(at.isoformat(), part * (10**9 // PER_SECOND[t.unit])) + "Z")
    if pa.types.is_time(t):
        seconds, part = divmod(v.value, PER_SECOND[t.unit])
        return quoted(fractional("%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60), part * (10**9 // PER_SECOND[t.unit])))
    if pa.types.is_string(t) or pa.types.is_large_string(t):
        return quoted(v.as_py())
    raw = v.as_py()
    if isinstance(raw, uuid.UUID):
        return quoted(str(raw))
    try:
        return quoted(raw.decode())
    except UnicodeDecodeError:
        return quoted("\\x" + raw.hex())


def names_of(names):
    """Returns names as the load makes them: of one name the second has _2 behind it, or the next number that is free."""
    taken, made = set(names), []
    for name in names:
        unique, n = name, 1
        while unique in made or n > 1 and unique in taken:
            n += 1
            unique = "%s_%d" % (name, n)
        made.append(unique)
    return made


def runs_of(metadata):
    """Returns the path of the first column with booleans in runs."""
    for group in range(metadata.num_row_groups):
        for i in range(metadata.num_columns):
            c = metadata.row_group(group).column(i)
            if c.physical_type == "BOOLEAN" and c.num_values and "PLAIN" not in c.encodings:
                return c.path_in_schema
    return None


def write(folder, name, table, **options):
    path = os.path.join(folder, name)
    if options.get("version", "2.6") != "2.6" and not options.get("use_deprecated_int96_timestamps"):
        options |= {"coerce_timestamps": "us", "allow_truncated_timestamps": True}  # these have no nanoseconds
    pq.write_table(table, path + ".parquet", **options)
    runs = runs_of(pq.ParquetFile(path + ".parquet").metadata)
    if "ALL" in os.environ:  # for a look at what the library does to those that are refused
        runs = None
    halves = [f.name for f in table.schema if str(f.type) in ("halffloat", "list<item: halffloat>")]
    if options.get("compression") == "lz4" and "ALL" not in os.environ:
        expected = 'compression="lz4" is not read: write it with zstd or snappy\n'
    elif runs:
        expected = "its column %s has booleans in the encoding RLE, which is not read: write it in PLAIN, " % runs
        expected += 'as data_page_version="1.0" does, or as integers\n'
    elif halves:
        expected = "its column %s has numbers of 16 bits (float16), which are not read: write it as float32\n" % halves[0]
    else:
        read = pq.ParquetFile(path + ".parquet").read()
        names = [quoted(n) for n in names_of(read.column_names)]
        rows = zip(*[[shown(v) for v in c] for c in read.columns])
        expected = "".join("{" + ",".join(n + ":" + v for n, v in zip(names, row)) + "}\n" for row in rows)
    with open(path + ".txt", "w", newline="") as f:
        f.write(expected)


def golden(folder):
    """Writes each type, each codec with each version of pages, and each encoding, of few rows."""
    r = random.Random(1)
    kinds = list(KINDS) + [list_of(k) for k in (KINDS[4], KINDS[16], KINDS[13])]
    table = pa.table([column(r, k, 5) for k in kinds], names=[str(k[0]) for k in kinds])
    write(folder, "half", table, version="2.6", compression="none")
    table = table.drop_columns(["halffloat"])
    write(folder, "types", table, version="2.6", compression="none")
    write(folder, "types-1.0", table, version="1.0", compression="snappy", store_schema=False)
    long = pa.table({
        "id": pa.array(range(500), pa.int64()),
        "owner": pa.array(["EXAMPLE %d" % (i % 7) if i % 5 else None for i in range(500)]),
        "amount": pa.array([i + 1.25 for i in range(500)]),
    })
    for codec in CODECS:
        for version in ("1.0", "2.0"):
            write(folder, "%s-%s" % (codec, version), long.slice(0, 100), compression=codec, data_page_version=version, use_dictionary=codec == "gzip", data_page_size=400)
    for kind, encodings in ENCODINGS.items():
        for encoding in encodings:
            same = [k for k in KINDS if k[2] == kind]
            names = ["%s %d" % (k[0], i) for i, k in enumerate(same)]
            table = pa.table([column(r, k, 12) for k in same], names=names)
            write(folder, "%s-%s" % (kind, encoding.lower()), table, use_dictionary=False, compression="zstd", column_encoding={n: encoding for n in names})
    write(folder, "int96", pa.table({"at": pa.array([0, -1, 10**18], pa.timestamp("ns"))}), use_deprecated_int96_timestamps=True)
    write(folder, "names", pa.table([pa.array([i]) for i in range(5)], names=["a", "b", "a", "a_2", "a"]))
    ids = [b"1234567890abcdef", b"\xff" * 16, None]  # the first are bytes of ASCII
    write(folder, "uuid", pa.table({"id": pa.array(ids, pa.uuid())}))
    struct = pa.array([[{"a": 1}], []])
    pq.write_table(pa.table({"of": struct}), os.path.join(folder, "structs.parquet"))
    with open(os.path.join(folder, "structs.txt"), "w") as f:
        f.write("its column of is nested; values and lists of values are read: unnest it first\n")


def trial(folder, count):
    os.makedirs(folder, exist_ok=True)
    for n in range(count):
        r = random.Random(n)
        rows = r.choice([0, 1, 2, 7, 8, 100, 1000, 1024, 4096, r.randint(0, 5000)])
        kinds = [r.choice(KINDS) for _ in range(r.randint(1, 8))]
        kinds = [list_of(k) if r.random() < 0.2 and not pa.types.is_dictionary(k[0]) and not pa.types.is_null(k[0]) else k for k in kinds]
        names = ["c%d" % r.randint(0, 9) for _ in kinds]
        options = {
            "compression": CODECS[n % len(CODECS)],
            "data_page_version": r.choice(["1.0", "2.0"]),
            "version": r.choice(["1.0", "2.4", "2.6"]),
            "data_page_size": r.choice([100, 4096, 1 << 20]),
            "row_group_size": r.choice([1 << 20, 1000, 64]),
            "write_page_index": r.random() < 0.5,
            "write_page_checksum": r.random() < 0.5,
            "store_schema": r.random() < 0.5,
            "use_deprecated_int96_timestamps": r.random() < 0.2,
            "use_dictionary": r.random() < 0.5,
        }
        if not options["use_dictionary"]:
            names = ["c%d" % i for i in range(len(kinds))]
            plain = options["version"] == "1.0"
            options["column_encoding"] = {
                name + (".list.element" if pa.types.is_list(k[0]) else ""): r.choice(["PLAIN"] if plain else ENCODINGS[k[2]])
                for name, k in zip(names, kinds) if k[2]
            }
        if options["use_deprecated_int96_timestamps"]:
            options.pop("column_encoding", None)
            # pyarrow reads these as nanoseconds, which end in 2262
            kinds = [next(n for n in KINDS if n[0] == pa.timestamp("ns")) if "timestamp" in str(k[0]) else k for k in kinds]
        write(folder, "%03d" % n, pa.table([column(r, k, rows) for k in kinds], names=names), **options)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        trial(sys.argv[1], int(sys.argv[2]))
    else:
        golden(sys.argv[1])
