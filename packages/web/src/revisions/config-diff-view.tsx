import type { ApplicationSchema, ConfigFieldSchema, FieldDiff, RouteDiff } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Equal } from "lucide-react";
import { diffQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Badge } from "../design/badge.tsx";
import { TextDiff } from "../text-diff/text-diff.tsx";
import { expandedDiff, type FieldSide, fieldChange } from "./field-change.ts";
import { Loaded } from "./loaded.tsx";

interface ConfigDiffViewProps {
  readonly routes: readonly RouteDiff[];
  /** For the defaults of fields that are not set. */
  readonly schema?: ApplicationSchema | null | undefined;
}

/** How two configurations differ, route by route and field by field. */
export function ConfigDiffView({ routes, schema }: ConfigDiffViewProps) {
  if (routes.length === 0) {
    return (
      <p className="flex items-center gap-2 rounded-md bg-sunken px-3 py-2 text-ink-soft">
        <Equal size={16} aria-hidden className="shrink-0" />
        Same configuration: no fields differ.
      </p>
    );
  }
  return (
    <div className="flex flex-col gap-4">
      {routes.map(({ route, fields }) => {
        const config = schema?.routes.find((known) => known.route === route)?.config ?? {};
        return (
          <section key={route} aria-label={`Changes in ${route}`} className="min-w-0">
            <p className="mb-1 font-mono text-[0.93rem] font-medium break-all text-ink-soft">
              {route}
            </p>
            <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
              {fields
                .flatMap((field) => expandedDiff(field, config))
                .map((field) => (
                  <li key={field.field} className="px-3 py-2">
                    <FieldDiffView
                      diff={field}
                      schema={Object.hasOwn(config, field.field) ? config[field.field] : undefined}
                    />
                  </li>
                ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

interface FieldDiffViewProps {
  readonly diff: FieldDiff;
  readonly schema: ConfigFieldSchema | undefined;
}

/** The change of one field: short values as old → new, long texts word by word. */
function FieldDiffView({ diff, schema }: FieldDiffViewProps) {
  const { from, to, hasNoEffect, texts } = fieldChange(diff, schema);
  const name = (
    <span className="flex min-w-0 items-center gap-2">
      <span className="font-medium break-all">{diff.field}</span>
      {/* A field on both sides needs no badge: the arrow shows the change. */}
      {diff.change !== "changed" && <Badge>{diff.change}</Badge>}
    </span>
  );
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {texts === null ? (
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <Before side={from} />
            <ArrowRight size={14} role="img" aria-label="becomes" className="text-ink-soft" />
            <After side={to} />
          </span>
        </div>
      ) : (
        <TextDiff from={texts.from} to={texts.to} heading={name} isFolded />
      )}
      {texts !== null && (from.isDefault || to.isDefault) && (
        <p className="text-[0.93rem] text-ink-soft">
          {from.isDefault ? "The old text was the default." : "The new text is the default."}
        </p>
      )}
      {hasNoEffect && (
        <p className="text-[0.93rem] text-ink-soft">Same value: calls are not affected.</p>
      )}
    </div>
  );
}

const VALUE_CLASS = "min-w-0 font-mono text-[0.93rem] break-words whitespace-pre-wrap";

function Before({ side: { value, isDefault } }: { readonly side: FieldSide }) {
  if (value === undefined) return <NotSet />;
  return (
    <span className="min-w-0 text-ink-soft">
      {isDefault && "default "}
      <del className={VALUE_CLASS}>{JSON.stringify(value)}</del>
    </span>
  );
}

function After({ side: { value, isDefault } }: { readonly side: FieldSide }) {
  if (value === undefined) return <NotSet />;
  return (
    <span className="min-w-0">
      {isDefault && <span className="text-ink-soft">default </span>}
      <ins className={`${VALUE_CLASS} no-underline`}>{JSON.stringify(value)}</ins>
    </span>
  );
}

function NotSet() {
  return <span className="text-ink-soft italic">not set</span>;
}

interface RevisionDiffProps {
  readonly app: string;
  /** `default@3`, `env:production` */
  readonly from: string;
  readonly to: string;
}

/** Loads and shows the differences between two revisions. */
export function RevisionDiff({ app, from, to }: RevisionDiffProps) {
  const client = usePlatform();
  const diff = useQuery(diffQuery(client, app, from, to));
  const schema = useQuery(schemaQuery(client, app));
  return (
    <Loaded query={diff}>
      {(data) => <ConfigDiffView routes={data.routes} schema={schema.data} />}
    </Loaded>
  );
}
