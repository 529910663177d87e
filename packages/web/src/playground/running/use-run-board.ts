import type { RouteSchema } from "@agate/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { schemaQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { callRoute, playgroundPath } from "./call-route.ts";
import { RunBoard } from "./run-board.ts";

/** The runs of a route. They are stopped when the reader leaves. */
export function useRunBoard(app: string, route: RouteSchema["route"]): RunBoard {
  const client = usePlatform();
  const queries = useQueryClient();
  const [board] = useState(
    () =>
      new RunBoard(async function* (request, signal) {
        try {
          yield* callRoute(client, playgroundPath(app, route), request, signal);
        } catch (error) {
          // The code may have been saved, and take other values now.
          if (error instanceof ApiError && error.status === 422) {
            void queries.invalidateQueries({ queryKey: schemaQuery(client, app).queryKey });
          }
          throw error;
        }
      }),
  );
  useEffect(() => () => board.stopAll(), [board]);
  return board;
}
