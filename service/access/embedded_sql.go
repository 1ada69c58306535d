package access

import (
	"context"
	"database/sql"
	"time"
)

// statements are the operations of the embedded store on its tables, prepared once.
type statements struct {
	byKey, byName, used, fill                         *sql.Stmt
	count, countDay, expire, expireDays               *sql.Stmt
	refund, refundDay, days, acquire, holder, release *sql.Stmt
	byUser, create, rotate, revoke, tier              *sql.Stmt
	accounts, anyAccount, visitor, visit, forget      *sql.Stmt
	byOlder, useOlder, keepOlder, endOlder            *sql.Stmt
}

// prepareStatements prepares all statements. They live as long as db.
func prepareStatements(ctx context.Context, db *sql.DB) (statements, error) {
	var s statements
	for _, row := range []struct {
		statement **sql.Stmt
		text      string
	}{
		{&s.byKey, `SELECT user, tier, level, at FROM accounts WHERE hash = ?`},
		{&s.byName, `SELECT user, tier, level, at FROM accounts WHERE user = ?`},
		{&s.used, `SELECT used FROM usage WHERE user = ? AND counter = ?`},
		{&s.fill, `UPDATE accounts SET level = ?, at = ? WHERE user = ?`},
		{&s.count, `INSERT INTO usage (user, counter, used) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET used = used + excluded.used`},
		{&s.countDay, `INSERT INTO days (user, day, requests) VALUES (?, ?, ?)
			ON CONFLICT DO UPDATE SET requests = requests + excluded.requests RETURNING requests`},
		{&s.expire, `DELETE FROM usage WHERE user = ? AND counter <> 'lifetime' AND CAST(counter AS INTEGER) < ?`},
		{&s.expireDays, `DELETE FROM days WHERE user = ? AND day < ?`},
		{&s.refund, `UPDATE usage SET used = max(0, used - ?) WHERE user = ? AND counter = ?`},
		{&s.refundDay, `UPDATE days SET requests = max(0, requests - ?) WHERE user = ? AND day = ?`},
		{&s.days, `SELECT day, requests FROM days WHERE user = ? AND day BETWEEN ? AND ?`},
		{&s.visitor, `SELECT level, at FROM visits WHERE user = ? AND visitor = ?`},
		{&s.visit, `INSERT INTO visits (user, visitor, level, at) VALUES (?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET level = excluded.level, at = excluded.at`},
		{&s.forget, `DELETE FROM visits WHERE at < ?`},
		// One that lasts longer than any lease was taken before the clock was put back.
		{&s.acquire, `INSERT INTO leases (user, id, till) VALUES (?1, ?2, ?3 + ?4)
			ON CONFLICT DO UPDATE SET id = excluded.id, till = excluded.till
			WHERE id = ?2 OR till <= ?3 OR till > ?3 + ?4`},
		{&s.holder, `SELECT id, till FROM leases WHERE user = ?`},
		{&s.release, `DELETE FROM leases WHERE user = ? AND id = ?`},

		{&s.byUser, `SELECT hash IS NOT NULL FROM accounts WHERE user = ?`},
		{&s.create, `INSERT INTO accounts (user, tier, name, hash, prefix, created) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET tier = excluded.tier, name = excluded.name, hash = excluded.hash,
				prefix = excluded.prefix, created = excluded.created`},
		{&s.rotate, `UPDATE accounts SET hash = ?, prefix = ?, created = ? WHERE user = ?`},
		{&s.revoke, `UPDATE accounts SET hash = NULL WHERE user = ?`},
		{&s.byOlder, `SELECT a.user, a.tier, a.level, a.at FROM older o JOIN accounts a USING (user)
			WHERE o.hash = ? AND o.ends > ? AND a.hash IS NOT NULL`},
		{&s.useOlder, `UPDATE older SET used = ? WHERE hash = ?`},
		{&s.keepOlder, `INSERT INTO older (hash, user, prefix, created, ends)
			SELECT hash, user, prefix, created, ? FROM accounts WHERE user = ?`},
		{&s.endOlder, `DELETE FROM older WHERE user = ? AND ends <= ?`},
		{&s.tier, `UPDATE accounts SET tier = ? WHERE user = ?`},

		{&s.anyAccount, `SELECT EXISTS (SELECT * FROM accounts)`},
		// All accounts, or one; with the value of the tier's counter. A row for each older key.
		{&s.accounts, `SELECT a.user, a.tier, a.prefix, coalesce(a.hash, ''), a.name, a.created, coalesce(u.used, 0),
				coalesce(o.prefix, ''), coalesce(o.created, 0), coalesce(o.ends, 0), coalesce(o.used, 0)
			FROM accounts a
			LEFT JOIN usage u ON u.user = a.user AND u.counter = CASE a.tier WHEN 'free' THEN 'lifetime' ELSE ?1 END
			LEFT JOIN older o ON o.user = a.user AND o.ends > ?3 AND a.hash IS NOT NULL
			WHERE ?2 IS NULL OR a.user = ?2
			ORDER BY a.user`},
	} {
		statement, err := db.PrepareContext(ctx, row.text)
		if err != nil {
			return statements{}, err
		}
		*row.statement = statement
	}
	return s, nil
}

// transaction is one change: it holds the write lock of the file until it ends. Its statements take
// no context, since the transaction ends with its own.
type transaction struct {
	tx         *sql.Tx
	statements statements
	now        time.Time
}

func (t transaction) exec(statement *sql.Stmt, args ...any) error {
	_, err := t.tx.Stmt(statement).Exec(args...)
	return err
}

func (t transaction) row(statement *sql.Stmt, args ...any) *sql.Row {
	return t.tx.Stmt(statement).QueryRow(args...)
}
