import type { ArchiveContents } from "../../../../deployments/builds/testing/build-archive.fixture.ts";
import { buildArchive } from "../../../../deployments/builds/testing/build-archive.fixture.ts";
import type { TestResponse } from "../../../testing/send-request.fixture.ts";
import type { TestPlatform } from "../../../testing/test-platform.fixture.ts";
import { workflowOpenapi } from "../../registry/testing/workflow-openapi.fixture.ts";

/** A program that is a workflow as far as the platform can tell, and answers with a word. */
export function workflow(
  word: string,
  options: {
    /** Of the field `temperature`. */
    readonly maximum?: number;
    /** Runs before it listens. */
    readonly before?: string;
    /** The body of a function of `request` and `response`. */
    readonly handle?: string;
  } = {},
): string {
  const { maximum = 2, before = "", handle = `response.end(${JSON.stringify(word)});` } = options;
  const openapi = workflowOpenapi({
    temperature: {
      type: "number",
      default: 0.7,
      minimum: 0,
      maximum,
      "x-ag-control": "slider",
    },
  });
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

/** Deploys a program, or the contents of an archive, over HTTP. */
export async function deploy(
  platform: TestPlatform,
  application: string,
  build: string | ArchiveContents,
  query = "",
): Promise<TestResponse> {
  const contents = typeof build === "string" ? { files: { "app.js": build, ...MODULE } } : build;
  return platform.send({
    method: "POST",
    path: at(application, `/builds${query}`),
    headers: { "content-type": "application/gzip" },
    body: await buildArchive(contents),
  });
}

const MODULE = { "package.json": '{"type":"module"}' };

/** What the service of an application answers. */
export async function callService(
  platform: TestPlatform,
  application: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${platform.server.url}/services/${application}/run/x`);
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
