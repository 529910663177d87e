import type { ApplicationSchema, Revision, RouteSchema } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useRef } from "react";
import { evaluationsQuery } from "../../api/evaluations.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { useRegistryChange } from "../../api/registry-changes.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { ChangeFailure } from "../../revisions/change-failure.tsx";
import { SCRATCH_VARIANT } from "../../revisions/scratch-badge.tsx";
import { LazyStartRunDialog } from "../../start-run/start-run-button.tsx";
import { isCommitted, type ReadyColumn } from "../columns/column-view.ts";
import { revisionTitle } from "../state/column-base.ts";
import { draftParams } from "./commit-draft.ts";
import { commitScratch } from "./commit-scratch.ts";

interface EvaluateDialogProps {
  readonly app: string;
  /** Whose build a commit is checked against; null is the application's. */
  readonly environment: string | null;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly view: ReadyColumn;
  readonly onClose: () => void;
}

/** Runs a column as an evaluation. A draft is committed to the variant `scratch` first. */
export function EvaluateDialog(props: EvaluateDialogProps) {
  const { app, route, view, onClose } = props;
  const declared = useQuery(evaluationsQuery(usePlatform(), app));
  const scratch = useScratch(props);
  // The route's own evaluation, if it has one.
  const own = declared.data?.evaluations.find((each) => each.route === route.route);
  const candidate = isCommitted(view) ? view.base : scratch.revision;
  if (scratch.error !== null) {
    return (
      <Dialog
        title="Run as evaluation"
        onClose={onClose}
        actions={<Button onClick={onClose}>Close</Button>}
      >
        <ChangeFailure title="The draft was not committed" error={scratch.error} />
      </Dialog>
    );
  }
  if (candidate === null || declared.isLoading) {
    return (
      <Dialog title="Run as evaluation" onClose={onClose}>
        <p role="status">
          {candidate === null
            ? `Committing the draft to ${SCRATCH_VARIANT}…`
            : "Loading the evaluations…"}
        </p>
      </Dialog>
    );
  }
  return (
    <Suspense fallback={null}>
      <LazyStartRunDialog
        preset={{
          application: app,
          evaluation: own?.name,
          candidate: revisionTitle(candidate),
          baseline: baselineOf(view),
        }}
        onClose={onClose}
      />
    </Suspense>
  );
}

/** A draft is compared with its base. Undefined leaves it to the form. */
function baselineOf(view: ReadyColumn): string | undefined {
  if (isCommitted(view)) return undefined;
  const { source } = view.column;
  if (source.kind === "environment") return `env:${source.environment}`;
  const { base } = view;
  return base === null || base.revision === 0 ? undefined : revisionTitle(base);
}

/** Commits the column to `scratch`, once, unless it shows a committed revision. */
function useScratch({ app, environment, schema, route, view }: EvaluateDialogProps) {
  const commit = useRegistryChange((client, message: string) =>
    commitScratch(client, {
      app,
      environment,
      params: draftParams(schema.routes, route.route, view),
      message,
    }),
  );
  const isAsked = useRef(false);
  const { mutate } = commit;
  useEffect(() => {
    if (isAsked.current || isCommitted(view)) return;
    isAsked.current = true;
    mutate(`Draft of ${revisionTitle(view.base)}`);
  }, [mutate, view]);
  return { error: commit.error, revision: commit.data ? nameOf(commit.data) : null };
}

function nameOf({ variant: { slug, revision } }: Revision) {
  return { variant: slug, revision };
}
