import type { SeriesPaint } from "./chart-series.ts";

interface SeriesSwatchProps {
  readonly paint: SeriesPaint;
  readonly kind: "bars" | "lines";
}

/** The sample of a series in a legend. */
export function SeriesSwatch({ paint, kind }: SeriesSwatchProps) {
  const colour = `var(${paint.colour})`;
  if (kind === "lines") {
    return (
      <svg width="18" height="10" aria-hidden="true" className="shrink-0">
        <line
          x1="0"
          x2="18"
          y1="5"
          y2="5"
          strokeWidth="2"
          strokeDasharray={paint.dash.join(" ")}
          style={{ stroke: colour }}
        />
      </svg>
    );
  }
  return (
    <svg width="10" height="10" aria-hidden="true" className="shrink-0">
      <rect width="10" height="10" rx="2" style={{ fill: colour }} />
      {paint.isHatched && (
        <path
          d="M-1 6 L6 -1 M3 12 L12 3"
          strokeWidth="1.5"
          strokeOpacity="0.6"
          style={{ stroke: "var(--surface)" }}
        />
      )}
    </svg>
  );
}
