/** How many trials a test makes: few of a newcomer, more where CI is set, any number by a variable of this name. */
export function trials(name: string, few: number, more: number): number {
  return Number(process.env[name] ?? (process.env["CI"] ? more : few));
}
