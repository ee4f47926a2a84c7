/** The seed of the property tests: drawn for each run of the suite, or SMS_TEST_SEED to repeat one. */
export const seed = Number(process.env["SMS_TEST_SEED"]);
