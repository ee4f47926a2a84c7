/** Colours by what they mean; each gives the text back unchanged where colours are not wanted. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly faint: (text: string) => string;
}

export const noPaint: Paint = { good: same, bad: same, doubtful: same, faint: same };

/** The colours for one stream. The library is loaded only where there is something to colour. */
export async function paintFor(hasColor: boolean): Promise<Paint> {
  if (!hasColor) return noPaint;
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  return { good: chalk.green, bad: chalk.red, doubtful: chalk.yellow, faint: chalk.dim };
}

function same(text: string): string {
  return text;
}
