import type { Deployment } from "@agate/protocol";

/** How a deployment came about: "Promoted from staging". */
export function deploymentWords({ kind, promoted_from }: Deployment): string {
  switch (kind) {
    case "deploy":
      return "Deployed";
    case "promotion":
      return promoted_from === null ? "Promoted" : `Promoted from ${promoted_from}`;
    case "rollback":
      return "Rolled back";
  }
}
