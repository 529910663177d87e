import { orderEnvironments } from "../../revisions/order-environments.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import { printSource } from "../state/config-source.ts";

export interface ConfigChoice {
  /** As {@link printSource} writes it. */
  readonly value: string;
  readonly label: string;
  /** There is nothing in it. */
  readonly isEmpty: boolean;
}

export interface ConfigChoiceGroup {
  readonly name: string;
  readonly choices: readonly ConfigChoice[];
}

/** Everything that a column can start from. */
export function configChoices({
  variants,
  environments,
}: KnownConfigs): readonly ConfigChoiceGroup[] {
  const groups = [
    {
      name: "Variants",
      choices: variants.map(({ slug, latest_revision: revision }) => ({
        value: printSource({ kind: "revision", variant: slug, revision }),
        label: revision === 0 ? `${slug}, nothing committed` : `${slug}@${revision}, latest`,
        isEmpty: false,
      })),
    },
    {
      name: "Live in an environment",
      choices: orderEnvironments(environments).map(({ slug, deployment }) => ({
        value: printSource({ kind: "environment", environment: slug }),
        label:
          deployment === null
            ? `${slug}, nothing is live`
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
