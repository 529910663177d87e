import type { Deployment, Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { deleteEnvironment, renameEnvironment } from "../api/registry-changes.ts";
import { IconButton } from "../design/button.tsx";
import { Menu, MenuItem, MenuLine } from "../design/menu.tsx";
import { useToaster } from "../design/toaster.tsx";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import {
  DeployHereDialog,
  PromoteDialog,
  RollbackDialog,
  TakeDownDialog,
} from "./environment-dialogs.tsx";
import { NameDialog } from "./name-dialog.tsx";
import { useRollbackTarget } from "./rollback-target.ts";

type Asked =
  | "deploy"
  | "rollback"
  | "take-down"
  | "rename"
  | "delete"
  | { readonly promoteTo: string };

interface EnvironmentMenuProps {
  readonly app: string;
  readonly environment: Environment;
  /** For a page whose address contains the name. */
  readonly onRenamed?: (slug: string) => void;
}

export function EnvironmentMenu(props: EnvironmentMenuProps) {
  const { app, environment } = props;
  const { slug, deployment: live } = environment;
  const readOnlyReason = useReadOnlyReason("either");
  const isConfigFixed = useReadOnlyReason() !== null;
  const [asked, setAsked] = useState<Asked | null>(null);
  const environments = useQuery(environmentsQuery(usePlatform(), app)).data ?? [];
  const target = useRollbackTarget(app, slug);
  const others = orderEnvironments(environments).filter((other) => other.slug !== slug);
  const isReadOnly = readOnlyReason !== null;
  return (
    <>
      <Menu
        trigger={<IconButton icon={Ellipsis} label={`More actions for ${slug}`} />}
        refusal={readOnlyReason}
      >
        <MenuItem disabled={isConfigFixed} onSelect={() => setAsked("deploy")}>
          Deploy a revision…
        </MenuItem>
        <MenuItem
          disabled={isReadOnly}
          refusal={target === undefined ? "No earlier deployment to roll back to." : null}
          onSelect={() => setAsked("rollback")}
        >
          Roll back…
        </MenuItem>
        <MenuItem
          disabled={isReadOnly}
          refusal={live === null ? "Nothing is live." : null}
          onSelect={() => setAsked("take-down")}
        >
          Take down…
        </MenuItem>
        {live !== null && others.length > 0 && (
          <>
            <MenuLine />
            {others.map((other) => (
              <MenuItem
                key={other.slug}
                disabled={isReadOnly}
                onSelect={() => setAsked({ promoteTo: other.slug })}
              >
                Promote to {other.slug}…
              </MenuItem>
            ))}
          </>
        )}
        <MenuLine />
        <MenuItem disabled={isConfigFixed} onSelect={() => setAsked("rename")}>
          Rename…
        </MenuItem>
        <MenuItem
          disabled={isConfigFixed}
          refusal={environment.is_default ? "The default environment can't be deleted." : null}
          tone="danger"
          onSelect={() => setAsked("delete")}
        >
          Delete…
        </MenuItem>
      </Menu>
      {asked !== null && (
        <AskedDialog {...props} asked={asked} target={target} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

interface AskedDialogProps extends EnvironmentMenuProps {
  readonly asked: Asked;
  readonly target: Deployment | undefined;
  readonly onClose: () => void;
}

function AskedDialog(props: AskedDialogProps) {
  const { app, environment, onRenamed, asked, target, onClose } = props;
  const { slug, deployment: live } = environment;
  if (typeof asked === "object") {
    return <PromoteDialog app={app} from={slug} to={asked.promoteTo} onClose={onClose} />;
  }
  switch (asked) {
    case "deploy":
      return <DeployHereDialog app={app} environment={slug} onClose={onClose} />;
    case "rollback":
      return target && <RollbackDialog app={app} target={target} onClose={onClose} />;
    case "take-down":
      return live && <TakeDownDialog app={app} live={live} onClose={onClose} />;
    case "rename":
      return <RenameEnvironment app={app} slug={slug} onRenamed={onRenamed} onClose={onClose} />;
    case "delete":
      return <DeleteEnvironment app={app} slug={slug} onClose={onClose} />;
  }
}

interface NamedProps {
  readonly app: string;
  readonly slug: string;
  readonly onClose: () => void;
}

interface RenameProps extends NamedProps {
  readonly onRenamed: ((slug: string) => void) | undefined;
}

function RenameEnvironment({ app, slug, onRenamed, onClose }: RenameProps) {
  const toaster = useToaster();
  return (
    <NameDialog
      title={`Rename ${slug}`}
      action="Rename"
      initial={slug}
      change={(client, name) => renameEnvironment(client, app, slug, name)}
      onDone={(renamed) => {
        onRenamed?.(renamed.slug);
        toaster.done(`Renamed ${slug} to ${renamed.slug}.`);
      }}
      onClose={onClose}
    >
      <p className="text-ink-soft">
        Callers that use the name {slug} will get “not found”. What is live and the history stay.
      </p>
    </NameDialog>
  );
}

function DeleteEnvironment({ app, slug, onClose }: NamedProps) {
  const navigate = useNavigate();
  const toaster = useToaster();
  return (
    <ConfirmDialog
      title={`Delete ${slug}`}
      action="Delete"
      look="danger"
      refusal="Not deleted"
      change={(client) => deleteEnvironment(client, app, slug)}
      onDone={() => {
        toaster.done(`Deleted ${slug}.`);
        void navigate({ to: "/apps/$app", params: { app } });
      }}
      onClose={onClose}
    >
      <p>{slug} will be deleted with its history. This can't be undone. Revisions stay.</p>
    </ConfirmDialog>
  );
}
