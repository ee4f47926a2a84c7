import { afterAll } from "vitest";
import { endAll } from "./at-end.ts";

// A worker runs this before each file.
afterAll(endAll);
