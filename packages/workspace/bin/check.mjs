#!/usr/bin/env node
// Runs the checks from their TypeScript sources, since building is one of the checks.
import './sources.mjs'

await import(process.argv[2] === '--prose' ? '../src/prose.ts' : '../src/check.ts')
