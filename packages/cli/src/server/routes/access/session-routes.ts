import type { Session } from "@agate/protocol";
import type { AccessControl } from "../../../access/access-control.ts";
import type { Projects } from "../../../registry/registry.ts";
import { JSON_TYPE, jsonAnswer } from "../../answer.ts";
import type { Route } from "../route.ts";

export interface SessionRouteOptions {
  readonly control: AccessControl;
  readonly projects: Projects;
}

const PATH = "/session";

/** `/session`: who the reader of the page is. */
export function sessionRoutes(options: SessionRouteOptions): readonly Route[] {
  return [readRoute(options)];
}

function readRoute({ control, projects }: SessionRouteOptions): Route {
  return {
    method: "GET",
    path: PATH,
    access: "public",
    operation: {
      id: "getSession",
      tag: "access",
      summary: "Who am I?",
      success: {
        status: 200,
        description: "The caller and its project; both null for somebody without a valid key.",
        body: { [JSON_TYPE]: { schema: "Session" } },
      },
      errors: [],
    },
    handle: async (context) => {
      const authentication = control.authenticate({
        authorization: context.req.header("authorization"),
        project: context.req.header("agate-project"),
      });
      if (authentication.kind !== "caller") {
        return jsonAnswer(JSON.stringify({ caller: null, project: null } satisfies Session));
      }
      const { name, scopes, isOperator, project } = authentication.caller;
      const found = await projects.get(project);
      const session: Session = {
        caller: { name, scopes: [...scopes], is_operator: isOperator },
        project:
          found.kind === "refused"
            ? { id: project, slug: project }
            : { id: found.value.id, slug: found.value.slug },
      };
      return jsonAnswer(JSON.stringify(session));
    },
  };
}
