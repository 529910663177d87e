import { SeriesSwatch } from "../charts/series-swatch.tsx";
import { sumAt } from "../charts/stack-values.ts";
import type { ChartPlan } from "./chart-plan.ts";

interface ChartLegendProps {
  readonly plan: ChartPlan;
  /** The bucket whose values are shown; null where the reader is in none. */
  readonly index: number | null;
  /** Then the table of the groups is the legend of all charts. */
  readonly isSplit: boolean;
}

/** What the series are, with their values where the reader is. */
export function ChartLegend({ plan, index, isSplit }: ChartLegendProps) {
  const { series, kind, format } = plan;
  if (isSplit || series.length === 1) {
    if (kind === "lines" || index === null) return null;
    const values = series.map((each) => each.values);
    return <p className="font-medium tabular-nums">{format(sumAt(values, index))}</p>;
  }
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[0.93rem]">
      {series.map(({ id, label, paint, values }) => (
        <li key={id} className="flex items-center gap-1.5">
          <SeriesSwatch paint={paint} kind={kind} />
          <span className="text-ink-soft">{label}</span>
          {index !== null && (
            <span className="font-medium tabular-nums">{format(values[index] ?? null)}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
