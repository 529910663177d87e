import type { SpanRecord } from "@agate/protocol";
import { expect, it } from "vitest";
import { messagesOf, readConversation } from "../packages/web/src/value-view/conversation.ts";
import { CAPTURES, readCaptures, tracesOf } from "./clients-page.ts";

const captures = readCaptures(CAPTURES);

const all = (record: SpanRecord): SpanRecord[] => [record, ...(record.children ?? []).flatMap(all)];

/** The spans of a client's traces by their names; of several with one name, the first. */
function spansOf(client: string): (name: string) => SpanRecord {
  const capture = captures.find((each) => each.client === client && each.language === "Python");
  if (capture === undefined) throw new Error(`No capture of ${client}`);
  const spans = tracesOf(capture).flatMap(all);
  return (name) => {
    const span = spans.find((each) => each.name === name);
    if (span === undefined) throw new Error(`No ${name} in ${spans.map((each) => each.name)}`);
    return span;
  };
}

it("reads Agenta's flattened objects, references and metrics", () => {
  const span = spansOf("Agenta");
  expect(span("answer")).toMatchObject({
    spankind: "WORKFLOW",
    user_id: "u-1",
    environment: "staging",
    variant: { variant_name: "short" },
    content: {
      inputs: { question: "What is agate?" },
      outputs: { role: "assistant", content: "Agate: What is agate?" },
    },
    metadata: { session_id: "s-1", application: "stones" },
  });
  expect(span("find").content).toEqual({
    inputs: { question: "What is agate?" },
    internals: { index: "stones" },
    outputs: [{ text: "Agate is banded." }],
  });
  expect(span("call")).toMatchObject({
    content: { inputs: { messages: [{ role: "user", content: "What is agate?" }] } },
    metadata: { usage: { input_tokens: 1000, output_tokens: 200 }, cost: 0.00024 },
  });
});

it("reads MLflow's quoted JSON", () => {
  const span = spansOf("MLflow");
  expect(span("answer")).toMatchObject({
    spankind: "CHAIN",
    content: { inputs: { question: "What is agate?" }, outputs: "Agate: What is agate?" },
  });
  expect(span("find").spankind).toBe("RETRIEVER");
  expect(span("Completions")).toMatchObject({
    spankind: "LLM",
    metadata: {
      model: "gpt-4o-mini-2024-07-18",
      usage: { input_tokens: 1000, cached_input_tokens: 400, output_tokens: 200 },
    },
  });
});

it("reads Pydantic AI's agent, and names spans as Logfire does", () => {
  const span = spansOf("Pydantic AI with Logfire");
  expect(span("answer What is agate?").metadata.otel.name).toBe("answer {question}");
  expect(span("geologist run")).toMatchObject({
    spankind: "AGENT",
    content: {
      inputs: {
        messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }, {}],
        system_instructions: [{ content: "Be brief." }],
      },
      outputs: "Agate: blue agate",
    },
  });
});

it("reads LiteLLM's tool calls, which are missing in its messages", () => {
  const capture = captures.find(({ client }) => client === "LiteLLM");
  const outputs = tracesOf(capture!).map(({ content }) => content.outputs);
  expect(outputs).toContainEqual({
    messages: [
      {
        role: "assistant",
        tool_calls: [{ function: { name: "find_stone", arguments: '{"colour":"blue"}' } }],
      },
    ],
  });
});

it("takes LangSmith's kind before GenAI's operation", () => {
  const span = spansOf("LangSmith");
  expect(span("find")).toMatchObject({
    spankind: "RETRIEVER",
    user_id: "u-1",
    metadata: { session_id: "s-1", application: "geology" },
  });
  expect(span("ChatOpenAI")).toMatchObject({
    spankind: "LLM",
    metadata: { provider: "openai", usage: { cached_input_tokens: 400, reasoning_tokens: 50 } },
  });
});

it("reads Braintrust's objects", () => {
  const span = spansOf("Braintrust");
  expect(span("answer")).toMatchObject({
    spankind: "TASK",
    user_id: "u-1",
    content: { inputs: "What is agate?", outputs: "Agate: What is agate?" },
    metadata: { session_id: "s-1" },
  });
  expect(span("chat")).toMatchObject({
    spankind: "LLM",
    content: { inputs: [{ role: "user", content: "What is agate?" }] },
    metadata: { model: "gpt-4o-mini", usage: { input_tokens: 1000, cached_input_tokens: 400 } },
  });
});

it("reads functions that OpenLIT decorates", () => {
  expect(spansOf("OpenLIT")("answer").content).toMatchObject({
    inputs: { args: "('What is agate?',)" },
    outputs: "Agate: What is agate?",
  });
});

it("takes a root of Langfuse for a workflow and Phoenix's project for the application", () => {
  expect(spansOf("Langfuse")("answer").spankind).toBe("WORKFLOW");
  expect(spansOf("Phoenix `register()`")("answer").metadata.application).toBe("geology");
});

it.each(captures)("shows model calls of $client ($language) as conversations", (capture) => {
  const calls = tracesOf(capture)
    .flatMap(all)
    .filter(({ spankind }) => spankind === "LLM");
  const asJson = calls.flatMap(({ name, content }) =>
    (["inputs", "outputs"] as const).flatMap((side) => {
      const value = content[side] ?? null;
      const isRead = readConversation(value) ?? readConversation(messagesOf(content, side));
      return value === null || typeof value === "string" || isRead ? [] : [[name, side, value]];
    }),
  );
  // The client recorded that there was no answer.
  const isEmpty = capture.client === "LangSmith" && capture.language === "Python";
  expect(asJson).toEqual(isEmpty ? [["ChatOpenAI", "outputs", { output: null }]] : []);
});
