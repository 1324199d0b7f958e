// What the service's program is made of. The build joins it and all that it loads into one file (scripts/bundle-program.mjs), which
// starts in half of the time.
export { readArguments, readWorld, runService } from './lib/run-service.ts'
