import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { codeBlocks } from "./code-blocks.ts";
import { type RunningServer, startServer } from "./running-server.ts";

const BLOCKS = codeBlocks("docs/guide/secrets.md");
const KEY = "sk-canary-5b8efff798038103d269";
const AGATE = join(import.meta.dirname, "../packages/cli/dist/agate.js");

let folder: string;
let server: RunningServer;
beforeAll(async () => {
  // Inside this package, so that the program finds the SDK.
  folder = await mkdtemp(join(import.meta.dirname, ".guide-secrets-"));
  server = await startServer({ dataDirectory: join(folder, ".agate") });
  const program = BLOCKS.find(({ info }) => info === "ts file=app.ts")?.code ?? "";
  const files = {
    "app.ts": program,
    "package.json": '{"name": "support", "type": "module", "dependencies": {"@agate/sdk": "*"}}',
    "model-key.txt": `${KEY}\n`,
    ".env.staging": "LOG_LEVEL=debug\nPORT=80\n",
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const agate = `#!/bin/sh\nexec '${process.execPath}' '${AGATE}' "$@"\n`;
  await writeFile(join(folder, "agate"), agate, { mode: 0o755 });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a block as a reader would; gives what both streams had. */
async function follow(script: string): Promise<string> {
  const env = {
    PATH: [folder, process.env.PATH].join(delimiter),
    AGATE_BASE_URL: server.url,
  };
  const options = { cwd: folder, env };
  const { stdout, stderr } = await promisify(execFile)(
    "bash",
    ["-euo", "pipefail", "-c", script],
    options,
  );
  return stdout + stderr;
}

it("can be followed from its first command to its last, and shows no secret", async () => {
  const before = new Set<string>();
  let shown = "";
  for (const { info, code } of BLOCKS) {
    if (info === "sh fails") {
      const failure = await follow(code).catch((error: { stderr: string }) => error.stderr);
      expect(failure).toContain("MODEL_API_KEY is not a key.");
    }
    if (info !== "sh") continue;
    if (code.includes("secret.key")) before.add(await keys());
    shown += await follow(code);
  }
  expect(shown).toMatch(/^MODEL_API_KEY +\(secret\) +1 /m);
  expect(shown).toMatch(/^REGION +"eu" +2 /m);
  expect(shown).toContain("Skipped PORT.");
  expect(shown).toContain("Set LOG_LEVEL in staging of support (version 3).");
  expect(shown).toContain("Variables of staging that production lacks: MODEL_API_KEY, REGION.");
  expect(shown).toContain("  agate env set support production MODEL_API_KEY\n");
  expect(shown).toContain("Encrypted 2 secrets with the first key.");
  expect(shown).toContain("The key is [secret:MODEL_API_KEY]");
  expect(shown).not.toContain(KEY);

  // The old key is gone, and the secrets are still readable.
  const [old = ""] = [...before];
  expect(old.trim().split("\n")).toHaveLength(1);
  expect((await keys()).trim().split("\n")).toHaveLength(1);
  expect(await keys()).not.toContain(old.trim());
  expect(await follow("agate env support production")).toMatch(/^MODEL_API_KEY +\(secret\) +1 /m);
});

const keys = () => readFile(join(folder, ".agate/secret.key"), "utf8");
