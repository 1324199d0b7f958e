import { register } from 'node:module'

// With `--import` of this file, Node runs the house's TypeScript as it is written: the checks need no build.
register('./source-hooks.mjs', import.meta.url)
