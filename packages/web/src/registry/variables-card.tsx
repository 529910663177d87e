import type { Environment, Variable } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { FileInput, Plus } from "lucide-react";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { changeVariables, variablesQuery } from "../api/variables.ts";
import { Badge } from "../design/badge.tsx";
import { Card } from "../design/panels.tsx";
import { useToaster } from "../design/toaster.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { ChangeButton, useReadOnlyReason } from "../revisions/read-only.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { ImportVariablesDialog, SetVariableDialog } from "./variable-dialogs.tsx";

interface VariablesProps {
  readonly app: string;
  readonly environment: Environment;
}

type OpenDialog =
  | { readonly kind: "set"; readonly variable: Variable | null }
  | { readonly kind: "import" }
  | { readonly kind: "unset"; readonly name: string };

/** The variables and secrets of an environment. */
export function VariablesCard({ app, environment }: VariablesProps) {
  const readOnlyReason = useReadOnlyReason();
  const variables = useQuery({
    ...variablesQuery(usePlatform(), app, environment.id),
    enabled: readOnlyReason === null,
  });
  const [dialog, setDialog] = useState<OpenDialog | null>(null);
  if (readOnlyReason !== null) return null;
  return (
    <Card
      title="Variables"
      actions={
        <>
          <ChangeButton
            scope="deploy"
            look="quiet"
            size="small"
            onClick={() => setDialog({ kind: "import" })}
          >
            <FileInput size={14} aria-hidden />
            Import .env
          </ChangeButton>
          <ChangeButton
            scope="deploy"
            look="quiet"
            size="small"
            onClick={() => setDialog({ kind: "set", variable: null })}
          >
            <Plus size={14} aria-hidden />
            New variable
          </ChangeButton>
        </>
      }
    >
      <Loaded query={variables}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-4 py-6 text-center text-ink-soft">
              No variables. Builds in {environment.slug} find them in process.env.
            </p>
          ) : (
            <ul className="divide-y divide-line">
              {items.map((variable) => (
                <VariableRow
                  key={variable.name}
                  variable={variable}
                  onSet={() => setDialog({ kind: "set", variable })}
                  onUnset={() => setDialog({ kind: "unset", name: variable.name })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {dialog !== null && (
        <VariableDialog
          app={app}
          environment={environment}
          dialog={dialog}
          onClose={() => setDialog(null)}
        />
      )}
    </Card>
  );
}

interface VariableRowProps {
  readonly variable: Variable;
  readonly onSet: () => void;
  readonly onUnset: () => void;
}

function VariableRow({ variable, onSet, onUnset }: VariableRowProps) {
  const { name, secret, value, status, version } = variable;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="min-w-0 font-mono font-medium wrap-anywhere">{name}</span>
          {value !== null && (
            <span className="min-w-0 truncate font-mono text-ink-soft" title={value}>
              {value}
            </span>
          )}
          {secret && <Badge>Secret</Badge>}
          {status === "unreadable" && (
            <Badge tone="danger" title="The server lacks its key. Set it again.">
              Unreadable
            </Badge>
          )}
        </p>
        <p className="text-ink-soft">
          Version {version} by {variable.updated_by}, <Ago time={variable.updated_at} />
        </p>
      </div>
      <ChangeButton scope="deploy" size="small" aria-label={`Set ${name}`} onClick={onSet}>
        Set
      </ChangeButton>
      <ChangeButton
        scope="deploy"
        look="quiet"
        size="small"
        aria-label={`Unset ${name}`}
        onClick={onUnset}
      >
        Unset
      </ChangeButton>
    </li>
  );
}

interface VariableDialogProps extends VariablesProps {
  readonly dialog: OpenDialog;
  readonly onClose: () => void;
}

function VariableDialog({ app, environment, dialog, onClose }: VariableDialogProps) {
  const toaster = useToaster();
  const { id, slug } = environment;
  const target = { app, environment: id, onClose };
  if (dialog.kind === "set") {
    return (
      <SetVariableDialog
        {...target}
        variable={dialog.variable}
        onDone={(name) => toaster.done(`Set ${name} in ${slug}.`)}
      />
    );
  }
  if (dialog.kind === "import") {
    return (
      <ImportVariablesDialog
        {...target}
        onDone={(count) =>
          toaster.done(`Set ${count === 1 ? "1 variable" : `${count} variables`} in ${slug}.`)
        }
      />
    );
  }
  const { name } = dialog;
  return (
    <ConfirmDialog
      title={`Unset ${name}`}
      action="Unset"
      look="danger"
      refusal="Not unset"
      change={(client) => changeVariables(client, app, id, { unset: [name] })}
      onDone={() => toaster.done(`Unset ${name} in ${slug}.`)}
      onClose={onClose}
    >
      <p>
        {name} will be deleted from {slug}, and its live build restarted. This can’t be undone.
      </p>
    </ConfirmDialog>
  );
}
