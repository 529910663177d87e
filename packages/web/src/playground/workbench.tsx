import type { ApplicationSchema, RouteSchema } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { mayDo, sessionQuery } from "../api/session.ts";
import { differingFields } from "../config-form/config-values.ts";
import { Button } from "../design/button.tsx";
import { useToaster } from "../design/toaster.tsx";
import { emptyDraft } from "../input-form/input-draft.ts";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { CalledEnvironment, PlaygroundOffNotice } from "./called-environment.tsx";
import { CaseCard } from "./case-card.tsx";
import { ColumnPanel } from "./columns/column-panel.tsx";
import { type ColumnView, isReady, useColumnViews } from "./columns/column-view.ts";
import { AddColumnMenu } from "./columns/config-choices.tsx";
import { ColumnDialogs, type ColumnQuestion } from "./commit/column-dialogs.tsx";
import type { RejectedCommit } from "./commit/commit-dialog.tsx";
import { useKeptBoard } from "./kept-runs/use-kept-board.ts";
import { NoticeBar, SetAsideNotice } from "./notice-bar.tsx";
import { RunCell } from "./running/run-cell.tsx";
import { type Runner, useRunner } from "./running/use-runner.ts";
import type { KnownConfigs } from "./state/column-base.ts";
import type { OpenWorkspace } from "./state/use-workspace.ts";
import type { Column, TestCase, WorkspaceAction } from "./state/workspace.ts";
import { useRunKey } from "./use-run-key.ts";
import { focusLastCase, scrollToOutput } from "./workbench-focus.ts";
import { WorkbenchHeader } from "./workbench-header.tsx";
import { CompareLayout, SingleLayout } from "./workbench-layout.tsx";

const NEEDS_PLAYGROUND =
  "This key can't run workflows here. Sign in with a key that has the playground scope.";

interface WorkbenchProps {
  readonly app: string;
  /** Whose build is called; null leaves it to the platform. */
  readonly environment: string | null;
  /** Whose fields the form has; null: those of the newest build. */
  readonly shown: string | null;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly known: KnownConfigs;
  readonly open: OpenWorkspace;
}

/** The playground of one route: its configurations, test cases and outputs. */
export function Workbench({ app, environment, shown, schema, route, known, open }: WorkbenchProps) {
  const { workspace, notice, closeNotice, own, restore, dispatch, flush } = open;
  const { cases } = workspace;
  const views = useColumnViews(app, route, workspace.columns, known);
  const runner = useRunner(app, environment, route);
  const session = useQuery(sessionQuery(usePlatform())).data;
  // The project's id: an address without a project means the key's own.
  const place = JSON.stringify([session?.project?.id ?? null, app, route.route]);
  useKeptBoard(runner.board, place, workspace);
  const noRunScope =
    session === undefined || mayDo(session, "playground") ? null : NEEDS_PLAYGROUND;
  const noRunReason = noRunScope ?? (views.some(isReady) ? null : "Choose a configuration first.");
  const copyLink = useCopyLink(flush);
  const [question, setQuestion] = useState<ColumnQuestion | null>(null);
  const [rejected, setRejected] = useState<RejectedCommit | null>(null);
  const [showsDifferences, setShowsDifferences] = useState(false);
  useRunKey((target) => {
    if (noRunReason !== null) return;
    const focused = target?.closest("[data-case]")?.getAttribute("data-case");
    const chosen = cases.filter(({ id }) => String(id) === focused);
    runner.run(views, chosen.length > 0 ? chosen : cases);
  });
  return (
    <div ref={runner.forms} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <WorkbenchHeader
        app={app}
        route={route.route}
        called={<CalledEnvironment environment={environment} known={known} />}
        isUnderWay={runner.isUnderWay}
        runs={views.length * cases.length}
        refusal={noRunReason}
        hasDrafts={views.some(({ column }) => column.draft !== null)}
        compare={
          <CompareControls
            columns={workspace.columns}
            known={known}
            showsDifferences={showsDifferences}
            onToggle={() => setShowsDifferences(!showsDifferences)}
            dispatch={dispatch}
          />
        }
        onRun={() => {
          if (runner.run(views, cases)) scrollToOutput(runner.forms.current);
        }}
        onStop={() => runner.board.stopAll()}
        onCopyLink={copyLink}
        onResetCases={() => dispatch({ kind: "reset-cases", draft: emptyDraft(route.inputs) })}
        onRevertAll={() => dispatch({ kind: "revert-all" })}
        onRestore={own.aside && restore}
      />
      {notice !== null && <NoticeBar text={notice} onClose={closeNotice} />}
      {own.isNews && own.aside !== null && <SetAsideNotice onRestore={restore} />}
      {noRunScope !== null && <NoticeBar text={noRunScope} />}
      <PlaygroundOffNotice app={app} environment={environment} known={known} />
      <WorkbenchGrid
        app={app}
        route={route}
        known={known}
        views={views}
        cases={cases}
        runner={runner}
        noRunReason={noRunReason}
        rejected={rejected}
        showsDifferences={showsDifferences}
        dispatch={dispatch}
        onAsk={setQuestion}
      />
      <ColumnDialogs
        app={app}
        environment={shown}
        schema={schema}
        route={route}
        views={views}
        known={known}
        question={question}
        dispatch={dispatch}
        onAsk={setQuestion}
        onRejected={setRejected}
      />
    </div>
  );
}

