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
import { CaseSlot } from "./case-card.tsx";
import { ColumnSlot } from "./columns/column-panel.tsx";
import type { ColumnView, ReadyColumn } from "./columns/column-view.ts";
import { useColumnViews } from "./columns/column-view.ts";
import { AddColumnMenu } from "./columns/config-choices.tsx";
import type { ColumnQuestion } from "./commit/column-dialogs.tsx";
import { ColumnDialogs } from "./commit/column-dialogs.tsx";
import type { RejectedCommit } from "./commit/commit-dialog.tsx";
import { useKeptBoard } from "./kept-runs/use-kept-board.ts";
import { NoticeBar, SetAsideNotice } from "./notice-bar.tsx";
import { RunCell } from "./running/run-cell.tsx";
import { useRunner } from "./running/use-runner.ts";
import type { KnownConfigs } from "./state/column-base.ts";
import type { OpenWorkspace } from "./state/use-workspace.ts";
import type { TestCase } from "./state/workspace.ts";
import { useRunKey } from "./use-run-key.ts";
import { focusLastCase, scrollToOutput } from "./workbench-focus.ts";
import { WorkbenchHeader } from "./workbench-header.tsx";
import { CompareLayout, SingleLayout } from "./workbench-layout.tsx";

const LINK_WITH_ALL = "The link is copied: it has your edits and test cases in it.";
const LINK_WITHOUT_CASES =
  "The link is copied: it has your edits in it. The test cases are too long for a link.";
const MAY_NOT_RUN = "Your key may not run workflows: that needs one with the scope run.";

interface WorkbenchProps {
  readonly app: string;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly known: KnownConfigs;
  readonly open: OpenWorkspace;
}

/** Configurations, inputs and what comes out of them, for one route. */
export function Workbench({ app, schema, route, known, open }: WorkbenchProps) {
  const { workspace, notice, closeNotice, own, restore, dispatch, flush } = open;
  const { cases } = workspace;
  const views = useColumnViews(app, route, workspace.columns, known);
  const runner = useRunner(app, route);
  const session = useQuery(sessionQuery(usePlatform())).data;
  // By its id: without a project in the address, it is the one of the key.
  const place = JSON.stringify([session?.project?.id ?? null, app, route.route]);
  useKeptBoard(runner.board, place, workspace);
  const noRun = session === undefined || mayDo(session, "run") ? null : MAY_NOT_RUN;
  const noChange = useReadOnlyReason();
  const toaster = useToaster();
  const [question, setQuestion] = useState<ColumnQuestion | null>(null);
  const [refused, setRefused] = useState<RejectedCommit | null>(null);
  const [showsDifferences, setShowsDifferences] = useState(false);
  const ready = views.filter((view): view is ReadyColumn => view.kind === "ready");
  const refusal = noRun ?? (ready.length === 0 ? "Choose a configuration to run with." : null);
  useRunKey((target) => {
    if (refusal !== null) return;
    const within = target?.closest("[data-case]")?.getAttribute("data-case");
    const chosen = cases.filter(({ id }) => String(id) === within);
    runner.run(views, chosen.length > 0 ? chosen : cases);
  });

  const isCompare = views.length > 1;
  const differing = differingFields(ready.map(({ values }) => values));
  const first = ready[0];

  const placeOf = (view: ColumnView) => (isCompare ? views.indexOf(view) + 1 : null);
  const panel = (view: ColumnView) => (
    <ColumnSlot
      app={app}
      route={route}
      view={view}
      place={placeOf(view)}
      known={known}
      runner={runner}
      differing={isCompare && first ? { fields: differing, first: first.values } : null}
      refusal={noChange}
      refused={refused?.column === view.column.id ? refused : null}
      dispatch={dispatch}
      onAsk={setQuestion}
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
      firstColumn={view === views[0] ? null : (views[0]?.column.id ?? null)}
      place={placeOf(view)}
      showsDifferences={showsDifferences}
    />
  );
  const card = (testCase: TestCase, children?: ReactNode) => (
    <CaseSlot
      key={testCase.id}
      route={route}
      testCase={testCase}
      isOnly={cases.length === 1}
      runner={runner}
      refusal={refusal}
      dispatch={dispatch}
      onRun={() => runner.run(views, [testCase])}
    >
      {children}
    </CaseSlot>
  );
  const addCase = (
    <Button
      look="quiet"
      className="self-start"
      onClick={() => {
        dispatch({ kind: "add-case", draft: emptyDraft(route.inputs) });
        focusLastCase();
      }}
    >
      <Plus size={15} aria-hidden />
      Add a test case
    </Button>
  );
  return (
    <div ref={runner.forms} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <WorkbenchHeader
        app={app}
        route={route.route}
        isUnderWay={runner.isUnderWay}
        runs={views.length * cases.length}
        refusal={refusal}
        hasDrafts={views.some(({ column }) => column.draft !== null)}
        compare={
          <>
            {isCompare && (
              <Button onClick={() => setShowsDifferences(!showsDifferences)}>
                {showsDifferences ? "Show outputs" : "Show differences"}
              </Button>
            )}
            <AddColumnMenu
              known={known}
              onAdd={(source) => dispatch({ kind: "add-column", source })}
              onCopy={() => {
                const last = workspace.columns.at(-1);
                if (last) dispatch({ kind: "copy-column", column: last.id });
              }}
            />
          </>
        }
        onRun={() => {
          if (runner.run(views, cases)) scrollToOutput(runner.forms.current);
        }}
        onStop={() => runner.board.stopAll()}
        onCopyLink={() => {
          const copy = async () => {
            const { isTooLong } = await flush();
            await navigator.clipboard.writeText(window.location.href);
            return isTooLong ? LINK_WITHOUT_CASES : LINK_WITH_ALL;
          };
          copy().then(
            (done) => toaster.done(done),
            // Not there over plain HTTP from another machine.
            () => toaster.failed("The browser refused. Copy the link from its address bar."),
          );
        }}
        onResetCases={() => dispatch({ kind: "reset-cases", draft: emptyDraft(route.inputs) })}
        onRevertAll={() => dispatch({ kind: "revert-all" })}
        onRestore={own.aside && restore}
      />
      {notice !== null && <NoticeBar text={notice} onClose={closeNotice} />}
      {own.isNews && own.aside !== null && <SetAsideNotice onRestore={restore} />}
      {noRun !== null && <NoticeBar text={noRun} />}
      {isCompare ? (
        <CompareLayout
          columns={views.map((view) => ({ id: view.column.id, panel: panel(view) }))}
          rows={cases.map((testCase) => ({
            id: testCase.id,
            card: card(testCase),
            cells: views.map((view) => cell(view, testCase)),
          }))}
          foot={addCase}
        />
      ) : (
        <SingleLayout
          panel={views[0] && panel(views[0])}
          cases={
            <>
              {cases.map((testCase) =>
                card(
                  testCase,
                  <div className="border-t border-line">
                    {views[0] && cell(views[0], testCase)}
                  </div>,
                ),
              )}
              {addCase}
            </>
          }
        />
      )}
      <ColumnDialogs
        app={app}
        schema={schema}
        route={route}
        views={views}
        known={known}
        question={question}
        dispatch={dispatch}
        onAsk={setQuestion}
        onRefused={setRefused}
      />
    </div>
  );
}
