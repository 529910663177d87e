import type { Run } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { startServer } from "../../running-server.ts";
import { sendTraces } from "../traces/sent-trace.ts";
import { withPlatform } from "../with-platform.ts";

const { open, platform, registry } = withPlatform(startServer);

interface Call {
  readonly case: string;
  readonly column?: string;
  readonly trial?: number;
  readonly output?: string;
  readonly value?: number;
  readonly trace?: string | undefined;
}

function result({ case: id, column = "candidate", trial, output, value, trace }: Call): object {
  const item = { column, case: id, trial, trace_id: trace, latency_ms: 120, cost: 0.002 };
  if (output === undefined) return { ...item, status: "error", error: "429 Too Many Requests" };
  const score =
    value === undefined
      ? { name: "right", status: "failed", error: "The judge gave no number." }
      : { name: "right", value, explanation: `Judged as ${value}.` };
  return { ...item, status: "ok", output, scores: [score] };
}

async function startRun(
  id: string,
  { columns = ["candidate", "baseline"], trials = 1 }: { columns?: string[]; trials?: number } = {},
) {
  await registry("POST", "/runs", {
    id,
    application: "tickets",
    evaluation: "labels",
    testset: { kind: "inline" },
    scorers: [{ name: "right" }],
    trials,
    columns: columns.map((name) => ({ name, ref: `prompt of ${name}` })),
    gate: { scores: { right: { min: 0.2, notWorseBy: 0.05 } }, errors: { share: 0.5 } },
  });
  await registry("POST", `/runs/${id}/cases`, {
    cases: ["refund", "login", "slow"].map((each) => ({
      id: each,
      inputs: { text: `About a ${each}.` },
      expected: "billing",
    })),
  });
}

const add = (run: string, calls: readonly Call[]) =>
  registry("POST", `/runs/${run}/results`, { results: calls.map(result) });

describe("a run", () => {
  it("is followed while it runs, then shows its verdict and what got worse", async () => {
    const [trace] = await sendTraces(platform().url, [{ name: "answer", application: "tickets" }]);
    await using web = await open("/runs");
    const { page } = web;
    await page.getByRole("heading", { name: "No runs yet" }).waitFor();
    await web.expectAccessible();

    await startRun("ci-1");
    await add("ci-1", [
      { case: "refund", output: "sales team", value: 0, trace: trace?.traceId },
      { case: "refund", column: "baseline", output: "billing team", value: 1 },
    ]);
    await web.open("/runs");
    const list = page.getByRole("list", { name: "Runs" });
    await list.getByText("2 of 6 calls").waitFor();
    await page.getByRole("link", { name: "labels ci-1" }).click();
    await page.getByText("2 of 6 calls").waitFor();

    // The page asks again by itself.
    await add("ci-1", [
      { case: "login", output: "support", value: 1 },
      { case: "login", column: "baseline", output: "support", value: 1 },
      { case: "slow" },
      { case: "slow", column: "baseline", output: "billing" },
    ]);
    await registry("POST", "/runs/ci-1/finish");
    const gates = page.getByRole("list", { name: "Gates" });
    await gates.getByText("about").waitFor();
    await gates.getByText("mean of at least 0.2").waitFor();
    await gates.getByText("1 of 3").waitFor();
    const scores = page.getByRole("region", { name: "Scores", exact: true });
    await scores.getByRole("row", { name: /right candidate 0.500 −0.500 \[.*\] 0 1/ }).waitFor();
    await scores.getByRole("row", { name: /right baseline 1.000/ }).waitFor();
    await web.expectAccessible();

    const cases = page.getByRole("list", { name: "Cases" });
    await cases.getByRole("button", { name: "slow" }).click();
    await cases.getByText("The call failed: 429 Too Many Requests").waitFor();
    await cases.getByText("The judge gave no number.").waitFor();
    await page.getByRole("checkbox", { name: "Only what got worse" }).check();
    await cases.getByRole("button", { name: "login" }).waitFor({ state: "detached" });
    await cases.getByRole("button", { name: "refund" }).click();
    await cases.getByText("Judged as 0.").waitFor();
    await cases.getByRole("deletion").or(cases.locator("del")).first().waitFor();
    await web.expectAccessible();
    await web.look({ width: 390, theme: "dark" });
    await web.expectNoOverflow();
    await web.expectAccessible();
    await web.look({ width: 1280, theme: "light" });
    await cases.getByRole("link", { name: "Trace of candidate" }).click();
    await page.getByRole("heading", { level: 1, name: "answer" }).waitFor();
    web.expectNoFaults();
  });

  it("is filtered, charted over runs, stopped and deleted", async () => {
    for (const [id, value] of [
      ["old", 0.25],
      ["new", 0.75],
    ] as const) {
      await startRun(id, { columns: ["candidate"] });
      await add(
        id,
        ["refund", "login", "slow"].map((each) => ({ case: each, output: "billing", value })),
      );
      await registry("POST", `/runs/${id}/finish`);
    }
    await startRun("open", { trials: 2 });
    await add("open", [
      { case: "login", trial: 1, output: "second", value: 1 },
      { case: "login", trial: 0, output: "first" },
    ]);
    await using web = await open("/runs");
    const { page } = web;
    await page.getByRole("combobox", { name: "Application" }).selectOption("tickets");
    await page.getByRole("combobox", { name: "Evaluation" }).selectOption("labels");
    await page.getByRole("img", { name: /right from the oldest.* 0.250, 0.750$/ }).waitFor();
    await page.getByRole("list", { name: "Runs" }).getByText("Running").waitFor();
    await web.expectAccessible();
    await web.look({ width: 390, theme: "dark" });
    await web.expectNoOverflow();
    await web.expectAccessible();
    await web.look({ width: 1280, theme: "light" });

    await page.getByRole("link", { name: "labels open" }).click();
    const cases = page.getByRole("list", { name: "Cases" });
    // Of two trials one has a value: the mean is that one, and no 0 goes into it.
    await cases.getByText("candidate 1.000, 1 failed").waitFor();
    await cases.getByRole("button", { name: "login" }).click();
    const trials = cases.getByRole("heading", { name: /^Trial/ });
    await trials.first().waitFor();
    expect(await trials.allTextContents()).toEqual(["Trial 1", "Trial 2"]);
    await page.getByRole("button", { name: "Stop" }).click();
    const dialog = page.getByRole("dialog");
    await web.expectAccessible();
    await dialog.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped on the page.").waitFor();
    expect((await registry<Run>("GET", "/runs/open")).status).toBe("stopped");
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Deleted open.").waitFor();
    await page.getByRole("link", { name: "labels new" }).waitFor();
    const { items } = await registry<{ items: readonly Run[] }>("GET", "/runs");
    expect(items.map(({ id }) => id)).not.toContain("open");
    web.expectNoFaults();
  });
});
