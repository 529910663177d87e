import type { RowDiff, TestSetCommit } from "@agate/protocol";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import type { PlatformClient } from "../api/platform-client.ts";
import { commitRows, readTestSetDiff } from "../api/testsets.ts";
import { Button } from "../design/button.tsx";
import { FormDialog } from "../design/dialog.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import {
  changeCounts,
  commitOf,
  conflictsWith,
  countsText,
  type RowChanges,
} from "./row-changes.ts";
import { useTestSetChange } from "./use-test-set-change.ts";

interface CommitRowsDialogProps {
  readonly testSet: string;
  /** The revision that the draft was made from. */
  readonly base: number;
  readonly changes: RowChanges;
  readonly onCommitted: (commit: TestSetCommit) => void;
  /** Continues the draft on top of a newer revision. */
  readonly onRebase: (revision: number, newer: readonly RowDiff[]) => void;
  readonly onClose: () => void;
}

/** Commits a draft as a new revision. If a newer one exists, its changes are shown first. */
export function CommitRowsDialog(props: CommitRowsDialogProps) {
  const { testSet, base, changes, onCommitted, onRebase, onClose } = props;
  const [message, setMessage] = useState("");
  const commit = useTestSetChange(
    (client, given: string) =>
      commitRows(client, testSet, {
        ...commitOf(changes),
        base_revision: base,
        ...(given !== "" && { message: given }),
      }),
    (committed) => {
      onClose();
      onCommitted(committed);
    },
  );
  const { error } = commit;
  const isStale = error instanceof ApiError && error.has("revision_stale");
  return (
    <FormDialog
      title={`Commit to ${testSet}`}
      action="Commit"
      onClose={onClose}
      onSubmit={() => commit.mutate(message.trim())}
      isPending={commit.isPending}
      isEmpty={changes.size === 0}
      refusal={isStale ? "Continue on the newer revision first." : null}
    >
      <p>
        {countsText(changeCounts(changes))} on top of{" "}
        {base === 0 ? "an empty set" : `revision ${base}`}.
      </p>
      <Field label="Message" description="Optional. Shown in the history.">
        {(ids) => (
          <TextInput
            {...ids}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
        )}
      </Field>
      {isStale && (
        <Newer
          testSet={testSet}
          base={base}
          changes={changes}
          onRebase={(revision, newer) => {
            commit.reset();
            onRebase(revision, newer);
          }}
        />
      )}
      {error !== null && !isStale && <ChangeFailure title="Not committed" error={error} />}
    </FormDialog>
  );
}

type NewerProps = Pick<CommitRowsDialogProps, "testSet" | "base" | "changes" | "onRebase">;

/** A newer revision exists: which of its changes the draft would overwrite. */
function Newer({ testSet, base, changes, onRebase }: NewerProps) {
  const look = useTestSetChange(
    (client: PlatformClient, _: undefined) => readTestSetDiff(client, testSet, base),
    () => undefined,
  );
  const conflicts = look.data === undefined ? [] : conflictsWith(changes, look.data.items);
  const { data } = look;
  return (
    <div
      role="alert"
      className="flex flex-col items-start gap-2 rounded-lg bg-warning-soft px-3 py-2"
    >
      <p className="font-medium text-warning">A newer revision exists. Nothing was committed.</p>
      {look.error !== null && <p className="text-danger">{look.error.message}</p>}
      {data === undefined ? (
        <Button size="small" disabled={look.isPending} onClick={() => look.mutate(undefined)}>
          {look.isPending ? "Loading…" : "Compare with the newer revision"}
        </Button>
      ) : (
        <>
          <p>
            Revision {data.revision}: {countsText(changeCountsOf(data.items))}.{" "}
            {conflicts.length === 0
              ? "No row of your draft was changed there."
              : "Rows that both have changed; your draft would overwrite them:"}
          </p>
          {conflicts.length > 0 && (
            <ul
              aria-label="Conflicts"
              className="max-h-40 overflow-y-auto font-mono text-[0.93rem]"
            >
              {conflicts.map((id) => (
                <li key={id} className="wrap-anywhere">
                  {id}
                </li>
              ))}
            </ul>
          )}
          <Button size="small" onClick={() => onRebase(data.revision, data.items)}>
            {conflicts.length === 0
              ? `Continue on revision ${data.revision}`
              : `Keep my rows, continue on revision ${data.revision}`}
          </Button>
        </>
      )}
    </div>
  );
}

function changeCountsOf(diffs: readonly RowDiff[]) {
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const { change } of diffs) counts[change]++;
  return counts;
}
