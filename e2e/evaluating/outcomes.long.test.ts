import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import { type Ended, runAgate } from "../run-agate.ts";

const APP = `import * as ag from "@agate/sdk";
class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
export const echo = ag.route("/echo", EchoConfig)(async ({ text }: { text: string }, { config }) => {
  if (text === "broken") throw new Error("it broke");
  return config.prefix + text;
});
`;

const GOOD = '{ id: "good", inputs: { text: "a" } }';
const OTHER = '{ id: "other", inputs: { text: "b" } }';
const BROKEN = '{ id: "bad", inputs: { text: "broken" } }';

let folder: UserFolder;
beforeAll(async () => {
  folder = await makeFolder({
    "package.json": { name: "echo", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": APP,
  });
  await installSdk(folder.path);
});
afterAll(() => folder[Symbol.asyncDispose]());

interface Declared {
  readonly cases: readonly string[];
  readonly scorers?: string;
  readonly more?: string;
}

async function evaluate({ cases, scorers = "", more = "" }: Declared, ...args: string[]) {
  await folder.write({
    "quality.eval.ts": `import { checks, evaluation } from "@agate/sdk/evals";
import { echo } from "./app.ts";
evaluation("quality", {
  route: echo,
  testset: [${cases.join(", ")}],
  scorers: { right: ({ output }) => output.startsWith(">"), ${scorers} },
  ${more}
});
`,
  });
  return runAgate(["eval", ...args], { cwd: folder.path });
}

describe("a scorer that", () => {
  const onOther = (fault: string) =>
    `odd: async ({ inputs }) => { if (inputs.text === "b") { ${fault} } return 1; },`;
  const faults = [
    ["throws", 'throw new Error("no score today");', "no score today"],
    ["takes too long", "await new Promise(() => {});", "200 ms"],
    ["returns a text", 'return "great";', 'got "great"'],
    ["returns a number above 1", "return 1.5;", "got 1.5"],
  ] as const;

  it.each(faults)("%s has a failed score, which is no 0", async (_what, fault, said) => {
    const declared = {
      cases: [GOOD, OTHER],
      scorers: onOther(fault),
      more: "scorerTimeout: 200, gate: { scores: { odd: { min: 0.9 } } },",
    };
    const { stdout, code } = await evaluate(declared, "--reporter", "json");
    const [run] = JSON.parse(stdout).evaluations;
    expect(run.failed_scores).toMatchObject([{ case: "other", score: "odd" }]);
    expect(run.failed_scores[0].error).toContain(said);
    const odd = run.figures.scores.find(({ score }: { score: string }) => score === "odd");
    expect(odd.columns).toMatchObject([{ mean: 1, ok: 1, failed: 1 }]);
    // The missing value could undo the gate.
    expect(run.result).toBe("undecided");
    expect(code).toBe(3);
  });

  it("never gives a score leaves its gate without one", async () => {
    const ended = await evaluate({
      cases: [GOOD, OTHER],
      scorers: 'odd: () => { throw new Error("never"); },',
      more: "gate: { scores: { odd: { min: 0.1 } } },",
    });
    expect(ended.stdout).toContain("no case has this score");
    expect(ended.code).toBe(2);
  });

  it("ends the process ends the run", async () => {
    const ended = await evaluate({ cases: [GOOD], scorers: "odd: () => process.exit(0)," });
    expect(ended.stderr).toContain("The evaluator process ended");
    expect(ended.code).toBe(2);
  });
});

describe("reports for programs", () => {
  const declared = {
    cases: [GOOD, BROKEN],
    more: "gate: { scores: { right: { min: 0.9 } }, errors: { share: 0 } },",
  };

  it("are JUnit's XML, where an undecided gate fails too", async () => {
    const { stdout, code } = await evaluate(declared, "--reporter", "junit");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites /);
    expect(stdout).toContain('<testsuite name="quality" tests="2" failures="2">');
    expect(stdout).toMatch(/name="right: [^"]+"><failure message="undecided: 1.000, but 1 value/);
    expect(stdout).toMatch(/name="errors: [^"]+"><failure message="failed: 1 of 2"\/>/);
    const passing = await evaluate({ ...declared, cases: [GOOD] }, "--reporter", "junit");
    expect(passing.code).toBe(0);
    expect(passing.stdout).toContain('<testsuite name="quality" tests="2" failures="0">');
    expect(passing.stdout).not.toContain("<failure");
  });

  it("are annotations on GitHub", async () => {
    const { stdout, code } = await evaluate(declared, "--reporter", "github");
    expect(code).toBe(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^::warning title=quality%3A right undecided::.+1 value is missing/);
    expect(lines[1]).toMatch(/^::error title=quality%3A errors failed::at most 0 %25 of calls/);
    expect(lines[2]).toBe("quality: failed");
  });

  it("go to a file, and the table to the terminal", async () => {
    const args = ["--reporter", "junit", "--output", "report.xml"];
    const { stdout, code } = await evaluate(declared, ...args);
    expect(code).toBe(1);
    expect(stdout).toContain("✗ Failed.");
    expect(stdout).not.toContain("<testsuite");
    expect(await readFile(folder.at("report.xml"), "utf8")).toMatch(/<\/testsuites>\n$/);
  });
});

