import { mark } from './mark.ts'

// Commands imported at the same time share this module.
await new Promise(setImmediate)

export const greeting = `Hello${mark}`
