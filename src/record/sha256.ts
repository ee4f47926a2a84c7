/** The size of a block in bytes. */
const blockSize = 64;

/** The constants of SHA-256. */
interface Tables {
  /** The first 32 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3). */
  readonly initial: Int32Array;
  /** The same of the cube roots of the first 64 primes (4.2.2). */
  readonly constants: Int32Array;
}

let made: Tables | undefined;

function tables(): Tables {
  return (made ??= { initial: fractions(8, Math.sqrt), constants: fractions(64, Math.cbrt) });
}

/**
 * HMAC-SHA-256 (RFC 2104) in hexadecimal. A send hashes a few bytes, and loading node:crypto for that would take longer than
 * everything else that it records.
 */
export function hmac(key: Uint8Array, text: string): string {
  const block = new Uint8Array(blockSize);
  block.set(key.length > blockSize ? sha256(key) : key);
  const inner = sha256(Buffer.concat([block.map((byte) => byte ^ 0x36), Buffer.from(text)]));
  return sha256(Buffer.concat([block.map((byte) => byte ^ 0x5c), inner])).toString("hex");
}

/** SHA-256 of bytes (FIPS 180-4, 6.2). */
function sha256(bytes: Uint8Array): Buffer {
  const length = Math.ceil((bytes.length + 9) / blockSize) * blockSize;
  const padded = Buffer.alloc(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  padded.writeBigUInt64BE(BigInt(bytes.length) * 8n, length - 8);
  const { initial, constants } = tables();
  const state = initial.slice();
  for (let offset = 0; offset < length; offset += blockSize) compress(state, constants, padded, offset);
  const hash = Buffer.alloc(32);
  for (const [index, word] of state.entries()) hash.writeInt32BE(word, index * 4);
  return hash;
}

/** Iterators over its rounds would allocate 0.4 MB for a hash, which a send would then wait for V8 to collect. */
function compress(state: Int32Array, constants: Int32Array, bytes: Buffer, offset: number): void {
  const words = new Int32Array(64);
  const word = (index: number) => words[index] ?? 0;
  for (let index = 0; index < 16; index++) words[index] = bytes.readInt32BE(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const early = word(index - 15);
    const late = word(index - 2);
    const s0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const s1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[index] = word(index - 16) + s0 + word(index - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + (constants[index] ?? 0) + word(index)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + value;
}

/** Rotates 32 bits to the right. */
function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractions(count: number, root: (prime: number) => number): Int32Array {
  const found: number[] = [];
  for (let number = 2; found.length < count; number++) {
    const isPrime = found.every((prime) => number % prime !== 0);
    if (isPrime) found.push(number);
  }
  return Int32Array.from(found, (prime) => (root(prime) % 1) * 2 ** 32);
}
