import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useRef } from "preact/hooks";
import { faultList } from "../sandbox/fault-list.ts";
import type { Actions } from "./actions.ts";
import type { Account } from "./sandbox.ts";
import { count, kes } from "./text.tsx";

const presets = {
  None: "none",
  Flaky: "500:5%,503:5%",
  "Lost answers": "reset-after:10%,hang:2%",
  Slow: "latency:500..3000",
  Down: "503:100%",
};
const resetQuestion = "Restore the setup of the start, and delete all messages and requests?";
const [least, most] = ["Least latency in ms", "Most latency in ms"] as const;

type FaultsProps = Readonly<{
  account: Account | undefined;
  actions: Actions;
  totals: Readonly<{ credits: number; costKes: number }>;
}>;

/** The panel that changes faults and account of the sandbox. A change by others leaves what is typed here. */
export function Faults({ account, actions, totals }: FaultsProps) {
  const panel = useRef<HTMLElement>(null);
  const { balance, faults = "none", rate = 0, senders = [] } = account ?? {};

  async function change(what: "faults" | "account" | "reset", body?: object): Promise<void> {
    const answer = await actions.ask(`/_sandbox/${what}`, "POST", body);
    if (answer === undefined) return;
    if (!answer.ok) return actions.say({ text: (await answer.json()).error });
    actions.say({ text: what === "reset" ? "The sandbox is as it was at its start" : "Applied" });
    // A field that was typed in follows its default again.
    panel.current?.querySelectorAll("form").forEach((form) => form.reset());
  }

  function applyFaults(typed: FormData): Promise<void> {
    const shares = faultList.map(({ name }) => [name, numberOf(typed, shareOf(name)) || 0] as const);
    const parts = shares.flatMap(([name, share]) => (share === 0 ? [] : [`${name}:${share}%`]));
    const [from, to] = [numberOf(typed, least) || 0, numberOf(typed, most) || 0];
    if (from + to !== 0) parts.push(`latency:${from}..${to === 0 ? from : to}`);
    return change("faults", { faults: parts.join() || "none" });
  }

  function applyAccount(typed: FormData): Promise<void> {
    return change("account", { credits: numberOf(typed, "Credits") });
  }

  const given = new Map(faults.split(",").map((part) => [part.trim().split(":")[0], part.split(":")[1] ?? ""]));
  const [from = "0", to = from] = (given.get("latency") ?? "0").split("..");
  const field = (label: string, value: string | number | undefined, max: number, text = "") => (
    <label class="soft">
      {text}
      <input
        type="number"
        name={label}
        aria-label={label}
        min="0"
        max={max}
        step="any"
        defaultValue={account && value}
      />
    </label>
  );
  return (
    <section id="faults" class="page" aria-labelledby="faults-title" tabIndex={-1} ref={panel}>
      <a class="back" href="#" aria-label="Back to messages">
        ‹
      </a>
      <h2 id="faults-title">Faults and account</h2>
      <fieldset disabled={account === undefined}>
        <p class="actions">
          {Object.entries(presets).map(([name, preset]) => (
            <button aria-pressed={account && faults === preset} onClick={() => change("faults", { faults: preset })}>
              {name}
            </button>
          ))}
        </p>
        <form noValidate onSubmit={(event) => applyFaults(typedIn(event))}>
          <Group legend="By the end of the number, or for a share of all sends, in %">
            <ul id="fault-list">
              {faultList.map(({ name, ending, does }) => (
                <li key={name}>
                  <b>{name}</b>
                  <code>{`…${ending}`}</code>
                  <span class="soft">{does}.</span>
                  {field(shareOf(name), parseFloat(given.get(name) ?? "0"), 100)}
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
          <Group legend="Latency of every answer in ms">
            {field(least, from, 600_000, "from")}
            {field(most, to, 600_000, "to")}
            <button>Apply faults</button>
          </Group>
        </form>
        <form noValidate onSubmit={(event) => applyAccount(typedIn(event))}>
          <Group legend="Credits">
            {field("Credits", balance, 1_000_000_000, "credits")}
            <button>Apply</button>
          </Group>
        </form>
        <p class="soft">{`Charged: ${count(totals.credits, "credit")} · ${kes(totals.costKes)}`}</p>
        <p class="soft">{`${count(rate, "request")} a minute · sender IDs: ${senders.join(", ")}`}</p>
      </fieldset>
      <button onClick={() => confirm(resetQuestion) && change("reset")}>Reset the sandbox</button>
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
