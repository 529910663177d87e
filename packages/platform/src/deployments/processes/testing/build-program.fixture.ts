import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { ProcessGroups } from "../process-groups.ts";
import type { BuildProgram } from "../spawn-build.ts";

/** Groups of processes on a system that has a shell. */
export function processGroups(): ProcessGroups {
  return new ProcessGroups((error) => {
    throw error;
  });
}

/** A program in a folder of its own, which is gone after the test. */
export async function buildProgram(
  source: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<BuildProgram> {
  const folder = await mkdtemp(join(tmpdir(), "agate-build-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "main.mjs"), source);
  return { folder, entry: "main.mjs", environment, restrictions: null };
}

/**
 * A workflow as far as the platform can tell, without the SDK. `handle` is the body of a function of
 * `request` and `response` for every path but `/health` and `/openapi.json`.
 */
export function workflowSource(handle = "response.end('hello');", before = ""): string {
  return `
    import { createServer } from "node:http";
    ${before}
    const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
      if (request.url === "/health") return response.end('{"status":"ok"}');
      if (request.url === "/openapi.json") return response.end('{"openapi":"3.1.0","paths":{}}');
      ${handle}
    });
    server.listen(process.env.AGATE_LISTEN.slice("unix:".length));
    process.on("SIGTERM", () => {
      server.close(() => process.exit(0));
      server.closeIdleConnections();
    });
  `;
}
