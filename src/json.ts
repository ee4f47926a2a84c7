export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

type Predicate = (value: unknown) => boolean;

export const isText = (value: unknown): value is string => typeof value === "string";

export const isNumber = (value: unknown): value is number => typeof value === "number";

export const isTextOrNull = (value: unknown): value is string | null => value === null || isText(value);

export const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

export const isDate = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value));

export function oneOf(...allowed: readonly unknown[]): Predicate {
  return (value) => allowed.includes(value);
}

export function optional(check: Predicate): Predicate {
  return (value) => value === undefined || check(value);
}

export function byName(check: Predicate): Predicate {
  return (value) => isObject(value) && Object.values(value).every(check);
}

/** A later version may have added members, so others are ignored. */
export function shape<Value>(
  members: Readonly<Record<keyof Value, Predicate> & Record<string, Predicate>>,
): (value: unknown) => value is Value {
  const checks = Object.entries<Predicate>(members);
  return (value): value is Value => {
    if (!isObject(value)) return false;
    for (const [name, check] of checks) if (!check(value[name])) return false;
    return true;
  };
}
