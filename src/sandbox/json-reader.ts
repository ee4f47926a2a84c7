import { SmsError, usageError } from "../errors.ts";

/** Reads a value that came as JSON, or throws a usage error that names its place, and in a list its index. */
export type Reader<T> = (value: unknown, place: string, index: number) => T;

/** A reader for each member of an object. */
export type Shape<T> = { readonly [Member in keyof T]-?: Reader<T[Member]> };

/** An error that says what is wrong at that place. */
export function wrong(place: string, what: string): SmsError {
  return usageError("INVALID_CONFIG", place === "" ? what : `${place} ${what}`);
}

/** All that is wrong by such an error, a sentence each; throws what is not one. */
export function faultsOf(error: unknown): readonly string[] {
  if (!(error instanceof SmsError)) throw error;
  return error.details.length > 0 ? error.details : [error.message];
}

/** The members that an object has of a shape. Throws one error with all that is wrong, members that it does not know too. */
export function readMembers<T extends object>(shape: Shape<T>, value: unknown, place: string): Partial<T> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw wrong(place || "it", "must be an object");
  }
  const result: Partial<T> = {};
  const prefix = place === "" ? "" : `${place}.`;
  gather(Object.entries(value), ([name, member]) => {
    if (!isMember(shape, name)) {
      throw wrong(prefix + name, `is not known; there is ${Object.keys(shape).join(", ")}`);
    }
    result[name] = shape[name](member, prefix + name, 0);
  });
  return result;
}

/** A text that is not empty. */
export function text(value: unknown, place: string): string {
  if (typeof value === "string" && value !== "" && value.isWellFormed()) return value;
  throw wrong(place, "must be a text");
}

/** True or false. */
export function flag(value: unknown, place: string): boolean {
  if (typeof value === "boolean") return value;
  throw wrong(place, "must be true or false");
}

/** A number within bounds. */
export function amount(least: number, most: number, whole: boolean): Reader<number> {
  return (value, place) => {
    const fits = typeof value === "number" && value >= least && value <= most;
    if (fits && (!whole || Number.isInteger(value))) return value;
    throw wrong(place, `must be a ${whole ? "whole " : ""}number from ${least} to ${most}`);
  };
}

/** One of a few words. */
export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value, place) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw wrong(place, `must be ${words.join(" or ")}`);
  };
}

/** Null, or what the reader reads. */
export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, ...where) => (value === null ? null : read(value, ...where));
}

/** A list in which no two have the same of what `same` gives. */
export function listOf<T>(
  read: Reader<T>,
  least: number,
  ...same: ((one: T) => string)[]
): Reader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value) || value.length < least) {
      throw wrong(place, least === 0 ? "must be a list" : "must be a list that is not empty");
    }
    const list = gather(value, (one: unknown, index) => read(one, `${place}[${index}]`, index));
    for (const of of same) {
      const twin = list.findIndex((one, index) =>
        list.slice(0, index).some((other) => of(other) === of(one)),
      );
      if (twin !== -1) throw wrong(`${place}[${twin}]`, "is there twice");
    }
    return list;
  };
}

/** What `read` makes of each, or one error with what is wrong with all of them. */
function gather<From, To>(values: readonly From[], read: (value: From, index: number) => To): readonly To[] {
  const faults: string[] = [];
  const results = values.flatMap((value, index) => {
    try {
      return [read(value, index)];
    } catch (error) {
      faults.push(...faultsOf(error));
      return [];
    }
  });
  const [fault] = faults;
  if (fault !== undefined && faults.length === 1) throw usageError("INVALID_CONFIG", fault);
  if (fault !== undefined) {
    throw usageError("INVALID_CONFIG", `${faults.length} things are wrong`, undefined, faults);
  }
  return results;
}

function isMember<T extends object>(shape: T, name: string): name is keyof T & string {
  return Object.hasOwn(shape, name);
}
