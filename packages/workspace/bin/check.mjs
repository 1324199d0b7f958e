#!/usr/bin/env node
// The checks are TypeScript too. They run from their sources, so that nothing waits for a build: building is one of the checks.
import './sources.mjs'

await import(process.argv[2] === '--prose' ? '../src/prose.ts' : '../src/check.ts')
