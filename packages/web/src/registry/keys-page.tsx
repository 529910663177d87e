import type { ApiKey, CreatedApiKey, Scope } from "@agate/protocol";
import { isKeyEnvironment, KEY_ENVIRONMENT_RULE, SCOPES } from "@agate/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useId, useState } from "react";
import { createKey, keysQuery, revokeKey } from "../api/keys.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Badge } from "../design/badge.tsx";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { Dialog, FormDialog } from "../design/dialog.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { Checkbox, Field, TextInput } from "../design/field.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { useToaster } from "../design/toaster.tsx";
import { Ago } from "../revisions/ago.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { ChangeButton, useReadOnlyReason } from "../revisions/read-only.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** The API keys of the project. */
export function KeysPage() {
  useTitle("API keys");
  const readOnlyReason = useReadOnlyReason();
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="API keys"
        actions={
          <ChangeButton onClick={() => setCreating(true)}>
            <Plus size={15} aria-hidden />
            New key
          </ChangeButton>
        }
      />
      {readOnlyReason === null ? (
        <Keys />
      ) : (
        <EmptyState icon={KeyRound} title="API keys need the admin scope">
          <p>Sign in with a key that has the admin scope to list, create and revoke keys.</p>
        </EmptyState>
      )}
      {isCreating && <NewKeyDialog onClose={() => setCreating(false)} />}
    </>
  );
}

function Keys() {
  const keys = useQuery(keysQuery(usePlatform()));
  return (
    <Loaded query={keys} lines={6}>
      {(items) =>
        items.length === 0 ? (
          <EmptyState icon={KeyRound} title="No keys yet">
            <p>
              Programs and colleagues on other machines need a key each. Create one here or with{" "}
              <code className="font-mono">agate keys create</code>.
            </p>
          </EmptyState>
        ) : (
          <ul className="mx-4 mb-6 divide-y divide-line rounded-xl border border-line bg-surface md:mx-6">
            {items.map((key) => (
              <KeyRow key={key.id} apiKey={key} />
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function KeyRow({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, name, prefix, scopes, environments, created_at, last_used_at } = apiKey;
  const queries = useQueryClient();
  const client = usePlatform();
  const toaster = useToaster();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-3">
      <div className="min-w-0 md:w-64">
        <p className="truncate font-medium">{name}</p>
        <p className="font-mono text-[0.93rem] text-ink-soft">{prefix}…</p>
      </div>
      <p className="flex flex-wrap gap-1.5">
        {scopes.map((scope) => (
          <Badge key={scope} tone={scope === "admin" ? "warning" : "neutral"}>
            {scope}
          </Badge>
        ))}
      </p>
      {environments !== null && (
        <p className="text-ink-soft">
          in <span className="text-ink">{environments.join(", ")}</span>
        </p>
      )}
      <p className="text-ink-soft md:ml-auto">
        created <Ago time={created_at} />,{" "}
        {last_used_at === null ? (
          "never used"
        ) : (
          <>
            last used <Ago time={last_used_at} />
          </>
        )}
      </p>
      <ChangeButton size="small" aria-label={`Revoke ${name}`} onClick={() => setConfirming(true)}>
        Revoke
      </ChangeButton>
      {isConfirming && (
        <ConfirmDialog
          title={`Revoke ${name}`}
          action="Revoke"
          look="danger"
          refusal="Not revoked"
          change={(platform) => revokeKey(platform, id)}
          onDone={() => {
            toaster.done(`Revoked ${name}.`);
            void queries.invalidateQueries({ queryKey: keysQuery(client).queryKey });
          }}
          onClose={() => setConfirming(false)}
        >
          <p>
            Requests with the key {name} ({prefix}…) will be rejected and its open streams closed.
            This can't be undone.
          </p>
        </ConfirmDialog>
      )}
    </li>
  );
}

const MEANINGS: Record<Scope, string> = {
  ingest: "send spans",
  read: "read traces and the registry",
  run: "call workflows with their deployed configuration",
  playground: "call workflows with any configuration",
  score: "judge answers as an end user: for web pages",
  evaluate: "judge answers in any way",
  deploy: "deploy and activate builds: runs code on the server",
  backup: "download a backup of all projects",
  admin: "everything except deploy and backup, including changes and keys",
};

/** Creates a key and shows it once. */
function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = usePlatform();
  const queries = useQueryClient();
  const id = useId();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["read"]);
  const [limit, setLimit] = useState("");
  const environments = limit.split(/[\s,]+/).filter((each) => each !== "");
  const wrong = environments.find((each) => !isKeyEnvironment(each));
  const creation = useMutation({
    mutationFn: () =>
      createKey(client, {
        name: name.trim(),
        scopes,
        environments: environments.length === 0 ? null : [...new Set(environments)],
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysQuery(client).queryKey }),
  });
  if (creation.data !== undefined) return <CreatedKey created={creation.data} onClose={onClose} />;
  return (
    <FormDialog
      title="New key"
      onClose={onClose}
      action="Create"
      onSubmit={() => creation.mutate()}
      isPending={creation.isPending}
      isEmpty={name.trim() === ""}
      refusal={
        scopes.length === 0
          ? "Choose at least one permission."
          : wrong !== undefined
            ? "Correct the environments."
            : null
      }
    >
      <Field label="Name" description="Shown as the author of changes made with this key.">
        {(ids) => (
          <TextInput
            {...ids}
            value={name}
            maxLength={64}
            autoComplete="off"
            onChange={(event) => {
              setName(event.target.value);
              creation.reset();
            }}
          />
        )}
      </Field>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 font-medium">Permissions</legend>
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
      <Field
        label="Environments"
        description="Optional. Limits the key: staging, or support/staging of one application."
        problem={wrong === undefined ? undefined : `${wrong}: must be ${KEY_ENVIRONMENT_RULE}.`}
      >
        {(ids) => (
          <TextInput
            {...ids}
            value={limit}
            placeholder="all"
            autoComplete="off"
            onChange={(event) => {
              setLimit(event.target.value);
              creation.reset();
            }}
          />
        )}
      </Field>
      {creation.error !== null && <ChangeFailure title="Key not created" error={creation.error} />}
    </FormDialog>
  );
}

interface CreatedKeyProps {
  readonly created: CreatedApiKey;
  readonly onClose: () => void;
}

function CreatedKey({ created, onClose }: CreatedKeyProps) {
  return (
    <Dialog
      title={`Key ${created.name}`}
      onClose={onClose}
      actions={
        <Button look="primary" onClick={onClose}>
          Done, I've saved it
        </Button>
      }
    >
      <p>The key is shown only once. Store it with your secrets.</p>
      <div className="flex items-center justify-between gap-2 rounded-md bg-sunken py-1 pr-1 pl-3">
        <code className="min-w-0 font-mono text-[0.93rem] break-all">{created.key}</code>
        <CopyButton what="key" text={created.key} />
      </div>
    </Dialog>
  );
}
