import type { ColumnFigures, RunReport, ScoreFigures } from "@agate/protocol";
import {
  formatDifference,
  formatInterval,
  formatScore,
  gateSentences,
} from "@agate/protocol/evaluations";
import { formatCost, formatCount, formatDuration } from "@agate/protocol/format";
import type { ReactNode } from "react";
import { Badge } from "../design/badge.tsx";
import { Card } from "../design/panels.tsx";
import { partCostText, verdictText } from "./run-text.ts";

/** The gates of a run, and the figures of its scores and calls. */
export function RunFiguresView({ run }: { readonly run: RunReport }) {
  const { columns, scores } = run.figures;
  return (
    <div className="mx-4 mb-4 flex flex-col gap-4 md:mx-6">
      {run.verdict !== null && run.verdict.gates.length > 0 && (
        <Card title="Gates">
          <Gates run={run} gates={run.verdict.gates} />
        </Card>
      )}
      {scores.length > 0 && (
        <Card title="Scores">
          <Scores scores={scores} />
        </Card>
      )}
      <Card title="Calls">
        <Calls columns={columns} />
      </Card>
    </div>
  );
}

interface GatesProps {
  readonly run: RunReport;
  readonly gates: NonNullable<RunReport["verdict"]>["gates"];
}

function Gates({ run: { gate, figures }, gates }: GatesProps) {
  return (
    <ul aria-label="Gates" className="divide-y divide-line">
      {gateSentences({ gates, gate, figures }).map((each) => {
        const { text, tone } = verdictText(each.verdict);
        return (
          <li
            key={`${each.subject} ${each.bound}`}
            className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2"
          >
            <Badge tone={tone}>{text}</Badge>
            <span className="font-medium wrap-anywhere">{each.subject}</span>
            <span className="text-ink-soft">{each.bound}</span>
            <span className="tabular-nums">{each.finding}</span>
          </li>
        );
      })}
    </ul>
  );
}

function Table({ heads, children }: { readonly heads: readonly string[]; children: ReactNode }) {
  return (
    // A region that scrolls must be reachable by the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section aria-label={`${heads[0]} table`} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left whitespace-nowrap tabular-nums">
        <thead className="text-[0.93rem] text-ink-soft">
          <tr className="border-b border-line">
            {heads.map((head) => (
              <th key={head} className="px-4 py-2 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

const ROW_CLASS = "border-b border-line last:border-b-0";

/** A line for each score and column; the difference is in the candidate's. */
function Scores({ scores }: { readonly scores: readonly ScoreFigures[] }) {
  const isCompared = scores.some(({ comparison }) => comparison !== null);
  const compared = isCompared ? ["Difference", "95 % interval"] : [];
  return (
    <Table heads={["Score", "Column", "Mean", ...compared, "Skipped", "Failed"]}>
      {scores.flatMap(({ score, columns, comparison }) =>
        columns.map(({ column, mean, skipped, failed }, index) => {
          const observed =
            index === 0 && comparison !== null && comparison.observed.cases > 0
              ? comparison.observed
              : null;
          return (
            <tr key={`${score} ${column}`} className={ROW_CLASS}>
              <th scope="row" className="px-4 py-2 font-medium">
                {index === 0 ? score : <span className="sr-only">{score}</span>}
              </th>
              <td className="px-4 py-2">{column}</td>
              <td className="px-4 py-2">{formatScore(mean)}</td>
              {isCompared && (
                <>
                  <td className="px-4 py-2">{observed && formatDifference(observed.mean)}</td>
                  <td className="px-4 py-2">{observed && formatInterval(observed)}</td>
                </>
              )}
              <td className="px-4 py-2">{formatCount(skipped)}</td>
              <td className="px-4 py-2">{formatCount(failed)}</td>
            </tr>
          );
        }),
      )}
    </Table>
  );
}

function Calls({ columns }: { readonly columns: readonly ColumnFigures[] }) {
  return (
    <Table
      heads={[
        "Column",
        "Results",
        "Failed",
        "Missing",
        "Latency p50",
        "p95",
        "Cost",
        "Mean",
        "Judges",
      ]}
    >
      {columns.map(({ column, results, errors, missing, latency_ms, cost, judge_cost }) => (
        <tr key={column} className={ROW_CLASS}>
          <th scope="row" className="px-4 py-2 font-medium">
            {column}
          </th>
          <td className="px-4 py-2">{formatCount(results)}</td>
          <td className="px-4 py-2">{formatCount(errors)}</td>
          <td className="px-4 py-2">{formatCount(missing)}</td>
          <td className="px-4 py-2">{formatDuration(latency_ms?.p50 ?? null)}</td>
          <td className="px-4 py-2">{formatDuration(latency_ms?.p95 ?? null)}</td>
          <td className="px-4 py-2">{partCostText(cost)}</td>
          <td className="px-4 py-2">{formatCost(cost.mean)}</td>
          <td className="px-4 py-2">{partCostText(judge_cost)}</td>
        </tr>
      ))}
    </Table>
  );
}