interface CompareControlsProps {
  readonly columns: readonly Column[];
  readonly known: KnownConfigs;
  readonly showsDifferences: boolean;
  readonly onToggle: () => void;
  readonly dispatch: (action: WorkspaceAction) => void;
}

function CompareControls(props: CompareControlsProps) {
  const { columns, known, showsDifferences, onToggle, dispatch } = props;
  return (
    <>
      {columns.length > 1 && (
        <Button onClick={onToggle}>{showsDifferences ? "Show outputs" : "Show differences"}</Button>
      )}
      <AddColumnMenu
        known={known}
        onAdd={(source) => dispatch({ kind: "add-column", source })}
        onCopy={() => {
          const last = columns.at(-1);
          if (last) dispatch({ kind: "copy-column", column: last.id });
        }}
      />
    </>
  );
}

/** Copies the address once it holds the whole workspace. */
function useCopyLink(flush: OpenWorkspace["flush"]): () => void {
  const toaster = useToaster();
  return () => {
    const copy = async () => {
      const { isTooLong } = await flush();
      await navigator.clipboard.writeText(window.location.href);
      return isTooLong
        ? "Link copied with your edits. The test cases are too long for a link."
        : "Link copied with your edits and test cases.";
    };
    copy().then(
      (done) => toaster.done(done),
      // Browsers have no clipboard for pages that came over plain HTTP from another machine.
      () => toaster.failed("Copying failed. Copy the link from the address bar."),
    );
  };
}

interface WorkbenchGridProps {
  readonly app: string;
  readonly route: RouteSchema;
  readonly known: KnownConfigs;
  readonly views: readonly ColumnView[];
  readonly cases: readonly TestCase[];
  readonly runner: Runner;
  /** Why nothing can be run; null if it can. */
  readonly noRunReason: string | null;
  /** The last commit that the registry rejected. */
  readonly rejected: RejectedCommit | null;
  readonly showsDifferences: boolean;
  readonly dispatch: (action: WorkspaceAction) => void;
  readonly onAsk: (question: ColumnQuestion) => void;
}

/** One column beside its test cases, or several columns above a row of outputs for each case. */
function WorkbenchGrid(props: WorkbenchGridProps) {
  const { app, route, known, views, cases, runner, noRunReason, rejected } = props;
  const { showsDifferences, dispatch, onAsk } = props;
  const readOnlyReason = useReadOnlyReason();
  const ready = views.filter(isReady);
  const [only] = views;
  const isCompare = views.length > 1;
  const differing =
    isCompare && ready[0]
      ? { fields: differingFields(ready.map(({ values }) => values)), first: ready[0].values }
      : null;
  const placeOf = (view: ColumnView) => (isCompare ? views.indexOf(view) + 1 : null);
  const panel = (view: ColumnView) => (
    <ColumnPanel
      app={app}
      route={route}
      view={view}
      place={placeOf(view)}
      known={known}
      runner={runner}
      differing={differing}
      readOnlyReason={readOnlyReason}
      rejected={rejected?.column === view.column.id ? rejected : null}
      dispatch={dispatch}
      onAsk={onAsk}
    />
  );
  const cell = (view: ColumnView, testCase: TestCase) => (
    <RunCell
      key={view.column.id}
      app={app}
      board={runner.board}
      view={view}
      testCase={testCase}
      schema={route.inputs}
      firstColumn={view === only ? null : (only?.column.id ?? null)}
      place={placeOf(view)}
      showsDifferences={showsDifferences}
    />
  );
  const card = (testCase: TestCase, output?: ReactNode) => (
    <CaseCard
      key={testCase.id}
      route={route}
      testCase={testCase}
      isOnly={cases.length === 1}
      runner={runner}
      noRunReason={noRunReason}
      dispatch={dispatch}
      onRun={() => runner.run(views, [testCase])}
    >
      {output}
    </CaseCard>
  );
  const addCase = <AddCaseButton route={route} dispatch={dispatch} />;
  if (isCompare) {
    return (
      <CompareLayout
        columns={views.map((view) => ({ id: view.column.id, panel: panel(view) }))}
        rows={cases.map((testCase) => ({
          id: testCase.id,
          card: card(testCase),
          cells: views.map((view) => cell(view, testCase)),
        }))}
        foot={addCase}
      />
    );
  }
  return (
    <SingleLayout panel={only && panel(only)}>
      {cases.map((testCase) =>
        card(testCase, <div className="border-t border-line">{only && cell(only, testCase)}</div>),
      )}
      {addCase}
    </SingleLayout>
  );
}

function AddCaseButton({ route, dispatch }: Pick<WorkbenchGridProps, "route" | "dispatch">) {
  return (
    <Button
      look="quiet"
      className="self-start"
      onClick={() => {
        dispatch({ kind: "add-case", draft: emptyDraft(route.inputs) });
        focusLastCase();
      }}
    >
      <Plus size={15} aria-hidden />
      Add test case
    </Button>
  );
}
