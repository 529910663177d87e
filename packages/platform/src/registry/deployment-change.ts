import type { Build, ConfigNote, Deployment, RouteSchema } from "@agate/protocol";
import type { RegistryProblem } from "./registry-outcome.ts";

/** Who did something and why, for histories. */
export interface Authorship {
  readonly by: string;
  readonly message: string;
}

/** An environment of an application: the unit of hosting, with processes of its own. */
export interface HostedEnvironment {
  /** The project's id. */
  readonly project: string;
  readonly application: { readonly id: string; readonly slug: string };
  /** Unique across applications. */
  readonly id: string;
  readonly slug: string;
  /** Whether it answers calls that name no environment. */
  readonly isDefault: boolean;
  /** Its place among the environments of its application. */
  readonly number: number;
  /** Whether its playground is on. */
  readonly playground: boolean;
}

/** What moves with a promotion or a rollback. */
export type MovedParts = "both" | "code" | "config";

/**
 * `compatible`: refused where the environment would lose values or routes in use. `breaking`: not refused
 * for that. `anything`: not even for values that the build does not take.
 */
export type AcceptedChange = "compatible" | "breaking" | "anything";

/** A change of what is live in an environment, as it is asked for. */
export type ChangeRequest = Authorship & {
  /** Slug or id. */
  readonly environment: string;
  readonly accepts: AcceptedChange;
  /** Where the request names the environment. */
  readonly environmentLoc: RegistryProblem["loc"];
} & (
    | {
        readonly kind: "deploy";
        /** Its number or id; null keeps the live one. */
        readonly build: string | null;
        /** Null keeps the live one, and where nothing is live, takes the variant `default`. */
        readonly config: { readonly variant: string; readonly revision: number | null } | null;
        /** Where the request names variant and revision. */
        readonly configIn: "query" | "body";
      }
    | {
        readonly kind: "promotion";
        /** Slug or id of the environment that is promoted. */
        readonly from: string;
        /** The id of the deployment that must still be live there; null accepts any. */
        readonly expect: string | null;
        readonly parts: MovedParts;
      }
    | {
        readonly kind: "rollback";
        /** Its id; null is the last one that differs in what moves. */
        readonly deployment: string | null;
        readonly parts: MovedParts;
      }
  );

/** A change whose names were looked up. */
export interface PinnedChange extends Authorship {
  readonly environment: HostedEnvironment;
  /** Null keeps the live one. */
  readonly build: Build | null;
  /** Null keeps the live one, and where nothing is live, takes the variant `default`. */
  readonly config: PinnedConfig | null;
  readonly origin: DeploymentOrigin;
  /** Whether processes are started anew, even of the build that is live. */
  readonly restarts: boolean;
  readonly accepts: AcceptedChange;
  /** Where the request names what is checked. */
  readonly loc: RegistryProblem["loc"];
}

export type PinnedConfig =
  | { readonly kind: "revision"; readonly variantId: string; readonly revision: number }
  /** The variant has no revision yet, or does not exist: it gets a first one, with all defaults. */
  | { readonly kind: "first"; readonly variant: string };

/** How a deployment comes about. */
export type DeploymentOrigin =
  | { readonly kind: "deploy" }
  | { readonly kind: "promotion"; readonly from: { readonly id: string; readonly slug: string } }
  | { readonly kind: "rollback"; readonly to: string };

export interface ChangeCheck {
  readonly routes: readonly RouteSchema[];
  readonly notes: readonly ConfigNote[];
}

export interface Activation {
  readonly build: Build;
  readonly deployment: Deployment;
  readonly notes: readonly ConfigNote[];
  /** As {@link LiveBuild.since}. */
  readonly since: string;
}
