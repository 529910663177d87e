import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { call } from "./call.ts";
import { type DevProject, makeProject } from "./dev-project.ts";
import { type RunningAgate, startAgate } from "./running-agate.ts";

/** Its scorer waits for a file, so that a run lasts as long as the test needs. */
function evalFile(value: number): string {
  return `import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { evaluation } from "@agate/sdk/evals";
import { summarize } from "./app.ts";
export const quality = evaluation("quality", {
  route: summarize,
  testset: "./cases.jsonl",
  concurrency: 1,
  scorers: {
    held: async () => {
      console.log("scoring");
      while (!existsSync("go")) await pause(20);
      return ${value};
    },
  },
});
`;
}

const CASES = ["One.", "Two."]
  .map((text) => JSON.stringify({ id: text, inputs: { text } }))
  .join("\n");

let project: DevProject;
let dev: RunningAgate;
beforeAll(async () => {
  project = await makeProject();
  await project.write("cases.jsonl", CASES);
  dev = await startAgate(["dev", "--port", "0", "--no-typecheck"], { cwd: project.folder });
  await dev.printed(/Ready in/);
});
afterAll(async () => {
  await dev?.[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});

interface Listed {
  readonly build: unknown;
  readonly evaluations: readonly {
    readonly name: string;
    readonly scorers: readonly { readonly name: string; readonly version: string }[];
  }[];
  readonly problem: string | null;
}

async function read<Document>(path: string): Promise<Document> {
  const response = await fetch(dev.url + path);
  expect(response.status, path).toBe(200);
  return (await response.json()) as Document;
}

const list = () => read<Listed>("/registry/applications/support/evaluations");

async function start(): Promise<{ readonly id: string; readonly scorers: unknown }> {
  const path = "/registry/applications/support/evaluations/quality/runs";
  const response = await fetch(dev.url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(201);
  return body as { readonly id: string; readonly scorers: unknown };
}

it("lists and runs the evaluations of the project, each run with the files that it began with", async () => {
  expect((await list()).evaluations.map(({ name }) => name)).toEqual(["summaries"]);
  await project.write("app.eval.ts", evalFile(1));
  const first = await list();
  expect(first).toMatchObject({ build: null, evaluations: [{ name: "quality" }], problem: null });
  const run = await start();
  expect(run.scorers).toMatchObject(first.evaluations[0]?.scorers ?? []);
  await dev.printed(/scoring/);

  await project.write("app.eval.ts", evalFile(0));
  const second = await list();
  expect(second.evaluations[0]?.scorers).not.toEqual(first.evaluations[0]?.scorers);
  await project.write("app.eval.ts", "const broken = ;");
  expect(await list()).toMatchObject({
    evaluations: [],
    problem: expect.stringMatching(/^The eval files cannot be built\.\n.*app\.eval\.ts:1:16/s),
  });
  await dev.printed(/app\.eval\.ts:1:16/);
  await dev.printed(/The eval files cannot be built\. The workflow is still served\./);
  expect(await call(`${dev.url}/run`)).toMatchObject({ status: 200 });

  await project.write("go", "");
  await vi.waitFor(
    async () => {
      const path = `/registry/runs/${run.id}`;
      expect(await read(path)).toMatchObject({ status: "finished", results: 2, errors: 0 });
    },
    { timeout: 30_000, interval: 100 },
  );
  const { items } = await read<{ items: { scores: { value: number }[] }[] }>(
    `/registry/runs/${run.id}/results`,
  );
  expect(items.map(({ scores }) => scores.map(({ value }) => value))).toEqual([[1], [1]]);

  await project.write("app.eval.ts", 'throw new Error("No database.");');
  expect((await list()).problem).toContain("No database.");
  await dev.printed(/app\.eval\.ts:1:7: Error: No database\./);
  await project.write("app.eval.ts", evalFile(0));
  expect((await list()).evaluations).toHaveLength(1);
  await dev.printed(/The eval files can be used again\./);
});
