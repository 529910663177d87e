import type { Scope } from "@agate/protocol";
import { SCOPES } from "@agate/protocol";
import { expect, vi } from "vitest";
import { buildArchive } from "../../deployments/builds/testing/build-archive.fixture.ts";
import { result, runRequest } from "../../registry/contract/run.fixture.ts";
import { goLive } from "../../registry/testing/go-live.fixture.ts";
import { storedScore } from "../../stores/contract/stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import { workflowOpenapi } from "../routes/registry/testing/workflow-openapi.fixture.ts";
import type { TestPlatform } from "./test-platform.fixture.ts";

/** A project with something of everything, each marked by a word that occurs nowhere else. */
export interface SeededProject {
  readonly id: string;
  readonly slug: string;
  /** In the names, messages and contents of all that it has; in no slug and no id. */
  readonly marker: string;
  /** A header for each scope. */
  readonly keys: Readonly<Record<Scope, string>>;
  /** A header with a key of all scopes that is limited to an environment that does not exist. */
  readonly limitedKey: string;
  /** A header with a key of all scopes that was revoked. */
  readonly revokedKey: string;
  /** For each parameter of a path, the id of something of this project's. */
  readonly ids: Readonly<Record<string, string>>;
}

const SHARED_IDS = { trace_id: traceIdOf(77), span_id: spanIdOf(77) };

/** What is called the same in both projects, for each parameter of a path. */
export const SHARED_NAMES: Readonly<Record<string, string>> = {
  app: "support",
  variant: "default",
  environment: "production",
  revision: "1",
  build: "1",
  testset: "golden",
  row: "case-1",
  run: "nightly",
  ...SHARED_IDS,
};

export async function seedProject(
  platform: TestPlatform,
  slug: string,
  marker: string,
): Promise<SeededProject> {
  const { registry, access } = platform;
  const project = value(await registry.projects.create(slug));
  await access.reload();
  const header = async (scope: Scope) => {
    const name = `${marker} ${scope}`;
    return `Bearer ${(await access.keys.create(project.id, { name, scopes: [scope] })).key}`;
  };
  const keys = {
    ingest: await header("ingest"),
    read: await header("read"),
    run: await header("run"),
    playground: await header("playground"),
    score: await header("score"),
    evaluate: await header("evaluate"),
    deploy: await header("deploy"),
    backup: await header("backup"),
    admin: await header("admin"),
  };
  const spare = await access.keys.create(project.id, { name: `${marker} spare`, scopes: ["read"] });
  const revoked = await access.keys.create(project.id, { name: marker, scopes: SCOPES });
  await access.keys.revoke(project.id, revoked.id);
  const elsewhere = { name: `${marker} limited`, scopes: SCOPES, environments: ["elsewhere"] };
  const limited = await access.keys.create(project.id, elsewhere);
  return {
    ...project,
    marker,
    keys,
    limitedKey: `Bearer ${limited.key}`,
    revokedKey: `Bearer ${revoked.key}`,
    ids: {
      ...(await seedApplication(platform, project.id, marker, keys)),
      ...(await seedTraces(platform, project.id, marker)),
      ...(await seedTestSet(platform, project.id, marker)),
      ...(await seedRuns(platform, project.id, marker)),
      project: project.id,
      key: spare.id,
    },
  };
}

async function seedTestSet({ registry }: TestPlatform, project: string, marker: string) {
  const created = { slug: "golden", description: `${marker} description`, boundTo: null };
  const { id } = value(await registry.testSets.create(project, created, marker));
  const own = `case-${project}`;
  const rows = ["case-1", own].map((rowId) => ({
    ...{ id: rowId, inputs: { text: `${marker} input` }, expected: `${marker} expected` },
    ...{ metadata: {}, tags: [], source: null },
  }));
  const commit = { by: marker, message: `${marker} message`, baseRevision: 0 };
  const change = { kind: "replace", rows, lines: null } as const;
  value(await registry.testSets.commit(project, id, { ...commit, change }));
  return { testset: id, row: own };
}

