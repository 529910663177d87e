import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function EnvironmentPage() {
  useTitle("Environment");
  return <PageHeader title="Environment" />;
}
