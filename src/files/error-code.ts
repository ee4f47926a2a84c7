/** The system's code of an error, as in `ENOENT`; the whole error as text where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
