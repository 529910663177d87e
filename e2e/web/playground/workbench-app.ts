import { type AppPlatform, startApp } from "../app-platform.ts";

/** Routes that behave in every way a playground has to cope with. */
const APP = `import * as ag from "@agate/sdk";
import { z } from "zod";

class NoConfig extends ag.BaseModel {}
class ShoutConfig extends ag.BaseModel {
  marks = ag.Field(ag.int, { default: 1, ge: 0, le: 5 });
}

let stopped = 0;

/** Sends one chunk, and then waits until the caller disconnects. */
export const wait = ag.route("/wait", { config: NoConfig, input: z.object({ name: z.string() }) })(
  async function* ({ name }, { signal }) {
    yield \`First of \${name}. \`;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    stopped += 1;
  },
);

let turn: () => void = () => undefined;

/** Half of it, and the rest when the page is turned. */
export const pages = ag.route("/pages", NoConfig)(async function* () {
  for (let line = 1; line <= 400; line += 1) {
    if (line === 201) await new Promise<void>((resolve) => { turn = resolve; });
    yield \`Line \${line} \\n\`;
  }
});

export const turnPage = ag.route("/turn", NoConfig)(async () => turn());

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

export const long = ag.route("/long", { config: NoConfig, input: z.object({ length: z.int() }) })(
  // As parts that are folded at first: a browser takes seconds for the layout of a text this long.
  async ({ length }) => ({ length, parts: [[Array(length / 100).fill("agate ".repeat(16))]] }),
);

export default ag.app(long, wait, pages, turnPage, stops, shout, fail, half, crash, nothing, picky, free);
`;

/** The built platform in development, with the routes above as the application `bench`. */
export function startWorkbench(): Promise<AppPlatform> {
  return startApp("bench", APP);
}
