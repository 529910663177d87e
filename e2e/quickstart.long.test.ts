import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  evaluate,
  evaluateExample,
  promoteStaging,
  registryOf,
  withPrograms,
} from "./quickstart.fixture.ts";
import { startServer } from "./running-server.ts";

const run = withPrograms();

describe("npm start", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agate-start-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** What it does once all is built. */
  const start = (...flags: readonly string[]) =>
    run(process.execPath, ["scripts/run-quickstart.ts", "--data-dir", folder, ...flags]);

  it("leaves what was deployed before as it is", async () => {
    for (const kind of ["first", "second"]) {
      const started = start("--port", "0");
      const platform = await started.printed(/Dashboard +(http:\/\/\S+)/);
      if (kind === "first") expect((await promoteStaging(platform)).status).toBe(201);
      const { deployment } = (await (
        await fetch(`${registryOf(platform)}/environments/production`)
      ).json()) as Environment;
      expect(deployment, kind).toMatchObject({
        variant: { slug: "thorough" },
        kind: "promotion",
      });
      // To it alone, as npm start passes a signal on: what it runs would take a second one for hurry.
      started.child.kill("SIGTERM");
      expect(await started.ended).toBe(0);
    }
  });

  it("fails with a message when the platform's port is taken", async () => {
    await using other = await startServer();
    const refused = start("--port", new URL(other.url).port);
    expect(await refused.ended).toBe(1);
    expect(refused.log()).toMatch(/agate: .*port/i);
  });

  it("hands its options on", async () => {
    const started = start("--help");
    expect(await started.ended).toBe(0);
    expect(started.log()).toContain("--log-level");
  });
});

describe("the evaluation of the quickstart", () => {
  it("says in a sentence why it can't be run", async () => {
    await using server = await startServer();
    await expect(evaluate(server.url)).rejects.toThrow(
      /^--candidate experimental: .*quickstart.*$/,
    );
  });

  it("has the same scores again: stand-ins know no chance", async () => {
    const scores = [];
    for (let n = 0; n < 2; n++) {
      const compare = ["--", "--baseline", "thorough", "--reporter", "json"];
      const { log } = await evaluateExample(run, ...compare);
      scores.push(JSON.parse(log).evaluations[0].figures.scores);
    }
    expect(scores[0]).toBeDefined();
    expect(scores[1]).toEqual(scores[0]);
  });
});
