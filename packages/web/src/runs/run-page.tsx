import type { Run, RunReport } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { deleteRun, runQuery, runsKey, stopRun } from "../api/runs.ts";
import { Badge } from "../design/badge.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { useToaster } from "../design/toaster.tsx";
import { ConfirmDialog } from "../registry/confirm-dialog.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { ChangeButton } from "../revisions/read-only.tsx";
import { RunCases } from "./run-cases.tsx";
import { RunFiguresView } from "./run-figures.tsx";
import { RunEnd, RunProgress } from "./run-progress.tsx";
import { columnText, costText, outcomeText, progressText, testsetText } from "./run-text.ts";

const route = getRouteApi("/runs/$run");

/** One run: its verdict, its figures, and its cases. */
export function RunPage() {
  const { run: id } = route.useParams();
  useTitle(`Run ${id}`);
  const run = useQuery(runQuery(usePlatform(), id));
  return (
    <Loaded query={run} lines={6}>
      {(loaded) => (
        <>
          <RunHeader run={loaded} />
          <RunFiguresView run={loaded} />
          <RunCases key={loaded.id} run={loaded} />
        </>
      )}
    </Loaded>
  );
}

function RunHeader({ run }: { readonly run: RunReport }) {
  const outcome = outcomeText(run);
  const { application, evaluation } = run;
  return (
    <>
      <PageHeader
        title={run.evaluation}
        above={
          <>
            <Link to="/runs">Runs</Link> /{" "}
            <Link to="/runs" search={{ application, evaluation }}>
              {application} {evaluation}
            </Link>
          </>
        }
        beside={
          <span className="flex min-w-0 flex-wrap items-center gap-x-3 text-ink-soft">
            <Badge tone={outcome.tone}>{outcome.text}</Badge>
            <span className="font-mono text-[0.93rem] break-all">{run.id}</span>
          </span>
        }
        actions={<RunActions run={run} />}
      />
      <div className="mx-4 mb-4 flex flex-col gap-1 md:mx-6">
        {run.status === "running" && <RunProgress run={run} />}
        {(run.status === "stopped" || run.status === "failed") && <RunEnd run={run} />}
        {run.message !== "" && <p className="whitespace-pre-wrap wrap-anywhere">{run.message}</p>}
        <p className="flex flex-wrap gap-x-4 text-ink-soft">
          <span>{progressText(run)}</span>
          <span>{testsetText(run.testset)}</span>
          <span>{costText(run.costs)}</span>
          <span>
            by {run.started_by}, <Ago time={run.started_at} />
          </span>
          <Link
            to="/traces"
            search={{ run: run.id, traffic: "all" }}
            className="text-accent underline"
          >
            Traces
          </Link>
          {run.commit !== null && (
            <span className="font-mono text-[0.93rem]" title={run.commit}>
              {run.commit.slice(0, 10)}
            </span>
          )}
        </p>
        <p className="flex flex-wrap gap-x-4 text-ink-soft">
          {run.columns.map((column) => (
            <span key={column.name} className="wrap-anywhere">
              {column.name}: <span className="font-mono text-[0.93rem]">{columnText(column)}</span>
            </span>
          ))}
        </p>
      </div>
    </>
  );
}

function RunActions({ run: { id, status, runner } }: { readonly run: Run }) {
  const [asked, setAsked] = useState<"stop" | "delete" | null>(null);
  const client = usePlatform();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toaster = useToaster();
  const refresh = () => void queries.invalidateQueries({ queryKey: runsKey(client) });
  return (
    <>
      {status === "running" && (
        <ChangeButton scope="evaluate" onClick={() => setAsked("stop")}>
          Stop
        </ChangeButton>
      )}
      <ChangeButton onClick={() => setAsked("delete")}>Delete</ChangeButton>
      {asked === "stop" && (
        <ConfirmDialog
          title="Stop the run"
          action="Stop"
          look="danger"
          refusal="Not stopped"
          change={() => stopRun(client, id)}
          onDone={() => {
            toaster.done("Stopped the run.");
            refresh();
          }}
          onClose={() => setAsked(null)}
        >
          <p>
            It keeps its results, but gets no verdict, and cannot be continued.
            {runner === "client" && " The client that runs it can add no further results."}
          </p>
        </ConfirmDialog>
      )}
      {asked === "delete" && (
        <ConfirmDialog
          title="Delete the run"
          action="Delete"
          look="danger"
          refusal="Not deleted"
          change={() => deleteRun(client, id)}
          onDone={() => {
            toaster.done(`Deleted ${id}.`);
            void navigate({ to: "/runs" }).then(refresh);
          }}
          onClose={() => setAsked(null)}
        >
          <p>
            {id} will be deleted with its cases and results. Traces and their scores stay. This
            can't be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
