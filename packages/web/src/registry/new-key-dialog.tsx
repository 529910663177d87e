import type { CreatedApiKey, Scope } from "@agate/protocol";
import { SCOPES } from "@agate/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { createKey, keysQuery } from "../api/keys.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { Dialog, FormDialog } from "../design/dialog.tsx";
import { Checkbox, Field, TextInput } from "../design/field.tsx";
import { RefusalView } from "../revisions/refusal-view.tsx";

const MEANINGS: Record<Scope, string> = {
  ingest: "send spans",
  read: "read traces and the registry",
  run: "call deployed workflows",
  deploy: "deploy and activate builds: runs code on the server",
  backup: "download a backup of all projects",
  admin: "all of it except deploy and backup, and change things, create keys",
};

/** Makes a key, and shows it this once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = usePlatform();
  const queries = useQueryClient();
  const id = useId();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const making = useMutation({
    mutationFn: () => createKey(client, { name: name.trim(), scopes }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(client).queryKey }),
  });
  if (making.data !== undefined) return <MadeKey made={making.data} onClose={onClose} />;
  return (
    <FormDialog
      title="New key"
      onClose={onClose}
      action="Make it"
      onSubmit={() => making.mutate()}
      isPending={making.isPending}
      isEmpty={name.trim() === ""}
      refusal={scopes.length === 0 ? "Choose what it may do." : null}
    >
      <Field label="Name" description="Histories call whoever uses the key by this name.">
        {(ids) => (
          <TextInput
            {...ids}
            value={name}
            maxLength={64}
            autoComplete="off"
            onChange={(event) => {
              setName(event.target.value);
              making.reset();
            }}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 font-medium">It may</legend>
        {SCOPES.map((scope) => (
          <label key={scope} htmlFor={`${id}-${scope}`} className="flex items-center gap-2">
            <Checkbox
              id={`${id}-${scope}`}
              checked={scopes.includes(scope)}
              onChange={({ target }) =>
                setScopes(
                  SCOPES.filter((each) =>
                    each === scope ? target.checked : scopes.includes(each),
                  ),
                )
              }
            />
            <span>
              <span className="font-medium">{scope}</span>
              <span className="text-ink-soft">: {MEANINGS[scope]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {making.error !== null && <RefusalView title="No key was made" error={making.error} />}
    </FormDialog>
  );
}

interface MadeKeyProps {
  readonly made: CreatedApiKey;
  readonly onClose: () => void;
}

function MadeKey({ made, onClose }: MadeKeyProps) {
  return (
    <Dialog
      title={`Key ${made.name}`}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <p>This is the only time that the key is shown. Keep it where secrets are kept.</p>
      <div className="flex items-center justify-between gap-2 rounded-md bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 font-mono text-[0.93rem] break-all">{made.key}</code>
        <CopyButton what="key" text={made.key} />
      </div>
    </Dialog>
  );
}
