import type { ArchiveContents } from "../../../../deployments/builds/testing/build-archive.fixture.ts";
import { buildArchive } from "../../../../deployments/builds/testing/build-archive.fixture.ts";
import type { TestResponse } from "../../../testing/send-request.fixture.ts";
import type { TestPlatform } from "../../../testing/test-platform.fixture.ts";
import { sendJson } from "../../registry/testing/registry-client.fixture.ts";
import { workflowOpenapi } from "../../registry/testing/workflow-openapi.fixture.ts";

/** A program that is a workflow as far as the platform can tell, and answers with a word. */
export function workflow(
  word: string,
  options: {
    /** Of the field `temperature`. */
    readonly maximum?: number;
    /** What it answers as its `/openapi.json`, in place of one with that field. */
    readonly openapi?: object;
    /** Runs before it listens. */
    readonly before?: string;
    /** The body of a function of `request` and `response`. */
    readonly handle?: string;
  } = {},
): string {
  const { maximum = 2, before = "", handle = `response.end(${JSON.stringify(word)});` } = options;
  const temperature = {
    type: "number",
    default: 0.7,
    minimum: 0,
    maximum,
    "x-ag-control": "slider",
  };
  const { openapi = workflowOpenapi({ temperature }) } = options;
  return `
    import { createServer } from "node:http";
    ${before}
    const openapi = ${JSON.stringify(JSON.stringify(openapi))};
    const server = createServer(async (request, response) => {
      if (request.url === "/health") return response.end("{}");
      if (request.url === "/openapi.json") return response.end(openapi);
      ${handle}
    });
    server.listen(process.env.AGATE_LISTEN.slice("unix:".length));
    process.on("SIGTERM", () => {
      server.close(() => process.exit(0));
      server.closeIdleConnections();
    });`;
}

/**
 * Deploys a program, or the contents of an archive, over HTTP: to production, which calls that name no
 * environment go to, unless the query names another.
 */
export async function deploy(
  platform: TestPlatform,
  application: string,
  build: string | ArchiveContents,
  query: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const contents = typeof build === "string" ? { files: { "app.js": build, ...MODULE } } : build;
  const parameters = new URLSearchParams({ environment: "production", ...query });
  return platform.send({
    method: "POST",
    path: at(application, `/builds?${parameters}`),
    headers: { "content-type": "application/gzip" },
    body: await buildArchive(contents),
  });
}

const MODULE = { "package.json": '{"type":"module"}' };

/** Deploys an earlier build, to production unless the body names another environment. */
export function activate(
  platform: TestPlatform,
  application: string,
  build: number,
  body: Readonly<Record<string, unknown>> = {},
): Promise<TestResponse> {
  const path = at(application, `/builds/${build}/activate`);
  return sendJson(platform, "POST", path, { environment: "production", ...body });
}

/** Takes down what is live in production. */
export function takeDown(platform: TestPlatform, application: string): Promise<TestResponse> {
  const path = at(application, "/builds/live?environment=production");
  return platform.send({ method: "DELETE", path });
}

/** What the service of an application answers; without an environment, in the default one. */
export async function callService(
  platform: TestPlatform,
  application: string,
  environment?: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const name = environment === undefined ? application : `${application}@${environment}`;
  const response = await fetch(`${platform.server.url}/services/${name}/run/x`);
  return { status: response.status, text: await response.text() };
}

/** A path of an application in the registry. */
export function at(application: string, path = ""): string {
  return `/registry/applications/${application}${path}`;
}

/** The records of an application's builds, the newest first. */
export async function buildsOf(platform: TestPlatform, application: string) {
  return (await platform.get(at(application, "/builds"))).json.items;
}

/** The lines of an application's log. */
export async function logsOf(platform: TestPlatform, application: string, query = "") {
  const { body } = await platform.get(at(application, `/logs${query}`));
  return body
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
