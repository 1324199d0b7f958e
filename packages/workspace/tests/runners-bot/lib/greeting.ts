import { mark } from './mark.ts'

// Commands that are imported at the same time meet here.
await new Promise(setImmediate)

export const greeting = `Hello${mark}`
