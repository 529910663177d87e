import type { Run, RunCase, RunResult, RunScore } from "@agate/protocol";
import { BASELINE_COLUMN } from "@agate/protocol";
import { formatCost, formatDuration } from "@agate/protocol/format";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { caseResultsQuery } from "../api/runs.ts";
import { Badge } from "../design/badge.tsx";
import { MoreButton } from "../registry/more-button.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { scoreText } from "../spans/score-text.ts";
import { TextDiff } from "../text-diff/text-diff.tsx";
import { ValueView } from "../value-view/value-view.tsx";
import { outputText, type Trial, trialsOf } from "./run-text.ts";

interface CaseDetailProps {
  readonly run: Run;
  readonly shown: RunCase;
}

/** A case: its inputs, what is expected, and what came of each trial in each column. */
export function CaseDetail({ run, shown }: CaseDetailProps) {
  const query = useInfiniteQuery(caseResultsQuery(usePlatform(), run, shown.id));
  return (
    <div className="flex min-w-0 flex-col gap-3 md:pl-5">
      {shown.purged ? (
        <p className="text-ink-soft">The content of this case was deleted.</p>
      ) : (
        <div className="grid min-w-0 gap-3 md:grid-cols-2">
          <Part title="Inputs">
            <ValueView value={shown.inputs} label="Inputs" />
          </Part>
          {"expected" in shown && (
            <Part title="Expected">
              <ValueView value={shown.expected} label="Expected" />
            </Part>
          )}
        </div>
      )}
      <Loaded query={query}>
        {({ pages }) => {
          const trials = trialsOf(
            pages.flatMap(({ items }) => items),
            run.columns,
          );
          if (trials.length === 0) return <p className="text-ink-soft">No results yet.</p>;
          return trials.map((trial) => (
            <TrialView key={trial.trial} trial={trial} hasTrials={run.trials > 1} />
          ));
        }}
      </Loaded>
      <MoreButton query={query}>More results</MoreButton>
    </div>
  );
}

function Part({ title, children }: { readonly title: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="min-w-0 rounded-lg border border-line p-3">
      <h3 className="mb-1 text-[0.93rem] font-medium text-ink-soft">{title}</h3>
      {children}
    </div>
  );
}

function TrialView({ trial, hasTrials }: { readonly trial: Trial; readonly hasTrials: boolean }) {
  const [candidate] = trial.results;
  const baseline = trial.results.find(({ column }) => column === BASELINE_COLUMN);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {hasTrials && <h3 className="font-medium">Trial {trial.trial + 1}</h3>}
      <div className="grid min-w-0 gap-3 md:grid-cols-2">
        {trial.results.map((result) => (
          <ResultView key={result.column} result={result} />
        ))}
      </div>
      {candidate && baseline && candidate !== baseline && (
        <OutputDifference candidate={candidate} baseline={baseline} />
      )}
    </div>
  );
}

/** How the candidate's output differs from the baseline's; nothing where one of the calls failed. */
function OutputDifference({
  candidate,
  baseline,
}: {
  readonly candidate: RunResult;
  readonly baseline: RunResult;
}) {
  if (candidate.status !== "ok" || baseline.status !== "ok") return null;
  const [from, to] = [outputText(baseline), outputText(candidate)];
  if (from === to) return <p className="text-ink-soft">Both outputs are the same.</p>;
  const heading = (
    <h3 className="text-[0.93rem] font-medium text-ink-soft">
      {baseline.column} → {candidate.column}
    </h3>
  );
  return (
    <div className="min-w-0 rounded-lg border border-line p-3">
      <TextDiff heading={heading} from={from} to={to} isFolded />
    </div>
  );
}

function ResultView({ result }: { readonly result: RunResult }) {
  const { column, trace_id, span_id, latency_ms, cost } = result;
  const title = (
    <span className="flex flex-wrap items-center gap-x-3">
      <span className="text-ink">{column}</span>
      <span className="font-normal tabular-nums">{formatDuration(latency_ms)}</span>
      <span className="font-normal tabular-nums">{formatCost(cost)}</span>
      {trace_id !== null && (
        <Link
          to="/traces/$traceId"
          params={{ traceId: trace_id }}
          search={span_id === null ? {} : { span: span_id }}
          className="ml-auto text-accent underline"
        >
          Trace of {column}
        </Link>
      )}
    </span>
  );
  return (
    <Part title={title}>
      {result.status === "error" ? (
        <p className="text-danger wrap-anywhere">
          The call failed{result.error === null ? "." : `: ${result.error}`}
        </p>
      ) : (
        <ValueView value={result.output} label={`Output of ${column}`} />
      )}
      {result.is_output_cut && (
        <p className="text-ink-soft">The output was too large: this is its beginning.</p>
      )}
      <ul aria-label={`Scores of ${column}`} className="mt-2 flex flex-col gap-1">
        {result.scores.map((score) => (
          <ScoreItem key={score.name} score={score} />
        ))}
      </ul>
    </Part>
  );
}

function ScoreItem({ score }: { readonly score: RunScore }) {
  const tone = score.status === "failed" ? "danger" : "neutral";
  return (
    <li className="flex min-w-0 flex-wrap items-baseline gap-x-2">
      <span className="font-medium wrap-anywhere">{score.name}</span>
      <Badge tone={tone}>{scoreText(score)}</Badge>
      {score.explanation !== null && <span className="wrap-anywhere">{score.explanation}</span>}
      {score.error !== null && <span className="wrap-anywhere text-danger">{score.error}</span>}
    </li>
  );
}
