import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outline, readTrace, spanNamed } from "../clients/read-back.ts";
import { type DataFolder, emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { post } from "./post.ts";
import { spansPrinted } from "./printed.ts";
import { type EndedProgram, startProgram } from "./running-program.ts";

/** Has characters that JSON and URLs write in other ways. */
const TOKEN = 'tok"en/5b1f+e0c2\\d7';
const PASSWORD = "correct-horse-battery";
const EMAIL = "ada@stones.example";
const CARD = "card-4711";
/** In every form in which JSON, JSON in JSON and URLs have them. */
const HIDDEN = [TOKEN, PASSWORD, EMAIL, CARD].flatMap((text) => {
  const once = JSON.stringify(text).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  return [...new Set([text, encodeURIComponent(text), once, twice])];
});
/** Nothing hides it: a search that does not find it finds nothing. */
const SHOWN = "Ada-of-the-agates";

describe("what must not be recorded", () => {
  let folder: DataFolder;
  let answers: string[];
  let loginTrace: string;
  let outlined: string;
  let authorised: unknown;
  let ended: EndedProgram;

  beforeAll(async () => {
    folder = await emptyDataFolder();
    await using server = await startServer({ dataDirectory: folder.path });
    await using program = await startProgram("secrets.ts", {
      env: {
        AGATE_BASE_URL: server.url,
        AGATE_CONFIG_FILE: "agate.config.json",
        API_TOKEN: TOKEN,
        OTEL_RESOURCE_ATTRIBUTES: `deploy.key=${encodeURIComponent(TOKEN)}`,
      },
    });
    const inputs = { name: SHOWN, password: PASSWORD, user: { email: EMAIL }, note: TOKEN };
    answers = [];
    for (const route of ["fail", "refuse", "stream"]) {
      for (const endpoint of ["run", "playground/run"]) {
        const url = `${program.url}/${endpoint}/${route}`;
        answers.push(JSON.stringify((await post(url, { inputs })).body));
        answers.push(await streamed(url, inputs));
      }
    }
    const { body } = await post(`${program.url}/playground/run/login`, { inputs });
    // The caller gets what the function returned; what is recorded of it is another matter.
    expect(body.data).toMatchObject(inputs);
    answers.push(JSON.stringify(body.trace));
    loginTrace = body.trace_id;
    ended = await program.end();
    const trace = await readTrace(server.url, loginTrace);
    outlined = outline(trace);
    authorised = spanNamed(trace, "authorise").content;
    await server.stop();
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  it("is in no file of the platform", async () => {
    const names = await readdir(folder.path, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    const texts = await Promise.all(
      files.map((entry) => readFile(join(entry.parentPath, entry.name), "latin1")),
    );
    expect(texts.some((text) => text.includes(SHOWN))).toBe(true);
    for (const text of texts) expect(hiddenIn(text)).toEqual([]);
  });

  it("is in no answer, of an error or in a tree", () => {
    expect(answers.join("\n")).toContain("[secret:API_TOKEN]");
    expect(answers.at(-1)).toContain(SHOWN);
    for (const answer of answers) expect(hiddenIn(answer)).toEqual([]);
  });

  it("is in no span of Agate's that the process's own exporter gets", () => {
    const spans = spansPrinted(ended).filter(({ scope }) => scope === "@agate/sdk");
    const text = JSON.stringify(spans);
    expect(text).toContain(SHOWN);
    expect(hiddenIn(text)).toEqual([]);
    // What other libraries made is theirs, and the exporter's.
    const other = spansPrinted(ended).find(({ scope }) => scope === "http-client");
    expect(other?.name).toBe(`GET /?token=${TOKEN}`);
  });

  it("is replaced by what it was, and the rest is there", () => {
    expect(outlined.split("\n").sort()).toEqual([
      "  TASK authorise",
      "  TASK try [secret:API_TOKEN]",
      "  UNKNOWN GET /?token=[secret:API_TOKEN]",
      "WORKFLOW invoke_workflow login",
    ]);
    const shown = { authorization: "[redacted]", header: "Bearer [secret:API_TOKEN]" };
    expect(authorised).toEqual({
      inputs: shown,
      internals: { header: shown.header },
      outputs: { ...shown, granted: true },
    });
  });

  it("is not in what the process says about its failures", () => {
    expect(ended.stderr).toContain("The server refused [secret:API_TOKEN].");
    expect(hiddenIn(ended.stderr)).toEqual([]);
  });
});

async function streamed(url: string, inputs: object): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ inputs }),
  });
  return await response.text();
}

/** What of it is found in a text. */
function hiddenIn(text: string): string[] {
  return HIDDEN.filter((hidden) => text.includes(hidden));
}
