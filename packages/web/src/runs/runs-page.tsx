import type { Run } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Gauge } from "lucide-react";
import { useId } from "react";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { endedRunQuery, type RunFilter, runsQuery } from "../api/runs.ts";
import { Badge } from "../design/badge.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { Select } from "../design/field.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { MoreButton } from "../registry/more-button.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { StartRunButton } from "../start-run/start-run-button.tsx";
import { candidateMeans, costText, outcomeText, progressText } from "./run-text.ts";
import { parseRunsSearch } from "./runs-search.ts";
import { ScoreHistory } from "./score-history.tsx";

const route = getRouteApi("/runs");

/** The runs of evaluations, newest first: their verdicts, means and costs. */
export function RunsPage() {
  useTitle("Runs");
  const filter = route.useSearch();
  const query = useInfiniteQuery(runsQuery(usePlatform(), filter));
  return (
    <>
      <PageHeader
        title="Runs"
        actions={
          <>
            <Filters filter={filter} />
            <StartRunButton look="primary" preset={filter} />
          </>
        }
      />
      <Loaded query={query} lines={6}>
        {(data) => {
          const runs = runsOf(data);
          if (runs.length === 0) return <NoRuns isFiltered={Object.keys(filter).length > 0} />;
          return (
            <>
              {filter.application && filter.evaluation && <ScoreHistory runs={runs} />}
              <div className="mx-4 mb-6 rounded-xl border border-line bg-surface md:mx-6">
                <ul aria-label="Runs" className="divide-y divide-line">
                  {runs.map((run) => (
                    <RunItem key={run.id} run={run} />
                  ))}
                </ul>
                <MoreButton query={query}>Earlier runs</MoreButton>
              </div>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function runsOf(data: { readonly pages: readonly { items: readonly Run[] }[] } | undefined) {
  return (data?.pages ?? []).flatMap(({ items }) => items);
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <EmptyState icon={Gauge} title={isFiltered ? "No such runs" : "No runs yet"}>
      {isFiltered ? (
        <p>No run matches the filters.</p>
      ) : (
        <p>
          A run is an evaluation carried out once: its cases are called, scored and judged. Start
          one here for a deployed build.{" "}
          <code className="font-mono text-[0.93rem]">agate eval</code> reports its runs here if{" "}
          <code className="font-mono text-[0.93rem]">AGATE_BASE_URL</code> names this platform.
        </p>
      )}
    </EmptyState>
  );
}

function Filters({ filter }: { readonly filter: RunFilter }) {
  const navigate = useNavigate();
  const client = usePlatform();
  const applications = useQuery(applicationsQuery(client)).data ?? [];
  // The evaluations of the newest runs, whichever is chosen.
  const { evaluation: _, ...ofApplication } = filter;
  const runs = runsOf(useInfiniteQuery(runsQuery(client, ofApplication)).data);
  const evaluations = new Set(runs.map(({ evaluation }) => evaluation));
  if (filter.evaluation) evaluations.add(filter.evaluation);
  const slugs = new Set(applications.map(({ slug }) => slug));
  if (filter.application) slugs.add(filter.application);
  const filterBy = (change: { readonly [Name in keyof RunFilter]: string }) =>
    void navigate({
      to: "/runs",
      search: parseRunsSearch({ ...filter, ...change }),
      replace: true,
    });
  return (
    <>
      <FilterSelect
        label="Application"
        all="All applications"
        value={filter.application}
        values={[...slugs]}
        // Another application has other evaluations.
        onChange={(application) => filterBy({ application, evaluation: "" })}
      />
      <FilterSelect
        label="Evaluation"
        all="All evaluations"
        value={filter.evaluation}
        values={[...evaluations]}
        onChange={(evaluation) => filterBy({ evaluation })}
      />
    </>
  );
}

interface FilterSelectProps {
  readonly label: string;
  readonly all: string;
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}

function FilterSelect({ label, all, value, values, onChange }: FilterSelectProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <Select id={id} value={value ?? ""} onChange={(event) => onChange(event.target.value)}>
        <option value="">{all}</option>
        {values.toSorted().map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </Select>
    </>
  );
}

function RunItem({ run }: { readonly run: Run }) {
  const outcome = outcomeText(run);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
      <h2 className="min-w-0 text-base font-semibold">
        <Link
          to="/runs/$run"
          params={{ run: run.id }}
          className="block truncate hover:text-accent hover:underline"
        >
          {run.evaluation} <span className="font-normal text-ink-soft">{run.id}</span>
        </Link>
      </h2>
      <Badge tone={outcome.tone} title={run.reason ?? outcome.text}>
        {outcome.text}
      </Badge>
      <span className="min-w-0 font-mono text-[0.93rem] break-all text-ink-soft">
        {run.application}
      </span>
      <Means run={run} />
      <span className="flex flex-wrap gap-x-3 text-ink-soft tabular-nums md:ml-auto">
        <span>{progressText(run)}</span>
        <span>{costText(run.costs)}</span>
        <span>
          by {run.started_by}, <Ago time={run.started_at} />
        </span>
      </span>
    </li>
  );
}

/** The candidate's means, once the run has ended. */
function Means({ run }: { readonly run: Run }) {
  const report = useQuery(endedRunQuery(usePlatform(), run)).data;
  return (
    <span className="flex min-w-0 flex-wrap gap-x-3 tabular-nums">
      {candidateMeans(report?.figures.scores ?? []).map(({ score, text }) => (
        <span key={score} className="wrap-anywhere">
          <span className="text-ink-soft">{score}</span> {text}
        </span>
      ))}
    </span>
  );
}
