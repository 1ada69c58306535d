// Download of all that the filters select. The price is shown before; what was cut is never saved as if it were whole.

import { one } from "./dom.js";
import { filings, number, requests } from "./format.js";
import { counters } from "./rows.js";
import { memory, pickFile, toFile } from "./save.js";

const perRequest = 100; // rows that one request pays for

const mark = Uint8Array.of(0xef, 0xbb, 0xbf); // without it Excel reads a CSV file in an encoding of its own

const mediaTypes = { ndjson: "application/x-ndjson", csv: "text/csv", parquet: "application/vnd.apache.parquet" };

const start = one("#start"), stop = one("#stop"), progress = one("#progress"), received = one("#received"), status = one("#download-status");

export class Download {
  #get;
  #offer = null; // { total, parameters }: what there is to download
  #said = ""; // what the last download was of
  #left = 0;
  #running = null; // an AbortController, while there is a download

  /** get asks the service for a stream: (path, parameters, signal, price) => its response. */
  constructor(get) {
    this.#get = get;
    start.addEventListener("click", () => this.#start());
    stop.addEventListener("click", () => this.#running?.abort());
    one("#save-limit").textContent = toFile() ? "" : `This browser can save up to ${memory} MiB; for more, use curl.`;
  }

  /** Offers what parameters select; null: nothing, or not known yet. What is said of a download is of what was offered then. */
  offer(selected) {
    const what = selected && JSON.stringify(selected.parameters);
    if (what && what !== this.#said && !this.#running) status.textContent = "";
    this.#offer = selected;
    this.#showPrice();
  }

  /** Shows the price next to the requests that the key has left. */
  showLeft(left) {
    this.#left = left;
    this.#showPrice();
  }

  #showPrice() {
    start.disabled = !this.#offer?.total;
    one("#price").textContent = this.#offer ? priceText(this.#offer.total, this.#left) : "The price appears when filings are loaded.";
  }

  async #start() {
    const { total, parameters } = this.#offer;
    const format = one("#format").value;
    this.#said = JSON.stringify(parameters);
    this.#running = new AbortController();
    const { signal } = this.#running;
    this.#show(true);
    status.textContent = "";
    let file = null;
    try {
      file = await pickFile(`${nameOf(parameters)}.${format}`, mediaTypes[format]);
      if (!file) return;
      status.textContent = "Waiting for the first rows …";
      const answer = await this.#get("v1/filings/export", { ...parameters, format }, signal, priceOf(total));
      status.textContent = "Downloading …";
      if (format === "csv") await file.write(mark);
      const bytes = await receive(answer, format, file);
      await file.close();
      status.textContent = `Done: ${filings(rowsOf(answer) ?? total)}, ${megabytes(bytes)}.`;
    } catch (failure) {
      await file?.discard();
      status.textContent = signal.aborted
        ? "Stopped. Nothing was saved. Requests for unsent rows are refunded."
        : `The download failed, and nothing was saved. ${sentence(failure)}`;
    } finally {
      this.#running = null;
      this.#show(false);
    }
  }

  #show(running) {
    const held = [start, stop].includes(document.activeElement);
    start.hidden = running;
    stop.hidden = progress.hidden = !running;
    received.textContent = "";
    progress.removeAttribute("value");
    if (held) (running ? stop : start).focus();
  }

  /** Ends a download that is under way, and offers nothing. */
  forget() {
    this.#running?.abort();
    this.offer(null);
    status.textContent = "";
  }
}

/** Reads an export into a file, and tells how far it is; returns its bytes. Throws when it ends before all rows came. */
async function receive(answer, format, file) {
  const total = rowsOf(answer);
  const count = counters[format]?.();
  let bytes = 0, rows = 0;
  for (const reader = answer.body.getReader(); ;) {
    const { done, value } = await reader.read().catch((failure) => {
      throw failure.name === "AbortError" ? failure : new Error("The service cut it, or the network did");
    });
    if (done) break;
    await file.write(value);
    bytes += value.length;
    rows = count?.(value) ?? 0;
    if (count && total) progress.value = rows / total;
    received.textContent = count ? `${number(rows)} of ${filings(total)}, ${megabytes(bytes)}` : `${megabytes(bytes)} of ${filings(total)}`;
  }
  if (count && rows !== total) throw new Error(`It ended after ${number(rows)} of ${filings(total)}`);
  return bytes;
}

/** What a file of the filings that parameters select is called: by what tells them apart, and the day. */
function nameOf({ q, county, city, owner, holder, filing_type, filing_types, month }) {
  const parts = ["filings", county, city, owner, holder, filing_type, filing_types, month, q, new Date().toISOString().slice(0, 10)];
  const words = parts.map((part = "") => part.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 40));
  return words.filter(Boolean).join("-");
}

const rowsOf = ({ headers }) => Number(headers.get("X-Total-Count"));

const priceOf = (rows) => Math.max(1, Math.ceil(rows / perRequest));

function priceText(rows, left) {
  if (!rows) return "No filings to download.";
  const price = priceOf(rows);
  const costs = `${filings(rows)}, for ${requests(price)} of the ${number(left)} that the key has left.`;
  return price > left ? `${costs} The key doesn’t have enough requests left. Narrow the filters.` : costs;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

const sentence = ({ message }) => (message.endsWith(".") ? message : `${message}.`);
