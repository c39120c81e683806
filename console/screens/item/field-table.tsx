import type { ReactNode } from "react";
import { Visible } from "../../parts/visible.tsx";
import type { ItemDetails } from "./item-details.ts";

export interface FieldTableProps {
  readonly label: string;
  readonly fields: ItemDetails["inputs"];
  readonly empty: string;
}

/** More are in the schema below. */
const SHOWN_MAX = 60;

/** The fields of a schema, one in each line. */
export function FieldTable({ label, fields, empty }: FieldTableProps): ReactNode {
  const entries = Object.entries(fields);
  if (entries.length === 0) return <p className="text-muted">{empty}</p>;
  return (
    <>
      <table aria-label={label} className="w-full table-fixed border-collapse text-left">
        <thead className="text-xs text-muted max-sm:sr-only">
          <tr className="border-b border-line">
            <th className="w-1/4 py-1 pr-3 font-normal">Name</th>
            <th className="w-1/4 py-1 pr-3 font-normal">Type</th>
            <th className="py-1 font-normal">Description</th>
          </tr>
        </thead>
        <tbody>
          {entries.slice(0, SHOWN_MAX).map(([name, field]) => (
            <tr key={name} className="border-b border-line/60 align-top max-sm:block max-sm:py-1.5">
              <th
                scope="row"
                className="foreign py-1.5 pr-3 font-mono text-xs font-medium max-sm:block max-sm:py-0"
              >
                <Visible text={name} />
                {field.required && <span className="ml-1 font-sans font-normal text-muted">required</span>}
              </th>
              <td className="foreign py-1.5 pr-3 font-mono text-xs text-code-name max-sm:block max-sm:py-0">
                <Visible text={field.type} max={400} />
              </td>
              <td className="foreign py-1.5 text-muted max-sm:block max-sm:py-0">
                <Visible text={field.description} />
                {"default" in field && <Default value={field["default"]} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {entries.length > SHOWN_MAX && (
        <p className="mt-1 text-muted">And {entries.length - SHOWN_MAX} more, in the schema below.</p>
      )}
    </>
  );
}

function Default({ value }: { readonly value: unknown }): ReactNode {
  return (
    <div>
      Default:{" "}
      <code className="font-mono text-xs">
        <Visible text={JSON.stringify(value)} max={200} />
      </code>
    </div>
  );
}
