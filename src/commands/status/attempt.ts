import { SmsError } from "../../errors.ts";

/** Returns what the work returns, or the error that it throws, unless that is a signal. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | SmsError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SmsError && error.errorCode !== "INTERRUPTED") return error;
    throw error;
  }
}
