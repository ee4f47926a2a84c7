// The format of a file with the code that V8 compiled of chunks.

/** A line of JSON with the name and length of each chunk's code, then these codes. */
exports.encode = function encode(codes) {
  const lengths = Object.entries(codes).map(([name, code]) => [name, code.length]);
  return Buffer.concat([Buffer.from(`${JSON.stringify(lengths)}\n`), ...Object.values(codes)]);
};

exports.decode = function decode(bytes) {
  const codes = {};
  let end = bytes.indexOf("\n") + 1;
  for (const [name, length] of JSON.parse(bytes.latin1Slice(0, end))) {
    codes[name] = bytes.subarray(end, (end += length));
  }
  return codes;
};
