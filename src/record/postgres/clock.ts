import type { Machine } from "../../host.ts";

/** `now()` stops while the machine sleeps, and somebody may set the other back. */
export function clockHere({ now, wallClock }: Machine): number {
  return Math.floor(Math.max(now(), wallClock()));
}

/** The server may be a while away, so a clock that differs by less than a second is right. */
const clockError = (parameter: string) => `(select case when abs(error) < 1000 then 0 else error end
  from (select (extract(epoch from clock_timestamp()) * 1000)::bigint - ${parameter}::bigint as error) as clock)`;

/** What a machine says that its clock shows is the parameter; `time` is of the same clock, in milliseconds. */
export const serverTime = (time: string, parameter: string) => `(${time} + ${clockError(parameter)})`;
