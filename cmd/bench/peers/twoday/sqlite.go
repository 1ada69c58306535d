package main

import (
	"context"
	"database/sql"

	_ "modernc.org/sqlite" // the driver
)

// schema is a table with an index for each question, and a full-text index of trigrams. Datasette sorts by one column: place is
// that of the filing in the default order.
var schema = []string{
	"CREATE TABLE unsorted (id INTEGER, county TEXT, day TEXT, amount REAL, lat REAL, lon REAL, texts TEXT, filing TEXT)",
	"CREATE TABLE filings (id INTEGER PRIMARY KEY, place INTEGER, county TEXT, amount REAL, lat REAL, lon REAL, texts TEXT, filing TEXT)",
}

var indexed = []string{
	`INSERT INTO filings SELECT id, row_number() OVER (ORDER BY day DESC NULLS LAST, id DESC), county, amount, lat, lon, texts, filing
		FROM unsorted ORDER BY id`,
	"DROP TABLE unsorted",
	"CREATE UNIQUE INDEX place ON filings (place)",
	"CREATE INDEX county ON filings (county, place, amount)",
	"CREATE INDEX county_amount ON filings (county, amount)",
	"CREATE INDEX box ON filings (lat, lon, place)",
	"CREATE VIRTUAL TABLE filings_fts USING fts5 (texts, content=\"filings\", content_rowid='id', tokenize='trigram')", // the quotes are those that Datasette looks for
	"INSERT INTO filings_fts (filings_fts) VALUES ('rebuild')",
	"INSERT INTO filings_fts (filings_fts) VALUES ('optimize')",
	"ANALYZE",
	"VACUUM",
}

// makeDatabase makes the database that Datasette serves.
func makeDatabase(ctx context.Context, name, file string) error {
	db, err := sql.Open("sqlite", name+"?_pragma=journal_mode(off)&_pragma=synchronous(off)")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range schema {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	insert, err := tx.PrepareContext(ctx, "INSERT INTO unsorted VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	err = eachFiling(file, func(f filing) error {
		_, err := insert.ExecContext(ctx, f.ID, f.County, f.day(), f.FilingAmount, f.Latitude, f.Longitude, f.texts(), string(f.text))
		return err
	})
	if err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	for _, statement := range indexed {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
