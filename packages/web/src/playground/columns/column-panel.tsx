import type { RouteSchema } from "@agate/protocol";
import { isSameJson, shownValue } from "@agate/protocol";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { ConfigForm } from "../../config-form/config-form.tsx";
import type { ConfigValues } from "../../config-form/config-values.ts";
import type { FieldProblem } from "../../config-form/field-problem.ts";
import { checkConfig } from "../../config-form/field-problem.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { classNames } from "../../design/class-names.ts";
import { Skeleton } from "../../design/empty-state.tsx";
import { useToaster } from "../../design/toaster.tsx";
import type { ColumnQuestion } from "../commit/column-dialogs.tsx";
import type { RejectedCommit } from "../commit/commit-dialog.tsx";
import { configProblems } from "../running/server-problems.ts";
import type { Runner } from "../running/use-runner.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import type { ConfigSource } from "../state/config-source.ts";
import type { WorkspaceAction } from "../state/workspace.ts";
import { focusNeighbor } from "../workbench-focus.ts";
import { ColumnActions } from "./column-actions.tsx";
import { ColumnBadges, ColumnNumber } from "./column-badges.tsx";
import type { ColumnView, ReadyColumn } from "./column-view.ts";
import { RevisionSelect, SourceSelect } from "./config-choices.tsx";

interface ColumnSlotProps {
  readonly app: string;
  readonly route: RouteSchema;
  readonly view: ColumnView;
  /** Its place among others, from 1; null where it is the only one. */
  readonly place: number | null;
  readonly known: KnownConfigs;
  readonly runner: Runner;
  /** In which fields columns differ, and the values of the first; null where there is but one. */
  readonly differing: { readonly fields: readonly string[]; readonly first: ConfigValues } | null;
  /** Why the reader may not change the registry; null where they may. */
  readonly refusal: string | null;
  /** What the registry has refused of it, when somebody tried to commit it. */
  readonly refused: RejectedCommit | null;
  readonly dispatch: (action: WorkspaceAction) => void;
  readonly onAsk: (question: ColumnQuestion) => void;
}

/** A column's panel, with what is done when something in it is pressed. */
export function ColumnSlot(props: ColumnSlotProps) {
  const { app, route, view, place, known, runner, differing, refusal } = props;
  const { refused, dispatch, onAsk } = props;
  const toaster = useToaster();
  const { id, draft } = view.column;
  const values = view.kind === "ready" ? view.values : {};
  const runs = [...runner.runs].flatMap(([key, run]) => (key.startsWith(`${id}:`) ? [run] : []));
  const uncommitted = refused?.problems.filter(({ path: [field] }) =>
    isSameJson(refused.values[String(field)], values[String(field)]),
  );
  const problems = [...configProblems(runs, values), ...(uncommitted ?? [])];
  const hasProblems = problems.length > 0 || checkConfig(route, values).length > 0;
  const ask = (question: ColumnQuestion) =>
    checkConfig(route, values).length > 0 ? runner.showProblems() : onAsk(question);
  const base = view.kind === "ready" ? view.base : null;
  return (
    <ColumnPanel
      app={app}
      route={route}
      view={view}
      place={place}
      known={known}
      problems={problems}
      hasProblems={hasProblems}
      isFoldable={place !== null}
      differing={differing?.fields ?? []}
      summary={
        differing &&
        view.kind === "ready" && (
          <ConfigDifferences
            fields={differing.fields}
            values={view.values}
            first={differing.first}
          />
        )
      }
      actions={
        <ColumnActions
          view={view}
          refusal={refusal}
          isOnly={place === null}
          onCommit={() => ask({ kind: "commit", column: id })}
          onSaveAs={() => ask({ kind: "save-as", column: id })}
          onDeploy={() => base && onAsk({ kind: "deploy", ...base })}
          onCopy={() => dispatch({ kind: "copy-column", column: id })}
          onRemove={() => {
            focusNeighbor("data-column", id);
            dispatch({ kind: "remove-column", column: id });
          }}
        />
      }
      onChoose={(source) => {
        dispatch({ kind: "choose", column: id, source });
        if (draft !== null) {
          toaster.done("The draft is put aside: go back in the browser to have it again.");
        }
      }}
      onEdit={({ base, baseValues }, edited) =>
        dispatch({ kind: "edit", column: id, base, baseValues, values: edited })
      }
      onRevert={() => dispatch({ kind: "revert", column: id })}
    />
  );
}

interface ColumnPanelProps {
  readonly app: string;
  readonly route: RouteSchema;
  readonly view: ColumnView;
  /** Its place among others, from 1; null where it is the only one. */
  readonly place: number | null;
  readonly known: KnownConfigs;
  /** What is wrong with its values, as the workflow has said. */
  readonly problems: readonly FieldProblem[];
  /** Something is wrong with a value: the form is shown, whatever the reader has folded. */
  readonly hasProblems: boolean;
  /** The form can be folded, and is at first: there are others beside it. */
  readonly isFoldable: boolean;
  /** Fields in which columns differ. */
  readonly differing: readonly string[];
  /** Commit, deploy, and the like. */
  readonly actions: ReactNode;
  /** What is shown in any case, of the fields in which columns differ. */
  readonly summary?: ReactNode;
  readonly onChoose: (source: ConfigSource) => void;
  readonly onEdit: (view: ReadyColumn, values: ConfigValues) => void;
  readonly onRevert: () => void;
}

