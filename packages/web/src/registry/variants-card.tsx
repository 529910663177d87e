import type { RegistryVariant } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitFork, Plus } from "lucide-react";
import { useState } from "react";
import { environmentsQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { createVariant } from "../api/registry-changes.ts";
import { Badge } from "../design/badge.tsx";
import { Card } from "../design/panels.tsx";
import { useToaster } from "../design/toaster.tsx";
import { DeployDialog } from "../revisions/deploy-dialog.tsx";
import { revisionText } from "../revisions/live-plan.ts";
import { Loaded } from "../revisions/loaded.tsx";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { ChangeButton } from "../revisions/read-only.tsx";
import { ScratchBadge } from "../revisions/scratch-badge.tsx";
import { NameDialog } from "./name-dialog.tsx";

/** The variants of an application: their latest revision, and where they are live. */
export function VariantsCard({ app }: { readonly app: string }) {
  const variants = useQuery(variantsQuery(usePlatform(), app));
  const toaster = useToaster();
  const [isCreating, setCreating] = useState(false);
  return (
    <Card
      title="Variants"
      actions={
        <ChangeButton look="quiet" size="small" onClick={() => setCreating(true)}>
          <Plus size={14} aria-hidden />
          New variant
        </ChangeButton>
      }
    >
      <Loaded query={variants}>
        {(items) =>
          items.length === 0 ? (
            <p className="px-4 py-6 text-center text-ink-soft">
              No variants yet. A variant is a series of configuration revisions. Create one here, or
              commit one in the playground.
            </p>
          ) : (
            <ul className="divide-y divide-line">
              {items.map((variant) => (
                <VariantRow key={variant.id} app={app} variant={variant} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isCreating && (
        <NameDialog
          title="New variant"
          action="Create"
          change={(client, slug) => createVariant(client, app, slug)}
          onDone={({ slug }) =>
            toaster.done(`Created ${slug}. Commit its first revision in the playground.`)
          }
          onClose={() => setCreating(false)}
        >
          <p className="text-ink-soft">
            Starts without revisions. To start with a copy, fork a revision of another variant.
          </p>
        </NameDialog>
      )}
    </Card>
  );
}

interface VariantRowProps {
  readonly app: string;
  readonly variant: RegistryVariant;
}

function VariantRow({ app, variant }: VariantRowProps) {
  const { id, slug, latest_revision: latest, forked_from: origin } = variant;
  const [isDeploying, setDeploying] = useState(false);
  const environments = useQuery(environmentsQuery(usePlatform(), app)).data ?? [];
  const live = orderEnvironments(environments).flatMap(({ slug: where, deployment }) =>
    deployment?.variant.id === id ? [{ where, revision: deployment.variant.revision }] : [],
  );
  return (
    <li className="flex items-center gap-3 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2">
          <Link
            to="/apps/$app/variants/$variant"
            params={{ app, variant: slug }}
            className="min-w-0 truncate font-medium hover:text-accent hover:underline"
          >
            {slug}
          </Link>
          <ScratchBadge variant={slug} />
          <span className="text-ink-soft">
            {latest === 0 ? "no revisions" : latest === 1 ? "1 revision" : `${latest} revisions`}
          </span>
        </p>
        {origin !== null && (
          <p className="flex items-center gap-1 text-[0.93rem] text-ink-soft">
            <GitFork size={13} aria-hidden />
            forked from {revisionText(origin)}
          </p>
        )}
      </div>
      <ul aria-label={`${slug} is live in`} className="flex flex-wrap justify-end gap-1.5">
        {live.map(({ where, revision }) => (
          <li key={where}>
            <Badge tone="accent">
              {where} @{revision}
            </Badge>
          </li>
        ))}
      </ul>
      <ChangeButton
        size="small"
        refusal={latest === 0 ? "No revisions yet. Commit one in the playground." : null}
        aria-label={latest === 0 ? `Deploy ${slug}` : `Deploy ${slug}@${latest}`}
        onClick={() => setDeploying(true)}
      >
        Deploy
      </ChangeButton>
      {isDeploying && (
        <DeployDialog
          app={app}
          variant={slug}
          revision={latest}
          onClose={() => setDeploying(false)}
        />
      )}
    </li>
  );
}
