import { formatCost } from "../../format/format-cost.ts";
import { formatCount } from "../../format/format-count.ts";
import { formatLatency } from "../../format/format-latency.ts";
import { isUnderWay, type Run } from "./run.ts";
import { deltaText, figuresOf } from "./run-figures.ts";

interface FiguresListProps {
  readonly run: Run;
  /** What it is compared with, if anything. */
  readonly first: Run | undefined;
}

/** What a run took and cost, and how much more or less than the first. */
export function FiguresList({ run, first }: FiguresListProps) {
  const figures = figuresOf(run);
  const before = first && !isUnderWay(first) ? figuresOf(first) : null;
  const parts = [
    {
      name: "Latency",
      text: formatLatency(figures.latency),
      value: figures.latency,
      before: before?.latency,
    },
    {
      name: "Tokens",
      text: `${formatCount(figures.tokens)} tokens`,
      value: figures.tokens,
      before: before?.tokens,
    },
    { name: "Cost", text: formatCost(figures.cost), value: figures.cost, before: before?.cost },
  ];
  return (
    <dl className="flex flex-wrap gap-x-3 gap-y-1 text-[0.93rem] text-ink-soft tabular-nums">
      {parts.map(({ name, text, value, before }) => {
        if (value === null) return null;
        const delta = deltaText(before ?? null, value);
        return (
          <div key={name} className="flex gap-1">
            <dt className="sr-only">{name}</dt>
            <dd>
              {text}
              {delta !== null && (
                <span className="ml-1 text-ink" title="Compared with the first column">
                  {delta}
                </span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
