import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";
import { nestedRecordsText } from "../record/stored-span.ts";

const CALL = { input: 1000, output: 200, total: 1200, cached: 400, reasoning: 50 };

function usageOf(details: object) {
  const { record } = mapped({ "langfuse.observation.usage_details": JSON.stringify(details) });
  const { usage } = record.metadata;
  return {
    input: usage?.input_tokens ?? null,
    output: usage?.output_tokens ?? null,
    total: usage?.total_tokens ?? null,
    cached: usage?.cached_input_tokens ?? null,
    reasoning: usage?.reasoning_tokens ?? null,
  };
}

describe("usage_details", () => {
  it.each([
    [
      "Langfuse's form, which its SDKs make of OpenAI's",
      {
        input: 600,
        output: 150,
        total: 1200,
        input_cached_tokens: 400,
        output_reasoning_tokens: 50,
      },
    ],
    [
      "Langfuse's form, which its LangChain handlers make of usage_metadata",
      { input: 600, output: 150, total: 1200, input_cache_read: 400, output_reasoning: 50 },
    ],
    [
      "Langfuse's form with further details on both sides",
      {
        input: 500,
        input_audio_tokens: 70,
        input_image: 30,
        input_cached_tokens: 400,
        output: 140,
        output_audio_tokens: 10,
        output_reasoning_tokens: 50,
        total: 1200,
      },
    ],
    [
      "OpenAI's chat completions",
      {
        prompt_tokens: 1000,
        completion_tokens: 200,
        total_tokens: 1200,
        prompt_tokens_details: { cached_tokens: 400, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 50, accepted_prediction_tokens: null },
      },
    ],
    [
      "OpenAI's responses",
      {
        input_tokens: 1000,
        output_tokens: 200,
        total_tokens: 1200,
        input_tokens_details: { cached_tokens: 400 },
        output_tokens_details: { reasoning_tokens: 50 },
      },
    ],
    [
      "LangChain's usage_metadata as it is",
      {
        input_tokens: 1000,
        output_tokens: 200,
        total_tokens: 1200,
        input_token_details: { cache_read: 400 },
        output_token_details: { reasoning: 50 },
      },
    ],
    [
      "details that input and output include, as the total shows",
      {
        input: 1000,
        output: 200,
        total: 1200,
        input_cached_tokens: 400,
        output_reasoning_tokens: 50,
      },
    ],
    [
      "the same detail under LiteLLM's two names, nested",
      {
        prompt_tokens: 1000,
        completion_tokens: 200,
        total_tokens: 1200,
        prompt_tokens_details: { cached_tokens: 400 },
        completion_tokens_details: { reasoning_tokens: 50 },
        cache_read_input_tokens: 400,
        cache_creation_input_tokens: 0,
      },
    ],
    [
      "the same detail under LiteLLM's two names, flat",
      {
        input: 600,
        output: 150,
        total: 1200,
        input_cached_tokens: 400,
        output_reasoning_tokens: 50,
        cache_read_input_tokens: 400,
      },
    ],
    [
      "a service tier, which counts all tokens once more",
      {
        input: 600,
        output: 150,
        total: 1200,
        input_cache_read: 400,
        output_reasoning: 50,
        input_priority: 1000,
        input_priority_cache_read: 400,
        output_priority: 200,
      },
    ],
    [
      "counts as text",
      { input: "600", output: "150", input_cached_tokens: "400", output_reasoning_tokens: "50" },
    ],
  ])("reads %s", (_, details) => {
    expect(usageOf(details)).toEqual(CALL);
  });

  it("adds Anthropic's cached tokens, which input_tokens leaves out", () => {
    expect(
      usageOf({
        input_tokens: 500,
        output_tokens: 200,
        cache_read_input_tokens: 400,
        cache_creation_input_tokens: 100,
        cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
      }),
    ).toEqual({ ...CALL, reasoning: null });
  });

  it("prices tokens written to the cache as such", () => {
    const cost = (details: object) =>
      mapped({
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "claude-sonnet-4-5",
        "langfuse.observation.usage_details": JSON.stringify(details),
      }).record.metadata.cost;
    // 3 $ for input, 0.30 $ for cached, 3.75 $ for written, 15 $ for output, each per million.
    const expected = (500 * 3 + 400 * 0.3 + 100 * 3.75 + 200 * 15) / 1e6;
    expect(
      cost({ input: 500, output: 200, input_cache_read: 400, input_cache_creation: 100 }),
    ).toBeCloseTo(expected, 12);
    expect(
      cost({
        input_tokens: 500,
        output_tokens: 200,
        cache_read_input_tokens: 400,
        cache_creation_input_tokens: 100,
      }),
    ).toBeCloseTo(expected, 12);
  });

  it("keeps details in the attributes unless the record shows each count", () => {
    const attributesOf = (details: string) =>
      mapped({ "langfuse.observation.usage_details": details }).record.metadata.attributes;
    expect(attributesOf('{"input":20,"output":10,"total":30}')).toEqual({});
    const details = '{"input":20,"output":10,"input_cached_tokens":5}';
    expect(attributesOf(details)).toEqual({ "langfuse.observation.usage_details": details });
  });

  it("counts a LangChain generation over an OpenAI generation once", () => {
    const generation = (spanId: string, parentSpanId: string | null, details: object) =>
      mapped(
        {
          "langfuse.observation.type": "generation",
          "langfuse.observation.usage_details": JSON.stringify(details),
        },
        { spanId, parentSpanId },
      ).stored;
    const trace = nestedRecordsText([
      generation("b7ad6b7169203331", null, {
        input: 600,
        output: 150,
        total: 1200,
        input_cache_read: 400,
        output_reasoning: 50,
      }),
      generation("b7ad6b7169203332", "b7ad6b7169203331", {
        prompt_tokens: 1000,
        completion_tokens: 200,
        total_tokens: 1200,
        prompt_tokens_details: { cached_tokens: 400 },
        completion_tokens_details: { reasoning_tokens: 50 },
      }),
    ]);
    expect(JSON.parse(trace).metadata.total.usage).toEqual({
      input_tokens: 1000,
      output_tokens: 200,
      total_tokens: 1200,
      cached_input_tokens: 400,
      reasoning_tokens: 50,
    });
  });

  const count = fc.nat(10_000);
  const details = fc.dictionary(
    fc.oneof(
      fc.constantFrom("cached_tokens", "cache_read", "cache_creation_5m", "reasoning_tokens"),
      fc.stringMatching(/^[a-z]{1,6}$/).filter((name) => name !== "tokens" && name !== "priority"),
    ),
    count,
    { maxKeys: 4 },
  );
  const prefixed = (prefix: string, parts: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [prefix + name, part]));
  const sum = (parts: Readonly<Record<string, number>>) =>
    Object.values(parts).reduce((all, part) => all + part, 0);

  it("adds up each side with details of any name, to no more than the total", () => {
    fc.assert(
      fc.property(
        count,
        details,
        count,
        details,
        fc.boolean(),
        (input, ins, output, outs, told) => {
          const sides = { input: input + sum(ins), output: output + sum(outs) };
          const total = sides.input + sides.output;
          const usage = usageOf({
            input,
            output,
            ...prefixed("input_", ins),
            ...prefixed("output_", outs),
            ...(told && { total }),
          });
          expect(usage).toMatchObject({ ...sides, total });
        },
      ),
    );
  });

  it("takes nested details, or such that the total includes, as parts of their side", () => {
    fc.assert(
      fc.property(details, details, count, count, (ins, outs, input, output) => {
        const sides = { input: input + sum(ins), output: output + sum(outs) };
        const total = sides.input + sides.output;
        const nested = {
          prompt_tokens: sides.input,
          completion_tokens: sides.output,
          total_tokens: total,
          prompt_tokens_details: ins,
          completion_tokens_details: outs,
        };
        const flat = {
          ...sides,
          total,
          ...prefixed("input_", ins),
          ...prefixed("output_", outs),
        };
        expect(usageOf(nested)).toMatchObject({ ...sides, total });
        expect(usageOf(flat)).toMatchObject({ ...sides, total });
      }),
    );
  });
});
