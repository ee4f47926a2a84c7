import { describe } from "vitest";
import { readRecordAddress } from "../../../src/record/postgres/address.ts";
import { openDatabase } from "../../../src/record/postgres/database.ts";
import { postgresRuns } from "../../../src/record/postgres/runs-table.ts";
import type { RunKeeper } from "../../../src/record/runs.ts";
import { machine } from "../../files/this-process.ts";
import { needs } from "../../support/needs.ts";
import { usePostgres } from "../../support/postgres.ts";
import { accountSuite } from "../account-suite.ts";
import { costsSuite } from "../costs-suite.ts";
import { historySuite } from "../history-suite.ts";
import { onceSuite } from "../once-suite.ts";
import { optOutsSuite } from "../opt-outs-suite.ts";
import { describeRuns } from "../runs-suite.ts";

describe("a record in PostgreSQL", needs("PostgreSQL", "CI to be set"), () => {
  const { newRecord } = usePostgres();
  const keeper = { newPlace: () => newRecord() };
  onceSuite(keeper);
  optOutsSuite(keeper);
  historySuite(keeper);
  accountSuite(keeper);
  costsSuite(keeper);
  describeRuns("a database", () => {
    const address = readRecordAddress(newRecord());
    const sessions = new Map<number, RunKeeper>();
    const open = (pid: number) => postgresRuns(openDatabase(address, pid), machine);
    return (pid = process.pid) => {
      const session = sessions.get(pid) ?? open(pid);
      sessions.set(pid, session);
      return session;
    };
  });
});
