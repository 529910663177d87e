import type { ApplicationSchema, Revision, RouteParams, RouteSchema } from "@agate/protocol";
import { diffParams } from "@agate/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { revisionQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { useRegistryChange } from "../../api/registry-changes.ts";
import type { ConfigValues } from "../../config-form/config-values.ts";
import { type FieldProblem, problemsFrom } from "../../config-form/field-problem.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { Field, TextInput } from "../../design/field.tsx";
import { ChangeFailure } from "../../revisions/change-failure.tsx";
import { ConfigDiffView } from "../../revisions/config-diff-view.tsx";
import type { ReadyColumn } from "../columns/column-view.ts";
import { type KnownConfigs, revisionTitle } from "../state/column-base.ts";
import type { RevisionName } from "../state/workspace.ts";
import { commitDraft, type DraftCommit, draftParams, freeSlug } from "./commit-draft.ts";
import { ConflictView } from "./conflict-view.tsx";

/** The values of a column that the registry rejected. */
export interface RejectedCommit {
  readonly column: number;
  readonly values: ConfigValues;
  readonly problems: readonly FieldProblem[];
}

interface CommitDialogProps {
  readonly app: string;
  /** Whose build it is checked against; null is the application's. */
  readonly environment: string | null;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly view: ReadyColumn;
  readonly known: KnownConfigs;
  /** Commits to a new variant instead of the variant of the base. */
  readonly isNewVariant: boolean;
  readonly message: string;
  readonly onMessage: (message: string) => void;
  readonly onCommitted: (revision: RevisionName) => void;
  readonly onRejected: (rejected: RejectedCommit) => void;
  /** The user discards the draft in favour of the newer revision. */
  readonly onTakeTheirs: (revision: RevisionName) => void;
  readonly onClose: () => void;
}

/** Commits a draft. If a newer revision exists, the dialog resolves the conflict first. */
export function CommitDialog(props: CommitDialogProps) {
  const { app, schema, route, view, known, message, onMessage, onTakeTheirs, onClose } = props;
  const { base } = view;
  const [isNewVariant, setNewVariant] = useState(props.isNewVariant || base === null);
  const [slug, setSlug] = useState(() => freeSlug(base, known));
  const { send, isSending, isConflict, failure, reset } = useDraftCommit(props);
  if (!isNewVariant && base !== null && isConflict) {
    return (
      <ConflictView
        app={app}
        schema={schema}
        route={route}
        draft={view}
        base={base}
        message={message}
        isSending={isSending}
        failure={failure}
        onMessage={onMessage}
        onCommit={(theirs, params) =>
          send({ base: theirs.name, baseParams: theirs.params, params, newVariant: null })
        }
        onTakeTheirs={onTakeTheirs}
        onSaveAs={() => {
          reset();
          setNewVariant(true);
        }}
        onClose={onClose}
      />
    );
  }
  const params = draftParams(schema.routes, route.route, view);
  return (
    <CommitForm
      title={isNewVariant ? "Save as new variant" : `Commit to ${base?.variant}`}
      action={isNewVariant ? "Save" : "Commit"}
      schema={schema}
      from={view.params}
      to={params}
      baseTitle={revisionTitle(base)}
      slug={isNewVariant ? slug : null}
      message={message}
      isSending={isSending}
      failure={failure}
      onSlug={setSlug}
      onMessage={onMessage}
      onSubmit={() =>
        send({
          base,
          baseParams: view.params,
          params,
          newVariant: isNewVariant ? slug.trim() : null,
        })
      }
      onClose={onClose}
    />
  );
}

/** Sends commits, and tells conflicts from other failures. */
function useDraftCommit(props: CommitDialogProps) {
  const { app, environment, route, view, message, onCommitted, onRejected } = props;
  const client = usePlatform();
  const queries = useQueryClient();
  /** Stays set after a retry: the dialog keeps showing the conflict. */
  const [isConflict, setConflict] = useState(false);
  const [created] = useState(() => new Set<string>());
  const commit = useRegistryChange((client, asked: DraftCommit) =>
    commitDraft(client, asked, created),
  );
  const send = (asked: Omit<DraftCommit, "app" | "environment" | "message">) =>
    commit.mutate(
      { app, environment, message, ...asked },
      {
        onSuccess: (revision: Revision) => {
          const { slug, revision: number } = revision.variant;
          // Revisions are immutable: the column need not load what was just sent.
          queries.setQueryData(revisionQuery(client, app, slug, number).queryKey, revision);
          onCommitted({ variant: slug, revision: number });
        },
        onError: (error) => {
          if (!(error instanceof ApiError)) return;
          if (isStale(error)) setConflict(true);
          const problems = problemsFrom(error, "config", route.route).mine;
          if (problems.length > 0) {
            onRejected({ column: view.column.id, values: view.values, problems });
          }
        },
      },
    );
  const { error } = commit;
  return {
    send,
    isSending: commit.isPending,
    isConflict,
    failure: error === null || isStale(error) ? null : error,
    reset: commit.reset,
  };
}

function isStale(error: Error): boolean {
  return error instanceof ApiError && error.has("revision_stale");
}

interface CommitFormProps {
  readonly title: string;
  readonly action: string;
  readonly schema: ApplicationSchema;
  readonly from: RouteParams;
  readonly to: RouteParams;
  /** `default@3` */
  readonly baseTitle: string;
  /** The name of the new variant; null commits to the existing one. */
  readonly slug: string | null;
  readonly message: string;
  readonly isSending: boolean;
  readonly failure: Error | null;
  readonly onSlug: (slug: string) => void;
  readonly onMessage: (message: string) => void;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** The commit's name, message and changes. */
function CommitForm(props: CommitFormProps) {
  const { title, action, schema, from, to, baseTitle, slug, message, isSending, failure } = props;
  const { onSlug, onMessage, onSubmit, onClose } = props;
  const formId = useId();
  const slugProblem = slugProblemOf(failure);
  return (
    <Dialog
      title={title}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId} disabled={isSending}>
            {isSending ? "Committing…" : action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {slug !== null && (
          <Field
            label="Variant name"
            problem={slugProblem}
            description="Lower-case letters and digits, separated by single - _ or ."
          >
            {(ids) => (
              <TextInput
                {...ids}
                required
                value={slug}
                onChange={(event) => onSlug(event.target.value)}
              />
            )}
          </Field>
        )}
        <Field label="Message">
          {(ids) => (
            <TextInput
              {...ids}
              value={message}
              placeholder="What changed and why"
              onChange={(event) => onMessage(event.target.value)}
            />
          )}
        </Field>
        <section aria-label="Changes" className="flex flex-col gap-2">
          <h3 className="font-medium">Changes from {baseTitle}</h3>
          <ConfigDiffView routes={diffParams(from, to)} schema={schema} />
        </section>
      </form>
      {failure !== null && slugProblem === undefined && (
        <ChangeFailure title="Commit failed" error={failure} />
      )}
    </Dialog>
  );
}

function slugProblemOf(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.detail.find(({ loc }) => loc[1] === "slug")?.msg;
}
