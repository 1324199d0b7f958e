// The parts of which OpenAPI documents are made, as plain data with zod schemas in it: for the builds, no program needs them.
export { json, refusals } from './lib/openapi-answers.ts'
export { asSpecified, pathsOf, serversAt } from './lib/openapi-paths.ts'
export type { Table } from './lib/openapi-paths.ts'
