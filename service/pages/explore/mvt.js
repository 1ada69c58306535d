// Vector tiles of points (MVT 2.1), as the service writes them: at each point of the first layer one filing, or how many there are.

const tileLayer = 3, layerFeature = 2, layerKey = 3, layerValue = 4, featureID = 1, featureTags = 2, featureGeometry = 4;
const extent = 4096; // units that a tile is wide and high

/**
 * The points of a tile: { x, y, count, id, sum }, x and y in widths of the tile from its north-western corner, id "" of more than
 * one filing, sum of their amounts, null where the tile has none. Of single filings they are those, and no cells.
 */
export function pointsOf(buffer) {
  const [layer] = all(fieldsOf(new Uint8Array(buffer)), tileLayer);
  if (!layer) return [];
  const fields = fieldsOf(layer);
  const keys = all(fields, layerKey).map((bytes) => new TextDecoder().decode(bytes)), values = all(fields, layerValue);
  return all(fields, layerFeature).map((bytes) => {
    const feature = fieldsOf(bytes);
    const [, x, y] = numbersIn(all(feature, featureGeometry)[0]).map((n) => (n % 2 ? -(n + 1) / 2 : n / 2)); // zigzag; a point begins at 0
    const tags = numbersIn(all(feature, featureTags)[0] ?? []);
    const numberOf = (name) => {
      const at = tags.findIndex((tag, i) => i % 2 === 0 && keys[tag] === name);
      const value = at < 0 ? null : fieldsOf(values[tags[at + 1]])[0].value;
      return value instanceof Uint8Array ? new DataView(value.buffer, value.byteOffset).getFloat64(0, true) : value;
    };
    return {
      x: (x + 0.5) / extent, y: (y + 0.5) / extent, count: numberOf("count") ?? 1, sum: numberOf("sum") ?? numberOf("filingAmount"),
      id: String(all(feature, featureID)[0] ?? ""),
    };
  });
}

const all = (fields, number) => fields.filter((field) => field.number === number).map(({ value }) => value);

/** The fields of a message of protocol buffers: { number, value }, value a number, or bytes. */
function fieldsOf(bytes) {
  const reader = new Reader(bytes), fields = [];
  while (reader.more) {
    const tag = reader.number();
    fields.push({ number: tag >> 3, value: reader.value(tag & 7) });
  }
  return fields;
}

function numbersIn(bytes) {
  const reader = new Reader(bytes), numbers = [];
  while (reader.more) numbers.push(reader.number());
  return numbers;
}

class Reader {
  #bytes;
  #at = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get more() {
    return this.#at < this.#bytes.length;
  }

  /** A number of seven bits a byte, the lowest first; a BigInt where it is longer than JavaScript's numbers may be. */
  number() {
    const from = this.#at;
    while (this.#bytes[this.#at++] > 127);
    const parts = [...this.#bytes.subarray(from, this.#at)].reverse();
    return parts.length > 7 ? parts.reduce((n, b) => n * 128n + BigInt(b & 127), 0n) : parts.reduce((n, b) => n * 128 + (b & 127), 0);
  }

  /** What a field of a wire type holds. */
  value(type) {
    if (type === 0) return this.number();
    const length = { 1: 8, 2: 0, 5: 4 }[type] || this.number();
    return this.#bytes.subarray(this.#at, (this.#at += length));
  }
}
