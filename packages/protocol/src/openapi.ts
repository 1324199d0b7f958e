// Building blocks of the OpenAPI documents, as plain data with zod schemas. Used by the builds only.
export { json, refusals } from './lib/openapi/openapi-answers.ts'
export { asSpecified, pathsOf, serversAt } from './lib/openapi/openapi-paths.ts'
export type { Table } from './lib/openapi/openapi-paths.ts'
