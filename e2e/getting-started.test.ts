import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { codeBlocks } from "./code-blocks.ts";
import { type DevProject, makeProject } from "./dev/dev-project.ts";
import { type RunningAgate, startAgate } from "./dev/running-agate.ts";

const blocks = codeBlocks("docs/guide/getting-started.md");

describe("the guide to getting started", () => {
  let project: DevProject;
  let dev: RunningAgate;
  let traceId = "";
  beforeAll(async () => {
    project = await makeProject();
    dev = await startAgate(["dev", "--port", "0"], { cwd: project.folder });
    await dev.printed(/Ready in/);
  });
  afterAll(async () => {
    await dev?.[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
  });

  async function run(command: string): Promise<unknown> {
    expect(command).toContain("http://127.0.0.1:4100");
    const script = command
      .replaceAll("http://127.0.0.1:4100", dev.url)
      .replaceAll("TRACE_ID", traceId);
    const { stdout } = await promisify(execFile)("bash", ["-euc", script]);
    const answer = JSON.parse(stdout);
    traceId = answer.trace_id ?? traceId;
    return answer;
  }

  it("begins with the commands that the other tests try, npm install included", () => {
    expect(blocks[0]).toEqual({
      info: "sh run=init",
      code: `npm install
npm run pack
npx agate init ../my-project --sdk tarballs/agate-sdk-0.1.0.tgz --cli tarballs/agate-cli-0.1.0.tgz
cd ../my-project
npm run dev
`,
    });
  });

  it("has commands that answer what it shows", async () => {
    const [, ...rest] = blocks.filter(({ code }) => !code.startsWith("npm start"));
    let command = "";
    let shown = 0;
    for (const { info, code } of rest) {
      if (info === "json") {
        // A trace is there a moment after its call.
        await vi.waitFor(async () => expect(await run(command)).toMatchObject(JSON.parse(code)), {
          timeout: 60_000,
          interval: 100,
        });
        shown++;
      } else {
        command = code;
        const isOne = /\\$|^ /m.test(code);
        for (const each of isOne ? [code] : code.trim().split("\n")) {
          if (!each.includes("TRACE_ID")) expect(await run(each)).not.toHaveProperty("detail");
        }
      }
    }
    expect(shown).toBe(4);
  });
});
