export {
  endpointsOf,
  lookUp,
  nameOf,
  withoutNull,
  words,
  type Answer,
  type ApiDocument,
  type Endpoint,
  type Operation,
  type Parameter,
  type Schema,
} from './lib/reference/document.ts'
export { exampleOf } from './lib/reference/example.ts'
export { limitText } from './lib/reference/chapters.ts'
