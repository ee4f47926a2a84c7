/** The seed of the property tests: drawn for each run of the suite, or SMS_TEST_SEED to repeat one. */
export const seed = Number(process.env["SMS_TEST_SEED"]);

export function drawing(from: number): (below: number) => number {
  let state = from >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
