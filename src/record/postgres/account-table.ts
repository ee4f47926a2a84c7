import { accountKeeper } from "../account.ts";
import type { Database } from "./database.ts";

const reading = "select notes from sms.account where payer = $1";

const adding = `
insert into sms.account (payer, notes) values ($1, $2)
  on conflict (payer) do update set notes = account.notes || excluded.notes`;

export function postgresAccount({ query }: Pick<Database, "query">) {
  return accountKeeper(
    async (credentials) => (await query<{ notes: unknown }>(reading, [credentials]))[0]?.notes,
    (credentials, standing) => query(adding, [credentials, JSON.stringify(standing)]),
  );
}
