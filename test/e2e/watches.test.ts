import { describe, expect, it } from "vitest";
import { foldersIn, temporaryFolder } from "../support/folders.ts";
import { needs } from "../support/needs.ts";
import { usePostgres } from "../support/postgres.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { runSms } from "../support/sms.ts";

const notSent = { "was refused": answer(400, { success: false, error: "no" }), "can go later": answer(401, {}) };
const kinds = { folder: needs("CI to be set"), database: needs("PostgreSQL", "CI to be set") } as const;

/** Two texts of each watch: the first line at once, and the rest at the end. */
const stdin = "ERROR a\nERROR b\n";

describe.each(Object.entries(kinds))("watches whose record is in a %s", (kind, needed) => {
  describe("for one number", needed, () => {
    const postgres = kind === "folder" ? undefined : usePostgres();
    const newEnvironment = (url: string) => ({
      ...foldersIn(temporaryFolder()),
      ...(postgres && { SMS_RECORD: postgres.newRecord() }),
      SMS_BASE_URL: url,
      SMS_API_KEY: "sk_live_abc",
    });

    it.each([2, 4])("never pass --at-most together: %i at once", { timeout: 60_000 }, async (count) => {
      const server = await startScriptedServer({
        onRequest: (...request) => void setTimeout(() => accept()(...request), 300),
      });
      const env = newEnvironment(server.url);
      const args = ["watch", "--to", "+254712345678", "--at-most", "3/1h"];

      const ends = await Promise.all(Array.from({ length: count }, () => runSms(args, { env, stdin })));

      expect(server.requests).toHaveLength(3);
      const untold = ends.filter(({ stderr }) => stderr.includes("--at-most 3/1h allows no more"));
      expect(untold.length).toBeGreaterThan(0);
      expect(new Set(untold.map(({ code }) => code))).toEqual(new Set([11]));
      // The next one waits as well, and says so.
      expect(await runSms(args, { env, stdin: "x\n" })).toMatchObject({ code: 11, stdout: "" });
    });

    it.each(Object.entries(notSent))(
      "give back the place of a text that %s",
      { timeout: 60_000 },
      async (_, refuse) => {
        let answers = 0;
        const server = await startScriptedServer({
          onRequest: (...request) => (answers++ === 0 ? refuse : accept())(...request),
        });
        const env = newEnvironment(server.url);
        const watch = () => runSms(["watch", "--to", "+254712345678", "--at-most", "1/1h"], { env, stdin: "x\n" });

        expect([(await watch()).code, (await watch()).code, (await watch()).code]).toEqual([11, 0, 11]);
        expect(server.requests).toHaveLength(2);
      },
    );
  });
});
