import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { afterAll, beforeEach, expect, it } from "vitest";
import { DevEvaluators, MOST_RUNS } from "../../packages/cli/src/dev/dev-evaluators.ts";
import { openProject } from "../../packages/cli/src/packing/project.ts";
import type { Evaluators } from "../../packages/platform/src/evaluations/evaluators.ts";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";

const APP = `import * as ag from "@agate/sdk";

class EchoConfig extends ag.BaseModel {
  prefix = ag.Field(ag.str, { default: ">" });
}

export const echo = ag.route("/echo", EchoConfig)(
  async ({ text }: { text: string }, { config }) => config.prefix + text,
);
`;

/** @param name Of the only scorer, which is how versions of the file are told apart. */
function evalFile(name: string, before = ""): string {
  return `import { evaluation } from "@agate/sdk/evals";
import { echo } from "./app.ts";
${before}
export const quality = evaluation("quality", {
  route: echo,
  testset: "./cases.jsonl",
  scorers: { ${name}: () => true },
});
`;
}

const SERVED = { project: "default", application: { id: "app", slug: "support" }, build: null };

const users: UserFolder[] = [];
let user: UserFolder;
let evaluators: DevEvaluators;
beforeEach(async () => {
  user = await makeFolder({ "package.json": { name: "support", type: "module" }, "app.ts": APP });
  users.push(user);
  await installSdk(user.path);
  const project = await openProject(user.at("app.ts"));
  if (project.kind === "refused") throw new Error(project.reason);
  evaluators = new DevEvaluators({
    project,
    folder: user.at(".agate/evals"),
    applicationId: () => "app",
    environment: async () => ({}),
    emit: () => {},
    ofBuilds: {} as Evaluators,
  });
});
afterAll(() => Promise.all(users.map((each) => each[Symbol.asyncDispose]())));

/** The name of the scorer in the bundle of a run, or in the files as they are now. */
async function scorerOf(run?: string): Promise<string | undefined> {
  const described = await evaluators.describe(SERVED, run);
  if (described.kind === "failed") throw new Error([described.reason, ...described.log].join("\n"));
  return described.evaluations[0]?.scorers[0]?.name;
}

it("keeps the bundles of the last runs, and no others", async () => {
  const run = async (number: number) => {
    await user.write({ "app.eval.ts": evalFile(`s${number}`) });
    await scorerOf();
    return scorerOf(`run-${number}`);
  };
  for (let number = 1; number <= MOST_RUNS; number++) {
    expect(await run(number)).toBe(`s${number}`);
  }
  const bundles = () => readdirSync(user.at(".agate/evals"));
  expect(bundles()).toHaveLength(MOST_RUNS);
  expect(await scorerOf("run-1")).toBe("s1");
  await run(MOST_RUNS + 1);
  await expect.poll(bundles).toHaveLength(MOST_RUNS);
  expect(await scorerOf("run-2")).toBe("s2");
  // The first run's files are gone: it would have to be judged by others, which a run refuses.
  expect(await scorerOf("run-1")).toBe(`s${MOST_RUNS + 1}`);
});

it("ends a process that does not end by itself, after it had its time", async () => {
  const stubborn = `import { writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(user.at("pid"))}, String(process.pid));
process.on("SIGTERM", () => {});
setInterval(() => {}, 1000);
`;
  await user.write({ "app.eval.ts": evalFile("held", stubborn) });
  expect(await scorerOf()).toBe("held");
  const pid = await readFile(user.at("pid"), "utf8");
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});
