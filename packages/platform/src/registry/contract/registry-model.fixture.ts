import type { RouteParams } from "@agate/protocol";
import type { MovedParts } from "../deployment-change.ts";
import type { RegistryProblemType } from "../registry-outcome.ts";

/** An operation on an application. */
export type Operation =
  | { readonly do: "create variant"; readonly variant: string }
  | { readonly do: "create environment"; readonly environment: string }
  | VariantOperation
  | EnvironmentOperation;

/** To a variant that may be there. */
type VariantOperation = { readonly variant: string } & (
  | { readonly do: "delete variant" }
  | { readonly do: "rename variant"; readonly to: string }
  /** 0 off commits on the latest revision. */
  | { readonly do: "commit"; readonly off: number; readonly params: RouteParams }
  | { readonly do: "fork"; readonly revision: number | null; readonly to: string }
);

/** To an environment that may be there. */
type EnvironmentOperation = { readonly environment: string } & (
  | { readonly do: "delete environment" }
  | { readonly do: "rename environment"; readonly to: string }
  | { readonly do: "deploy"; readonly variant: string; readonly revision: number | null }
  | { readonly do: "promote"; readonly from: string; readonly parts: MovedParts }
  /** Null goes back to what differs, a number to that entry of the history. */
  | { readonly do: "roll back"; readonly entry: number | null; readonly parts: MovedParts }
  | { readonly do: "take down" }
);

export interface ModelVariant {
  slug: string;
  isDeleted: boolean;
  readonly revisions: RouteParams[];
}

export interface ModelDeployment {
  readonly variant: ModelVariant;
  readonly slugThen: string;
  readonly revision: number;
  /** Any two that are the same build have the same. */
  readonly build: number;
  /** Otherwise it ended when the next one began, if it did. */
  wasTakenDown: boolean;
  /** As the registry calls it. */
  id: string;
}

export interface ModelEnvironment {
  slug: string;
  /** Oldest first. */
  readonly history: ModelDeployment[];
  isLive: boolean;
  /** Whether calls that name none go to it. */
  readonly isDefault: boolean;
}

/** What comes of an operation: done, or refused for this reason. */
export type Expected = "done" | RegistryProblemType;

/** An application as one would write it down on paper: what the registry must agree with. */
export class RegistryModel {
  variants: ModelVariant[] = [];
  environments: ModelEnvironment[] = ["development", "staging", "production"].map((slug) => ({
    slug,
    history: [],
    isLive: false,
    isDefault: slug === "production",
  }));
  #builds = 0;

  variant(slug: string): ModelVariant | undefined {
    return this.variants.find((variant) => variant.slug === slug);
  }

  environment(slug: string): ModelEnvironment | undefined {
    return this.environments.find((environment) => environment.slug === slug);
  }

  /** `default@3`, or why there is none. */
  liveIn(slug: string): string {
    const environment = this.environment(slug);
    if (environment === undefined) return "environment_not_found";
    const live = liveOf(environment);
    if (live === undefined) return "deployment_not_found";
    return `${live.variant.slug}@${live.revision}`;
  }

  latestOf(slug: string): string {
    const revision = this.variant(slug)?.revisions.length ?? 0;
    return revision === 0 ? "variant_not_found" : `${slug}@${revision}`;
  }

  /** Does it, where it can be done. */
  apply(operation: Operation): Expected {
    switch (operation.do) {
      case "create variant":
        if (this.variant(operation.variant)) return "slug_taken";
        this.variants.push({ slug: operation.variant, isDeleted: false, revisions: [] });
        return "done";
      case "create environment":
        if (this.environment(operation.environment)) return "slug_taken";
        this.environments.push({
          slug: operation.environment,
          history: [],
          isLive: false,
          isDefault: false,
        });
        return "done";
      case "rename variant":
      case "delete variant":
      case "commit":
      case "fork": {
        const variant = this.variant(operation.variant);
        return variant === undefined ? "variant_not_found" : this.#change(variant, operation);
      }
      default: {
        const environment = this.environment(operation.environment);
        if (environment === undefined) return "environment_not_found";
        return this.#changeEnvironment(environment, operation);
      }
    }
  }

