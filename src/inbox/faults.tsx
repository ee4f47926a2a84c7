import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { faultList } from "../sandbox/fault-list.ts";
import type { ShownFaults } from "../sandbox/faults.ts";
import type { AccountSetup } from "../sandbox/setup.ts";
import type { Actions } from "./actions.ts";
import { sandboxCommand } from "./commands.ts";
import { type Account, load } from "./sandbox.ts";
import { CopyButton, count } from "./text.tsx";

const presets = {
  None: "none",
  Flaky: "500:5%,503:5%",
  "Lost answers": "reset-after:10%,hang:2%",
  Slow: "latency:500..3000",
  Down: "503:100%",
};
const resetQuestion = "Restore the setup of the start, and delete all messages and requests?";
const tiers = ["free", "starter", "professional"];
const [least, most] = ["Least latency in ms", "Most latency in ms"] as const;

/** The panel that changes faults and account of the sandbox. A change by others leaves what is typed here. */
export function Faults({ account, actions }: Readonly<{ account: Account | undefined; actions: Actions }>) {
  const [setup, setSetup] = useState<Readonly<{ account: AccountSetup; faults: ShownFaults }>>();
  const [problem, setProblem] = useState({ text: "" });
  const panel = useRef<HTMLElement>(null);
  const { credits, keys = [], tier } = setup?.account ?? {};
  const { faults = "none", seed } = setup?.faults ?? {};

  async function ask(): Promise<void> {
    try {
      setSetup({ account: await load("account"), faults: await load("faults") });
    } catch {
      // The sandbox has stopped, which the page shows already.
    }
  }

  async function change(what: "faults" | "account" | "reset", body?: object): Promise<void> {
    const answer = await actions.ask(`/_sandbox/${what}`, "POST", body);
    if (answer === undefined) return;
    setProblem({ text: answer.ok ? "" : (await answer.json()).error });
    if (!answer.ok) return;
    actions.say({ text: what === "reset" ? "The sandbox is as it was at its start" : "Applied" });
    await ask();
    // A field that was typed in follows its default again.
    panel.current?.querySelectorAll("form").forEach((form) => form.reset());
  }

  async function applyFaults(typed: FormData): Promise<void> {
    const [from, to] = [Number(typed.get(least)), Number(typed.get(most))];
    if (to !== 0 && to < from) {
      return setProblem({ text: `A latency from ${from} to ${to} ms: the second must not be less than the first` });
    }
    const shares = faultList.map(({ name }) => [name, Number(typed.get(shareOf(name)))] as const);
    const parts = shares.flatMap(([name, share]) => (share === 0 ? [] : [`${name}:${share}%`]));
    if (from + to !== 0) parts.push(`latency:${from}..${to === 0 ? from : to}`);
    await change("faults", { faults: parts.join() || "none", seed: numberOf(typed, "Seed") });
  }

  function applyAccount(typed: FormData): Promise<void> {
    const [next, left] = [typed.get("Tier"), numberOf(typed, "Credits")];
    // What is not typed may have changed since.
    return change("account", { ...(next !== tier && { tier: next }), ...(left !== credits && { credits: left }) });
  }

  useEffect(() => void ask(), [account?.keys, account?.balance, account?.faults, account?.seed]);
  useEffect(() => {
    if (problem.text !== "") panel.current?.querySelector(".problem")?.scrollIntoView({ block: "nearest" });
  }, [problem]);

  const command = setup === undefined ? "" : sandboxCommand(setup.account, setup.faults);
  const given = new Map(faults.split(",").map((part) => [part.trim().split(":")[0], part.split(":")[1] ?? ""]));
  const [from = "0", to = from] = (given.get("latency") ?? "0").split("..");
  const field = (label: string, value: string | number | undefined, max: number, text = "", step = "1") => (
    <label class="soft">
      {text}
      <input
        type="number"
        name={label}
        aria-label={label}
        min="0"
        max={max}
        step={step}
        defaultValue={setup && value}
      />
    </label>
  );
  return (
    <section id="faults" class="page" aria-labelledby="faults-title" tabIndex={-1} ref={panel}>
      <a class="back" href="#" aria-label="Back to messages">
        ‹
      </a>
      <h2 id="faults-title">Faults and account</h2>
      <p class="problem" role="alert">
        {problem.text}
      </p>
      <p class="actions">
        {Object.entries(presets).map(([name, preset]) => (
          <button aria-pressed={setup && faults === preset} onClick={() => change("faults", { faults: preset })}>
            {name}
          </button>
        ))}
      </p>
      <fieldset class="setup" disabled={setup === undefined}>
        <form noValidate onSubmit={(event) => applyFaults(typedIn(event))}>
          <Group legend="By the end of the number, or for a share of all sends, in %">
            <ul id="fault-list">
              {faultList.map(({ name, ending, does }) => (
                <li key={name}>
                  <b>{name}</b>
                  <code>{`…${ending}`}</code>
                  <span class="soft">{does}.</span>
                  {field(shareOf(name), parseFloat(given.get(name) ?? "0"), 100, "", "any")}
                  <button
                    type="button"
                    aria-label={`Send one now to …${ending}: ${name}`}
                    onClick={() => actions.send(ending)}
                  >
                    Send one now
                  </button>
                </li>
              ))}
            </ul>
          </Group>
          <Group legend="Latency of every answer in ms, and seed of the draws">
            {field(least, from, 600_000, "from")}
            {field(most, to, 600_000, "to")}
            {field("Seed", seed, 2 ** 32 - 1, "seed")}
            <button>Apply faults</button>
          </Group>
        </form>
        <form noValidate onSubmit={(event) => applyAccount(typedIn(event))}>
          <Group legend="Credits and tier">
            {field("Credits", credits, 1_000_000_000, "credits")}
            {tiers.map((name) => (
              <label class="soft">
                <input type="radio" name="Tier" value={name} defaultChecked={name === tier} />
                {name}
              </label>
            ))}
            <button>Apply</button>
          </Group>
        </form>
        {account && (
          <p id="plan" class="soft">
            {`${count(account.rate, "request")} a minute · sender IDs: ${account.senders.join(", ")}`}
          </p>
        )}
        <Group legend="Keys">
          <ul>
            {keys.map(({ key, revoked }) => {
              const act = revoked ? "Restore" : "Revoke";
              const changed = keys.map((one) => (one.key === key ? { ...one, revoked: !revoked } : one));
              return (
                <li key={key} class={revoked ? "revoked" : ""}>
                  <code>{key}</code>{" "}
                  <button aria-label={`${act} ${key}`} onClick={() => change("account", { keys: changed })}>
                    {act}
                  </button>
                </li>
              );
            })}
          </ul>
        </Group>
      </fieldset>
      <h3>The same from the command line</h3>
      <pre id="command" tabIndex={0}>
        {command}
      </pre>
      <p class="actions">
        <CopyButton label="Copy command" text={() => command} />
        <button onClick={() => confirm(resetQuestion) && change("reset")}>Reset the sandbox</button>
      </p>
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

function typedIn(event: TargetedSubmitEvent<HTMLFormElement>): FormData {
  event.preventDefault();
  return new FormData(event.currentTarget);
}

function shareOf(name: string): string {
  return `Share of ${name} in percent`;
}

function numberOf(typed: FormData, label: string): number {
  const value = typed.get(label);
  return typeof value === "string" ? parseFloat(value) : NaN;
}
