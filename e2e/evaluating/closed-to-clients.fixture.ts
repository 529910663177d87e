import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** In the eval file and nowhere else. */
export const MARK = "xyzzy-of-the-eval-file";

/** Its routes answer with what they learn of an evaluation, and whether the eval file was loaded. */
const APP = `import * as ag from "@agate/sdk";
class ActConfig extends ag.BaseModel { word = ag.Field(ag.str, { default: "code" }); }
const inner = ag.route("/inner", ActConfig)((_: unknown, { evaluation }) => evaluation ?? null);
export const act = ag.route("/act", ActConfig)(async ({ text }: { text: string }, { evaluation }) => ({
  text,
  evaluation: evaluation ?? null,
  inner: await inner({}),
  evals: globalThis.evals ?? null,
}));
`;

const EVALS = `import { evaluation } from "@agate/sdk/evals";
import { act } from "./app.ts";
globalThis.evals = "${MARK}";
export const quality = evaluation("quality", {
  route: act,
  testset: [{ id: "one", inputs: { text: "hi" } }],
  scorers: { right: () => true },
});
`;

/** Programs that serve the workflow in three ways, and print their address. */
const PROGRAMS = {
  "serve.ts": `import * as ag from "@agate/sdk";
import "./app.ts";
const { url } = await ag.serve({ port: 0 });
console.log(url);
`,
  "express.ts": `import * as ag from "@agate/sdk";
import express from "express";
import "./app.ts";
const server = express().use(ag.toNodeHandler()).listen(0, "127.0.0.1", () => {
  console.log("http://127.0.0.1:" + server.address().port);
});
`,
  "hono.ts": `import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import * as ag from "@agate/sdk";
import { Hono } from "hono";
import "./app.ts";
const hono = new Hono();
hono.mount("/", ag.app().fetch);
const server = createServer(async (incoming, outgoing) => {
  const { method, headers } = incoming;
  const body = method === "POST" ? await text(incoming) : undefined;
  const request = new Request(new URL(incoming.url, "http://workflow.test"), { method, headers, body });
  const answer = await hono.fetch(request);
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.end(await answer.text());
}).listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));
`,
};

/** A project whose eval file is beside its workflow. */
export interface EvaluatedProject extends AsyncDisposable {
  readonly folder: string;
  write(file: string, text: string): Promise<void>;
}

export async function makeEvaluatedProject(): Promise<EvaluatedProject> {
  // Inside of this package, so that it finds Express, Hono and the SDK without an installation.
  const folder = await mkdtemp(join(import.meta.dirname, "../.guide-evaluated-"));
  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  const manifest = { name: "desk", type: "module", dependencies: { "@agate/sdk": "*" } };
  await write("package.json", JSON.stringify(manifest));
  await write("app.ts", APP);
  await write("app.eval.ts", EVALS);
  for (const [file, text] of Object.entries(PROGRAMS)) await write(file, text);
  return { folder, write, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
