import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";

const CARD = "4111 1111 1111 1111";
const EMAIL = "joe.planted@example.com";
const IBAN = "DE89370400440532013000";
const PHONE = "+49 30 9018200";
const TOKEN = "sk-proj-plantedABC1234567890";
const PASSWORD = "hunter2-planted";
const PLANTED = [CARD, EMAIL, IBAN, PHONE, TOKEN, PASSWORD];

async function json(url: string, method: string, body: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  expect(response.status, `${method} ${url}`).toBe(200);
  return response.json();
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

// 6 values in 17 places each; none was found in 1 to 2 MB of files, 5 answers and the log.
it("stores nothing of what the rules name: not in files, answers, searches, live events or the log", async () => {
  await using server = await startServer();
  const rules = { keys: ["password"], patterns: ["card", "email", "iban", "phone", "token"] };
  await json(`${server.url}/registry/redaction`, "PUT", rules);
  const live = await fetch(`${server.url}/observability/live/`);
  const spans = PLANTED.slice(0, 5).map((secret, index) => spanOf(index, secret));
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
  expect(JSON.parse(await read("/observability/traces/")).items).toHaveLength(spans.length);
  await read("/observability/spans/");
  // The index trails: what stands beside the values is found first.
  await expect
    .poll(async () => JSON.parse(await read("/observability/traces/?q=charge")).items.length)
    .toBe(spans.length);
  for (const secret of [...PLANTED, "4111111111111111", "planted"]) {
    const found = await read(`/observability/traces/?q=${encodeURIComponent(secret)}`);
    expect(JSON.parse(found).items, secret).toEqual([]);
  }
  answers.push(await eventsUntil(live, spans[0]?.traceId ?? ""));
  await server.stop();

  for (const secret of PLANTED) {
    for (const answer of [...answers, server.log()]) expect(answer).not.toContain(secret);
  }
  const files = readdirSync(server.dataDirectory, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
  expect(files.some(({ bytes }) => bytes.includes("[redacted:card]"))).toBe(true);
  for (const { name, bytes } of files) {
    for (const secret of PLANTED)
      expect(bytes.includes(secret), `${secret} in ${name}`).toBe(false);
  }
});

async function eventsUntil(stream: Response, word: string): Promise<string> {
  expect(stream.status).toBe(200);
  let text = "";
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes(word)) return text;
  }
  return text;
}
