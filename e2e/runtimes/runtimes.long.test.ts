import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, startServer } from "../running-server.ts";
import { PROBES, type Probed } from "./probes.ts";
import { RUNTIMES, type RuntimeId } from "./runtimes.ts";
import { findRuntime, type RunningRuntime, startRuntime } from "./start-runtime.ts";

const CONFIG_FILE = { variants: { default: { "/file": { prefix: "from a file" } } } };

let platform: RunningServer;
let folder: string;

beforeAll(async () => {
  platform = await startServer();
  folder = await mkdtemp(join(tmpdir(), "agate-runtimes-"));
  await writeFile(join(folder, "agate.config.json"), JSON.stringify(CONFIG_FILE));
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

// Where the declaration of a probe says that it fails, it has to: otherwise the table in the documentation
// promises too little.
for (const id of Object.keys(RUNTIMES) as RuntimeId[]) {
  const { title } = RUNTIMES[id];
  if (findRuntime(id) === undefined) {
    describe.skip(`${title}: not installed by npm on this platform`, () => {
      it("is skipped", () => {});
    });
    continue;
  }
  describe(title, () => {
    let running: RunningRuntime;
    let probed: Probed;

    beforeAll(async () => {
      const application = `probe-${id}`;
      const secret = "s3cr3t-of-the-probes";
      running = await startRuntime(id, {
        baseUrl: platform.url,
        application,
        env: { PROBE_SECRET: secret },
        file: join(folder, "agate.config.json"),
      });
      probed = { url: running.url, platformUrl: platform.url, application, secret };
    });
    afterAll(() => running?.[Symbol.asyncDispose]());

    for (const { title, fails, run } of PROBES) {
      const reason = fails?.[id];
      if (reason === undefined) it(title, () => run(probed));
      else {
        it(`not ${title} (${reason})`, async () => {
          await expect(run(probed)).rejects.toThrow();
        });
      }
    }
  });
}
