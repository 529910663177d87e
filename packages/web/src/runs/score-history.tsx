import type { Run } from "@agate/protocol";
import { formatScore } from "@agate/protocol/evaluations";
import { useQueries } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { usePlatform } from "../api/platform-context.tsx";
import { endedRunQuery } from "../api/runs.ts";
import { Card } from "../design/panels.tsx";
import { type LineBox, placeLine, type ScoreLine, scoreLines } from "./score-lines.ts";

const BOX: LineBox = { width: 320, height: 80, margin: 6 };

/** The mean of each score over the listed runs of an evaluation, which have ended. */
export function ScoreHistory({ runs }: { readonly runs: readonly Run[] }) {
  const client = usePlatform();
  const reports = useQueries({ queries: runs.map((run) => endedRunQuery(client, run)) });
  const lines = scoreLines(reports.flatMap(({ data }) => (data === undefined ? [] : [data])));
  if (lines.length === 0) return null;
  return (
    <Card title="Mean over runs" className="mx-4 mb-4 md:mx-6">
      <ul aria-label="Scores over runs" className="flex flex-wrap gap-x-8 gap-y-3 px-4 py-3">
        {lines.map((line) => (
          <li key={line.score} className="min-w-0">
            <ScoreLineView line={line} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ScoreLineView({ line: { score, points } }: { readonly line: ScoreLine }) {
  const navigate = useNavigate();
  const texts = points.map(({ mean }) => (mean === null ? "no value" : formatScore(mean)));
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-2 tabular-nums">
        <span className="font-medium wrap-anywhere">{score}</span>
        <span className="text-ink-soft">latest {texts.at(-1)}</span>
      </p>
      <svg
        role="img"
        aria-label={`${score} from the oldest run to the newest: ${texts.join(", ")}`}
        viewBox={`0 0 ${BOX.width} ${BOX.height}`}
        className="w-80 max-w-full text-accent"
      >
        <path
          d={`M0 ${BOX.margin}H${BOX.width}M0 ${BOX.height - BOX.margin}H${BOX.width}`}
          className="stroke-line"
        />
        {placeLine(points, BOX).map((part) => (
          <g key={part[0]?.point.run}>
            <polyline
              points={part.map(({ x, y }) => `${x},${y}`).join(" ")}
              fill="none"
              stroke="currentColor"
              strokeWidth={2}
            />
            {part.map(({ point, x, y }) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same links
              <circle
                key={point.run}
                cx={x}
                cy={y}
                r={4}
                fill="currentColor"
                className="cursor-pointer"
                onClick={() => void navigate({ to: "/runs/$run", params: { run: point.run } })}
              >
                <title>{`${point.run}: ${formatScore(point.mean)}`}</title>
              </circle>
            ))}
          </g>
        ))}
      </svg>
    </>
  );
}
