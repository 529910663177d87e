import { evalFilesOf } from "../../packages/cli/src/packing/find-eval-files.ts";
import { packApp } from "../../packages/cli/src/packing/pack-app.ts";
import { archiveFiles } from "../../packages/platform/src/deployments/builds/archive-files.ts";
import { installSdk, makeFolder } from "../packing/user-project.fixture.ts";

/** Packs programs of a user, each as `agate deploy` would. */
export interface Packer extends AsyncDisposable {
  /** @param evals The text of its eval file; without it, it has none. */
  pack(source: string, evals?: string): Promise<Uint8Array<ArrayBuffer>>;
}

export async function openPacker(): Promise<Packer> {
  const user = await makeFolder({
    "package.json": { name: "support", version: "1.0.0", type: "module" },
    "cases.jsonl": `{"inputs":{"text":"hi"}}\n`,
  });
  await installSdk(user.path);
  return {
    async pack(source, evals) {
      await user.write({ "app.ts": source, "app.eval.ts": evals ?? "" });
      const findEvals = evals === undefined ? undefined : evalFilesOf;
      const options = { application: "support", include: ["*.jsonl"], findEvals };
      const packed = await packApp(user.at("app.ts"), options);
      if (packed.kind !== "packed") throw new Error(JSON.stringify(packed));
      return new Uint8Array(await archiveFiles(packed.files));
    },
    [Symbol.asyncDispose]: () => user[Symbol.asyncDispose](),
  };
}

/** A workflow whose answers say which build it is, and which configuration it had. */
export function support(build: string): string {
  return `import * as ag from "@agate/sdk";

class SayConfig extends ag.BaseModel {
  word = ag.Field(ag.str, { default: "default" });
}

const step = ag.instrument({ name: "step" })(async (text: string) => text);

export const say = ag.route("/say", SayConfig)(
  async ({ text }: { text: string }, { config }) =>
    ${JSON.stringify(build)} + " " + config.word + " " + (await step(text)),
);

/** Counts until it is told to stop. */
export const count = ag.route("/count", SayConfig)(async function* (
  { most }: { most: number },
  { signal },
) {
  signal.addEventListener("abort", () => console.log("aborted"));
  for (let n = 0; n < most; n++) {
    yield n;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
`;
}
