import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import { type Ended, runAgate } from "../run-agate.ts";
import { type RunningServer, startServer } from "../running-server.ts";

/** A trace of so many searches, each as long as a span may record, has more than 10 MiB. */
const LONG = { searches: 12, length: 1_000_000 };
/** The process of a call collects up to 10,000 spans of its trace. */
const MOST_SPANS = 10_000;

const APP = `import { appendFileSync } from "node:fs";
import * as ag from "@agate/sdk";
class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
const search = ag.instrument({ name: "search", kind: "TOOL" })(async (length: number) => "x".repeat(length));
const ask = ag.instrument({ name: "ask", kind: "LLM" })(async (cost: number | undefined) => {
  if (cost !== undefined) ag.tracing.storeMetrics({ cost });
});
export const echo = ag.route("/echo", EchoConfig)(async ({ text }: { text: string }, { config }) => {
  appendFileSync("calls.txt", text + "\\n");
  await ask(text.startsWith("unknown") ? undefined : 0.25);
  const [searches, length] = { long: [${LONG.searches}, ${LONG.length}], many: [${MOST_SPANS}, 1] }[text] ?? [1, 5];
  for (let n = 0; n < searches; n++) await search(length);
  return { text: config.prefix + text };
});
`;

let folder: UserFolder;
let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
  folder = await makeFolder({
    "package.json": { name: "echo", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": APP,
  });
  await installSdk(folder.path);
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

interface Declared {
  readonly texts: readonly string[];
  readonly scorers?: string;
  readonly gate?: string;
}

async function evaluate(declared: Declared, args: readonly string[], url?: string): Promise<Ended> {
  const { texts, scorers = "right: () => true", gate = "{}" } = declared;
  const rows = texts.map((text) => ({ id: text, inputs: { text } }));
  await folder.write({
    "calls.txt": "",
    "quality.eval.ts": `import { checks, evaluation, skip } from "@agate/sdk/evals";
import { echo } from "./app.ts";
export const quality = evaluation("quality", {
  route: echo, testset: ${JSON.stringify(rows)}, scorers: { ${scorers} }, gate: ${gate}, concurrency: 1,
});
`,
  });
  const { AGATE_BASE_URL: _, ...own } = process.env;
  const env = url === undefined ? own : { ...own, AGATE_BASE_URL: url };
  return runAgate(["eval", "--reporter", "json", ...args], { cwd: folder.path, env });
}

function reported({ stdout, stderr }: Ended) {
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout).evaluations[0];
}

async function calls(): Promise<number> {
  return (await readFile(folder.at("calls.txt"), "utf8")).split("\n").length - 1;
}

describe("a scorer that skips", () => {
  const scorers = `right: () => true,
    odd: ({ inputs }) => inputs.text === "a" ? skip("not about a") : inputs.text === "b" ? 0.5 : 1`;

  it("leaves the case out of its figure, which decides its gate", async () => {
    const declared = { texts: ["a", "b", "c"], scorers };
    const passing = await evaluate({ ...declared, gate: "{ scores: { odd: { min: 0.75 } } }" }, []);
    const run = reported(passing);
    expect(
      run.figures.scores.find(({ score }: { score: string }) => score === "odd"),
    ).toMatchObject({
      columns: [{ mean: 0.75, ok: 2, skipped: 1, failed: 0 }],
    });
    expect([run.result, passing.code]).toEqual(["passed", 0]);
    const failing = await evaluate({ ...declared, gate: "{ scores: { odd: { min: 0.76 } } }" }, []);
    expect([reported(failing).result, failing.code]).toEqual(["failed", 1]);
  });

  it("in every case leaves its gate without a score: that is no pass", async () => {
    const gate = "{ scores: { odd: { min: 0 } } }";
    const { code } = await evaluate({ texts: ["a"], scorers, gate }, []);
    expect(code).toBe(2);
  });
});

describe("--max-cost", () => {
  it("stops at the first call of unknown cost, which could be any", async () => {
    const texts = ["unknown 1", "unknown 2", "unknown 3"];
    const stopped = await evaluate({ texts }, ["--max-cost", "100"]);
    expect([reported(stopped).result, stopped.code, await calls()]).toEqual(["stopped", 2, 1]);
    const unlimited = await evaluate({ texts }, []);
    expect([unlimited.code, await calls()]).toEqual([0, 3]);
  });

  it("stops where it is reached, and not before", async () => {
    const texts = ["a", "b", "c", "d"];
    const stopped = await evaluate({ texts }, ["--max-cost", "0.5"]);
    expect([reported(stopped).result, stopped.code, await calls()]).toEqual(["stopped", 2, 2]);
    const enough = await evaluate({ texts }, ["--max-cost", "1.01"]);
    expect([enough.code, await calls()]).toEqual([0, 4]);
  });
});

describe("a trace above 10 MiB", () => {
  const searched = {
    scorers: 'searched: checks.calls("search")',
    gate: "{ scores: { searched: { min: 1 } }, errors: { share: 0 } }",
  };
  const columns = [{ mean: 1, ok: 2, failed: 0 }];

  const declared = { texts: ["long", "a"], ...searched };

  it("is scored as the process kept it, without a platform", async () => {
    const ended = await evaluate(declared, []);
    expect([ended.code, reported(ended).figures.scores]).toMatchObject([0, [{ columns }]]);
  });

  it("is read whole from the platform where stored outputs are scored anew", async () => {
    const first = await evaluate(declared, [], server.url);
    const { run, figures } = reported(first);
    expect([first.stderr, first.code]).toEqual(["", 0]);
    expect(figures.scores).toMatchObject([{ score: "searched", columns }]);

    const results = await fetch(`${server.url}/registry/runs/${run}/results`);
    const { items } = (await results.json()) as { items: { case: string; trace_id: string }[] };
    const { trace_id } = items.find((result) => result.case === "long")!;
    const trace = await fetch(`${server.url}/observability/traces/${trace_id}/`);
    expect((await trace.text()).length).toBeGreaterThan(LONG.searches * LONG.length);

    const again = await evaluate(declared, ["--candidate", `run:${run}`], server.url);
    expect([again.stderr, again.code]).toEqual(["", 0]);
    expect(reported(again).figures.scores).toMatchObject([{ score: "searched", columns }]);
    expect(await calls()).toBe(0);
  });
});

it("a trace with more spans than a process collects has a failed score without a platform", async () => {
  const declared = {
    texts: ["many", "a"],
    scorers: 'searched: checks.neverCalls("delete")',
    gate: "{ scores: { searched: { min: 1 } } }",
  };
  const ended = await evaluate(declared, []);
  const { failed_scores, figures, result } = reported(ended);
  expect(failed_scores).toMatchObject([{ case: "many", score: "searched" }]);
  expect(failed_scores[0].error).toMatch(/10,?00\d/);
  expect(figures.scores).toMatchObject([{ columns: [{ mean: 1, ok: 1, failed: 1 }] }]);
  expect([result, ended.code]).toEqual(["undecided", 3]);
});
