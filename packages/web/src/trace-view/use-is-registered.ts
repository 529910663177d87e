import { useQuery } from "@tanstack/react-query";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";

/**
 * Whether the registry has an application of this name. Spans name any: those of programs that only
 * export traces lead to no playground and no variant. False until the registry has answered.
 */
export function useIsRegistered(app: string | null): boolean {
  const applications = useQuery(applicationsQuery(usePlatform()));
  return applications.data?.some(({ slug }) => slug === app) ?? false;
}
