import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function AppsPage() {
  useTitle("Applications");
  return <PageHeader title="Applications" />;
}
