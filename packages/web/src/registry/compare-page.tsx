import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function ComparePage() {
  useTitle("Compare");
  return <PageHeader title="Compare" />;
}
