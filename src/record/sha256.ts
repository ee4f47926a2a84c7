/** The size of a block in bytes. */
const blockSize = 64;

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3). */
const initial = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/** The same of the cube roots of the first 64 primes (4.2.2). */
const constants = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
];

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
  const state = Int32Array.from(initial);
  for (let offset = 0; offset < length; offset += blockSize) compress(state, padded, offset);
  const hash = Buffer.alloc(32);
  for (const [index, word] of state.entries()) hash.writeInt32BE(word, index * 4);
  return hash;
}

/**
 * The rounds call no function and allocate nothing: V8 would optimise such a function in the background, or collect what
 * was allocated, while a send waits.
 */
function compress(state: Int32Array, bytes: Buffer, offset: number): void {
  const words = new Int32Array(64);
  for (let index = 0; index < 16; index++) words[index] = bytes.readInt32BE(offset + index * 4);
  for (let index = 16; index < 64; index++) {
    const early = words[index - 15] ?? 0;
    const late = words[index - 2] ?? 0;
    // Each pair of shifts turns 32 bits to the right.
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[index] = (words[index - 16] ?? 0) + s0 + (words[index - 7] ?? 0) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const first = (h + s1 + ((e & f) ^ (~e & g)) + (constants[index] ?? 0) + (words[index] ?? 0)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
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
