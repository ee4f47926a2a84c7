import { plural } from "../words/count.ts";
import { causes, mostOfReason, placesText } from "./row.ts";

/** Possible numbers in no range known to be in use, which may not exist. */
export class UnassignedNumbers {
  #count = 0;
  #first: string | undefined;
  readonly #places: string[] = [];

  add(to: string, place?: string): void {
    this.#count++;
    this.#first ??= to;
    if (place !== undefined && this.#places.length < mostOfReason) this.#places.push(place);
  }

  /** Undefined if there are none. */
  get name(): string | undefined {
    return this.#count > 1 ? `${plural(this.#count, "number")} such as ${this.#first}` : this.#first;
  }

  /** One text, or none. */
  texts(): readonly string[] {
    const { name } = this;
    if (name === undefined) return [];
    const where = this.#places.length === 0 ? "" : `: ${placesText(this.#places, this.#count)}`;
    return [`${name} ${this.#count === 1 ? "is" : "are"} ${causes.unassigned}${where}`];
  }
}
