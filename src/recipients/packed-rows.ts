import { setImmediate } from "node:timers/promises";
import { deflateRawSync, inflateRawSync } from "node:zlib";

export interface PackedRows<Row> {
  readonly add: (row: Row) => void;
  readonly read: () => AsyncGenerator<readonly Row[], void>;
  /** This gives memory back, so the rows cannot be read again. */
  readonly take: () => AsyncGenerator<readonly Row[], void>;
}

const batchSize = 1024;

/** As objects, a million rows would take 700 MB. */
export function packedRows<Row>(): PackedRows<Row> {
  const packed: Buffer[] = [];
  let rows: Row[] = [];
  const unpacked = async (batch: Buffer): Promise<readonly Row[]> => {
    // Between two batches a signal is heard.
    await setImmediate();
    return JSON.parse(inflateRawSync(batch).toString());
  };
  return {
    add: (row) => {
      if (rows.push(row) < batchSize) return;
      packed.push(deflateRawSync(JSON.stringify(rows), { level: 1 }));
      rows = [];
    },
    read: async function* read() {
      for (const batch of packed) yield await unpacked(batch);
      yield rows;
    },
    take: async function* take() {
      for (let batch = packed.shift(); batch !== undefined; batch = packed.shift()) yield await unpacked(batch);
      yield rows.splice(0);
    },
  };
}
