import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { faults, sendJson } from "../registry/testing/registry-client.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const PATH = "/registry/redaction";
const send = (method: string, path: string, body?: unknown) =>
  sendJson(platform, method, path, body);

const CARD = "4111 1111 1111 1111";
const EMAIL = "joe.planted@example.com";
const PASSWORD = "hunter2-planted";

function spanWith(spanId: string, text: string, number = "412") {
  const attribute = (key: string, value: object) => ({ key, value });
  return {
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId,
    name: `charge ${text}`,
    startTimeUnixNano: "1763278800000000000",
    endTimeUnixNano: "1763278801000000000",
    status: { code: 2, message: `failed for ${text}` },
    attributes: [
      attribute("input.value", { stringValue: JSON.stringify({ note: `line\n${text}` }) }),
      attribute("password", { stringValue: PASSWORD }),
      attribute("gen_ai.usage.input_tokens", { intValue: "412" }),
      attribute("number", { intValue: number }),
    ],
    events: [{ name: text, attributes: [attribute("exception.message", { stringValue: text })] }],
    links: [
      {
        traceId: "5b8efff798038103d269b633813fc60c",
        spanId: "eee19b7ec3c1b174",
        attributes: [attribute("a", { stringValue: text })],
      },
    ],
  };
}

async function sendSpan(spanId: string, text: string, number?: string): Promise<void> {
  const resource = { attributes: [{ key: "host.owner", value: { stringValue: text } }] };
  const spans = [spanWith(spanId, text, number)];
  const body = { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] };
  const response = await send("POST", "/v1/traces", body);
  expect(response.status, response.body.toString()).toBe(200);
}

async function readSpan(spanId: string) {
  return (await platform.get(`/observability/spans/${spanId}/`)).json;
}

it("has no rules at first, and stores spans as they come", async () => {
  expect((await platform.get(PATH)).json).toEqual({
    ...{ keys: [], patterns: [], custom: [], updated_at: null, updated_by: null },
  });
  await sendSpan("00000000000000a1", "harmless");
  expect(JSON.stringify(await readSpan("00000000000000a1"))).toContain(PASSWORD);
});

it("stores nothing of what rules name from the answer on, in no place and no file", async () => {
  const rules = { keys: ["password"], patterns: ["card", "email"], custom: [] };
  const put = await send("PUT", PATH, rules);
  expect(put.json).toMatchObject({ ...rules, patterns: ["email", "card"], updated_by: "local" });
  expect((await platform.get(PATH)).json).toEqual(put.json);

  const planted = `${CARD} of ${EMAIL}`;
  await sendSpan("00000000000000a2", planted, "4111111111111111");
  const record = await readSpan("00000000000000a2");
  expect(record.name).toBe("charge [redacted:card] of [redacted:email]");
  expect(record.content.inputs).toEqual({ note: "line\n[redacted:card] of [redacted:email]" });
  expect(record.metadata.status_message).toBe("failed for [redacted:card] of [redacted:email]");
  expect(record.metadata.attributes).toMatchObject({
    ...{ password: "[redacted]", number: "[redacted:card]" },
  });
  expect(record.metadata.redacted).toBe(true);
  expect(record.metadata.usage.input_tokens).toBe(412);

  const found = await platform.get("/observability/traces/?q=hunter2-planted");
  expect(JSON.stringify(found.json)).not.toContain("00000000000000a2");
  for (const file of readdirSync(platform.dataDirectory, {
    recursive: true,
    withFileTypes: true,
  })) {
    if (!file.isFile()) continue;
    const bytes = readFileSync(join(file.parentPath, file.name));
    for (const secret of [CARD, "4111111111111111", EMAIL]) {
      expect(bytes.includes(secret), `${secret} in ${file.name}`).toBe(false);
    }
  }
  expect(JSON.stringify(await platform.logLines())).not.toContain(EMAIL);
});

it("keeps the text of a body that is not JSON out of its log", async () => {
  const response = await platform.send({
    method: "POST",
    path: "/v1/traces",
    headers: { "content-type": "application/json" },
    body: `{"resourceSpans": ${EMAIL}}`,
  });
  expect(response.status).toBe(400);
  expect(JSON.stringify(await platform.logLines())).not.toContain(EMAIL);
});

it("leaves the spans of other projects as they are", async () => {
  await send("POST", "/registry/projects", { slug: "other" });
  const body = {
    resourceSpans: [{ scopeSpans: [{ spans: [spanWith("00000000000000a3", "x")] }] }],
  };
  const headers = { "content-type": "application/json", "agate-project": "other" };
  await platform.send({ method: "POST", path: "/v1/traces", headers, body: JSON.stringify(body) });
  const read = await platform.send({ path: "/observability/spans/00000000000000a3/", headers });
  expect(read.body.toString()).toContain(PASSWORD);
});

it("names what is wrong with rules, and keeps those before", async () => {
  const before = (await platform.get(PATH)).json;
  const wrong = await send("PUT", PATH, {
    patterns: ["cards"],
    custom: [{ name: "a", regex: "(a+)+" }],
  });
  expect(faults(wrong)).toEqual([
    422,
    ["redaction_invalid", "body", "patterns", 0],
    ["redaction_invalid", "body", "custom", 0, "regex"],
  ]);
  expect((await platform.get(PATH)).json).toEqual(before);
});

it("tries rules on a text: the project's, or others", async () => {
  const test = (body: unknown) => send("POST", `${PATH}/test`, body);
  expect((await test({ text: `to ${EMAIL}` })).json).toEqual({ text: "to [redacted:email]" });
  const rules = { custom: [{ name: "staff", regex: "EMP-\\d{6}" }] };
  expect((await test({ text: `EMP-123456 ${EMAIL}`, rules })).json).toEqual({
    text: `[redacted:staff] ${EMAIL}`,
  });
  expect(faults(await test({ text: "a", rules: { keys: "a" } }))).toEqual([
    422,
    ["redaction_invalid", "body", "rules", "keys"],
  ]);
});
