import { formatCompactCount, formatDuration, formatTotalCost } from "@agate/protocol/format";
import { isUnderWay, type Run } from "./run.ts";

interface FiguresListProps {
  readonly run: Run;
  /** The run that it is compared with, if any. */
  readonly first: Run | undefined;
}

/** Latency, tokens and cost of a run, and how they differ from the first column. */
export function FiguresList({ run, first }: FiguresListProps) {
  const figures = figuresOf(run);
  const before = first && !isUnderWay(first) ? figuresOf(first) : null;
  const parts = [
    {
      name: "Latency",
      text: formatDuration(figures.latency),
      value: figures.latency,
      before: before?.latency,
    },
    {
      name: "Tokens",
      text: `${formatCompactCount(figures.tokens)} tokens`,
      value: figures.tokens,
      before: before?.tokens,
    },
    {
      name: "Cost",
      text: formatTotalCost({ ...run.trace?.metadata.total, cost: figures.cost }),
      value: figures.cost,
      before: before?.cost,
    },
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

/** Null where it was not recorded. */
interface RunFigures {
  /** Milliseconds, from the trace or else from the page's clock. */
  readonly latency: number | null;
  readonly tokens: number | null;
  /** US dollars. */
  readonly cost: number | null;
}

function figuresOf({ trace, elapsedMs }: Run): RunFigures {
  const total = trace?.metadata.total;
  return {
    latency: trace?.metadata.latency ?? elapsedMs,
    tokens: total?.usage?.total_tokens ?? null,
    cost: total?.cost ?? null,
  };
}

/** The change in percent, `+35%`; null if it is 0 or unknown. */
export function deltaText(before: number | null, now: number | null): string | null {
  if (before === null || now === null || before === now) return null;
  if (before === 0) return null;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return null;
  return `${percent > 0 ? "+" : "−"}${Math.abs(percent).toLocaleString("en")}%`;
}
