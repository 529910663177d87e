import type { ApiKey } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import { keysQuery, revokeKey } from "../api/keys.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Badge } from "../design/badge.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { useToaster } from "../design/toaster.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { useMayChange } from "../revisions/use-may-change.ts";
import { ChangeButton } from "./change-button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { NewKeyDialog } from "./new-key-dialog.tsx";

/** The API keys of the project: who may do what. */
export function KeysPage() {
  useTitle("API keys");
  const forbidden = useMayChange();
  const [isMaking, setMaking] = useState(false);
  return (
    <>
      <PageHeader
        title="API keys"
        actions={
          <ChangeButton onClick={() => setMaking(true)}>
            <Plus size={15} aria-hidden />
            New key
          </ChangeButton>
        }
      />
      {forbidden === null ? (
        <Keys />
      ) : (
        <EmptyState icon={KeyRound} title="Only an admin sees the keys">
          <p>Sign in with a key that has the scope admin to list, make and revoke keys.</p>
        </EmptyState>
      )}
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
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
              Programs and colleagues on other machines need one each. Make it here, or with{" "}
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
  const { id, name, prefix, scopes, created_at, last_used_at } = apiKey;
  const queries = useQueryClient();
  const client = usePlatform();
  const toaster = useToaster();
  const [isAsking, setAsking] = useState(false);
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
      <p className="text-ink-soft md:ml-auto">
        made <Ago time={created_at} />,{" "}
        {last_used_at === null ? (
          "never used"
        ) : (
          <>
            last used <Ago time={last_used_at} />
          </>
        )}
      </p>
      <ChangeButton size="small" aria-label={`Revoke ${name}`} onClick={() => setAsking(true)}>
        Revoke
      </ChangeButton>
      {isAsking && (
        <ConfirmDialog
          title={`Revoke ${name}`}
          action="Revoke"
          look="danger"
          refusal="Not revoked"
          change={(platform) => revokeKey(platform, id)}
          onDone={() => {
            toaster.done(`The key ${name} is revoked.`);
            void queries.invalidateQueries({ queryKey: keysQuery(client).queryKey });
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            Whatever uses the key {name} ({prefix}…) is refused from the next request on, and what
            it has open is broken off. There is no way back: make a new one instead.
          </p>
        </ConfirmDialog>
      )}
    </li>
  );
}
