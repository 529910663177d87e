/** What is wrong in no one field of a form. */
export function ProblemSummary({ messages }: { readonly messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <div role="alert" className="rounded-md bg-danger-soft px-3 py-2 text-danger">
      <ul className="flex flex-col gap-1">
        {[...new Set(messages)].map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </div>
  );
}
