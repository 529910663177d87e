import { Skeleton } from "../design/empty-state.tsx";

/** Stands where a page's script is on its way: for long, where the platform is away. */
export function Arriving() {
  return (
    <>
      <h1 className="sr-only">The page is being loaded</h1>
      <Skeleton lines={6} />
    </>
  );
}
