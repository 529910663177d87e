import type { ApplicationSchema, Revision, RouteParams, RouteSchema } from "@agate/protocol";
import { diffParams } from "@agate/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
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
import { unnamedDiff } from "./unnamed-diff.ts";

/** What the registry does not take of a column's values. */
export interface RejectedCommit {
  readonly column: number;
  readonly values: ConfigValues;
  readonly problems: readonly FieldProblem[];
}

interface CommitDialogProps {
  readonly app: string;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly view: ReadyColumn;
  readonly known: KnownConfigs;
  /** Saves it beside what it was made from. */
  readonly isNewVariant: boolean;
  readonly message: string;
  readonly onMessage: (message: string) => void;
  readonly onCommitted: (revision: RevisionName) => void;
  readonly onRefused: (refusal: RejectedCommit) => void;
  /** Nothing is left of the draft: the column is about what somebody else has committed. */
  readonly onTakeTheirs: (revision: RevisionName) => void;
  readonly onClose: () => void;
}

/** Makes a revision of a draft, or says why it cannot be one, and what to do about it. */
export function CommitDialog(props: CommitDialogProps) {
  const { app, schema, route, view, known, message, onMessage, onCommitted, onRefused } = props;
  const { onTakeTheirs, onClose } = props;
  const client = usePlatform();
  const queries = useQueryClient();
  const { base } = view;
  const [isNewVariant, setNewVariant] = useState(props.isNewVariant || base === null);
  const [slug, setSlug] = useState(() => freeSlug(base, known));
  /** Somebody else was faster: from then on the dialog is about what to keep. */
  const [isConflict, setConflict] = useState(false);
  const [made] = useState(() => new Set<string>());
  const formId = useId();
  const params = draftParams(schema.routes, route.route, view);
  const commit = useRegistryChange((client, asked: DraftCommit) =>
    commitDraft(client, asked, made),
  );
  const send = (asked: Omit<DraftCommit, "app" | "message">) =>
    commit.mutate(
      { app, message, ...asked },
      {
        onSuccess: (revision: Revision) => {
          const { slug, revision: number } = revision.variant;
          // It never changes: the column need not ask for what was just sent.
          queries.setQueryData(revisionQuery(client, app, slug, number).queryKey, revision);
          onCommitted({ variant: slug, revision: number });
        },
        onError: (error) => {
          if (!(error instanceof ApiError)) return;
          if (isStale(error)) setConflict(true);
          const problems = problemsFrom(error, "config", route.route).mine;
          if (problems.length > 0) {
            onRefused({ column: view.column.id, values: view.values, problems });
          }
        },
      },
    );
  const { error } = commit;
  const refusal = error === null || isStale(error) ? null : error;
  if (!isNewVariant && base !== null && isConflict) {
    return (
      <ConflictView
        app={app}
        schema={schema}
        route={route}
        draft={view}
        base={base}
        message={message}
        isSending={commit.isPending}
        refusal={refusal}
        onMessage={onMessage}
        onCommit={(theirs, resolved) =>
          send({ base: theirs.name, baseParams: theirs.params, params: resolved, newVariant: null })
        }
        onTakeTheirs={onTakeTheirs}
        onSaveAs={() => {
          commit.reset();
          setNewVariant(true);
        }}
        onClose={onClose}
      />
    );
  }
  const slugProblem = slugProblemOf(error);
  return (
    <Dialog
      title={isNewVariant ? "Save as a new variant" : `Commit to ${base?.variant}`}
      width="wide"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={formId} disabled={commit.isPending}>
            {commit.isPending ? "Committing …" : isNewVariant ? "Save" : "Commit"}
          </Button>
        </>
      }
    >
      <CommitForm
        id={formId}
        schema={schema}
        from={view.params}
        to={params}
        baseTitle={revisionTitle(base)}
        slug={isNewVariant ? slug : null}
        slugProblem={slugProblem}
        message={message}
        onSlug={setSlug}
        onMessage={onMessage}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          send({
            base,
            baseParams: view.params,
            params,
            newVariant: isNewVariant ? slug.trim() : null,
          });
        }}
      />
      {refusal !== null && slugProblem === undefined && (
        <ChangeFailure title="Nothing was committed" error={refusal} />
      )}
    </Dialog>
  );
}

function isStale(error: Error | null): boolean {
  return error instanceof ApiError && error.has("revision_stale");
}

function slugProblemOf(error: Error | null): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.detail.find(({ loc }) => loc[1] === "slug")?.msg;
}

interface CommitFormProps {
  readonly id: string;
  readonly schema: ApplicationSchema;
  readonly from: RouteParams;
  readonly to: RouteParams;
  /** `default@3` */
  readonly baseTitle: string;
  /** The name of the variant to make; null where none is made. */
  readonly slug: string | null;
  readonly slugProblem: string | undefined;
  readonly message: string;
  readonly onSlug: (slug: string) => void;
  readonly onMessage: (message: string) => void;
  readonly onSubmit: (event: FormEvent) => void;
}

/** What a commit changes, and what there is to say about it. */
function CommitForm(props: CommitFormProps) {
  const { id, schema, from, to, baseTitle, slug, slugProblem, message } = props;
  const { onSlug, onMessage, onSubmit } = props;
  return (
    <form id={id} onSubmit={onSubmit} className="flex flex-col gap-4">
      {slug !== null && (
        <Field
          label="Name of the variant"
          problem={slugProblem}
          description="Lower-case letters and digits, with single -, _ or . inside."
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
            placeholder="What has changed, and why"
            onChange={(event) => onMessage(event.target.value)}
          />
        )}
      </Field>
      <section aria-label="What changes" className="flex flex-col gap-2">
        <h3 className="font-medium">Changes from {baseTitle}</h3>
        <ConfigDiffView diff={unnamedDiff(diffParams(from, to))} schema={schema} />
      </section>
    </form>
  );
}
