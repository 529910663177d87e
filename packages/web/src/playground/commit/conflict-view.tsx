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
import type { RevisionName } from "../state/workspace.ts";
import { committedParams } from "./commit-draft.ts";
import { ConflictField } from "./conflict-field.tsx";
import { mergeFields, resolvedFields, type Side, usualSide } from "./merge-fields.ts";
import { unnamedDiff } from "./unnamed-diff.ts";

/** A revision that somebody else has committed. */
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
  /** Why the resolved configuration was not committed either. */
  readonly refusal: Error | null;
  readonly onMessage: (message: string) => void;
  readonly onCommit: (theirs: TheirRevision, params: RouteParams) => void;
  /** Nothing is left of the draft. */
  readonly onTakeTheirs: (name: RevisionName) => void;
  readonly onSaveAs: () => void;
  readonly onClose: () => void;
}

/** Somebody else was faster: what they have changed, beside what the draft has, field by field. */
export function ConflictView(props: ConflictViewProps) {
  const { app, base, onClose } = props;
  const latest = useQuery(revisionQuery(usePlatform(), app, base.variant, "latest"));
  // Of before the refusal, it may still be what the draft was made from.
  if (latest.data !== undefined && latest.data.variant.revision > base.revision) {
    return <Conflict {...props} theirs={latest.data} />;
  }
  return (
    <Dialog title="Somebody was faster" width="wide" onClose={onClose}>
      {latest.error === null ? (
        <Skeleton lines={4} />
      ) : (
        <ErrorState error={latest.error} onRetry={() => void latest.refetch()} />
      )}
    </Dialog>
  );
}

function Conflict(props: ConflictViewProps & { readonly theirs: Revision }) {
  const { schema, route, draft, base, theirs, message, isSending, refusal } = props;
  const { onMessage, onCommit, onTakeTheirs, onSaveAs, onClose } = props;
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const now = useNow();
  const name = { variant: base.variant, revision: theirs.variant.revision };
  const title = `${name.variant}@${name.revision}`;
  const between = name.revision - base.revision - 1;
  const stored = ownField(theirs.params, route.route) ?? {};
  const theirValues = withDefaults(route, knownFields(route, stored));
  const fields = mergeFields(draft.baseValues, draft.values, theirValues);
  const changes = changedFields(theirValues, resolvedFields(theirValues, fields, chosen));
  const open = fields.filter(
    (field) => usualSide(field) === null && ownField(chosen, field.field) === undefined,
  );
  const isTheirs = Object.keys(changes).length === 0;
  const elsewhere = diffParams(draft.params, theirs.params).filter(
    (diff) => diff.route !== route.route,
  );
  return (
    <Dialog
      title="Somebody was faster"
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={onSaveAs} className="mr-auto">
            Save as a new variant instead…
          </Button>
          <Button onClick={onClose}>Keep the draft</Button>
          <Button
            look="primary"
            disabled={isSending || open.length > 0}
            onClick={() =>
              isTheirs
                ? onTakeTheirs(name)
                : onCommit(
                    { name, params: theirs.params },
                    committedParams(schema.routes, theirs.params, route.route, {
                      ...stored,
                      ...changes,
                    }),
                  )
            }
          >
            {isTheirs && open.length === 0 ? `Use ${title}` : `Commit on top of ${title}`}
          </Button>
        </>
      }
    >
      <p>
        Your draft was made from{" "}
        <strong className="font-mono font-semibold">
          {base.variant}@{base.revision}
        </strong>
        . Meanwhile <strong className="font-semibold">{theirs.created_by}</strong> has committed{" "}
        <strong className="font-mono font-semibold">{title}</strong>{" "}
        <time dateTime={theirs.created_at} title={formatTime(theirs.created_at)}>
          {formatWhen(theirs.created_at, now)}
        </time>
        {theirs.message === "" ? "." : <>: “{theirs.message}”.</>}
        {between > 0 && ` It is the last of ${between + 1} revisions since then.`} Nothing is lost:
        choose what to keep.
      </p>
      <p role="status" className="text-warning empty:hidden">
        {open.length > 0 &&
          `Choose for ${open.map(({ field }) => field).join(", ")} before you commit.`}
      </p>
      <ul aria-label="Fields that changed" className="flex flex-col gap-2">
        {fields.map((field) => (
          <ConflictField
            key={field.field}
            field={field}
            title={title}
            side={ownField(chosen, field.field) ?? usualSide(field)}
            onChoose={(side) => setChosen((before) => ({ ...before, [field.field]: side }))}
          />
        ))}
      </ul>
      {fields.length === 0 && <p className="text-ink-soft">{route.route} is as it was.</p>}
      {elsewhere.length > 0 && (
        <section aria-label="Changes in other routes" className="flex flex-col gap-2">
          <h3 className="font-medium">Also changed in {title}, and kept</h3>
          <ConfigDiffView diff={unnamedDiff(elsewhere)} schema={schema} />
        </section>
      )}
      <Field label="Message">
        {(ids) => (
          <TextInput {...ids} value={message} onChange={(event) => onMessage(event.target.value)} />
        )}
      </Field>
      {refusal !== null && <ChangeFailure title="Nothing was committed" error={refusal} />}
    </Dialog>
  );
}
