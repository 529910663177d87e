import type { ApplicationSchema, RouteSchema } from "@agate/protocol";
import { CircleCheck, Rocket } from "lucide-react";
import { useState } from "react";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { DeployDialog } from "../../revisions/deploy-dialog.tsx";
import type { ColumnView } from "../columns/column-view.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import type { RevisionName, WorkspaceAction } from "../state/workspace.ts";
import { CommitDialog, type RejectedCommit } from "./commit-dialog.tsx";
import { EvaluateDialog } from "./evaluate-dialog.tsx";

interface ColumnDialogsProps {
  readonly app: string;
  /** Whose build a commit is checked against; null is the application's. */
  readonly environment: string | null;
  readonly schema: ApplicationSchema;
  readonly route: RouteSchema;
  readonly views: readonly ColumnView[];
  readonly known: KnownConfigs;
  readonly question: ColumnQuestion | null;
  readonly dispatch: (action: WorkspaceAction) => void;
  readonly onAsk: (question: ColumnQuestion | null) => void;
  /** The registry rejected the values of a column. */
  readonly onRejected: (rejected: RejectedCommit) => void;
}

/** The dialog that is open for a column. */
export function ColumnDialogs(props: ColumnDialogsProps) {
  const { app, environment, schema, route, views, known, question, dispatch, onAsk, onRejected } =
    props;
  // Keeps the commit message while the user closes the dialog to fix a field.
  const [messages, setMessages] = useState<Readonly<Record<number, string>>>({});
  if (question === null) return null;
  if (question.kind === "deploy") {
    const { variant, revision } = question;
    return (
      <DeployDialog app={app} variant={variant} revision={revision} onClose={() => onAsk(null)} />
    );
  }
  if (question.kind === "committed") {
    const { variant, revision } = question;
    return (
      <CommittedNote
        revision={{ variant, revision }}
        onDeploy={() => onAsk({ kind: "deploy", variant, revision })}
        onClose={() => onAsk(null)}
      />
    );
  }
  const view = views.find(({ column }) => column.id === question.column);
  if (view?.kind !== "ready") return null;
  const { id } = view.column;
  if (question.kind === "evaluate") {
    return (
      <EvaluateDialog
        key={id}
        app={app}
        environment={environment}
        schema={schema}
        route={route}
        view={view}
        onClose={() => onAsk(null)}
      />
    );
  }
  return (
    <CommitDialog
      key={`${question.kind} ${id}`}
      app={app}
      environment={environment}
      schema={schema}
      route={route}
      view={view}
      known={known}
      isNewVariant={question.kind === "save-as"}
      message={messages[id] ?? ""}
      onMessage={(message) => setMessages((before) => ({ ...before, [id]: message }))}
      onCommitted={(revision) => {
        setMessages((before) => ({ ...before, [id]: "" }));
        dispatch({ kind: "committed", column: id, revision });
        onAsk({ kind: "committed", ...revision });
      }}
      onTakeTheirs={(revision) => {
        dispatch({ kind: "committed", column: id, revision });
        onAsk(null);
      }}
      onRejected={onRejected}
      onClose={() => onAsk(null)}
    />
  );
}

/** Which dialog is open, and for what. */
export type ColumnQuestion =
  | { readonly kind: "commit" | "save-as" | "evaluate"; readonly column: number }
  | { readonly kind: "committed"; readonly variant: string; readonly revision: number }
  | { readonly kind: "deploy"; readonly variant: string; readonly revision: number };

interface CommittedNoteProps {
  readonly revision: RevisionName;
  readonly onDeploy: () => void;
  readonly onClose: () => void;
}

/** Confirms a commit and offers to deploy it. */
function CommittedNote({ revision, onDeploy, onClose }: CommittedNoteProps) {
  return (
    <Dialog
      title="Committed"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Done</Button>
          <Button look="primary" onClick={onDeploy}>
            <Rocket size={14} aria-hidden />
            Deploy…
          </Button>
        </>
      }
    >
      <p role="status" className="flex items-center gap-2">
        <CircleCheck size={18} aria-hidden className="shrink-0 text-success" />
        <span className="min-w-0 wrap-anywhere">
          <strong className="font-mono font-semibold">
            {revision.variant}@{revision.revision}
          </strong>{" "}
          is committed. It is not live until you deploy it.
        </span>
      </p>
    </Dialog>
  );
}
