import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { codeBlocks } from "../../../e2e/code-blocks.ts";
import type { App } from "./app/app.ts";
import type { Serving } from "./app/serve-module.ts";
import { serveOnNode } from "./node/serve.ts";

const root = join(import.meta.dirname, "../../..");
const PAGE = "docs/reference/workflow-endpoints.md";
const blocks = codeBlocks(PAGE);

/** A command of the page, and the block that shows its answer. */
const examples = blocks.flatMap(({ info, code: command }, index) => {
  const shown = blocks[index + 1];
  return info === "sh" ? [{ command, shown, title: titleOf(command) }] : [];
});

function titleOf(command: string): string {
  return command.replaceAll(/\s+/g, " ").replace(/.*127.0.0.1:4101(\S+)/, "$1");
}

describe(PAGE, () => {
  let folder: string;
  let serving: Serving;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agate-endpoints-"));
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    const sdk = pathToFileURL(join(root, "packages/sdk/src/index.ts")).href;
    for (const { info, code } of blocks) {
      const [, file] = / file=(\S+)$/.exec(info) ?? [];
      if (file !== undefined) {
        await writeFile(join(folder, file), code.replace('"@agate/sdk"', JSON.stringify(sdk)));
      }
    }
    vi.stubEnv("AGATE_CONFIG_FILE", join(folder, "agate.config.json"));
    const { default: app } = (await import(join(folder, "app.ts"))) as { default: App };
    serving = await serveOnNode(app, { port: 0, signals: false });
  });
  afterAll(async () => {
    await serving.close();
    await rm(folder, { recursive: true });
    vi.unstubAllEnvs();
  });

  it.each(examples)("$title", async ({ command, shown }) => {
    const script = command.replaceAll("http://127.0.0.1:4101", serving.url);
    const { stdout } = await promisify(execFile)("bash", ["-euc", script]);
    switch (shown?.info) {
      case "json":
        return expectBody(stdout, shown.code);
      case "text":
        return expect(stdout).toMatch(patternOf(shown.code));
      case "http": {
        const [head = "", body = ""] = stdout.split("\r\n\r\n");
        const [shownHead = "", shownBody = ""] = shown.code.split("\n\n");
        for (const line of shownHead.split("\n")) {
          expect(head.split("\r\n")).toContainEqual(expect.stringMatching(patternOf(line)));
        }
        return expectBody(body, shownBody);
      }
      default:
        throw new Error(`Nothing shows the answer to ${command}`);
    }
  });

  it("has the paths that the app's own description has, and no other", async () => {
    const page = readFileSync(join(root, PAGE), "utf8");
    const documented = [...page.matchAll(/^\|.*\| `([A-Z]+ \S+)` \|/gm)].map(([, path]) => path);
    const answer = await fetch(`${serving.url}/openapi.json`);
    const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
    const served = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { "x-ag-route": route = "/" }]) => ["/shout", "/"].includes(route))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.toSorted()).toEqual(served.toSorted());
  });
});

interface Operation {
  readonly "x-ag-route"?: string;
}

function expectBody(actual: string, shown: string): void {
  expect(JSON.parse(actual)).toMatchObject(
    JSON.parse(shown, (_key, value) => (value === "…" ? expect.any(String) : value)),
  );
}

/** Exactly this text, with anything for each `…`. */
function patternOf(text: string): RegExp {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${literal.replaceAll("…", '[^\\s"]+')}$`);
}
