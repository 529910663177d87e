import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import type { VariableValue } from "../../registry/variables-change.ts";
import type { BuildRestrictions } from "./build-restrictions.ts";
import type { BuildProgram } from "./spawn-build.ts";
import { askSocket, startBuildProcess } from "./start-build-process.ts";
import { buildProgram, processGroups, workflowSource } from "./testing/build-program.fixture.ts";

const GROUPS = processGroups();
const TIMEOUT_MS = 20_000;
const CANARY = "canary-5b8efff798038103d269";
const RESTRICTIONS: BuildRestrictions = { allow: [], readable: [], user: null, passEnv: [] };

async function start(program: BuildProgram) {
  const lines: string[] = [];
  const build = await startBuildProcess(program, {
    onLine: (line) => lines.push(line),
    timeoutMs: TIMEOUT_MS,
    groups: GROUPS,
  });
  if (build.kind !== "running") throw new Error(`${build.reason}\n${build.log.join("\n")}`);
  onTestFinished(() => build.stop(0));
  const options = { signal: AbortSignal.timeout(TIMEOUT_MS), mostBytes: 1_000_000 };
  const get = async (path: string) => (await askSocket(build.socketPath, path, options)).body;
  return { build, get, lines };
}

function secret(name: string, value: string): VariableValue {
  return { name, value, isSecret: true };
}

const ANSWER_ENVIRONMENT = workflowSource("response.end(JSON.stringify(process.env));");

it.each([
  ["a restricted build", RESTRICTIONS],
  ["a build from before", null],
])("gives %s its variables before its code runs, and not by its environment", async (_, limits) => {
  const variables = [
    secret("TOKEN", CANARY),
    secret("PEM", `-----BEGIN\n${CANARY} ü 𝒳\r\n-----END`),
    secret("LARGE", "x".repeat(65_536)),
    secret("EMPTY", ""),
    secret("PATH", "/nowhere"),
  ];
  const program = await buildProgram(
    workflowSource(
      "response.end(JSON.stringify({ atStart, now: process.env }));",
      "const atStart = { ...process.env };",
    ),
  );
  const { build, get } = await start({ ...program, variables, restrictions: limits });
  const { atStart, now } = JSON.parse(await get("/"));
  const expected = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  expect(atStart).toMatchObject(expected);
  expect(now).toEqual(atStart);
  expect(atStart).not.toHaveProperty("AGATE_VARIABLES_FD");
  if (process.platform !== "linux") return;
  for (const file of ["environ", "cmdline"]) {
    expect(readFileSync(`/proc/${build.pid}/${file}`).includes(CANARY), file).toBe(false);
  }
});

it("gives them to threads and children of the build too, which read no pipe", async () => {
  const program = await buildProgram(
    workflowSource(
      `const { execFileSync } = await import("node:child_process");
       const { Worker } = await import("node:worker_threads");
       const print = "process.stdout.write(process.env.TOKEN)";
       const child = execFileSync(process.execPath, [...process.execArgv, "-e", print], { encoding: "utf8" });
       const post = "require('node:worker_threads').parentPort.postMessage(process.env.TOKEN)";
       const worker = new Worker(post, { eval: true });
       worker.on("error", (error) => response.end(error.stack));
       worker.on("message", (told) => response.end(JSON.stringify([child, told])));`,
    ),
  );
  const restrictions: BuildRestrictions = { ...RESTRICTIONS, allow: ["child-process", "worker"] };
  const { get } = await start({ ...program, variables: [secret("TOKEN", CANARY)], restrictions });
  expect(JSON.parse(await get("/"))).toEqual([CANARY, CANARY]);
});

it("lets a restricted build inherit nothing but what it needs and what is named", async () => {
  const inherited = {
    ...{ TZ: "Europe/Berlin", LANG: "de_DE.UTF-8", LC_ALL: "C", NO_PROXY: "a", https_proxy: "b" },
    ...{ SSL_CERT_FILE: "/c", PASSED_ON: "d" },
  };
  const kept = {
    ...{ OPENAI_API_KEY: CANARY, GITHUB_TOKEN: CANARY, NODE_OPTIONS: "--no-warnings" },
    ...{ AGATE_SECRET_KEY: CANARY, PGPASSWORD: CANARY, LC: "x", NOT_PASSED_ON: "x" },
  };
  for (const [name, value] of Object.entries({ ...inherited, ...kept })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const program = await buildProgram(ANSWER_ENVIRONMENT);
  const restrictions = { ...RESTRICTIONS, passEnv: ["PASSED_ON", "NOT_THERE"] };
  const { get } = await start({ ...program, restrictions });
  const environment = JSON.parse(await get("/"));
  expect(environment).toMatchObject(inherited);
  for (const name of Object.keys(kept)) expect(environment).not.toHaveProperty(name);
  expect(environment.HOME).not.toBe(process.env.HOME);
  expect(environment.TMPDIR).toContain("agate-");
  expect(JSON.stringify(environment)).not.toContain(CANARY);
});

it("says in the log of a running build what it lacks, once", async () => {
  const program = await buildProgram(
    workflowSource(
      `const { readFileSync } = await import("node:fs");
       try { readFileSync("/etc/hostname"); } catch (error) { console.error(error); }
       const { spawn } = await import("node:child_process");
       try { spawn("ls"); } catch (error) { console.error(error.message); }
       response.end();`,
    ),
  );
  const { build, get, lines } = await start({ ...program, restrictions: RESTRICTIONS });
  await get("/");
  await get("/");
  await build.stop(TIMEOUT_MS);
  const hints = lines.filter((line) => line.startsWith("[agate]"));
  expect(hints).toEqual([
    expect.stringContaining('"agate": {"include": […]}'),
    expect.stringContaining('"agate": {"allow": ["child-process"]}'),
  ]);
});

it("keeps secrets out of all that the build prints, and plain variables in it", async () => {
  const program = await buildProgram(
    workflowSource(
      `const { TOKEN, PEM, REGION } = process.env;
       console.log("a " + TOKEN, encodeURIComponent(TOKEN), JSON.stringify({ TOKEN }));
       console.log(PEM);
       console.error(new Error("b " + TOKEN).stack.split("\\n")[0], REGION);
       process.stdout.write("x".repeat(16 * 1024 - 4) + TOKEN + "\\n");
       response.end();`,
    ),
  );
  const token = `${CANARY} "&`;
  const variables = [
    secret("TOKEN", token),
    secret("PEM", `first-${CANARY}\nsecond-${CANARY}`),
    { name: "REGION", value: "eu-central-1", isSecret: false },
  ];
  const { build, get, lines } = await start({ ...program, variables, restrictions: RESTRICTIONS });
  await get("/");
  await build.stop(TIMEOUT_MS);
  const log = (await build.ended).log;
  expect(lines.slice(0, 3)).toEqual([
    'a [secret:TOKEN] [secret:TOKEN] {"TOKEN":"[secret:TOKEN]"}',
    "[secret:PEM]",
    "[secret:PEM]",
  ]);
  expect(lines).toContain("Error: b [secret:TOKEN] eu-central-1");
  expect(JSON.stringify([lines, log])).not.toContain(CANARY.slice(0, 8));
});
