import { readFile } from "node:fs/promises";
import { expect } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import type { Ended } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";

/** A workflow that notes its calls in `calls.txt`. */
export const APP = `import { appendFileSync } from "node:fs";
import * as ag from "@agate/sdk";
class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
const search = ag.instrument({ name: "search", kind: "TOOL" })(async (text: string) => text);
let busy = 0;
export const echo = ag.route("/echo", EchoConfig)(async ({ text }: { text: string }, { config, evaluation }) => {
  appendFileSync("calls.txt", evaluation?.case + " " + evaluation?.trial + "\\n");
  if (text === "broken") throw new Error("it broke");
  if (text === "busy" && busy++ === 0) throw new Error("no answer", { cause: { status: 429 } });
  if (text === "slow") await new Promise((resolve) => setTimeout(resolve, 300));
  await search(text);
  return { text: config.prefix + text };
});
// The program serves itself: an evaluation must not take its port.
await ag.serve();
`;

/** An eval file of that workflow, with a test set and options in its own language. */
export function evalFile(testset: string, more = ""): string {
  return `import { checks, evaluation, skip } from "@agate/sdk/evals";
import { echo } from "./app.ts";
export const quality = evaluation("quality", {
  route: echo,
  testset: ${testset},
  scorers: {
    right: ({ output }) => output.text.startsWith(">"),
    searched: checks.calls("search"),
  },
  ${more}
});
`;
}

/** A test set of one case. */
export const ONE = '[{ id: "one", inputs: { text: "a" } }]';

/** A folder with the workflow, in which eval files are run. */
export interface EchoProject extends UserFolder {
  /** Writes the eval file and runs it in this process. */
  evaluate(evals: string, ...args: readonly string[]): Promise<Ended>;
  /** It ends with this reason and the code for what could not be run, before the first call. */
  expectRefused(evals: string, args: readonly string[], reason: string): Promise<void>;
}

export async function makeEchoProject(): Promise<EchoProject> {
  const folder = await makeFolder({
    "package.json": { name: "echo", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": APP,
  });
  await installSdk(folder.path);
  const evaluate = async (evals: string, ...args: readonly string[]) => {
    await folder.write({ "quality.eval.ts": evals, "calls.txt": "" });
    return runInProcess(["eval", folder.at("quality.eval.ts"), ...args]);
  };
  return {
    ...folder,
    evaluate,
    async expectRefused(evals, args, reason) {
      const ended = await evaluate(evals, ...args);
      expect(ended.stderr).toContain(reason);
      expect(ended.code).toBe(2);
      expect(await readFile(folder.at("calls.txt"), "utf8")).toBe("");
    },
  };
}
