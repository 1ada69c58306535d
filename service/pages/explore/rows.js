// Rows of an export, counted as they come.

const newline = 10, quote = 34;

/** Counters by format: each takes chunks and returns the rows that were whole until then. null: rows cannot be told apart. */
export const counters = {
  ndjson: () => {
    let rows = 0;
    return (chunk) => {
      for (const byte of chunk) if (byte === newline) rows++;
      return rows;
    };
  },
  csv: () => {
    let lines = 0, quoted = false; // a quote within a cell is written twice: it ends and begins again
    return (chunk) => {
      for (const byte of chunk) {
        if (byte === quote) quoted = !quoted;
        else if (byte === newline && !quoted) lines++;
      }
      return Math.max(0, lines - 1); // the first one has the names
    };
  },
  parquet: null,
};
