import type { Run, RunCase } from "@agate/protocol";
import { BASELINE_COLUMN } from "@agate/protocol";
import { formatDifference } from "@agate/protocol/evaluations";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { runCasesQuery } from "../api/runs.ts";
import { previewOf } from "../api/trace-row.ts";
import { Badge } from "../design/badge.tsx";
import { classNames } from "../design/class-names.ts";
import { Checkbox } from "../design/field.tsx";
import { Card } from "../design/panels.tsx";
import { MoreButton } from "../registry/more-button.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { CaseDetail } from "./case-detail.tsx";
import { countsText } from "./run-text.ts";

const route = getRouteApi("/runs/$run");

/** The cases of a run in its columns; each can be expanded. */
export function RunCases({ run }: { readonly run: Run }) {
  const navigate = useNavigate();
  const id = useId();
  const isWorseOnly = route.useSearch().worse === "true";
  const query = useInfiniteQuery(runCasesQuery(usePlatform(), run, isWorseOnly));
  const hasBaseline = run.columns.some(({ name }, at) => at > 0 && name === BASELINE_COLUMN);
  const filter = hasBaseline && (
    <>
      <Checkbox
        id={id}
        checked={isWorseOnly}
        onChange={() =>
          void navigate({
            to: "/runs/$run",
            params: { run: run.id },
            search: isWorseOnly ? {} : { worse: "true" },
            replace: true,
          })
        }
      />
      <label htmlFor={id}>Only what got worse</label>
    </>
  );
  return (
    <Card title="Cases" actions={filter} className="mx-4 mb-6 md:mx-6">
      <Loaded query={query}>
        {({ pages }) => {
          // While results arrive, a case can move from one page to the next.
          const byId = new Map(pages.flatMap(({ items }) => items.map((each) => [each.id, each])));
          const cases = [...byId.values()];
          if (cases.length === 0) {
            return (
              <p className="p-4 text-ink-soft">
                {isWorseOnly ? "No case got worse." : "No cases yet."}
              </p>
            );
          }
          return (
            <ul aria-label="Cases" className="divide-y divide-line">
              {cases.map((each) => (
                <CaseItem key={each.id} run={run} shown={each} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      <MoreButton query={query}>More cases</MoreButton>
    </Card>
  );
}

interface CaseItemProps {
  readonly run: Run;
  readonly shown: RunCase;
}

function CaseItem({ run, shown }: CaseItemProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-start gap-x-4 gap-y-1">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="-ml-0.5 flex max-w-full min-w-0 items-center gap-1 rounded text-left hover:text-accent"
        >
          <ChevronRight
            size={15}
            aria-hidden
            className={classNames("shrink-0 transition-transform", isOpen && "rotate-90")}
          />
          <code className="min-w-0 truncate font-mono text-[0.93rem]" title={shown.id}>
            {shown.id}
          </code>
        </button>
        {shown.purged && <Badge>purged</Badge>}
        {!isOpen && !shown.purged && (
          <p dir="auto" className="line-clamp-1 min-w-40 flex-1 wrap-anywhere text-ink-soft">
            {previewOf(shown.inputs)}
          </p>
        )}
      </div>
      <CaseScores run={run} shown={shown} />
      {isOpen && <CaseDetail run={run} shown={shown} />}
    </li>
  );
}

/** Each score of a case by column, and how the candidate's differs from the baseline's. */
function CaseScores({ run, shown }: CaseItemProps) {
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1 text-[0.93rem] tabular-nums md:pl-5">
      {run.scorers.map(({ name }) => {
        const difference = shown.differences[name];
        return (
          <li key={name} className="flex flex-wrap items-center gap-x-2">
            <span className="font-medium wrap-anywhere">{name}</span>
            {shown.columns.map(({ column, results, scores }) => {
              const counts = scores[name];
              return (
                <span key={column}>
                  <span className="text-ink-soft">{column}</span>{" "}
                  {results === 0 || counts === undefined ? "no result" : countsText(counts)}
                </span>
              );
            })}
            {difference !== undefined && difference !== null && difference !== 0 && (
              <Badge tone={difference < 0 ? "danger" : "success"}>
                {formatDifference(difference)}
              </Badge>
            )}
          </li>
        );
      })}
    </ul>
  );
}
