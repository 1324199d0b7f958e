// The parts of the interface that need no schema: programs that import only this start without loading zod.
export { BoundedMap } from './lib/bounded-map.ts'
export { didYouMean } from './lib/text/did-you-mean.ts'
export { commandName, commandNameRule } from './lib/schemas/command-name.ts'
export {
  BotwrightError,
  errorCodes,
  errorPage,
  errorStatuses,
  isBotwrightError,
  webhookErrorCodes,
} from './lib/errors.ts'
export { argsText, authorName, eventTypes, raw } from './lib/schemas/event-facts.ts'
export { idleConnectionMs, namesThisMachine } from './lib/http-servers.ts'
export { limits } from './lib/limits.ts'
export { ownLimits } from './lib/own-limits.ts'
export { printable, printableBlock, printableLine } from './lib/text/printable.ts'
export type { Route } from './lib/route.ts'
export { routes } from './lib/routes.ts'
export { eventWebhookHeaders, signEventWebhook, verifyEventWebhook } from './lib/signature.ts'
export {
  characters,
  colorRule,
  cut,
  sameEmoji,
  shortened,
  hasContent,
  idPattern,
  isColor,
  isEmoji,
  isId,
  isLink,
  isTime,
  linkRule,
  lowerId,
  timeRule,
  wellFormed,
} from './lib/text/text.ts'
export { actionStyles, permissions } from './lib/text/words.ts'
