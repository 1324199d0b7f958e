import { register } from 'node:module'

// With `--import` of this file, Node runs this repository's TypeScript sources, so the checks need no build.
register('./source-hooks.mjs', import.meta.url)