describe("an application elsewhere", () => {
  async function serve(listener: RequestListener) {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      async [Symbol.asyncDispose]() {
        server.close();
        server.closeAllConnections();
        await once(server, "close");
      },
    };
  }

  it("is called as by any client, again where it is busy, and scored here", async () => {
    const seen: { path: string | undefined; run: unknown; text: string }[] = [];
    const answer = async (request: IncomingMessage): Promise<[number, object]> => {
      const { inputs } = (await json(request)) as { inputs: { text: string } };
      seen.push({ path: request.url, run: request.headers["agate-run"], text: inputs.text });
      if (inputs.text === "broken") return [500, { detail: [{ msg: "it broke there" }] }];
      const isFirst = seen.filter(({ text }) => text === "b").length === 1;
      if (inputs.text === "b" && isFirst) return [429, { detail: [{ msg: "busy" }] }];
      return [200, { data: `>${inputs.text}` }];
    };
    await using server = await serve(async (request, response) => {
      const [status, body] = await answer(request);
      response.writeHead(status, { "content-type": "application/json", "retry-after": "0" });
      response.end(JSON.stringify(body));
    });
    const scorers = 'searched: checks.calls("search"),';
    const declared = { cases: [GOOD, OTHER, BROKEN], scorers };
    const ended = await evaluate(declared, "--url", server.url, "--reporter", "json");
    expect(ended.code).toBe(0);
    const [run] = JSON.parse(ended.stdout).evaluations;
    expect(run.columns.candidate).toBe(server.url);
    expect(run.figures.columns).toMatchObject([
      { results: 3, errors: 1, cost: { mean: null, unknown: 3 } },
    ]);
    expect(run.failed_calls).toMatchObject([
      { case: "bad", error: `${server.url} answered 500: it broke there` },
    ]);
    // Its traces are not here to be read: no tool call is known, so there is no score.
    expect(run.figures.scores).toMatchObject([
      { score: "right", columns: [{ mean: 1, ok: 2, failed: 1 }] },
      { score: "searched", columns: [{ ok: 0, failed: 3 }] },
    ]);
    expect(seen.map(({ text }) => text).sort()).toEqual(["a", "b", "b", "broken"]);
    for (const { path, run: header } of seen) {
      expect({ path, header }).toEqual({ path: "/run/echo", header: undefined });
    }
  });

  it("that cannot be reached fails every call", async () => {
    const { url, ...server } = await serve(() => {});
    await server[Symbol.asyncDispose]();
    const more = "gate: { errors: { share: 0 } },";
    const ended: Ended = await evaluate({ cases: [GOOD], more }, "--url", url);
    expect(ended.stdout).toContain("ECONNREFUSED");
    expect(ended.code).toBe(1);
  });

  it("is the candidate: another one beside it is refused", async () => {
    const args = ["--url", "http://127.0.0.1:4101", "--candidate", "default"];
    const ended = await evaluate({ cases: [GOOD] }, ...args);
    expect(ended.stderr).toContain("Pass --url or --candidate, not both");
    expect(ended.code).toBe(2);
  });
});
