import type { ApplicationSchema, Revision, RouteParams, RouteSchema } from "@agate/protocol";
import { diffParams } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { revisionQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import {
  changedFields,
  knownFields,
  ownField,
  withDefaults,
} from "../../config-form/config-values.ts";
import { useNow } from "../../design/browser-state.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { ErrorState, Skeleton } from "../../design/empty-state.tsx";
import { Field, TextInput } from "../../design/field.tsx";
import { formatTime, formatWhen } from "../../format/format-time.ts";
import { ChangeFailure } from "../../revisions/change-failure.tsx";
import { ConfigDiffView } from "../../revisions/config-diff-view.tsx";
import type { ReadyColumn } from "../columns/column-view.ts";
import { revisionTitle } from "../state/column-base.ts";
import type { RevisionName } from "../state/workspace.ts";
import { committedParams, effectiveParams } from "./commit-draft.ts";
import { ConflictField } from "./conflict-field.tsx";
import {
  type MergedField,
  mergeFields,
  preselectedSide,
  resolvedFields,
  type Side,
} from "./merge-fields.ts";

const TITLE = "A newer revision exists";

/** The revision that was committed after the base of the draft. */
export interface TheirRevision {
  readonly name: RevisionName;
  readonly params: RouteParams;
}

interface ConflictViewProps {
  readonly app: string;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly draft: ReadyColumn;
  readonly base: RevisionName;
  readonly message: string;
  readonly isSending: boolean;
  /** Why committing the merged configuration failed. */
  readonly failure: Error | null;
  readonly onMessage: (message: string) => void;
  readonly onCommit: (theirs: TheirRevision, params: RouteParams) => void;
  /** Discards the draft in favour of the newer revision. */
  readonly onTakeTheirs: (name: RevisionName) => void;
  readonly onSaveAs: () => void;
  readonly onClose: () => void;
}

/** Resolves a commit conflict: the newer revision and the draft, field by field. */
export function ConflictView(props: ConflictViewProps) {
  const { app, base, onClose } = props;
  const latest = useQuery(revisionQuery(usePlatform(), app, base.variant, "latest"));
  // The cache may still hold the base of the draft, from before the commit was rejected.
  if (latest.data !== undefined && latest.data.variant.revision > base.revision) {
    return <Conflict {...props} theirs={latest.data} />;
  }
  return (
    <Dialog title={TITLE} width="wide" onClose={onClose}>
      {latest.error === null ? (
        <Skeleton lines={4} />
      ) : (
        <ErrorState error={latest.error} onRetry={() => void latest.refetch()} />
      )}
    </Dialog>
  );
}

function Conflict(props: ConflictViewProps & { readonly theirs: Revision }) {
  const { schema, route, draft, base, theirs, message, isSending, failure } = props;
  const { onMessage, onCommit, onTakeTheirs, onSaveAs, onClose } = props;
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const name = { variant: base.variant, revision: theirs.variant.revision };
  const title = revisionTitle(name);
  const { fields, undecided, isTheirs, params } = mergedCommit(props, chosen);
  const elsewhere = diffParams(
    effectiveParams(schema.routes, draft.params),
    effectiveParams(schema.routes, theirs.params),
  ).filter((diff) => diff.route !== route.route);
  return (
    <Dialog
      title={TITLE}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={onSaveAs} className="mr-auto">
            Save as new variant…
          </Button>
          <Button onClick={onClose}>Keep draft</Button>
          <Button
            look="primary"
            disabled={isSending || undecided.length > 0}
            onClick={() =>
              isTheirs ? onTakeTheirs(name) : onCommit({ name, params: theirs.params }, params)
            }
          >
            {isTheirs && undecided.length === 0 ? `Use ${title}` : `Commit on top of ${title}`}
          </Button>
        </>
      }
    >
      <ConflictIntro base={base} theirs={theirs} />
      <p role="status" className="text-warning empty:hidden">
        {undecided.length > 0 && `Choose a value for ${undecided.join(", ")} before you commit.`}
      </p>
      <ul aria-label="Changed fields" className="flex flex-col gap-2">
        {fields.map((field) => (
          <ConflictField
            key={field.field}
            field={field}
            title={title}
            side={ownField(chosen, field.field) ?? preselectedSide(field)}
            onChoose={(side) => setChosen((before) => ({ ...before, [field.field]: side }))}
          />
        ))}
      </ul>
      {fields.length === 0 && <p className="text-ink-soft">No changes in {route.route}.</p>}
      {elsewhere.length > 0 && (
        <section aria-label="Changes in other routes" className="flex flex-col gap-2">
          <h3 className="font-medium">Also changed in {title} (kept)</h3>
          <ConfigDiffView routes={elsewhere} schema={schema} />
        </section>
      )}
      <Field label="Message">
        {(ids) => (
          <TextInput {...ids} value={message} onChange={(event) => onMessage(event.target.value)} />
        )}
      </Field>
      {failure !== null && <ChangeFailure title="Commit failed" error={failure} />}
    </Dialog>
  );
}

interface MergedCommit {
  readonly fields: readonly MergedField[];
  /** Fields in conflict for which no side is chosen yet. */
  readonly undecided: readonly string[];
  /** The result is the newer revision: nothing is left to commit. */
  readonly isTheirs: boolean;
  readonly params: RouteParams;
}

function mergedCommit(
  props: ConflictViewProps & { readonly theirs: Revision },
  chosen: Readonly<Record<string, Side>>,
): MergedCommit {
  const { schema, route, draft, theirs } = props;
  const stored = ownField(theirs.params, route.route) ?? {};
  const theirValues = withDefaults(route, knownFields(route, stored));
  const fields = mergeFields(draft.baseValues, draft.values, theirValues);
  const changes = changedFields(theirValues, resolvedFields(theirValues, fields, chosen));
  const undecided = fields.filter(
    (field) => preselectedSide(field) === null && ownField(chosen, field.field) === undefined,
  );
  return {
    fields,
    undecided: undecided.map(({ field }) => field),
    isTheirs: Object.keys(changes).length === 0,
    params: committedParams(schema.routes, theirs.params, route.route, { ...stored, ...changes }),
  };
}

interface ConflictIntroProps {
  readonly base: RevisionName;
  readonly theirs: Revision;
}

function ConflictIntro({ base, theirs }: ConflictIntroProps) {
  const now = useNow();
  const { created_by: author, created_at: time, message, variant } = theirs;
  const newer = variant.revision - base.revision;
  return (
    <p>
      Your draft is based on{" "}
      <strong className="font-mono font-semibold">{revisionTitle(base)}</strong>.{" "}
      <strong className="font-semibold">{author}</strong> committed{" "}
      <strong className="font-mono font-semibold">
        {revisionTitle({ ...base, revision: variant.revision })}
      </strong>{" "}
      <time dateTime={time} title={formatTime(time)}>
        {formatWhen(time, now)}
      </time>
      {message === "" ? "." : <>: “{message}”.</>}
      {newer > 1 && ` There are ${newer} newer revisions.`} Choose which changes to keep.
    </p>
  );
}
