/** The face of this folder: what the tables are, what guards their rows, how an older ledger becomes one of today. */
export {
  APPLICATION_ID,
  checkSchema,
  foreign,
  migrate,
  ownerOf,
  schemaOf,
  schemaText,
  tooNew,
  versionOf,
} from "./migrate.ts";
export { migrations } from "./migrations/migrations.ts";
export {
  brokenSeals,
  brokenSums,
  brokenText,
  knowSeals,
  reseal,
  type SealedTable,
  sealedTables,
  sealOf,
  sealSql,
  sumText,
  type Value,
} from "./seals.ts";
export { tables } from "./tables.ts";
