#!/usr/bin/env node
// Runs from the sources, like the checks.
import './sources.mjs'

await import('../src/patterns.ts')
