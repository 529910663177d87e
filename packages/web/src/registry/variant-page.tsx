import type { ListedRevision } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { FlaskConical, GitCompareArrows, GitFork } from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { revisionsQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { deleteVariant, renameVariant } from "../api/registry-changes.ts";
import { buttonClass } from "../design/button.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Card } from "../design/panels.tsx";
import { revisionText } from "../revisions/live-plan.ts";
import { Loaded } from "../revisions/loaded.tsx";
import { ReadOnlyNote } from "../revisions/read-only.tsx";
import { ScratchBadge } from "../revisions/scratch-badge.tsx";
import { useApplicationChanges } from "../revisions/use-application-changes.ts";
import { AppBreadcrumb } from "./app-breadcrumb.tsx";
import { MoreButton } from "./more-button.tsx";
import { RenameOrDeleteMenu } from "./rename-or-delete-menu.tsx";
import { RevisionRow } from "./revision-row.tsx";

const route = getRouteApi("/apps/$app/variants/$variant");

/** A variant: its revisions, newest first, and where each is live. */
export function VariantPage() {
  const { app, variant } = route.useParams();
  useTitle(`${variant} · ${app}`);
  useApplicationChanges(app);
  const client = usePlatform();
  const revisions = useInfiniteQuery(revisionsQuery(client, app, variant));
  const variants = useQuery(variantsQuery(client, app)).data ?? [];
  const origin = variants.find(({ slug }) => slug === variant)?.forked_from ?? null;
  return (
    <>
      <PageHeader
        above={<AppBreadcrumb app={app} />}
        title={variant}
        beside={<ScratchBadge variant={variant} />}
        actions={
          revisions.data && (
            <>
              {origin !== null && (
                <span className="flex items-center gap-1 text-ink-soft">
                  <GitFork size={14} aria-hidden />
                  forked from {revisionText(origin)}
                </span>
              )}
              <Link
                to="/apps/$app/playground"
                params={{ app }}
                search={{ configs: variant }}
                className={buttonClass("primary")}
              >
                <FlaskConical size={15} aria-hidden />
                New revision in playground
              </Link>
              <VariantMenu app={app} variant={variant} />
            </>
          )
        }
      />
      <ReadOnlyNote />
      <Loaded query={revisions} lines={6}>
        {({ pages }) => (
          <div className="px-4 pb-8 md:px-6">
            <Revisions
              app={app}
              variant={variant}
              revisions={pages.flatMap(({ items }) => items)}
              more={<MoreButton query={revisions}>Earlier revisions</MoreButton>}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}

interface RevisionsProps {
  readonly app: string;
  readonly variant: string;
  readonly revisions: readonly ListedRevision[];
  readonly more: ReactNode;
}

function Revisions({ app, variant, revisions, more }: RevisionsProps) {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [older, newer] = chosen.toSorted((one, other) => one - other);
  if (revisions.length === 0) {
    return (
      <Card>
        <p className="px-4 py-10 text-center text-ink-soft">
          No revisions yet. Commit the first one in the playground.
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="Revisions"
      actions={
        older !== undefined && newer !== undefined ? (
          <Link
            to="/apps/$app/compare"
            params={{ app }}
            search={{ from: `${variant}@${older}`, to: `${variant}@${newer}` }}
            className={buttonClass("plain", "small")}
          >
            <GitCompareArrows size={14} aria-hidden />
            Compare @{older} and @{newer}
          </Link>
        ) : (
          revisions.length > 1 && (
            <span className="text-ink-soft max-md:hidden">Select two to compare</span>
          )
        )
      }
    >
      <ol className="divide-y divide-line">
        {revisions.map((revision) => {
          const { revision: number } = revision.variant;
          const isChosen = chosen.includes(number);
          return (
            <RevisionRow
              key={number}
              app={app}
              revision={revision}
              isChosen={isChosen}
              onChoose={() =>
                // A third selection replaces the first.
                setChosen(
                  isChosen
                    ? chosen.filter((each) => each !== number)
                    : [...chosen.slice(-1), number],
                )
              }
            />
          );
        })}
      </ol>
      {more}
    </Card>
  );
}

interface VariantMenuProps {
  readonly app: string;
  readonly variant: string;
}

function VariantMenu({ app, variant }: VariantMenuProps) {
  const navigate = useNavigate();
  return (
    <RenameOrDeleteMenu
      name={variant}
      rename={(client, slug) => renameVariant(client, app, variant, slug)}
      renameNote={`Callers that use the name ${variant} will get “not found”. Environments where it is live are not affected.`}
      onRenamed={(slug) =>
        void navigate({ to: "/apps/$app/variants/$variant", params: { app, variant: slug } })
      }
      remove={(client) => deleteVariant(client, app, variant)}
      deleteNote={`${variant} will be deleted with all its revisions. This can't be undone, and environments can't be rolled back to it.`}
      onDeleted={() => void navigate({ to: "/apps/$app", params: { app } })}
    />
  );
}
