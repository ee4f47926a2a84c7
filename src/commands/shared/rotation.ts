import { rotationWarning } from "../../core/key.ts";
import type { Presenter } from "../../output/presenter.ts";

/** Warns that a key is due for rotation, from day 76 of its age on. */
export function warnOfRotation(name: string, ageDays: number, profile: string | undefined, presenter: Presenter): void {
  const warning = rotationWarning(name, ageDays, profile);
  if (warning !== undefined) presenter.warn(warning);
}
