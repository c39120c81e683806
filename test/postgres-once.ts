/** The PostgreSQL that test files share starts when the first of them needs it, and ends with the run. */
export { offerPostgres as setup } from "./rig/shared-postgres.ts";
