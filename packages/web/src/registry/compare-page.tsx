import type { RegistryVariant } from "@agate/protocol";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ArrowLeftRight, GitCompareArrows } from "lucide-react";
import { diffQuery, environmentsQuery, schemaQuery, variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { IconButton } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { ConfigDiffView } from "../revisions/config-diff-view.tsx";
import { countFields, fieldsText } from "../revisions/field-change.ts";
import { revisionText } from "../revisions/live-plan.ts";
import { Loaded } from "../revisions/loaded.tsx";
import { RevisionPicker } from "../revisions/revision-picker.tsx";
import { useApplicationChanges } from "../revisions/use-application-changes.ts";
import { AppBreadcrumb } from "./app-breadcrumb.tsx";
import type { CompareSearch } from "./compare-search.ts";

const route = getRouteApi("/apps/$app/compare");

/** Compares two configurations of an application, field by field. */
export function ComparePage() {
  const { app } = route.useParams();
  const { from, to } = route.useSearch();
  useTitle(`Compare · ${app}`);
  useApplicationChanges(app);
  const variants = useQuery(variantsQuery(usePlatform(), app));
  return (
    <>
      <PageHeader above={<AppBreadcrumb app={app} />} title="Compare" />
      <Loaded query={variants}>
        {(items) => (
          <div className="flex flex-col gap-4 px-4 pb-8 md:px-6">
            <Pickers app={app} variants={items} />
            {from === undefined || to === undefined ? (
              <EmptyState icon={GitCompareArrows} title="Choose two configurations">
                <p>An environment’s live revision, or any revision of a variant.</p>
              </EmptyState>
            ) : (
              <Comparison app={app} from={from} to={to} />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}

interface PickersProps {
  readonly app: string;
  readonly variants: readonly RegistryVariant[];
}

function Pickers({ app, variants }: PickersProps) {
  const { from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const environments = useQuery(environmentsQuery(usePlatform(), app)).data ?? [];
  const choose = (search: CompareSearch) =>
    void navigate({ search: (old) => ({ ...old, ...search }), replace: true });
  return (
    <div className="flex flex-col gap-2 md:flex-row md:items-end">
      <div className="min-w-0 md:w-80">
        <RevisionPicker
          label="Before"
          variants={variants}
          environments={environments}
          value={from}
          onChange={(value) => choose({ from: value })}
        />
      </div>
      <IconButton
        icon={ArrowLeftRight}
        label="Swap"
        className="mb-0.5 self-center md:self-end"
        disabled={from === undefined && to === undefined}
        onClick={() => choose({ from: to, to: from })}
      />
      <div className="min-w-0 md:w-80">
        <RevisionPicker
          label="After"
          variants={variants}
          environments={environments}
          value={to}
          onChange={(value) => choose({ to: value })}
        />
      </div>
    </div>
  );
}

interface ComparisonProps {
  readonly app: string;
  readonly from: string;
  readonly to: string;
}

function Comparison({ app, from, to }: ComparisonProps) {
  const client = usePlatform();
  const diff = useQuery({ ...diffQuery(client, app, from, to), placeholderData: keepPreviousData });
  const schema = useQuery(schemaQuery(client, app));
  return (
    <Loaded query={diff}>
      {(data) => (
        <div className="flex max-w-4xl flex-col gap-3">
          <p role="status" className="text-ink-soft">
            <span className="font-mono font-medium break-all text-ink">
              {revisionText(data.from)} → {revisionText(data.to)}
            </span>
            : {fieldsText(countFields(data.routes))}
          </p>
          <ConfigDiffView routes={data.routes} schema={schema.data} />
        </div>
      )}
    </Loaded>
  );
}
