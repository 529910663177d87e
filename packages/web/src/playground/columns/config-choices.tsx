import { useInfiniteQuery } from "@tanstack/react-query";
import { Columns2, Copy } from "lucide-react";
import { revisionsQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { Button } from "../../design/button.tsx";
import { Select } from "../../design/field.tsx";
import { Menu, MenuHeading, MenuItem, MenuLine } from "../../design/menu.tsx";
import { orderEnvironments } from "../../revisions/order-environments.ts";
import { SCRATCH_VARIANT } from "../../revisions/scratch-badge.tsx";
import type { KnownConfigs } from "../state/column-base.ts";
import { type ConfigSource, parseSource, printSource } from "../state/config-source.ts";
import type { RevisionName } from "../state/workspace.ts";

interface SourceSelectProps {
  readonly source: ConfigSource;
  readonly known: KnownConfigs;
  readonly onChange: (source: ConfigSource) => void;
}

/** Chooses what a column is based on. */
export function SourceSelect({ source, known, onChange }: SourceSelectProps) {
  const value = printSource(source);
  const groups = configChoices(known);
  const isListed = groups.some(({ choices }) => choices.some((choice) => choice.value === value));
  return (
    <Select
      aria-label="Configuration"
      className="min-w-0 flex-1"
      value={value}
      onChange={(event) => {
        const chosen = parseSource(event.target.value);
        if (chosen !== null) onChange(chosen);
      }}
    >
      {!isListed && <option value={value}>{value}</option>}
      {groups.map(({ name, choices }) => (
        <optgroup key={name} label={name}>
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} disabled={choice.isEmpty}>
              {choice.label}
            </option>
          ))}
        </optgroup>
      ))}
    </Select>
  );
}

interface ConfigChoice {
  /** As {@link printSource} writes it. */
  readonly value: string;
  readonly label: string;
  /** Cannot be chosen. */
  readonly isEmpty: boolean;
}

interface ConfigChoiceGroup {
  readonly name: string;
  readonly choices: readonly ConfigChoice[];
}

/** Everything that a column can be based on. */
export function configChoices({
  variants,
  environments,
}: KnownConfigs): readonly ConfigChoiceGroup[] {
  const groups = [
    {
      name: "Variants",
      choices: variants.map(({ slug, latest_revision: revision }) => ({
        value: printSource({ kind: "revision", variant: slug, revision }),
        label:
          revision === 0
            ? `${slug} (no revisions)`
            : `${slug}@${revision} (${slug === SCRATCH_VARIANT ? "drafts" : "latest"})`,
        isEmpty: false,
      })),
    },
    {
      name: "Environments",
      choices: orderEnvironments(environments).map(({ slug, deployment }) => ({
        value: printSource({ kind: "environment", environment: slug }),
        label:
          deployment === null
            ? `${slug} (nothing live)`
            : `${slug}: ${deployment.variant.slug}@${deployment.variant.revision}`,
        isEmpty: deployment === null,
      })),
    },
    {
      name: "Schema",
      choices: [
        { value: printSource({ kind: "defaults" }), label: "Schema defaults", isEmpty: false },
      ],
    },
  ];
  return groups.filter(({ choices }) => choices.length > 0);
}

interface RevisionSelectProps {
  readonly app: string;
  readonly base: RevisionName;
  readonly onChange: (revision: number) => void;
}

/** The value of the option that loads more revisions. */
const OLDER = "older";

/** Chooses another revision of the same variant. */
export function RevisionSelect({ app, base, onChange }: RevisionSelectProps) {
  const revisions = useInfiniteQuery(revisionsQuery(usePlatform(), app, base.variant));
  const listed = revisions.data?.pages.flatMap(({ items }) => items) ?? [];
  const isListed = listed.some(({ variant }) => variant.revision === base.revision);
  return (
    <Select
      aria-label={`Revision of ${base.variant}`}
      className="w-20 shrink-0"
      value={base.revision}
      onChange={({ target }) => {
        if (target.value === OLDER) void revisions.fetchNextPage();
        else onChange(Number(target.value));
      }}
    >
      {!isListed && <option value={base.revision}>@{base.revision}</option>}
      {listed.map(({ variant: { revision }, message }) => (
        <option key={revision} value={revision}>
          @{revision}
          {/* The closed select has no room for the message of the selected revision. */}
          {message && revision !== base.revision && ` ${message}`}
        </option>
      ))}
      {revisions.hasNextPage && <option value={OLDER}>Older…</option>}
    </Select>
  );
}

interface AddColumnMenuProps {
  readonly known: KnownConfigs;
  readonly onAdd: (source: ConfigSource) => void;
  /** Copies the last column. */
  readonly onCopy: () => void;
}

/** Adds a column to compare with. */
export function AddColumnMenu({ known, onAdd, onCopy }: AddColumnMenuProps) {
  return (
    <Menu
      trigger={
        <Button>
          <Columns2 size={15} aria-hidden />
          Compare
        </Button>
      }
    >
      <MenuItem onSelect={onCopy}>
        <Copy size={15} aria-hidden className="text-ink-soft" />
        Copy of the last column
      </MenuItem>
      <MenuLine />
      {configChoices(known).map(({ name, choices }) => (
        <div key={name}>
          <MenuHeading>{name}</MenuHeading>
          {choices.map(({ value, label, isEmpty }) => (
            <MenuItem
              key={value}
              disabled={isEmpty}
              onSelect={() => {
                const source = parseSource(value);
                if (source !== null) onAdd(source);
              }}
            >
              {label}
            </MenuItem>
          ))}
        </div>
      ))}
    </Menu>
  );
}
