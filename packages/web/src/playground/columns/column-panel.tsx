import type { RouteSchema } from "@agate/protocol";
import { isSameJson, shownValue } from "@agate/protocol";
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { ConfigForm } from "../../config-form/config-form.tsx";
import type { ConfigValues } from "../../config-form/config-values.ts";
import { checkConfig, type FieldProblem } from "../../config-form/field-problem.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { classNames } from "../../design/class-names.ts";
import { Skeleton } from "../../design/empty-state.tsx";
import { useToaster } from "../../design/toaster.tsx";
import type { ColumnQuestion } from "../commit/column-dialogs.tsx";
import type { RejectedCommit } from "../commit/commit-dialog.tsx";
import { rejectedConfig } from "../running/rejected-fields.ts";
import type { Runner } from "../running/use-runner.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import type { ConfigSource } from "../state/config-source.ts";
import type { WorkspaceAction } from "../state/workspace.ts";
import { focusNeighbor } from "../workbench-focus.ts";
import { ColumnActions } from "./column-actions.tsx";
import { ColumnBadges, ColumnNumber } from "./column-badges.tsx";
import type { ColumnView, ReadyColumn } from "./column-view.ts";
import { RevisionSelect, SourceSelect } from "./config-choices.tsx";

interface ColumnPanelProps {
  readonly app: string;
  readonly route: RouteSchema;
  readonly view: ColumnView;
  /** Its place among the columns, from 1; null for the only one. */
  readonly place: number | null;
  readonly known: KnownConfigs;
  readonly runner: Runner;
  /** The fields in which columns differ, and the values of the first column; null for a single column. */
  readonly differing: { readonly fields: readonly string[]; readonly first: ConfigValues } | null;
  /** Why the user cannot change the registry; null if they can. */
  readonly readOnlyReason: string | null;
  /** The last commit of this column, if the registry rejected it. */
  readonly rejected: RejectedCommit | null;
  readonly dispatch: (action: WorkspaceAction) => void;
  readonly onAsk: (question: ColumnQuestion) => void;
}

