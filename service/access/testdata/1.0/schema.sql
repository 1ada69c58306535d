-- Times are in microseconds since 1970.

CREATE TABLE IF NOT EXISTS accounts (
    user    TEXT PRIMARY KEY,
    tier    TEXT NOT NULL,
    name    TEXT NOT NULL,
    prefix  TEXT NOT NULL,
    created INTEGER NOT NULL,
    hash    TEXT UNIQUE,                -- of the active key; NULL: it was revoked
    level   INTEGER NOT NULL DEFAULT 0, -- the bucket of the burst
    at      INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- What was used. A counter is 'lifetime', or a day in days since 1970-01-01.
CREATE TABLE IF NOT EXISTS usage (
    user    TEXT NOT NULL,
    counter TEXT NOT NULL,
    used    INTEGER NOT NULL,
    PRIMARY KEY (user, counter)
) STRICT, WITHOUT ROWID;
