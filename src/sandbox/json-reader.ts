import { isObject } from "../message/json.ts";
import { SmsError, usageError } from "../errors.ts";

/** Reads a JSON value. Throws a usage error that names `place`, such as `keys[0].ips`. */
export type Reader<T> = (value: unknown, place: string, index: number) => T;

/** A reader for each member of an object. */
export type Shape<T> = { readonly [Member in keyof T]-?: Reader<T[Member]> };

/** A usage error `INVALID_CONFIG` about the value at `place`. */
export function invalid(place: string, problem: string): SmsError {
  return usageError("INVALID_CONFIG", place === "" ? problem : `${place} ${problem}`);
}

/** The sentences of an `SmsError`; rethrows any other error. */
export function problemsOf(error: unknown): readonly string[] {
  if (!(error instanceof SmsError)) throw error;
  return error.details.length > 0 ? error.details : [error.message];
}

/** Reads the members of an object. Throws one error with all problems, unknown members included. */
export function readMembers<T extends object>(shape: Shape<T>, value: unknown, place: string): Partial<T> {
  if (!isObject(value)) throw invalid(place || "it", "must be an object");
  const result: Partial<T> = {};
  const prefix = place === "" ? "" : `${place}.`;
  gather(Object.entries(value), ([name, member]) => {
    if (!isMember(shape, name)) {
      throw invalid(prefix + name, `is unknown; use ${Object.keys(shape).join(", ")}`);
    }
    result[name] = shape[name](member, prefix + name, 0);
  });
  return result;
}

/** Reads a string that is not empty. */
export function text(value: unknown, place: string): string {
  if (typeof value === "string" && value !== "" && value.isWellFormed()) return value;
  throw invalid(place, "must be a string that is not empty");
}

export function flag(value: unknown, place: string): boolean {
  if (typeof value === "boolean") return value;
  throw invalid(place, "must be true or false");
}

/** Reads a number from `min` to `max`. */
export function amount(min: number, max: number, whole: boolean): Reader<number> {
  return (value, place) => {
    const fits = typeof value === "number" && value >= min && value <= max;
    if (fits && (!whole || Number.isInteger(value))) return value;
    throw invalid(place, `must be a ${whole ? "whole " : ""}number from ${min} to ${max.toLocaleString("en")}`);
  };
}

export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value, place) => {
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw invalid(place, `must be ${words.join(" or ")}`);
  };
}

export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, ...where) => (value === null ? null : read(value, ...where));
}

/** Reads an array of at least `min` items that differ in each of `keys`. */
export function listOf<T>(read: Reader<T>, min: number, ...keys: ((item: T) => string)[]): Reader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value) || value.length < min) {
      throw invalid(place, min === 0 ? "must be a list" : "must be a list that is not empty");
    }
    const list = gather(value, (item: unknown, index) => read(item, `${place}[${index}]`, index));
    for (const key of keys) {
      const values = list.map(key);
      const duplicate = values.findIndex((one, index) => values.indexOf(one) < index);
      if (duplicate !== -1) throw invalid(`${place}[${duplicate}]`, "is given twice");
    }
    return list;
  };
}

/** Reads all values, or throws one error with the problems of all of them. */
function gather<From, To>(values: readonly From[], read: (value: From, index: number) => To): readonly To[] {
  const problems: string[] = [];
  const results = values.flatMap((value, index) => {
    try {
      return [read(value, index)];
    } catch (error) {
      problems.push(...problemsOf(error));
      return [];
    }
  });
  const [problem, another] = problems;
  if (problem === undefined) return results;
  if (another === undefined) throw usageError("INVALID_CONFIG", problem);
  throw usageError("INVALID_CONFIG", `${problems.length} problems`, undefined, problems);
}

function isMember<T extends object>(shape: T, name: string): name is keyof T & string {
  return Object.hasOwn(shape, name);
}
