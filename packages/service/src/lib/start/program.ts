// The modules of the service's program. The build replaces this module by one bundle (scripts/bundle-program.mjs), which starts
// in half of the time.
export { readArguments, readWorld, runService } from './run-service.ts'
