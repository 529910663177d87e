import type { Usage } from "@agate/protocol";
import type { SpanNode } from "@agate/spans/tree";

/** What a span reported, in the form that is written. Without usage it is only two long. */
export type FiguresTuple = [role: 0 | 1, cost: number | null, ...usage: (number | null)[]];

export function figuresTuple(figures: SpanNode["figures"]): FiguresTuple | 0 {
  if (figures === null) return 0;
  const { usage, cost, role } = figures;
  const head: [0 | 1, number | null] = [role === "own" ? 0 : 1, cost];
  if (usage === null) return head;
  return [
    ...head,
    usage.input_tokens,
    usage.output_tokens,
    usage.total_tokens,
    usage.cached_input_tokens,
    usage.reasoning_tokens,
  ];
}

export function figuresOf(tuple: FiguresTuple): NonNullable<SpanNode["figures"]> {
  const [role, cost, input, output, total, cached, reasoning] = tuple;
  const usage: Usage | null =
    input === undefined
      ? null
      : {
          input_tokens: input,
          output_tokens: output ?? null,
          total_tokens: total ?? null,
          cached_input_tokens: cached ?? null,
          reasoning_tokens: reasoning ?? null,
        };
  return { role: role === 0 ? "own" : "restated", cost, usage };
}
