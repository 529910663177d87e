import { homedir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startBuildProcess } from "../deployments/processes/start-build-process.ts";
import { at, deploy, workflow } from "./routes/deployments/testing/deploying.fixture.ts";
import { sendRequest, type TestResponse } from "./testing/send-request.fixture.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({
    startBuild: (program, options) => startBuildProcess(program, { ...options, timeoutMs: 20_000 }),
  });
});
afterAll(() => platform.close());

const MODULE = { "package.json": '{"type":"module"}' };

const call = (path: string): Promise<TestResponse> =>
  sendRequest(platform.server.port, { method: "POST", path });

/** Runs before a program listens: prints everything that it knows about where it runs. */
const TELLS = `
  console.error(process.cwd(), import.meta.url, process.argv, process.env.AGATE_LISTEN);
  console.error(process.env.HOME, process.env.TMPDIR, process.execPath);
  console.error(new Error("told").stack);`;

/** Requests that fail, each with a part of its answer that shows that it did. */
const FAILURES: readonly [what: string, fail: () => Promise<TestResponse>, shown: RegExp][] = [
  [
    "a build that throws at start",
    () => deploy(platform, "throws", workflow("x", { before: "throw new Error('no key');" })),
    /app\.js:\d+.*no key/s,
  ],
  [
    "a build that tells all that it knows",
    () => deploy(platform, "tells", workflow("x", { before: `${TELLS} process.exit(1);` })),
    /told/,
  ],
  [
    "a build that imports what is not there",
    () => deploy(platform, "imports", `import "./missing.js"; import "nowhere";`),
    /missing\.js|nowhere/,
  ],
  [
    "a build that reads what it may not",
    () => {
      const read = `import { readFileSync } from "node:fs"; readFileSync(process.cwd() + "/../../registry.db");`;
      return deploy(platform, "reads", workflow("x", { before: read }));
    },
    /ERR_ACCESS_DENIED/,
  ],
  [
    "a build whose description breaks off",
    () => {
      const files = {
        "app.js": `
          import { createServer } from "node:http";
          createServer((request, response) => {
            if (request.url === "/health") response.end("{}");
            else request.socket.destroy();
          }).listen(process.env.AGATE_LISTEN.slice("unix:".length));`,
        ...MODULE,
      };
      return deploy(platform, "breaks", { files });
    },
    /openapi\.json could not be read/,
  ],
  [
    "packages that npm cannot install",
    () => {
      const files = { "app.js": "", "package.json": "{", "package-lock.json": "{}" };
      return deploy(platform, "npm", { files });
    },
    /npm ended with code/,
  ],
  [
    "packages from a folder that is not there",
    () => {
      const dependencies = { gone: "file:gone.tgz" };
      const lock = {
        lockfileVersion: 3,
        packages: {
          "": { dependencies },
          "node_modules/gone": {
            version: "1.0.0",
            resolved: "file:gone.tgz",
            integrity: "sha512-AA==",
          },
        },
      };
      const files = {
        "app.js": "",
        "package.json": JSON.stringify({ dependencies }),
        "package-lock.json": JSON.stringify(lock),
      };
      return deploy(platform, "folder", { files });
    },
    /npm ended with code/,
  ],
  [
    "an archive that leads outside",
    () => {
      const header = { name: "../../escape", size: 0, type: "file", mtime: new Date(0) } as const;
      return deploy(platform, "outside", {
        files: MODULE,
        entries: [{ header, body: Buffer.of() }],
      });
    },
    /This is not a build/,
  ],
  [
    "a build that ends in the middle of a call",
    async () => {
      const handle = `throw new Error("fell over");`;
      expect((await deploy(platform, "falls", workflow("x", { handle }))).status).toBe(201);
      return call("/services/falls/run/x");
    },
    /service_failed/,
  ],
  [
    "a build that answers with no HTTP",
    async () => {
      const handle = `request.socket.end("nonsense\\r\\n\\r\\n");`;
      expect((await deploy(platform, "nonsense", workflow("x", { handle }))).status).toBe(201);
      return call("/services/nonsense/run/x");
    },
    /service_failed/,
  ],
  ["an application that is not there", () => call("/services/nobody/run/x"), /not_found/],
  ["a path that is not there", () => platform.get("/etc/passwd"), /route_not_found/],
];

function expectNoPaths(text: string): void {
  const source = join(import.meta.dirname, "..");
  for (const path of [platform.dataDirectory, process.execPath, homedir(), source]) {
    expect(text).not.toContain(path);
  }
  // The folder of a process, with its socket.
  expect(text).not.toMatch(/\/agate-[A-Za-z0-9]{6}\//);
  // Those of a build are relative.
  expect(text).not.toMatch(/\/node_modules/);
}

it.each(FAILURES)("%s is answered without a path of the server", async (_, fail, shown) => {
  const { body, status } = await fail();
  expect(status).toBeGreaterThanOrEqual(400);
  expect(body.toString()).toMatch(shown);
  expectNoPaths(body.toString());
});

it("neither have the records of refused builds, nor logs", async () => {
  for (const app of ["throws", "tells", "imports", "reads", "npm", "folder", "falls"]) {
    for (const path of [at(app, "/builds"), at(app, "/logs")]) {
      const { body, status } = await platform.get(path);
      expect(status).toBe(200);
      expectNoPaths(body.toString());
    }
  }
});
