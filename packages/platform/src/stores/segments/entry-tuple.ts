import type { Usage } from "@agate/protocol";
import type { SpanNode } from "@agate/spans/tree";

/** An entry as a header has it. */
export type EntryTuple = [
  id: string,
  parentId: string | 0,
  start: number,
  startNanos: number,
  offset: number,
  openLength: number,
  totalLength: number,
  treeLength: number,
  figures: FiguresTuple | 0,
];

/**
 * What a span reported, in the form that is written: without usage it is only two long. The key of a
 * call follows the usage, or the places of one (builds before it read so far), then whether the cost
 * was sent, and when the span ran.
 */
export type FiguresTuple = [
  role: 0 | 1,
  cost: number | null,
  input?: number | null,
  output?: number | null,
  total?: number | null,
  cached?: number | null,
  reasoning?: number | null,
  call?: string,
  isCostSent?: 0 | 1,
  start?: number,
  end?: number,
];

export function figuresTuple(figures: SpanNode["figures"]): FiguresTuple | 0 {
  if (figures === null) return 0;
  const { usage, cost, call } = figures;
  const role = figures.role === "own" ? 0 : 1;
  if (usage === null && call === undefined) return [role, cost];
  const tuple: FiguresTuple = [
    role,
    cost,
    usage?.input_tokens ?? null,
    usage?.output_tokens ?? null,
    usage?.total_tokens ?? null,
    usage?.cached_input_tokens ?? null,
    usage?.reasoning_tokens ?? null,
  ];
  if (call !== undefined) {
    tuple.push(call.key, call.isCostSent ? 1 : 0, ...(call.during ?? []));
  }
  return tuple;
}

export function figuresOf(tuple: FiguresTuple): NonNullable<SpanNode["figures"]> {
  const [role, cost, input, output, total, cached, reasoning, key, isCostSent, start, end] = tuple;
  const hasUsage =
    input !== undefined &&
    (key === undefined ||
      [input, output, total, cached, reasoning].some((count) => typeof count === "number"));
  const usage: Usage | null = hasUsage
    ? {
        input_tokens: input ?? null,
        output_tokens: output ?? null,
        total_tokens: total ?? null,
        cached_input_tokens: cached ?? null,
        reasoning_tokens: reasoning ?? null,
      }
    : null;
  return {
    role: role === 0 ? "own" : "restated",
    cost,
    usage,
    call:
      key === undefined
        ? undefined
        : {
            key,
            isCostSent: isCostSent === 1,
            during: start === undefined || end === undefined ? undefined : [start, end],
          },
  };
}
