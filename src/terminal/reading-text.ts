import { plural } from "../words/count.ts";

interface InputProgress {
  readonly name: string;
  readonly share?: () => number;
}

export function readingText({ name, share }: InputProgress, rows = 0): string {
  const counts = [rows > 0 ? plural(rows, "row") : "", share ? `${Math.floor(100 * share())} %` : ""];
  const progress = counts.filter((count) => count !== "").join(", ");
  return progress === "" ? `Reading ${name}` : `Reading ${name}: ${progress}`;
}
