import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DevProject, makeProject } from "../../dev/dev-project.ts";
import { type RunningAgate, startAgate } from "../../dev/running-agate.ts";

/** Routes that behave in every way a playground has to cope with. */
const APP = `import * as ag from "@agate/sdk";
import { z } from "zod";

class NoConfig extends ag.BaseModel {}
class ShoutConfig extends ag.BaseModel {
  marks = ag.Field(ag.int, { default: 1, ge: 0, le: 5 });
}

let stopped = 0;

/** Says one thing, and then waits until nobody listens any more. */
export const wait = ag.route("/wait", { config: NoConfig, input: z.object({ name: z.string() }) })(
  async function* ({ name }, { signal }) {
    yield \`First of \${name}. \`;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    stopped += 1;
  },
);

export const stops = ag.route("/stops", NoConfig)(async () => ({ stopped }));

export const shout = ag.route("/shout", { config: ShoutConfig, input: z.object({ text: z.string() }) })(
  async ({ text }, { config }) => ({ said: text.toUpperCase() + "!".repeat(config.marks) }),
);

export const fail = ag.route("/fail", NoConfig)(async () => {
  throw new Error("The model is not there.");
});

export const half = ag.route("/half", NoConfig)(async function* () {
  yield "The first half, ";
  throw new ag.HttpError(429, "Too many questions.", { type: "too_many_questions" });
});

export const crash = ag.route("/crash", NoConfig)(async () => process.exit(3));

export const nothing = ag.route("/nothing", NoConfig)(async function* () {});

/** Refuses what no schema can say. */
export const picky = ag.route("/picky", {
  config: z.object({
    word: z.string().default("fine").refine((word) => word !== "bad", "Takes a kinder word."),
  }),
  input: z.object({ text: z.string().refine((text) => text !== "no", "Say something else.") }),
})(async ({ text }) => text);

export const free = ag.route("/free", NoConfig)(async (inputs: unknown) => ({ got: inputs }));

export default ag.app(wait, stops, shout, fail, half, crash, nothing, picky, free);
`;

/** The built platform in development, with the routes above as the application \`bench\`. */
export interface WorkbenchApp extends AsyncDisposable {
  readonly url: string;
  readonly agate: RunningAgate;
  readonly project: DevProject;
}

export async function startWorkbenchApp(): Promise<WorkbenchApp> {
  await using parts = new AsyncDisposableStack();
  const project = parts.use(await makeProject());
  const data = await mkdtemp(join(tmpdir(), "agate-web-"));
  parts.defer(() => rm(data, { recursive: true, force: true }));
  await project.edit("package.json", '"dependencies": {', '"dependencies": {\n    "zod": "*",');
  await project.write("app.ts", APP);
  const agate = await startAgate(
    ["dev", "app.ts", "--app", "bench", "--port", "0", "--data-dir", data],
    { cwd: project.folder },
  );
  parts.use(agate);
  await agate.printed(/Ready in/);
  const started = parts.move();
  return {
    url: agate.url,
    agate,
    project,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