  #change(variant: ModelVariant, operation: VariantOperation): Expected {
    switch (operation.do) {
      case "rename variant":
        if (operation.to !== variant.slug && this.variant(operation.to)) return "slug_taken";
        variant.slug = operation.to;
        return "done";
      case "delete variant":
        if (this.environments.some((environment) => liveOf(environment)?.variant === variant)) {
          return "still_live";
        }
        variant.isDeleted = true;
        this.variants = this.variants.filter((other) => other !== variant);
        return "done";
      case "commit":
        if (operation.off !== 0) return "revision_stale";
        variant.revisions.push(operation.params);
        return "done";
      case "fork": {
        const params = paramsOf(variant, operation.revision);
        if (params === undefined) return "revision_not_found";
        if (this.variant(operation.to)) return "slug_taken";
        this.variants.push({ slug: operation.to, isDeleted: false, revisions: [params] });
        return "done";
      }
    }
  }

  #changeEnvironment(environment: ModelEnvironment, operation: EnvironmentOperation): Expected {
    switch (operation.do) {
      case "rename environment":
        if (operation.to !== environment.slug && this.environment(operation.to)) {
          return "slug_taken";
        }
        environment.slug = operation.to;
        return "done";
      case "delete environment":
        if (environment.isLive || environment.isDefault) return "still_live";
        this.environments = this.environments.filter((other) => other !== environment);
        return "done";
      case "deploy": {
        const variant = this.variant(operation.variant);
        if (variant === undefined) return "variant_not_found";
        const revision = operation.revision ?? variant.revisions.length;
        if (paramsOf(variant, revision) === undefined) return "revision_not_found";
        const build = liveOf(environment)?.build ?? ++this.#builds;
        return pin(environment, { variant, revision, build });
      }
      case "promote": {
        const from = this.environment(operation.from);
        if (from === undefined) return "environment_not_found";
        const live = liveOf(from);
        return live ? this.#move(environment, live, operation.parts) : "deployment_not_found";
      }
      case "roll back": {
        const { entry, parts } = operation;
        const target = entry === null ? previousOf(environment, parts) : environment.history[entry];
        if (target === undefined) return "deployment_not_found";
        return this.#move(environment, target, parts);
      }
      case "take down": {
        const live = liveOf(environment);
        if (live === undefined) return "deployment_not_found";
        live.wasTakenDown = true;
        environment.isLive = false;
        return "done";
      }
    }
  }

  #move(environment: ModelEnvironment, source: ModelDeployment, parts: MovedParts): Expected {
    const live = liveOf(environment);
    if (parts !== "code" && source.variant.isDeleted) return "variant_not_found";
    if (parts === "config" && live === undefined) return "build_missing";
    const config = parts === "code" ? (live ?? this.#firstConfig()) : source;
    const build = parts === "config" ? (live?.build ?? 0) : source.build;
    return pin(environment, { variant: config.variant, revision: config.revision, build });
  }

  #firstConfig(): { readonly variant: ModelVariant; readonly revision: number } {
    const known = this.variant(DEFAULT_VARIANT);
    const variant = known ?? { slug: DEFAULT_VARIANT, isDeleted: false, revisions: [] };
    if (known === undefined) this.variants.push(variant);
    if (variant.revisions.length === 0) variant.revisions.push({});
    return { variant, revision: variant.revisions.length };
  }
}

/** The variant of a deploy that names none, where nothing is live. */
const DEFAULT_VARIANT = "default";

function liveOf({ history, isLive }: ModelEnvironment): ModelDeployment | undefined {
  return isLive ? history.at(-1) : undefined;
}

function previousOf(environment: ModelEnvironment, parts: MovedParts): ModelDeployment | undefined {
  const live = liveOf(environment);
  if (live === undefined) return environment.history.at(-1);
  return environment.history.findLast(
    ({ variant, revision, build }) =>
      (parts !== "code" && (variant !== live.variant || revision !== live.revision)) ||
      (parts !== "config" && build !== live.build),
  );
}

function paramsOf({ revisions }: ModelVariant, revision: number | null): RouteParams | undefined {
  return revisions[(revision ?? revisions.length) - 1];
}

function pin(
  environment: ModelEnvironment,
  what: Pick<ModelDeployment, "variant" | "revision" | "build">,
): Expected {
  const slugThen = what.variant.slug;
  environment.history.push({ ...what, slugThen, wasTakenDown: false, id: "" });
  environment.isLive = true;
  return "done";
}
