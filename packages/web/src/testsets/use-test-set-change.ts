import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { PlatformClient } from "../api/platform-client.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { testSetsKey } from "../api/testsets.ts";

/** Changes test sets and refetches what is shown of them; after a rejected change too. */
export function useTestSetChange<Input, Output>(
  change: (client: PlatformClient, input: Input) => Promise<Output>,
  onSuccess: (output: Output) => void,
) {
  const client = usePlatform();
  const refresh = useTestSetsRefresh();
  return useMutation({
    mutationFn: (input: Input) => change(client, input),
    onSuccess,
    onSettled: refresh,
  });
}

/** Refetches everything that is shown of test sets. */
export function useTestSetsRefresh(): () => void {
  const client = usePlatform();
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: testSetsKey(client) });
}