async function seedApplication(
  platform: TestPlatform,
  project: string,
  marker: string,
  keys: SeededProject["keys"],
) {
  const { registry } = platform;
  const application = value(await registry.applications.create(project, "support"));
  const ref = { project, application: application.id };
  const by = { by: marker, message: `${marker} message` };
  const field = { type: "string", default: `${marker} default`, "x-ag-control": "text-area" };
  const openapi = workflowOpenapi({ prompt: field });
  const build = await deployBuild(platform, keys, marker, openapi);
  const variant = value(await registry.variants.get(ref, "default"));
  const params = { "/summarize": { prompt: `${marker} prompt` } };
  value(await registry.revisions.commit(ref, "default", { ...by, params, baseRevision: 1 }));
  const config = { variant: "default", revision: 2 };
  const what = { ...by, environment: "production", config };
  const { deployment } = value(await goLive(registry, ref, what));
  const environment = value(await registry.environments.setPlayground(ref, "production", true));
  return {
    app: application.id,
    variant: variant.id,
    environment: environment.id,
    deployment: deployment.id,
    build,
  };
}

/** A program that answers with the marker and has printed it; gives the id of its build. */
async function deployBuild(
  platform: TestPlatform,
  keys: SeededProject["keys"],
  marker: string,
  openapi: object,
): Promise<string> {
  const program = `
    import { createServer } from "node:http";
    console.log(${JSON.stringify(`${marker} line`)});
    const answers = { "/health": {}, "/openapi.json": ${JSON.stringify(openapi)} };
    createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answers[request.url] ?? ${JSON.stringify(`${marker} answer`)}));
    }).listen(process.env.AGATE_LISTEN.slice("unix:".length));`;
  const files = { "app.js": program, "package.json": '{"type":"module"}' };
  const path = "/registry/applications/support";
  const deployed = await platform.send({
    method: "POST",
    path: `${path}/builds?environment=production&message=${marker}`,
    headers: { authorization: keys.deploy, "content-type": "application/gzip" },
    body: await buildArchive({ files }),
  });
  if (deployed.status !== 201) throw new Error(deployed.body.toString());
  const logs = { path: `${path}/logs`, headers: { authorization: keys.read } };
  // Not expect.poll(), which is for tests alone: projects are seeded before there is one.
  await vi.waitFor(
    async () => expect((await platform.send(logs)).body.toString()).toContain(`${marker} line`),
    { timeout: 60_000 },
  );
  return deployed.json.build.id;
}

/** One trace of its own, and one whose ids both projects have. */
async function seedTraces(platform: TestPlatform, project: string, marker: string) {
  const own = { trace_id: randomHex(32), span_id: randomHex(16) };
  await appendTrace(platform, { id: project, marker }, own);
  await appendTrace(platform, { id: project, marker }, SHARED_IDS);
  const scores = [own, SHARED_IDS].map(({ trace_id: traceId }) =>
    storedScore({ traceId, name: marker, explanation: `${marker} explanation` }),
  );
  const judged = await platform.store.putScores({ project, scores });
  if (judged.kind !== "committed") throw new Error(judged.kind);
  await platform.store.searchCaughtUp();
  return own;
}

/** One run of its own, and one whose id both projects have, each with a case and its result. */
async function seedRuns({ registry: { runs } }: TestPlatform, project: string, marker: string) {
  const own = { run: randomHex(16) };
  for (const { run: id } of [own, { run: SHARED_NAMES.run ?? "" }]) {
    const ref = { project, run: id };
    const message = `${marker} run`;
    value(await runs.create(project, runRequest({ id, message }), marker));
    value(await runs.addCases(ref, [{ id: "a", inputs: `${marker} inputs` }]));
    const item = { column: "candidate", case: "a" };
    value(await runs.addResults(ref, [result(item, 1, { output: `${marker} output` })]));
  }
  return own;
}

/** A trace of one span, marked as the project's. */
export async function appendTrace(
  { store }: TestPlatform,
  { id: project, marker }: Pick<SeededProject, "id" | "marker">,
  ids: { readonly trace_id: string; readonly span_id: string },
): Promise<void> {
  const span = storedSpan({
    traceId: ids.trace_id,
    id: ids.span_id,
    name: `${marker} span`,
    inputs: `${marker} question`,
    application: `${marker} application`,
    userId: `${marker} user`,
  });
  const outcome = await store.append({ project, receivedAt: 1_000_000, spans: [span] });
  if (outcome.kind !== "committed") throw new Error(outcome.kind);
}

function randomHex(digits: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(digits / 2))).toString("hex");
}

function value<Value>(
  outcome:
    | { readonly kind: "done"; readonly value: Value }
    | { readonly kind: "refused"; readonly problems: readonly { readonly msg: string }[] },
): Value {
  if (outcome.kind === "done") return outcome.value;
  throw new Error(outcome.problems.map(({ msg }) => msg).join(" "));
}
