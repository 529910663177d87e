import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { MockLanguageModelV4 } from "ai/test";
import { afterEach, describe, expect, it } from "vitest";
import { judge } from "./judge.ts";
import type { JudgeModel } from "./judge-model.ts";
import { overloadStatus } from "./overload-status.ts";

const judged = { inputs: { question: "Why?" }, output: "Because {{inputs}}", expected: null };
const call = { signal: new AbortController().signal };
const LABELS = { yes: 1, partly: 0.5, no: 0 };

/** Answers these texts in turn. */
function answering(...answers: string[]): JudgeModel & { readonly prompts: string[] } {
  const prompts: string[] = [];
  const model = (prompt: string) => {
    prompts.push(prompt);
    return answers[prompts.length - 1] as string;
  };
  return Object.assign(model, { prompts });
}

describe("a judge", () => {
  it("asks with what is judged, and takes the label's value", async () => {
    const model = answering('{"explanation":"It helps.","label":"partly"}');
    const prompt = "Q: {{inputs}} A: {{output}} E: {{expected}}";
    const result = await judge({ model, prompt, labels: LABELS })(judged, call);
    expect(result).toEqual({ value: 0.5, label: "partly", explanation: "It helps." });
    const [asked] = model.prompts;
    // Values are never templates themselves.
    expect(asked).toContain('Q: {"question":"Why?"} A: Because {{inputs}} E: null');
    expect(asked).toContain('"label": <one of "yes", "partly", "no">');
  });

  it("takes a number without labels, and a prompt as a function", async () => {
    const model = answering('Sure:\n```json\n{"value": 0.75}\n```');
    const prompt = ({ output }: typeof judged) => `Judge ${output}`;
    expect(await judge({ model, prompt })(judged, call)).toEqual({ value: 0.75 });
  });

  it.each([
    ["partly", ["no", "partly", "yes"]],
    ["no", ["no", "no", "yes"]],
    ["no", ["yes", "no"]],
    ["partly", ["yes", "partly", "yes", "partly"]],
  ])("counts the median: %s of %j", async (expected, labels) => {
    const model = answering(...labels.map((label) => JSON.stringify({ label })));
    const scorer = judge({ model, prompt: "?", labels: LABELS, samples: labels.length });
    expect(await scorer(judged, call)).toEqual({
      value: LABELS[expected as keyof typeof LABELS],
      label: expected,
      metadata: {
        samples: labels.map((label) => ({ label, value: LABELS[label as keyof typeof LABELS] })),
      },
    });
  });

  it.each([
    ["no JSON", "I think it is good.", "must answer with JSON"],
    ["broken JSON", '{"label": "yes"', "must answer with JSON"],
    [
      "an unknown label",
      '{"label":"maybe"}',
      'must answer with "yes", "partly" or "no" (got "maybe")',
    ],
    ["an inherited name", '{"label":"constructor"}', "must answer with"],
    ["no label", '{"explanation":"good"}', "must answer with"],
    ["nothing", "", "must answer with JSON"],
  ])("fails on %s instead of scoring 0", async (_what, answer, message) => {
    const good = '{"label":"yes"}';
    const model = answering(good, answer, good);
    const scorer = judge({ model, prompt: "?", labels: LABELS, samples: 3 });
    await expect(scorer(judged, call)).rejects.toThrow(message);
  });

  it.each(["85", "-1", '"1"', "null"])("fails on the value %s", async (value) => {
    const scorer = judge({ model: answering(`{"value": ${value}}`), prompt: "?" });
    await expect(scorer(judged, call)).rejects.toThrow("a value from 0 to 1");
  });

  it("is refused with labels or samples that make no score", () => {
    const model = answering();
    const declare = (options: object) => () => judge({ model, prompt: "?", ...options });
    expect(declare({ labels: { good: 1 } })).toThrow("at least two");
    expect(declare({ labels: { good: 5, bad: 0 } })).toThrow("from 0 to 1 (got 5)");
    expect(declare({ samples: 0 })).toThrow("from 1 to 25");
    expect(declare({ samples: 26 })).toThrow("from 1 to 25");
    expect(declare({ samples: 25 })).not.toThrow();
  });
});

it("asks a model of the AI SDK", async () => {
  const model = new MockLanguageModelV4({
    doGenerate: {
      content: [{ type: "text", text: '{"label":"yes"}' }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
  const scorer = judge({ model, prompt: "Good?", labels: LABELS });
  expect(await scorer(judged, call)).toEqual({ value: 1, label: "yes" });
  expect(model.doGenerateCalls[0]?.prompt).toEqual([
    { role: "user", content: [{ type: "text", text: expect.stringMatching(/^Good\?/) }] },
  ]);
  expect(model.doGenerateCalls[0]?.abortSignal).toBe(call.signal);
});

describe("an OpenAI-compatible endpoint", () => {
  let server: Server | undefined;
  afterEach(() => new Promise((resolve) => server?.close(resolve)));

  async function listening(status: number, body: string, requests: unknown[] = []) {
    server = createServer(async (request, response) => {
      const { url, headers } = request;
      const { authorization } = headers;
      requests.push({ url, authorization, body: JSON.parse(await text(request)) as unknown });
      response
        .writeHead(status, { "content-type": "application/json", connection: "close" })
        .end(body);
    });
    const listener = server;
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(listener.address() as AddressInfo).port}/v1/`;
  }

  it("is asked", async () => {
    const requests: unknown[] = [];
    const body = JSON.stringify({ choices: [{ message: { content: '{"label":"no"}' } }] });
    const baseUrl = await listening(200, body, requests);
    const model = { baseUrl, model: "small", apiKey: "key" };
    const scorer = judge({ model, prompt: "Good?", labels: LABELS });
    expect(await scorer(judged, call)).toEqual({ value: 0, label: "no" });
    expect(requests).toEqual([
      {
        url: "/v1/chat/completions",
        authorization: "Bearer key",
        body: {
          model: "small",
          messages: [{ role: "user", content: expect.stringMatching(/^Good\?/) }],
        },
      },
    ]);
  });

  it("that is overloaded says so", async () => {
    const baseUrl = await listening(429, "slow down");
    const scorer = judge({ model: { baseUrl, model: "small" }, prompt: "Good?" });
    const thrown: unknown = await scorer(judged, call).catch((error: unknown) => error);
    expect(String(thrown)).toContain("429: slow down");
    expect(overloadStatus(thrown)).toBe(429);
  });

  it("without a message in its answer is a failure", async () => {
    const baseUrl = await listening(200, '{"choices":[]}');
    const scorer = judge({ model: { baseUrl, model: "small" }, prompt: "Good?" });
    await expect(scorer(judged, call)).rejects.toThrow("without a message");
  });
});
