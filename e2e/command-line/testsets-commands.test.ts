import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as ag from "@agate/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type RunningServer, startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";
import { type AgateClient, clientOf } from "./agate-client.ts";

let server: RunningServer;
let agate: AgateClient;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  folder = await mkdtemp(join(tmpdir(), "agate-testsets-"));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function fileOf(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

it("pushes a file, shows what changed, and pulls the same rows again", async () => {
  expect((await agate("testsets")).stderr).toContain("The project has no test sets.");
  const first = await fileOf(
    "golden.jsonl",
    '{"id":"a","inputs":{"text":"one"},"expected":1}\n{"id":"b","inputs":{"text":"two"}}\n',
  );
  expect(await agate("testsets", "push", first, "-m", "First")).toMatchObject({
    code: 0,
    stdout: "Committed golden@1: 2 added, 0 changed, 0 removed, 0 unchanged.\n",
  });
  expect((await agate("testsets", "push", first)).stdout).toBe(
    "golden@1 has these rows already: 2.\n",
  );
  const csv = await fileOf("cases.csv", "key,text,label\na,one,1\nc,three,x\n");
  const mapping = ["--id", "key", "--inputs", "text", "--expected", "label"];
  expect((await agate("testsets", "push", csv, "--name", "golden", ...mapping)).stdout).toBe(
    "Committed golden@2: 1 added, 1 changed, 1 removed, 0 unchanged.\n",
  );
  const output = join(folder, "pulled.jsonl");
  expect((await agate("testsets", "pull", "golden@1", "-o", output)).code).toBe(0);
  expect(await readFile(output, "utf8")).toBe(await readFile(first, "utf8"));
  expect((await agate("testsets", "pull", "golden")).stdout).toBe(
    '{"id":"a","inputs":{"text":"one"},"expected":"1"}\n{"id":"c","inputs":{"text":"three"},"expected":"x"}\n',
  );
  expect((await agate("testsets", "diff", "golden", "1", "2")).stdout).toBe(
    '1 added, 1 changed, 1 removed\n~ a\n    expected: 1 → "1"\n- b\n+ c\n',
  );
  expect((await agate("testsets", "show", "golden@1")).stdout).toMatch(/a +\{"text":"one"\} +1/);
  const history = await agate("testsets", "history", "golden", "--json");
  expect(JSON.parse(history.stdout).items).toMatchObject([
    { test_set: { revision: 2 }, message: "" },
    { test_set: { revision: 1 }, message: "First" },
  ]);
  expect((await agate("testsets")).stdout).toMatch(/golden +2 +2/);
});

it("purges a row and deletes a set after they are confirmed", async () => {
  const file = await fileOf("private.jsonl", '{"id":"a","inputs":{"text":"secret"}}\n');
  await agate("testsets", "push", file);
  expect((await agate("testsets", "purge", "private", "a")).code).toBe(2);
  expect((await agate("testsets", "purge", "private", "a", "--yes")).code).toBe(0);
  expect((await agate("testsets", "pull", "private@1")).stdout).toBe('{"id":"a","purged":true}\n');
  const again = await agate("testsets", "push", file);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("was purged")]);
  expect((await agate("testsets", "delete", "private", "--yes")).code).toBe(0);
  expect((await agate("testsets", "show", "private")).code).toBe(1);
});

it("names the line of what is wrong in a file, and takes no other kinds of files", async () => {
  const file = await fileOf("wrong.csv", "inputs.text\na\nb,c\n");
  const { code, stderr } = await agate("testsets", "push", file);
  expect([code, stderr]).toEqual([1, expect.stringContaining("Line 3: Has 2 cells")]);
  expect((await agate("testsets", "push", await fileOf("x.txt", ""))).code).toBe(2);
  expect((await agate("testsets", "show", "golden@0")).code).toBe(2);
});