/** A configuration: what it is based on, its edits, and the actions on it. */
export function ColumnPanel(props: ColumnPanelProps) {
  const { app, view, place, known, differing, readOnlyReason, dispatch, onAsk } = props;
  const toaster = useToaster();
  const titleId = useId();
  const { id, draft, source } = view.column;
  const base = view.kind === "ready" ? view.base : null;
  const problems = columnProblems(props);
  const ask = (question: ColumnQuestion) =>
    problems.ofPage.length > 0 ? props.runner.showProblems() : onAsk(question);
  const choose = (chosen: ConfigSource) => {
    dispatch({ kind: "choose", column: id, source: chosen });
    if (draft !== null) toaster.done("Draft set aside. Go back in the browser to restore it.");
  };
  return (
    <section aria-labelledby={titleId} data-column={id} className="flex min-w-0 flex-col gap-3 p-4">
      <h2 id={titleId} className="sr-only">
        Configuration{place !== null && ` ${place}`}: {view.title}
      </h2>
      <div className="flex items-center gap-2">
        {place !== null && <ColumnNumber place={place} />}
        <SourceSelect source={source} known={known} onChange={choose} />
        {base !== null && base.revision > 0 && (
          <RevisionSelect
            app={app}
            base={base}
            onChange={(revision) => choose({ kind: "revision", variant: base.variant, revision })}
          />
        )}
      </div>
      <ColumnBadges view={view} known={known} />
      {view.kind === "ready" && (
        <DraftLine view={view} onRevert={() => dispatch({ kind: "revert", column: id })} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        <ColumnActions
          view={view}
          readOnlyReason={readOnlyReason}
          isOnly={place === null}
          onCommit={() => ask({ kind: "commit", column: id })}
          onSaveAs={() => ask({ kind: "save-as", column: id })}
          onDeploy={() => base && onAsk({ kind: "deploy", ...base })}
          onEvaluate={() => ask({ kind: "evaluate", column: id })}
          onCopy={() => dispatch({ kind: "copy-column", column: id })}
          onRemove={() => {
            focusNeighbor("data-column", id);
            dispatch({ kind: "remove-column", column: id });
          }}
        />
      </div>
      {view.kind === "loading" && <Skeleton lines={5} />}
      {view.kind === "missing" && (
        <p role="alert" className="rounded-md bg-warning-soft px-3 py-2 text-warning">
          {view.reason} Choose another configuration.
        </p>
      )}
      {view.kind === "ready" && (
        <>
          {differing && <ConfigDifferences {...differing} values={view.values} />}
          <ColumnFields {...props} view={view} problems={problems} />
        </>
      )}
    </section>
  );
}

interface ColumnProblems {
  /** Found by the page: the schema does not allow the value. */
  readonly ofPage: readonly FieldProblem[];
  /** Reported by the workflow or the registry, for values that have not been edited since. */
  readonly ofServer: readonly FieldProblem[];
}

function columnProblems(props: ColumnPanelProps): ColumnProblems {
  const { route, view, runner, rejected } = props;
  const { id } = view.column;
  const values = view.kind === "ready" ? view.values : {};
  const runs = [...runner.runs].flatMap(([key, run]) => (key.startsWith(`${id}:`) ? [run] : []));
  const ofCommit = rejected?.problems.filter(({ path: [field] }) =>
    isSameJson(rejected.values[String(field)], values[String(field)]),
  );
  return {
    ofPage: checkConfig(route, values),
    ofServer: [...rejectedConfig(runs, values), ...(ofCommit ?? [])],
  };
}

interface ColumnFieldsProps extends Omit<ColumnPanelProps, "view"> {
  readonly view: ReadyColumn;
  readonly problems: ColumnProblems;
}

/** The form. Beside other columns it is collapsed, unless one of its values is invalid. */
function ColumnFields(props: ColumnFieldsProps) {
  const { route, view, place, differing, problems, dispatch } = props;
  const [isExpanded, setExpanded] = useState(false);
  const isCollapsible = place !== null;
  const hasProblems = problems.ofPage.length + problems.ofServer.length > 0;
  const isOpen = !isCollapsible || isExpanded || hasProblems;
  const { column, base, baseValues } = view;
  return (
    <>
      {isCollapsible && (
        <button
          type="button"
          aria-expanded={isOpen}
          disabled={hasProblems}
          onClick={() => setExpanded(!isExpanded)}
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
          base={baseValues}
          problems={problems.ofServer}
          differing={differing?.fields ?? []}
          onChange={(values) =>
            dispatch({ kind: "edit", column: column.id, base, baseValues, values })
          }
        />
      )}
      {view.leftOut.length > 0 && (
        <p className="text-[0.93rem] text-ink-soft">
          Ignored, because the route no longer has it:{" "}
          <span className="font-mono">{view.leftOut.join(", ")}</span>
        </p>
      )}
    </>
  );
}

interface DraftLineProps {
  readonly view: ReadyColumn;
  readonly onRevert: () => void;
}

/** Has the same height without a draft: the first edit must not move the fields under the pointer. */
function DraftLine({ view, onRevert }: DraftLineProps) {
  return (
    <p className="flex min-h-7 items-center gap-2 text-ink-soft">
      {view.column.draft === null ? (
        "No changes"
      ) : (
        <>
          <Badge tone="accent" title={draftText(view)}>
            <span className="truncate">{draftText(view)}</span>
          </Badge>
          <span className="whitespace-nowrap">{view.changed.length} changed</span>
          <Button look="quiet" size="small" className="-mr-2 ml-auto" onClick={onRevert}>
            Revert
          </Button>
        </>
      )}
    </p>
  );
}

function draftText({ base }: ReadyColumn): string {
  if (base === null) return "Draft of the schema defaults";
  return base.revision === 0
    ? `First draft of ${base.variant}`
    : `Draft of ${base.variant}@${base.revision}`;
}

interface ConfigDifferencesProps {
  /** The fields in which any column differs from another. */
  readonly fields: readonly string[];
  readonly values: ConfigValues;
  /** Of the first column; other values are highlighted. */
  readonly first: ConfigValues;
}

function ConfigDifferences({ fields, values, first }: ConfigDifferencesProps) {
  if (fields.length === 0) {
    return <p className="text-[0.93rem] text-ink-soft">All columns have the same configuration.</p>;
  }
  return (
    <dl aria-label="Differing fields" className="flex flex-col rounded-md border border-line">
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
