// The modules of the service's program. The build replaces this module by one bundle of its only import (scripts/bundle-program.mjs), which
// starts in half of the time.
export * from './run-service.ts'
