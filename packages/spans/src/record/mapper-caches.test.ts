import { expect, it } from "vitest";
import { shippedPrices } from "../pricing/shipped-prices.ts";
import { NOON, otlpSpan } from "./otlp-span.fixture.ts";
import { createSpanMapper } from "./to-stored-span.ts";

/** More attribute names (8,192), models (1,024) and seconds (256) than a mapper remembers. */
const SPANS = 9_000;
/** Around the length from which on names are not remembered (256). */
const LENGTHS = [255, 256, 257];

const newMapper = () => createSpanMapper({ prices: shippedPrices(), projectId: null });

function spanOf(n: number) {
  const long = "k".repeat(LENGTHS[n % LENGTHS.length]!);
  const model = n % 7 === 0 ? "gpt-4o" : `made-up-${n}`;
  return otlpSpan(
    {
      [`own.${n}`]: n,
      [long]: "long",
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": n % 3 === 0 ? "openai" : `provider-${n}`,
      "gen_ai.request.model": model,
      "gen_ai.usage.input_tokens": 1_000,
      "gen_ai.usage.output_tokens": 10,
    },
    { start: { us: NOON + n * 1_000_001, nanos: n % 1_000 } },
  );
}

it("maps a span the same, whatever it has remembered and forgotten before", () => {
  const seasoned = newMapper();
  for (let n = 0; n < SPANS; n++) seasoned(spanOf(n));
  // Those that were forgotten, those around the limits, and those that are remembered.
  const places = [0, 1, 21, 255, 256, 257, 1_022, 1_023, 1_024, 1_025, 8_190, 8_191, 8_192, 8_999];
  for (const n of [...places, ...places]) {
    expect(seasoned(spanOf(n)), `span ${n}`).toEqual(newMapper()(spanOf(n)));
  }
});