/** A configuration: what it starts from, what is edited in it, and where it can go. */
function ColumnPanel(props: ColumnPanelProps) {
  const { app, route, view, place, known, problems, hasProblems, isFoldable } = props;
  const { differing, actions, summary, onChoose, onEdit, onRevert } = props;
  const [isUnfolded, setUnfolded] = useState(false);
  const titleId = useId();
  const isOpen = !isFoldable || isUnfolded || hasProblems;
  const base = view.kind === "ready" ? view.base : null;
  return (
    <section
      aria-labelledby={titleId}
      data-column={view.column.id}
      className="flex min-w-0 flex-col gap-3 p-4"
    >
      <h2 id={titleId} className="sr-only">
        Configuration{place !== null && ` ${place}`}: {view.title}
      </h2>
      <div className="flex items-center gap-2">
        {place !== null && <ColumnNumber place={place} />}
        <SourceSelect source={view.column.source} known={known} onChange={onChoose} />
        {base !== null && base.revision > 0 && (
          <RevisionSelect
            app={app}
            base={base}
            onChange={(revision) => onChoose({ kind: "revision", variant: base.variant, revision })}
          />
        )}
      </div>
      <ColumnBadges view={view} known={known} />
      {view.kind === "ready" && <DraftLine view={view} onRevert={onRevert} />}
      <div className="flex flex-wrap items-center gap-2">{actions}</div>
      {summary}
      {view.kind === "loading" && <Skeleton lines={5} />}
      {view.kind === "missing" && (
        <p role="alert" className="rounded-md bg-warning-soft px-3 py-2 text-warning">
          {view.reason} Choose another configuration.
        </p>
      )}
      {view.kind === "ready" && (
        <>
          {isFoldable && (
            <button
              type="button"
              aria-expanded={isOpen}
              disabled={hasProblems}
              onClick={() => setUnfolded(!isUnfolded)}
              className="-ml-1 flex items-center gap-1 self-start rounded px-1 font-medium text-ink-soft hover:text-ink"
            >
              <ChevronRight
                size={15}
                aria-hidden
                className={isOpen ? "rotate-90 transition-transform" : "transition-transform"}
              />
              All fields
            </button>
          )}
          {isOpen && (
            <ConfigForm
              route={route}
              values={view.values}
              base={view.baseValues}
              problems={problems}
              differing={differing}
              onChange={(values) => onEdit(view, values)}
            />
          )}
          <LeftOut fields={view.leftOut} />
        </>
      )}
    </section>
  );
}

interface DraftLineProps {
  readonly view: ReadyColumn;
  readonly onRevert: () => void;
}

/** As high without a draft: the first edit must not move the fields from under the pointer. */
function DraftLine({ view, onRevert }: DraftLineProps) {
  return (
    <p className="flex min-h-7 items-center gap-2 text-ink-soft">
      {view.column.draft === null ? (
        "Nothing edited"
      ) : (
        <>
          <Badge tone="accent" title={draftText(view)}>
            <span className="truncate">{draftText(view)}</span>
          </Badge>
          <span className="whitespace-nowrap">{view.changed.length} changed</span>
          <Button look="quiet" size="small" className="-mr-2 ml-auto" onClick={onRevert}>
            Put back
          </Button>
        </>
      )}
    </p>
  );
}

function draftText({ base }: ReadyColumn): string {
  if (base === null) return "Draft of the schema's defaults";
  return base.revision === 0
    ? `First draft of ${base.variant}`
    : `Draft of ${base.variant}@${base.revision}`;
}

function LeftOut({ fields }: { readonly fields: readonly string[] }) {
  if (fields.length === 0) return null;
  return (
    <p className="text-[0.93rem] text-ink-soft">
      The route does not take <span className="font-mono">{fields.join(", ")}</span> any more: left
      out here.
    </p>
  );
}

interface ConfigDifferencesProps {
  /** In which any of the columns differs from another. */
  readonly fields: readonly string[];
  readonly values: ConfigValues;
  /** Of the first column; what is not the same is marked. */
  readonly first: ConfigValues;
}

/** The fields of a column that are not the same in all of them. */
function ConfigDifferences({ fields, values, first }: ConfigDifferencesProps) {
  if (fields.length === 0) {
    return <p className="text-[0.93rem] text-ink-soft">The same configuration in every column.</p>;
  }
  return (
    <dl aria-label="Fields that differ" className="flex flex-col rounded-md border border-line">
      {fields.map((field) => {
        const isDifferent = !isSameJson(values[field], first[field]);
        const text = shownValue(values[field]);
        return (
          <div
            key={field}
            className="flex min-w-0 items-baseline gap-2 border-line px-2.5 py-1 not-first:border-t"
          >
            <dt className="shrink-0 font-mono text-[0.93rem] text-ink-soft">{field}</dt>
            <dd
              title={text}
              className={classNames(
                "ml-auto truncate font-mono text-[0.93rem]",
                isDifferent && "rounded bg-accent-soft px-1 font-medium text-accent",
              )}
            >
              {text}
              {isDifferent && <span className="sr-only"> (differs from the first column)</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
