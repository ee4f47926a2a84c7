export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly strong: (text: string) => string;
  /** Stands before what costs money and reaches phones. */
  readonly charged: (text: string) => string;
}

export const noPaint: Paint = {
  good: String,
  bad: String,
  doubtful: String,
  faint: String,
  strong: String,
  charged: String,
};

export async function paintFor(hasColor: boolean): Promise<Paint> {
  if (!hasColor) return noPaint;
  const { Chalk } = await import("chalk");
  const chalk = new Chalk({ level: 1 });
  return {
    good: chalk.green,
    bad: chalk.red,
    // Nobody can read yellow on white.
    doubtful: chalk.magenta,
    faint: chalk.dim,
    strong: chalk.bold,
    charged: chalk.bold.red,
  };
}
