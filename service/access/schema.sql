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

-- Keys that were replaced and are good until they end. used is when, 0: not since they were replaced.
CREATE TABLE IF NOT EXISTS older (
    hash    TEXT PRIMARY KEY,
    user    TEXT NOT NULL,
    prefix  TEXT NOT NULL,
    created INTEGER NOT NULL,
    ends    INTEGER NOT NULL,
    used    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS older_user ON older (user);

-- What was used. A counter is 'lifetime', a day in days since 1970-01-01, or that of tokens, a day and ':tokens'.
CREATE TABLE IF NOT EXISTS usage (
    user    TEXT NOT NULL,
    counter TEXT NOT NULL,
    used    INTEGER NOT NULL,
    PRIMARY KEY (user, counter)
) STRICT, WITHOUT ROWID;

-- All requests of a day that count, of any tier. A day is in days since 1970-01-01.
CREATE TABLE IF NOT EXISTS days (
    user     TEXT NOT NULL,
    day      INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (user, day)
) STRICT, WITHOUT ROWID;

-- What an account does one at a time, and until when it may.
CREATE TABLE IF NOT EXISTS leases (
    user TEXT PRIMARY KEY,
    id   TEXT NOT NULL,
    till INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The bursts of visitors who use tokens.
CREATE TABLE IF NOT EXISTS visits (
    user    TEXT NOT NULL,
    visitor TEXT NOT NULL,
    level   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    PRIMARY KEY (user, visitor)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS visits_at ON visits (at);
