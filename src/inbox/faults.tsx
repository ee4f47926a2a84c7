import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ShownFaults } from "../sandbox/faults.ts";
import type { AccountSetup } from "../sandbox/setup.ts";
import { Button, CopyButton, Link } from "./buttons.tsx";
import { sandboxCommand } from "./commands.ts";
import { load as ask } from "./sandbox.ts";

const names = ["400", "401", "402", "403", "429", "500", "502", "503"].concat(
  ["reset-before", "reset-after", "hang", "garbage", "cut-body"], // docs/sandbox.md says what each does.
);
const presets = {
  None: "none",
  Flaky: "500:5%,503:5%",
  "Lost answers": "reset-after:10%,hang:2%",
  Slow: "latency:500..3000",
  Down: "503:100%",
};
const [least, most] = ["Least latency in ms", "Most latency in ms"] as const;

/** What is typed, by the label of its field. */
type Typed = Readonly<Record<string, string>>;

/** The panel that changes faults and account of the sandbox; `version` counts the changes of both by anyone. */
export function Faults({ balance, version }: Readonly<{ balance: number | undefined; version: number }>) {
  const [setup, setSetup] = useState<Readonly<{ account: AccountSetup; faults: ShownFaults }>>();
  const [typed, setTyped] = useState<Typed>({});
  const [problem, setProblem] = useState({ text: "" });

  async function load(): Promise<void> {
    const [account, faults] = await Promise.all([ask("account"), ask("faults")]);
    setSetup({ account, faults });
    const loaded = fieldsOf(account, faults);
    // A field that somebody types in stays.
    const focused = document.activeElement?.getAttribute("aria-label") ?? "";
    setTyped((before) => ({ ...loaded, ...(focused in loaded && { [focused]: before[focused] ?? "" }) }));
  }

  async function change(what: "faults" | "account" | "reset", body?: object): Promise<void> {
    const answer = await fetch(`/_sandbox/${what}`, { method: "POST", ...(body && { body: JSON.stringify(body) }) });
    setProblem({ text: answer.ok ? "" : (await answer.json()).error });
    if (answer.ok) await load();
  }

  function applyAccount(): Promise<void> {
    const [tier, credits] = [typed["Tier"], numberOf(typed, "Credits")];
    return change("account", {
      ...(setup?.account.tier !== tier && { tier }),
      ...(setup?.account.credits !== credits && { credits }),
    });
  }

  // It fails only if the sandbox has stopped, which the page shows already.
  useEffect(() => void load().catch(() => {}), [version]);
  useEffect(() => {
    if (setup === undefined || balance === undefined || balance === setup.account.credits) return;
    // A message was charged.
    setSetup({ ...setup, account: { ...setup.account, credits: balance } });
    if (numberOf(typed, "Credits") === setup.account.credits) setTyped({ ...typed, Credits: String(balance) });
  }, [balance]);

  useEffect(() => {
    if (problem.text !== "") document.querySelector("#faults .problem")?.scrollIntoView({ block: "nearest" });
  }, [problem]);

  const keys = setup?.account.keys ?? [];
  const command = setup === undefined ? "" : sandboxCommand(setup.account, setup.faults);
  const field = (text: string, label: string, max: number, step = "1") => (
    <label class="soft">
      <span>{text}</span>
      <input
        type="number"
        aria-label={label}
        min="0"
        max={max}
        step={step}
        value={typed[label] ?? "0"}
        onInput={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, [label]: value }))}
      />
    </label>
  );
  return (
    <section id="faults" class="page" aria-labelledby="faults-title" tabIndex={-1}>
      <Link class="back" href="#" aria-label="Back to messages" label="‹" />
      <h2 id="faults-title">Faults and account</h2>
      <p class="problem" role="alert">
        {problem.text}
      </p>
      <p class="actions">
        {Object.entries(presets).map(([name, faults]) => (
          <Button label={name} onClick={() => change("faults", { faults })} />
        ))}
      </p>
      <Group legend="Share of sends in %">{names.map((name) => field(name, shareOf(name), 100, "any"))}</Group>
      <Group legend="Latency in ms, and seed">
        {[field("from", least, 600_000), field("to", most, 600_000), field("seed", "Seed", 2 ** 32 - 1)]}
      </Group>
      <p class="actions">
        <Button
          label="Apply faults"
          onClick={() => change("faults", { faults: faultsOf(typed), seed: numberOf(typed, "Seed") })}
        />
      </p>
      <Group legend="Account">
        {field("credits", "Credits", 1_000_000_000)}
        <label class="soft">
          <span>tier</span>
          <select
            aria-label="Tier"
            value={typed["Tier"] ?? "free"}
            onChange={({ currentTarget: { value } }) => setTyped((before) => ({ ...before, Tier: value }))}
          >
            {["free", "starter", "professional"].map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
        <Button label="Apply" onClick={applyAccount} />
      </Group>
      <Group legend="Keys">
        <ul>
          {keys.map(({ key, revoked }) => {
            const act = revoked ? "Restore" : "Revoke";
            const changed = keys.map((one) => (one.key === key ? { ...one, revoked: !revoked } : one));
            return (
              <li key={key} class={revoked ? "revoked" : ""}>
                <code>{key}</code>{" "}
                <Button aria-label={`${act} ${key}`} label={act} onClick={() => change("account", { keys: changed })} />
              </li>
            );
          })}
        </ul>
      </Group>
      <h3>The same from the command line</h3>
      <pre id="command" tabIndex={0}>
        {command}
      </pre>
      <p class="actions">
        <CopyButton label="Copy command" text={() => command} />
        <Button label="Reset the sandbox" onClick={() => change("reset")} />
      </p>
      <p class="note soft">A reset restores the setup of the start and deletes all messages and requests.</p>
    </section>
  );
}

function Group({ legend, children }: Readonly<{ legend: string; children: ComponentChildren }>) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

function shareOf(name: string): string {
  return `Share of ${name} in percent`;
}

function numberOf(typed: Typed, label: string): number {
  return parseFloat(typed[label] ?? "");
}

function fieldsOf({ credits, tier }: AccountSetup, { faults, seed }: ShownFaults): Typed {
  const given = new Map(faults.split(",").map((part) => [part.trim().split(":")[0], part.split(":")[1] ?? ""]));
  const [from = "0", to = from] = (given.get("latency") ?? "0").split("..");
  const shares = names.map((name) => [shareOf(name), String(parseFloat(given.get(name) ?? "0"))]);
  const others = { [least]: from, [most]: to, Seed: String(seed), Credits: String(credits), Tier: tier };
  return { ...Object.fromEntries(shares), ...others };
}

function faultsOf(typed: Typed): string {
  const shares = names.map((name) => [name, Number(typed[shareOf(name)])] as const).filter(([, share]) => share !== 0);
  const [from, to] = [Number(typed[least]), Math.max(Number(typed[least]), Number(typed[most]))];
  return (
    [...shares.map(([name, share]) => `${name}:${share}%`), ...(to > 0 ? [`latency:${from}..${to}`] : [])].join() ||
    "none"
  );
}
