import { describe, expect, it } from "vitest";
import { SmsError } from "../../src/errors.ts";
import { accept } from "../support/scripts.ts";
import { begunRun, drafts, outcomesOf, sendRun } from "./running.ts";
import { serve } from "./service.ts";

describe("a journal that cannot be written", () => {
  it.each([
    ["an intent's flush", 2],
    ["a later flush", 4],
  ])("ends the run at once at %s, names the file, and leaves the rest in doubt", async (_, failing) => {
    const server = await serve(accept());
    const files = await begunRun(drafts(50));
    let flushes = 0;
    const ended = await sendRun(files, server.url, {
      inFlight: 1,
      through: (file) => ({
        ...file,
        datasync: async () => {
          if (++flushes === failing) throw Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
          await file.datasync();
        },
      }),
    });
    expect(ended.error).toBeInstanceOf(SmsError);
    expect(ended.error).toMatchObject({ kind: "incomplete", errorCode: "RUN_NOT_RECORDED" });
    expect(String(ended.error)).toContain(files.journal);
    const { accepted, uncertain, pending } = ended.tally;
    expect(accepted + uncertain + pending).toBe(50);
    expect(uncertain).toBeGreaterThan(0);
    expect(server.requests.length).toBeLessThanOrEqual(accepted + uncertain);
    expect(flushes).toBe(failing);
    const again = await sendRun(files, server.url, { inFlight: 1 });
    expect(again.tally).toMatchObject({ uncertain, accepted: 50 - uncertain });
    expect(new Set(server.sent()).size).toBe(server.requests.length);
  });

  it("shows each outcome once, as the service gave it", async () => {
    const server = await serve(accept());
    let writes = 0;
    const ended = await sendRun(await begunRun(drafts(50)), server.url, {
      through: (file) => ({
        ...file,
        write: (bytes) => {
          if (++writes === 4)
            throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
          return file.write(bytes);
        },
      }),
    });
    expect(ended.error).toMatchObject({ errorCode: "RUN_NOT_RECORDED" });
    const settled = ended.events.filter(({ kind }) => kind === "settled");
    expect(settled).toHaveLength(Object.keys(outcomesOf(settled)).length);
    const accepted = Object.values(outcomesOf(settled)).filter((outcome) => outcome === "accepted");
    expect(accepted).toHaveLength(server.requests.length);
  });
});
