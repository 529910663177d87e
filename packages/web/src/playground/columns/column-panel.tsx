import type { RouteSchema } from "@agate/protocol";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { ConfigForm } from "../../config-form/config-form.tsx";
import type { ConfigValues } from "../../config-form/config-values.ts";
import type { FieldProblem } from "../../config-form/field-problem.ts";
import { Badge } from "../../design/badge.tsx";
import { Button } from "../../design/button.tsx";
import { Skeleton } from "../../design/empty-state.tsx";
import type { KnownConfigs } from "../state/column-base.ts";
import type { ConfigSource } from "../state/config-source.ts";
import { ColumnBadges } from "./column-badges.tsx";
import { ColumnNumber } from "./column-number.tsx";
import type { ColumnView, ReadyColumn } from "./column-view.ts";
import { RevisionSelect } from "./revision-select.tsx";
import { SourceSelect } from "./source-select.tsx";

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
  readonly onPutBack: () => void;
}

/** A configuration: what it starts from, what is edited in it, and where it can go. */
export function ColumnPanel(props: ColumnPanelProps) {
  const { app, route, view, place, known, problems, hasProblems, isFoldable } = props;
  const { differing, actions, summary, onChoose, onEdit, onPutBack } = props;
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
      {view.kind === "ready" && <DraftLine view={view} onPutBack={onPutBack} />}
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
  readonly onPutBack: () => void;
}

/** As high without a draft: the first edit must not move the fields from under the pointer. */
function DraftLine({ view, onPutBack }: DraftLineProps) {
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
          <Button look="quiet" size="small" className="-mr-2 ml-auto" onClick={onPutBack}>
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
