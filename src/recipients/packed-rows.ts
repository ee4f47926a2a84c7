import { setImmediate } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";

export interface PackedRows<Row> {
  readonly add: (row: Row) => void;
  /** This gives memory back, so the rows can be taken once. */
  readonly take: () => AsyncGenerator<readonly Row[], void>;
}

const batchSize = 1024;

/** As objects, a million rows would take 700 MB. */
export function packedRows<Row>(): PackedRows<Row> {
  const packed: Buffer[] = [];
  let rows: Row[] = [];
  return {
    add: (row) => {
      if (rows.push(row) < batchSize) return;
      packed.push(deflateRawSync(JSON.stringify(rows), { level: 1 }));
      rows = [];
    },
    take: async function* take() {
      for (let batch = packed.shift(); batch !== undefined; batch = packed.shift()) {
        // Between two batches a signal is heard.
        await setImmediate();
        yield JSON.parse(inflateRawSync(batch).toString());
      }
      yield rows.splice(0);
    },
  };
}
