/** Stands for node:assert in undici, which asserts nothing but truth. */
module.exports = function assert(holds, message) {
  if (holds) return;
  throw message instanceof Error ? message : new Error(message ?? "an assertion of undici failed");
};