it("adds recorded calls, and refuses those that cannot be repeated", async () => {
  const start = Date.now() - 1000;
  const call = (n: number, attributes: object = {}) => ({
    traceId: String(n).repeat(32),
    spanId: String(n).repeat(16),
    name: "answer",
    start,
    end: start + 1,
    attributes: {
      "ag.route": "/answer",
      "ag.content.inputs": JSON.stringify({ n }),
      "ag.content.outputs": JSON.stringify(`out ${n}`),
      ...attributes,
    },
  });
  const inner = { ...call(1), spanId: "a".repeat(16), parentSpanId: "1".repeat(16) };
  const innerInputs = { "ag.content.inputs": '{"n":0}' };
  await sendOtlp(server.url, [
    call(1),
    { ...inner, attributes: { ...inner.attributes, ...innerInputs } },
    call(2),
    call(3, { "ag.redacted": true }),
  ]);
  const trace = (n: number) => ["--trace", String(n).repeat(32)];
  const add = ["testsets", "add", "calls"];
  expect((await agate(...add, ...trace(1))).stderr).toContain('No test set "calls"');
  await agate("testsets", "push", await fileOf("calls.jsonl", '{"id":"x","inputs":{"n":9}}\n'));
  expect((await agate(...add, ...trace(1), "--with-output", "-m", "Good")).stdout).toBe(
    "Committed calls@2: 1 row added.\n",
  );
  expect((await agate(...add, ...trace(1), ...trace(2))).stdout).toBe(
    "Committed calls@3: 1 row added, 1 skipped: there are rows with their inputs.\n",
  );
  expect((await agate(...add, ...trace(2))).stdout).toBe(
    "Nothing added: calls@3 has rows with these inputs.\n",
  );
  expect((await agate(...add, ...trace(1), "--span", "a".repeat(16))).code).toBe(0);
  const pulled = (await agate("testsets", "pull", "calls")).stdout.trimEnd().split("\n");
  expect(pulled.map((line) => JSON.parse(line))).toMatchObject([
    { id: "x" },
    { inputs: { n: 1 }, expected: "out 1", source: { span_id: "1".repeat(16) } },
    { inputs: { n: 2 }, source: { trace_id: "2".repeat(32) } },
    { inputs: { n: 0 }, source: { span_id: "a".repeat(16) } },
  ]);
  const refused = await agate(...add, ...trace(3));
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Redacted: parts")]);
  expect((await agate(...add, ...trace(1), ...trace(2), "--span", "a")).code).toBe(2);
  expect((await agate(...add)).code).toBe(2);
});

it("binds a set to a route, and unbinds it", async () => {
  const app = ag.createApp({ application: "bound", disabled: true });
  const input = z.object({ text: z.string() });
  app.route("/answer", { config: z.object({}), input })(({ text }) => text);
  const openapi = await app.fetch(new Request("http://localhost/openapi.json"));
  const file = await fileOf("openapi.json", await openapi.text());
  await agate("apps", "create", "bound");
  expect(await agate("apps", "register", "bound", "--from", file)).toMatchObject({ code: 0 });
  await agate("testsets", "push", await fileOf("bound.jsonl", '{"inputs":{"text":"a"}}\n'));
  const bind = ["testsets", "bind", "bound"];
  expect((await agate(...bind, "--app", "bound", "--route", "/answer")).stdout).toBe(
    "bound is bound to bound /answer.\n",
  );
  const wrong = await fileOf("bound.jsonl", '{"inputs":{"text":1}}\n');
  expect((await agate("testsets", "push", wrong)).code).toBe(1);
  expect((await agate(...bind, "--unbind")).stdout).toBe("bound is bound to no route.\n");
  expect((await agate("testsets", "push", wrong)).code).toBe(0);
  const unknown = await agate(...bind, "--app", "bound", "--route", "/anser");
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('"/answer"')]);
  for (const flags of [[], ["--app", "bound"], ["--unbind", "--app", "bound"]]) {
    expect((await agate(...bind, ...flags)).code).toBe(2);
  }
});
