import type { RouteSchema } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { checkConfig } from "../../config-form/check-config.ts";
import type { ConfigValues } from "../../config-form/config-values.ts";
import { useToaster } from "../../design/toaster.tsx";
import type { ColumnQuestion } from "../commit/column-question.ts";
import type { CommitRefusal } from "../commit/commit-dialog.tsx";
import { focusBeside } from "../focus-beside.ts";
import { configProblems } from "../running/server-problems.ts";
import type { Runner } from "../running/use-runner.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import type { WorkspaceAction } from "../state/workspace-reducer.ts";
import { ColumnActions } from "./column-actions.tsx";
import { ColumnPanel } from "./column-panel.tsx";
import type { ColumnView } from "./column-view.ts";
import { ConfigDifferences } from "./config-differences.tsx";

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
  readonly refused: CommitRefusal | null;
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
            focusBeside("data-column", id);
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
      onPutBack={() => dispatch({ kind: "put-back", column: id })}
    />
  );
}
