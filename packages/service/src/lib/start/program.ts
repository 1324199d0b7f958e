// The modules of the service's program. The build replaces this module by one bundle (scripts/bundle-program.mjs), which starts
// in half of the time.
export { readWorld } from '../world/read-world.ts'
export { readArguments, runService } from './run-service.ts'
