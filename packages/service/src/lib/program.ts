// What the service's program is made of. The build writes one file with all that it loads in this module's place
// (scripts/bundle-program.mjs): that starts in half of the time.
export { readArguments, readWorld, runService } from './run-service.ts'
