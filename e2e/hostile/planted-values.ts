import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { RunningServer } from "../running-server.ts";

const PASSWORD = "hunter2-planted";
const EMAIL = "joe.planted@example.com";
/** What rules find in texts. The second card is one word, as indexes of words keep it. */
const FOUND = [
  "4111 1111 1111 1111",
  "5555555555554444",
  EMAIL,
  "DE89370400440532013000",
  "+49 30 9018200",
  "sk-proj-plantedABC1234567890",
];
/** What no server may keep with the rules below. */
export const PLANTED = [...FOUND, PASSWORD];
const RULES = { keys: ["password"], patterns: ["card", "email", "iban", "phone", "token"] };
/** Stands in records in place of the cards. */
export const REPLACEMENT = "[redacted:card]";

async function json(url: string, method: string, body: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  expect(response.status, `${method} ${url}`).toBe(200);
}

/** A value in each dialect's place for content, in prose, in JSON and in JSON inside of JSON. */
function spanOf(index: number, secret: string) {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const id = (index + 1).toString(16);
  const message = [{ role: "user", parts: [{ type: "text", content: `pay\n${secret}` }] }];
  const nested = JSON.stringify({ arguments: JSON.stringify({ note: `x\t${secret}` }) });
  return {
    traceId: id.padStart(32, "a"),
    spanId: id.padStart(16, "b"),
    name: `charge ${secret}`,
    startTimeUnixNano: "1763278800000000000",
    endTimeUnixNano: "1763278801000000000",
    status: { code: 2, message: `refused ${secret}` },
    attributes: [
      text("ag.content.inputs", JSON.stringify({ note: secret, password: PASSWORD })),
      text("gen_ai.input.messages", JSON.stringify(message)),
      text("llm.input_messages.0.message.content", secret),
      text("llm.input_messages.0.message.tool_calls.0.tool_call.function.arguments", nested),
      text("ai.prompt", nested),
      text("gen_ai.prompt.0.content", `${secret}, please`),
      text("user.id", secret),
      text("http.request.header.password", PASSWORD),
      { key: secret, value: { boolValue: true } },
      { key: "list", value: { arrayValue: { values: [{ stringValue: secret }] } } },
      { key: "gen_ai.usage.input_tokens", value: { intValue: "412" } },
    ],
    events: [
      { name: secret, attributes: [text("exception.message", secret)] },
      { name: "gen_ai.user.message", attributes: [text("content", secret)] },
    ],
    links: [{ traceId: "c".repeat(32), spanId: "d".repeat(16), attributes: [text("a", secret)] }],
  };
}

/**
 * Gives a server rules, sends it each planted value in 17 places, reads everything back, and stops it.
 *
 * @returns What it has answered, sent as live events and logged.
 */
export async function sayPlanted(server: RunningServer): Promise<string[]> {
  await json(`${server.url}/registry/redaction`, "PUT", RULES);
  const live = await fetch(`${server.url}/observability/live/`);
  const spans = FOUND.map((secret, index) => spanOf(index, secret));
  const resource = { attributes: [{ key: "owner", value: { stringValue: EMAIL } }] };
  const scope = { name: `tracer of ${EMAIL}` };
  const body = { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] };
  await json(`${server.url}/v1/traces`, "POST", body);

  const answers: string[] = [];
  const read = async (path: string) => {
    const text = await (await fetch(`${server.url}${path}`)).text();
    answers.push(text);
    return text;
  };
  for (const { traceId } of spans) {
    const record = JSON.parse(await read(`/observability/traces/${traceId}/`));
    expect(record).toMatchObject({ trace_id: traceId, metadata: { redacted: true } });
    expect(record.metadata.usage.input_tokens).toBe(412);
  }
  // The list and the index may trail: what stands beside the values is found first.
  const listed = async (query: string) =>
    JSON.parse(await read(`/observability/traces/${query}`)).items.length;
  await expect.poll(() => listed("")).toBe(spans.length);
  await expect.poll(() => listed("?q=charge")).toBe(spans.length);
  await read("/observability/spans/");
  for (const secret of [...PLANTED, "4111111111111111", "planted"]) {
    const found = await read(`/observability/traces/?q=${encodeURIComponent(secret)}`);
    expect(JSON.parse(found).items, secret).toEqual([]);
  }
  answers.push(await eventsUntil(live, spans[0]?.traceId ?? ""));
  await server.stop();
  return [...answers, server.log()];
}

async function eventsUntil(stream: Response, word: string): Promise<string> {
  expect(stream.status).toBe(200);
  let text = "";
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes(word)) return text;
  }
  return text;
}

/** Every file of a folder. */
export function filesOf(folder: string): { readonly name: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
}

/** The planted values in some bytes. */
export function plantedIn(bytes: string | Buffer): string[] {
  return PLANTED.filter((value) => bytes.includes(value));
}
